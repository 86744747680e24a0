"""What a row says in words becomes a number of the case."""

import pytest

from sizewell.instance_selection.estimation.coefficients import coefficients
from sizewell.instance_selection.estimation.training import exchange_bandwidth
from sizewell.instance_selection.requirements import Architecture
from tests.benchmarks.measured_rows import DECODER, ENCODER
from tools.benchmarks.forward_cases import ForwardCases
from tools.benchmarks.frameworks import framework_of
from tools.benchmarks.generation_cases import GenerationCases
from tools.benchmarks.images import pixels_of, stated_flops
from tools.benchmarks.measurements import Case, case_of
from tools.benchmarks.training_cases import TrainingCases

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


@pytest.mark.parametrize(
    ("model", "note", "steps", "guidance"),
    [
        ("sdxl", "", 50, True),
        ("sdxl", "30 steps 1024x1024", 30, True),
        ("sdxl", "20 inference steps", 20, True),
        ("flux.1-dev", "", 28, False),
        ("flux.1-schnell", "", 4, False),
    ],
)
def test_steps_and_guidance_of_an_image(model: str, note: str, steps: int, guidance: bool) -> None:
    found = read(DIFFUSION, model=model, note=note).model
    assert (found.denoising_steps, found.guidance) == (steps, guidance)


@pytest.mark.parametrize(
    ("note", "pixels"),
    [("1024x768", 1024 * 768), ("image 640; docs", 640 * 640), ("ImageNet 224", 0), ("", 0)],
)
def test_pixels(note: str, pixels: int) -> None:
    assert pixels_of(note) == pixels


@pytest.mark.parametrize(
    ("note", "gflops"),
    [
        ("45.3 GFLOPs (source)", 45.3),
        ("2.87 GMACs", 5.74),
        ("source's BFLOPs 35.5; FPS", 35.5),
        ("6.9 BFLOPs; a CPU", 6.9),
        ("FLOPs (multiply-adds) 3.9G; batch 1", 7.8),
        ("GMACs: 4.1", 8.2),
        ("1.1 TFLOPs", 1100),
        ("82 TFLOPS/s reached", 0),
        ("", 0),
    ],
)
def test_stated_arithmetic(note: str, gflops: float) -> None:
    assert stated_flops(note) == pytest.approx(gflops * 1e9)


def test_the_work_of_an_image_is_that_of_its_size() -> None:
    def flops(**cells: str) -> float:
        return read(CNN, **cells).model.forward_flops_per_image

    known = {"model": "resnet50", "model_key": "resnet50", "params": ""}
    assert flops(**known, note="image 448x448") == pytest.approx(4 * flops(**known, note="image 224x224"))
    unknown = {"model": "mine", "model_key": "", "params": "10000000"}
    assert flops(**unknown, note="image 640x640") == pytest.approx(flops(**unknown) * 640**2 / 224**2)
    assert flops(**unknown, note="image 640x640; 5 GFLOPs") == 5e9


def test_a_video_is_drawn_as_a_quarter_of_its_frames() -> None:
    def flops(note: str) -> float:
        return read(DIFFUSION, model="mine", params="2000000000", note=note).model.forward_flops_per_image

    assert flops("49 frames of 720x480") == pytest.approx(13 * flops("image 720x480"))
    assert flops("720x480 at 16 frames/s") == flops("image 720x480")


@pytest.mark.parametrize(
    ("name", "framework"),
    [
        ("vLLM 0.2.0", "vllm-early"),
        ("vLLM v0.5.4", "vllm-early"),
        ("vLLM 0.6.3", "vllm"),
        ("vLLM 0.10.1", "vllm"),
        ("vLLM", "vllm"),
    ],
)
def test_early_releases_of_vllm_are_told_apart(name: str, framework: str) -> None:
    assert framework_of(name) == framework


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


@pytest.mark.parametrize(("parallelism", "degree", "copies"), [("", 2.0, 4.0), ("TP8", 8.0, 1.0)])
def test_a_throughput_is_served_by_as_many_copies_as_fit(
    parallelism: str, degree: float, copies: float
) -> None:
    cases = GenerationCases([read(RECORD, parallelism=parallelism)])
    assert (cases._degree[0], cases._copies[0]) == (degree, copies)


@pytest.mark.parametrize(
    ("parallelism", "accelerator", "per_device"),
    [("DP8", "V100-16GB-SXM2", True), ("DDP", "V100-16GB-SXM2", True), ("[32xNC(DP)]", "Trainium1", False)],
)
def test_a_data_parallel_batch_is_that_of_one_gpu(
    parallelism: str, accelerator: str, per_device: bool
) -> None:
    case = read(TRAINING, parallelism=parallelism, accelerator=accelerator)
    assert case.data_parallel is per_device


@pytest.mark.parametrize(
    ("accelerator", "count", "note", "gbit_s"),
    [("V100-16GB-SXM2", "16", "", 400), ("V100-16GB-SXM2", "16", "100 Gbps", 100), ("A10G", "16", "", 100)],
)
def test_a_ring_over_nodes_has_the_network_of_a_node(
    accelerator: str, count: str, note: str, gbit_s: float
) -> None:
    case = read(TRAINING, accelerator=accelerator, accelerator_count=count, note=note, parallelism="DP16")
    cases = TrainingCases([case])
    assert cases._link[0] == pytest.approx(
        min(gbit_s / 8 * 1e9, float(exchange_bandwidth(cases._machines)[0]))
    )


@pytest.mark.parametrize(
    ("cells", "stated"),
    [
        ({"note": "100 trees, depth 10"}, True),
        ({"note": "200k iterations"}, True),
        ({"note": "airline data"}, False),
        # Trees of so many rows that nobody says.
        ({"note": "100 trees", "input_len": ""}, False),
        # A rate says what it says, however much was done.
        ({"note": "", "metric": "throughput_seq_s"}, True),
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
