"""What the columns of a row mean together, and what stands for those that are empty."""

import pytest

from sizewell.instance_selection.catalog import load_catalog
from sizewell.instance_selection.estimation.coefficients import coefficients
from sizewell.instance_selection.estimation.training import exchange_bandwidth
from sizewell.instance_selection.requirements import Architecture, Precision
from tests.benchmarks.measured_rows import DECODER, ENCODER
from tools.benchmarks.forward_cases import ForwardCases
from tools.benchmarks.generation_cases import GenerationCases
from tools.benchmarks.measurements import Case, case_of
from tools.benchmarks.predictions import predict_rows
from tools.benchmarks.training_cases import TrainingCases

CATALOG = load_catalog("us-east-1")
CNN = {**ENCODER, "architecture": "cnn", "input_len": "", "metric": "images_s"}
DIFFUSION = {**ENCODER, "model": "sdxl", "architecture": "diffusion", "params": "", "input_len": ""}
RECORD = {
    **DECODER,
    "model": "llama-2-70b",
    "params": "",
    "precision": "fp8",
    "accelerator": "H100",
    "accelerator_count": "8",
    "batch_size": "",
    "concurrency": "unbounded (offline)",
    "framework": "TensorRT",
}
TRAINING = {**ENCODER, "task": "training", "metric": "throughput_seq_s", "accelerator": "V100-16GB-SXM2"}


def read(row: dict[str, str], **changes: str) -> Case:
    return case_of({**row, **changes})


def predicted(row: dict[str, str], **changes: str) -> float:
    (prediction,) = predict_rows([{**row, **changes}], CATALOG)
    assert prediction.predicted is not None, prediction.reason
    return prediction.predicted


@pytest.mark.parametrize(
    ("model", "stated", "steps", "guidance"),
    [
        ("sdxl", "", 50, True),
        ("sdxl", "30", 30, True),
        ("flux.1-dev", "", 28, False),
        ("flux.1-schnell", "", 4, False),
    ],
)
def test_steps_and_guidance_of_an_image(model: str, stated: str, steps: int, guidance: bool) -> None:
    found = read(DIFFUSION, model=model, denoising_steps=stated).model
    assert (found.denoising_steps, found.guidance) == (steps, guidance)


def test_the_work_of_an_image_is_that_of_its_size() -> None:
    def flops(**cells: str) -> float:
        return read(CNN, **cells).model.forward_flops_per_image

    known = {"model": "resnet50", "model_key": "resnet50", "params": ""}
    assert flops(**known, image_size="448x448") == pytest.approx(4 * flops(**known, image_size="224x224"))
    unknown = {"model": "mine", "model_key": "", "params": "10000000"}
    assert flops(**unknown, image_size="640") == pytest.approx(flops(**unknown) * 640**2 / 224**2)
    assert flops(**unknown, image_size="320x640") == pytest.approx(flops(**unknown, image_size="640") / 2)
    assert flops(**unknown, image_size="640", gflops="5") == 5e9


def test_a_video_is_drawn_as_a_quarter_of_its_frames() -> None:
    def flops(frames: str) -> float:
        row = read(DIFFUSION, model="mine", params="2000000000", image_size="720x480", frames=frames)
        return row.model.forward_flops_per_image

    assert flops("49") == pytest.approx(13 * flops(""))


def test_an_image_network_is_no_encoder_decoder_whatever_its_table_says() -> None:
    case = read(ENCODER, model="resnet50", architecture="encoder-decoder", params="25600000")
    assert case.model.architecture is Architecture.CNN


@pytest.mark.parametrize(
    ("framework", "accelerator", "precision", "arithmetic"),
    [
        # Sapphire Rapids has matrix units, which ggml does not use.
        ("llama.cpp", "Xeon Platinum 8488C (48 cores)", "Q4_K_M", "fp32"),
        ("PyTorch", "Xeon Platinum 8488C (48 cores)", "bf16", "half"),
        ("llama.cpp", "A10G", "Q4_K_M", "half"),
        ("llama.cpp", "Graviton4 (16 cores)", "Q4_K_M", "fp32"),
        ("llama.cpp", "Graviton4 (16 cores)", "Q4_0", "half"),
    ],
)
def test_what_multiplies_weights_that_are_expanded(
    framework: str, accelerator: str, precision: str, arithmetic: str
) -> None:
    cells = {"framework": framework, "accelerator": accelerator, "precision": precision}
    assert read(DECODER, **cells).arithmetic == arithmetic


@pytest.mark.parametrize(
    ("accelerator", "precision", "expected"),
    [
        ("Inferentia2", "fp16", Precision.BF16),
        ("Inferentia2", "fp32", Precision.BF16),
        ("Inferentia2", "fp32/None", Precision.FP32),
        ("Trainium2", "fp8", Precision.FP8),
        ("Inferentia2", "int8", Precision.INT8),
        ("A10G", "fp16", Precision.FP16),
    ],
)
def test_neuron_casts_what_it_multiplies_unless_it_is_told_not_to(
    accelerator: str, precision: str, expected: Precision
) -> None:
    case = read(DECODER, accelerator=accelerator, precision=precision)
    assert case.model.precision is expected
    assert case.arithmetic != "int8"


@pytest.mark.parametrize(("row", "arithmetic"), [(CNN, "tf32"), (ENCODER, "fp32")])
def test_pytorch_multiplies_fp32_as_tf32_in_convolutions(row: dict[str, str], arithmetic: str) -> None:
    assert read(row, framework="pytorch 2.4", precision="fp32", accelerator="A100").arithmetic == arithmetic


@pytest.mark.parametrize(
    ("accelerator", "engine"), [("T4", "compiled"), ("c6i.xlarge", "eager"), ("Inferentia2", "neuron")]
)
def test_the_engine_is_that_of_the_framework_on_the_chip(accelerator: str, engine: str) -> None:
    assert read(ENCODER, framework="torch.compile", accelerator=accelerator).engine == engine


def test_a_framework_that_shards_does_so_unless_the_row_says_how() -> None:
    fsdp = {**TRAINING, "framework": "pytorch-fsdp 2.4", "accelerator_count": "8"}
    assert (read(fsdp).sharding, read(fsdp, parallelism="dp8").sharding) == ("shard", "none")


def test_a_batch_that_is_the_micro_batch_of_several_devices_is_that_of_each() -> None:
    several = {**TRAINING, "accelerator_count": "8", "batch_size": "16"}
    assert read(several, micro_batch="16").per_device
    assert not read(several, micro_batch="2").per_device
    assert not read(several, micro_batch="16", per_device="no").per_device


def test_gpus_that_nobody_counts_are_as_many_as_the_split_needs() -> None:
    uncounted = {**DECODER, "accelerator": "H100", "accelerator_count": ""}
    assert read(uncounted, parallelism="tp4 pp2").chips == 8
    assert read(uncounted, parallelism="tp4 pp2", accelerator_count="4").chips == 4


@pytest.mark.parametrize(("parallelism", "degree", "copies"), [("", 2.0, 4.0), ("TP8", 8.0, 1.0)])
def test_a_throughput_is_served_by_as_many_copies_as_fit(
    parallelism: str, degree: float, copies: float
) -> None:
    cases = GenerationCases([read(RECORD, parallelism=parallelism)])
    assert (cases._degree[0], cases._copies[0]) == (degree, copies)


@pytest.mark.parametrize(
    ("parallelism", "accelerator", "per_device"),
    [
        ("DP8", "V100-16GB-SXM2", True),
        ("DDP", "V100-16GB-SXM2", True),
        ("DP4 TP2", "V100-16GB-SXM2", False),
        ("DP32", "Trainium1", False),
    ],
)
def test_a_data_parallel_batch_is_that_of_one_gpu(
    parallelism: str, accelerator: str, per_device: bool
) -> None:
    case = read(TRAINING, parallelism=parallelism, accelerator=accelerator)
    assert case.data_parallel is per_device


@pytest.mark.parametrize(
    ("accelerator", "count", "stated", "gbit_s"),
    [("V100-16GB-SXM2", "16", "", 400), ("V100-16GB-SXM2", "16", "100", 100), ("A10G", "16", "", 100)],
)
def test_a_ring_over_nodes_has_the_network_of_a_node(
    accelerator: str, count: str, stated: str, gbit_s: float
) -> None:
    row = {**TRAINING, "accelerator": accelerator, "accelerator_count": count, "parallelism": "DP16"}
    cases = TrainingCases([read(row, network_gbit_s=stated)])
    assert cases._link[0] == pytest.approx(
        min(gbit_s / 8 * 1e9, float(exchange_bandwidth(cases._machines)[0]))
    )


@pytest.mark.parametrize(
    ("cells", "stated"),
    [
        ({"rounds": "100"}, True),
        ({}, False),
        # Trees of so many rows that nobody says.
        ({"rounds": "100", "input_len": ""}, False),
        # A rate says what it says, however much was done.
        ({"metric": "throughput_seq_s"}, True),
    ],
)
def test_a_duration_says_something_where_the_row_says_how_much_was_done(
    cells: dict[str, str], stated: bool
) -> None:
    trees = {
        "model": "xgboost",
        "architecture": "gbdt",
        "params": "",
        "input_len": "1000000",
        "framework": "XGBoost",
    }
    assert read(TRAINING, **(trees | {"metric": "train_time_s"} | cells)).size_is_stated is stated


@pytest.mark.parametrize(("accelerator", "degree"), [("A10G", 4), ("Inferentia2", 8), ("Trainium2", 16)])
def test_a_decoder_without_a_stated_split_lies_over_all_that_it_has(accelerator: str, degree: int) -> None:
    assert read(DECODER, accelerator=accelerator, accelerator_count="4").tensor_parallel == degree


def test_a_precision_that_is_not_stated_is_what_the_model_is_named_after() -> None:
    assert read(DECODER, precision="", model="Llama-2-7b-AWQ").quantization.startswith("int4")


@pytest.mark.parametrize(
    ("model", "active"), [("mine-30b-a3b", 3e9), ("mine 30B A3.5B", 3.5e9), ("mine-30b", 0.16 * 30e9)]
)
def test_a_mixture_that_no_preset_knows_uses_what_its_name_says_or_a_sixth(model: str, active: float) -> None:
    mixture = {**DECODER, "architecture": "decoder-moe", "params": "30000000000", "model": model}
    assert read(mixture).model.active_parameters == pytest.approx(active)


@pytest.mark.parametrize(("model", "parameters"), [("Newcomer-9B-instruct", 9e9), ("new-moe-8x7b", 56e9)])
def test_parameters_that_are_not_stated_are_those_in_the_name(model: str, parameters: float) -> None:
    assert read(DECODER, model=model, params="").model.parameters == parameters


@pytest.mark.parametrize(
    ("cells", "architecture"),
    [
        ({"model": "bert-large"}, Architecture.ENCODER),
        ({"model": "mine", "metric": "itl_ms", "params": "7B"}, Architecture.DECODER),
        (
            {"model": "mine", "metric": "train_time_s", "framework": "XGBoost 3.1"},
            Architecture.GRADIENT_BOOSTING,
        ),
    ],
)
def test_an_architecture_that_is_not_stated_is_that_of_preset_metric_or_library(
    cells: dict[str, str], architecture: Architecture
) -> None:
    assert read(ENCODER, **{"architecture": "", "params": "", **cells}).model.architecture is architecture


@pytest.mark.parametrize(("metric", "training"), [("mfu", True), ("train_time_s", True), ("itl_ms", False)])
def test_a_task_that_is_not_stated_is_that_of_the_metric(metric: str, training: bool) -> None:
    assert read(DECODER, task="", metric=metric).training is training


@pytest.mark.parametrize(("instance", "count"), [("g5.12xlarge", 4), ("ml.g5.xlarge", 1), ("m5.xlarge", 1)])
def test_an_instance_type_says_what_it_has(instance: str, count: int) -> None:
    case = read(DECODER, accelerator="", accelerator_count="", aws_instance=instance)
    assert (case.chips, case.chip.kind) == (count, "cpu" if instance == "m5.xlarge" else "cuda")


def test_a_source_of_mlperf_is_a_record_unless_the_row_says_no() -> None:
    assert read(ENCODER, source_id="MLPERF-9").tuned_record
    assert not read(ENCODER, source_id="MLPERF-9", record="no").tuned_record
    assert read(ENCODER, record="yes").tuned_record


@pytest.mark.parametrize(
    ("framework", "precision", "recompute", "expected"),
    [
        ("llama-factory 0.9", "bf16 LoRA", "", True),
        ("llama-factory", "bf16 LoRA", "no", False),
        ("HF PEFT", "nf4 LoRA", "", True),
        ("HF PEFT", "bf16 LoRA", "", False),
        ("HF PEFT", "nf4", "", False),
        ("pytorch", "bf16", "yes", True),
    ],
)
def test_some_frameworks_recompute_unless_they_are_told_not_to(
    framework: str, precision: str, recompute: str, expected: bool
) -> None:
    row = {**DECODER, "task": "training", "metric": "tokens_s_total", "accelerator": "H100"}
    assert read(row, framework=framework, precision=precision, recompute=recompute).recompute is expected


@pytest.mark.parametrize(
    ("length", "lengths", "real"), [("1304", "", True), ("2048", "", False), ("1304", "equal", False), ("2048", "varied", True)]
)  # fmt: skip
def test_a_length_that_nobody_chose_is_that_of_the_longest_text(
    length: str, lengths: str, real: bool
) -> None:
    assert read(TRAINING, input_len=length, lengths=lengths).real_texts is real


def test_users_of_one_model_wait_for_each_other_unless_their_requests_become_a_batch() -> None:
    row = {**ENCODER, "batch_size": ""}
    assert predicted(row, concurrency="8") > 7 * predicted(row, concurrency="1")
    served = {**row, "metric": "throughput_seq_s", "concurrency": "64"}
    assert predicted(served, framework="infinity-tensorrt") > 1.1 * predicted(served, framework="TensorRT 10")


def test_users_beyond_those_in_progress_wait_by_littles_law() -> None:
    def metric(name: str, users: int) -> float:
        row = {**DECODER, "batch_size": "", "input_len": "512", "output_len": "256"}
        return predicted(row, concurrency=str(users), metric=name)

    # More requests than an engine has room for at a time do not make it faster.
    assert metric("tokens_s_total", 4096) == pytest.approx(metric("tokens_s_total", 2048))
    request = metric("latency_ms_avg", 2048)
    assert metric("latency_ms_avg", 4096) == pytest.approx(2 * request)
    # All of the difference is spent before the first token.
    assert metric("ttft_ms", 4096) - metric("ttft_ms", 2048) == pytest.approx(request)


def test_a_duration_of_an_unstated_amount_of_work_is_shorter_on_more_devices() -> None:
    one, eight = (
        read(TRAINING, metric="train_time_s", accelerator_count=count, batch_size="") for count in ("1", "8")
    )
    cases = TrainingCases([one, eight])

    alone, together = cases.predict(coefficients("training").values(cases.labels, 2))
    # Eight copies, and an exchange that mostly hides.
    assert 5 < alone / together <= 8


THROUGHPUT = {
    **ENCODER,
    "accelerator": "Xeon Platinum 8380 (64 cores)",
    "batch_size": "1",
    "framework": "OpenVINO",
    "metric": "throughput_seq_s",
}


@pytest.mark.parametrize(
    ("changes", "copies", "cores"),
    [
        # 128 vCPUs, 16 for each worker.
        ({}, 8.0, 8.0),
        ({"accelerator": "Xeon Platinum 8380 (8 cores)"}, 1.0, 8.0),
        ({"copies": "4"}, 4.0, 16.0),
        ({"framework": "PyTorch"}, 1.0, 64.0),
        ({"metric": "latency_ms_avg"}, 1.0, 64.0),
        ({"concurrency": "unbounded (offline)"}, 1.0, 64.0),
    ],
)
def test_a_throughput_of_a_runtime_on_a_cpu_is_that_of_the_workers_of_an_endpoint(
    changes: dict[str, str], copies: float, cores: float
) -> None:
    cases = ForwardCases([read(THROUGHPUT, **changes)])

    assert cases._copies[0] == copies
    assert cases._machines.cores[0] == cores
