"""One measurement in the words of several sources has one prediction; what a cell leaves out has one documented reading."""

from collections.abc import Mapping

import pytest

from sizewell.instance_selection.catalog import load_catalog
from tests.benchmarks.measured_rows import DECODER, ENCODER
from tools.benchmarks.completion import complete
from tools.benchmarks.load import Arrival
from tools.benchmarks.measurements import Case, case_of
from tools.benchmarks.metric_names import METRICS, metric_of
from tools.benchmarks.predictions import predict_rows
from tools.benchmarks.quantities import quantity

CATALOG = load_catalog("us-east-1")
LLM = {**DECODER, "batch_size": "", "input_len": "512", "output_len": "256", "framework": "vLLM 0.8.5"}
SERVED = {**LLM, "concurrency": "16", "metric": "latency_ms_avg"}
LARGE = {
    **LLM,
    "model": "Llama-2-70b",
    "params": "69000000000",
    "accelerator": "H100",
    "accelerator_count": "8",
}
SPLIT = {**LARGE, "concurrency": "16"}
PACKED = {
    **LARGE,
    "accelerator_count": "4",
    "concurrency": "offline 1000 at once",
    "metric": "tokens_s_total",
}
NEURON = {**LLM, "accelerator": "Inferentia2", "accelerator_count": "12", "batch_size": "4"}
TENSORFLOW = {**ENCODER, "framework": "TensorFlow 2.11", "batch_size": "32", "accelerator": "A100-40GB-SXM4"}
TRAINED = {
    **ENCODER, "task": "training", "metric": "throughput_seq_s", "accelerator": "A100-40GB-SXM4", "accelerator_count": "4",
    "batch_size": "32", "framework": "PyTorch",
}  # fmt: skip
ADAPTERS = {
    **LLM, "task": "training", "metric": "throughput_seq_s", "accelerator": "A100-40GB-SXM4", "batch_size": "8",
    "input_len": "2048", "output_len": "", "precision": "bf16 LoRA", "framework": "PyTorch",
}  # fmt: skip
BLACKWELL = {**SERVED, "accelerator": "B200"}
Row = Mapping[str, str]

#: A row, the column in which sources differ, and what they write there; the first is what measurements.csv would hold.
DIALECTS: tuple[tuple[Row, str, tuple[str, ...]], ...] = (
    (ENCODER, "batch_size", ("8", "bs=8", "batch 8", "batch size: 8", "8.0", "8 sequences", "BS8")),
    (ENCODER, "params", ("340000000", "340M", "0.34B", "340 million", "3.4e8")),
    (ENCODER, "input_len", ("128", "128 tokens", "seq 128", "seq_len=128", "128.0")),
    (LLM, "input_len", ("2048", "2,048 tokens", "2k", "2K")),
    (
        SERVED,
        "concurrency",
        (
            "16", "16.0", "16 users", "16 concurrent", "16 concurrent requests", "c=16", "concurrency 16", "concurrency=16",
            "16 VUs", "16 clients", "max concurrency 16", "16 streams",
        ),
    ),
    (
        SERVED,
        "concurrency",
        (
            "rate=4/s", "4 req/s", "QPS 4", "qps=4", "request rate 4", "request_rate: 4.0", "4 rps", "4 QPS", "Poisson 4/s",
            "4 requests per second", "Poisson, 4 queries/sec",
        ),
    ),
    (
        {**SERVED, "metric": "tokens_s_total"},
        "concurrency",
        (
            "offline 1000 at once", "1000 prompts offline", "rate=inf, 1000 prompts", "infinite request rate", "QPS=inf",
            "max throughput 1000 requests", "1,000 requests, all at t=0", "1000 unbounded",
        ),
    ),
    (
        SPLIT,
        "parallelism",
        (
            "TP8", "TP=8", "tp 8", "tp-8", "tp_size=8", "tensor parallel 8", "tensor-parallel size 8",
            "tensor_parallel_size=8", "8-way tensor parallel", "Tensor Parallelism (8)", "TP8 PP1", "TP8PP1", "",
        ),
    ),
    (
        {**ENCODER, "accelerator": "Xeon Platinum 8480+ (56 cores)", "copies": "4", "metric": "throughput_seq_s"},
        "parallelism",
        ("4 instances x 4 threads", "4 processes of 4 threads", "4 copies with 4 threads", "16 threads"),
    ),
    (PACKED, "parallelism", ("PP2", "PP=2", "pipeline parallel 2", "pipeline-parallel size 2", "2-way pipeline parallel")),
    (
        {**LLM, "accelerator_count": "4", "concurrency": "64"},
        "parallelism",
        ("DP4", "DP=4", "data parallel 4", "data_parallel_size=4", "4-way data parallel"),
    ),
    (TRAINED, "parallelism", ("FSDP", "HSDP", "FULL_SHARD", "ZeRO-3", "sharded, stage not stated")),
    (TRAINED, "parallelism", ("DP4", "DDP", "data parallel 4", "4-way data parallel", "DistributedDataParallel")),
    (
        {**TRAINED, "batch_size": "64"},
        "note",
        (
            "micro-batch 8", "batch 8 per GPU", "per-GPU batch size 8", "64 sequences (8 per GPU)", "micro_batch_size=8",
            "global batch 64, batch size of 8 per device",
        ),
    ),
    (
        ADAPTERS,
        "note",
        (
            "gradient checkpointing", "activation checkpointing", "full activation recomputation", "gradient_checkpointing=True",
            "Gradient Checkpointing: on",
        ),
    ),
    (
        {**TRAINED, "metric": "train_time_s"},
        "note",
        ("seconds per iteration", "iteration time", "one step", "ms/step", "one forward and backward pass", "32 texts each step"),
    ),
    (
        {**TRAINED, "metric": "train_time_s"},
        "note",
        ("1,000 steps", "1000 iterations", "time per 1k iterations", "2 epochs of SQuAD (16,000 texts)", "1k updates"),
    ),
    (ADAPTERS, "note", ("", "no gradient checkpointing", "without activation checkpointing", "synthetic data", "packed")),
    (ADAPTERS, "note", ("the length is the maximum", "Alpaca", "max sequence length", "length is that of the longest text")),
    (TRAINED, "parallelism", ("FSDP", "FULL_SHARD", "ZeRO-3", "zero stage 3", "full shard")),
    (
        NEURON,
        "parallelism",
        ("TP8 (NeuronCores)", "TP8", "tensor parallel 8 NeuronCores", "tensor-parallel degree 8", "tp_degree=8"),
    ),
    (LLM, "precision", ("fp16", "FP16", "float16", "half", "torch.float16", "W16A16", "")),
    (LLM, "precision", ("bf16", "bfloat16", "BF16", "torch.bfloat16")),
    (LLM, "precision", ("fp8", "FP8", "e4m3", "W8A8-fp8", "fp8 (W8A8)", "float8_e4m3fn")),
    (LLM, "precision", ("int8", "INT8", "W8A8", "smoothquant", "w8a8-int8")),
    (LLM, "precision", ("int8-gptq", "W8A16", "8-bit", "q8_0", "GPTQ 8bit", "int8 weight-only")),
    (
        LLM,
        "precision",
        (
            "int4", "AWQ", "GPTQ", "w4a16", "4-bit", "4bit", "Q4_K_M", "nf4", "int4-awq", "nvfp4", "mxfp4", "MXFP4/as shipped",
            "int3-Q3_K_S", "Q2_K", "2-bit",
        ),
    ),
    (BLACKWELL, "precision", ("nvfp4", "mxfp4", "NVFP4", "fp4", "W4A4")),
    (LLM, "precision", ("fp16/kv:fp8", "fp16 / kv:fp8", "FP16, KV cache fp8", "fp16 + fp8 kv cache")),
    (TENSORFLOW, "precision", ("tf32", "TF32", "fp32", "float32", "fp32 (NGC)")),
    (
        {**TENSORFLOW, "precision": "fp32"},
        "framework",
        ("TensorFlow 2.11", "TF 2.4", "tf2.16", "TensorFlow1 (NGC)", "TensorFlow (NGC 21.02)"),
    ),
    ({**TENSORFLOW, "precision": "fp32", "accelerator": "T4"}, "framework", ("TensorFlow 1.15", "TensorFlow 2.11 (NGC)")),
    (
        SERVED,
        "framework",
        (
            "vLLM", "vLLM 0.6.3", "vllm v0.6.3.post1", "vLLM V1 engine", "vLLM==0.10.1", "LMI (vLLM)", "djl-lmi", "LMI", "SGLang",
            "TGI 2.0", "HF TGI 3.0.1", "text-generation-inference 2.4", "Triton (vLLM backend)", "NIM (vLLM)",
        ),
    ),
    (SERVED, "framework", ("vLLM 0.4.2", "vllm v0.5.4", "vLLM version 0.2", "LMI (vLLM 0.4)")),
    (SERVED, "framework", ("TGI 1.0.3", "text-generation-inference 1.0.3", "HF TGI v0.9", "Text Generation Inference 1.4")),
    (
        SERVED,
        "framework",
        ("TensorRT-LLM", "TensorRT-LLM 0.12", "trtllm", "TRT-LLM", "TensorRT LLM", "tensorrt_llm 1.0", "NIM", "NVIDIA NIM 1.3"),
    ),
    (LLM, "framework", ("transformers", "HF Transformers 4.40", "Hugging Face transformers", "huggingface transformers")),
    (LLM, "framework", ("llama.cpp", "llama-cpp", "llama_cpp b5540", "ollama 0.3")),
    (LLM, "architecture", ("decoder", "LLM", "causal-lm", "Decoder-only", "", "transformer", "dense decoder")),
    (ENCODER, "architecture", ("transformer-encoder", "encoder", "Encoder-only", "", "transformer", "BERT encoder")),
    ({**LLM, "model": "Mixtral-8x7B", "params": ""}, "architecture", ("decoder-moe", "MoE", "mixture of experts", "decoder")),
    (SERVED, "metric", ("ttft_ms", "TTFT (ms)", "time to first token (ms)", "TTFT mean (ms)", "ttft_ms_p50")),
    (SERVED, "metric", ("itl_ms", "TPOT (ms)", "inter-token latency (ms)", "time per output token (ms)", "ITL ms")),
    (SERVED, "metric", ("tokens_s_total", "tokens/s", "tok/s total", "output tokens/s", "tokens per second")),
    (SERVED, "metric", ("tokens_s_inout", "input+output tokens/s", "in+out tokens/s")),
    (ADAPTERS, "metric", ("tokens_s_total", "tokens/s", "tokens_s_inout")),
    (SERVED, "metric", ("latency_ms_avg", "latency_ms_mean", "Latency (ms)", "mean latency (ms)", "E2E latency (ms)")),
    (SERVED, "metric", ("latency_ms_p99", "p99 latency (ms)", "latency_p99_ms")),
    ({**ENCODER, "model": "resnet50", "architecture": "cnn", "params": ""}, "metric", ("images_s", "images/sec", "img/s")),
    (ENCODER, "metric", ("throughput_seq_s", "sequences/s", "samples/sec", "throughput (sentences/sec)")),
    (
        {**LLM, "accelerator": "", "accelerator_count": ""},
        "aws_instance",
        ("g5.12xlarge", "ml.g5.12xlarge", "1x g5.12xlarge", "ML.G5.12xlarge", "AWS g5.12xlarge (4x A10G)"),
    ),
    (LARGE, "accelerator_count", ("8", "8.0", "8 GPUs", "8x")),
    ({**LARGE, "accelerator_count": "", "parallelism": "TP8"}, "accelerator", ("H100", "8x H100", "H100 x 8")),
)  # fmt: skip


def read(row: Row, **changes: str) -> Case:
    return case_of(complete({**row, **changes}, CATALOG))


def predicted(row: Row, **changes: str) -> float:
    (prediction,) = predict_rows([{**row, **changes}], CATALOG)
    assert prediction.predicted is not None, prediction.reason
    return prediction.predicted


@pytest.mark.parametrize(
    ("row", "column", "text", "usual"),
    [
        pytest.param(row, column, text, words[0], id=f"{column}: {text or 'empty'}")
        for row, column, words in DIALECTS
        for text in words[1:]
    ],
)
def test_other_words_give_the_same_prediction(row: Row, column: str, text: str, usual: str) -> None:
    assert predicted(row, **{column: text}) == pytest.approx(predicted(row, **{column: usual}), rel=1e-9)


@pytest.mark.parametrize(
    ("row", "column", "texts"),
    [
        (ENCODER, "batch_size", ("8", "16")),
        (SERVED, "concurrency", ("16", "4 req/s", "offline 1000 at once", "offline 200 prompts")),
        (SPLIT, "parallelism", ("TP8", "TP4", "PP2", "DP8")),
        (ADAPTERS, "note", ("", "gradient checkpointing", "the length is the maximum")),
        (ADAPTERS, "precision", ("bf16 LoRA", "nf4 LoRA", "bf16")),
        (TRAINED, "note", ("", "batch 32 per GPU")),
        ({**TRAINED, "metric": "train_time_s"}, "note", ("per step", "20 steps", "mean of 20 steps")),
        (TRAINED, "parallelism", ("DP4", "sharded", "sharded states (ZeRO-1)")),
        (LLM, "precision", ("fp16", "fp8", "int4", "int8", "W8A16", "fp32")),
        (BLACKWELL, "precision", ("mxfp4", "nf4")),
        (TENSORFLOW, "precision", ("fp32", "fp16")),
        ({**TENSORFLOW, "precision": "fp32"}, "framework", ("TensorFlow 2.11", "TensorFlow 2.3")),
        (SERVED, "framework", ("vLLM", "vLLM 0.5.4", "TGI 1.0.3", "TensorRT-LLM", "transformers")),
        (SERVED, "metric", ("ttft_ms", "itl_ms", "tokens_s_total", "tokens_s_inout", "latency_ms_avg")),
    ],
)
def test_words_that_mean_something_else_do_not(row: Row, column: str, texts: tuple[str, ...]) -> None:
    assert len({predicted(row, **{column: text}) for text in texts}) == len(texts)


def test_nothing_about_load_is_one_request() -> None:
    load = read(LLM, concurrency="", batch_size="").load
    assert (load.arrival, load.users) == (Arrival.BATCH, 1.0)


@pytest.mark.parametrize(("accelerator", "degree"), [("A10G", 4), ("Inferentia2", 8), ("Trainium2", 16)])
def test_a_decoder_without_a_stated_split_lies_over_all_that_it_has(accelerator: str, degree: int) -> None:
    assert read(LLM, accelerator=accelerator, accelerator_count="4").tensor_parallel == degree


@pytest.mark.parametrize("framework", ["Triton", "TorchServe", "TGI 2.0", "vLLM"])
@pytest.mark.parametrize("batch", ["", "1"])
def test_users_of_a_server_are_a_closed_loop(framework: str, batch: str) -> None:
    load = read(SERVED, framework=framework, batch_size=batch, concurrency="16").load
    assert (load.arrival, load.users) == (Arrival.USERS, 16.0)


def test_users_beside_a_batch_are_that_batch() -> None:
    load = read(SERVED, batch_size="8", concurrency="1").load
    assert (load.arrival, load.users) == (Arrival.BATCH, 8.0)


@pytest.mark.parametrize(
    ("columns", "load"),
    [
        ({"batch_size": "", "concurrency": "batch 8"}, (Arrival.BATCH, 8.0)),
        ({"batch_size": "8 concurrent users", "concurrency": ""}, (Arrival.USERS, 8.0)),
    ],
)
def test_a_batch_in_the_column_of_users_stays_a_batch(columns: Row, load: tuple[Arrival, float]) -> None:
    found = read(SERVED, **columns).load
    assert (found.arrival, found.users) == load


def test_a_precision_that_is_not_stated_is_what_the_model_is_named_after() -> None:
    assert read(LLM, precision="", model="Llama-2-7b-AWQ").quantization.startswith("int4")


@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_of_the_table_keeps_its_name(metric: str) -> None:
    assert metric_of(metric) == metric


@pytest.mark.parametrize("name", ["latency_s_avg", "latency (s)", "accuracy", "", "tokens/s/W"])
def test_no_unit_is_changed_and_no_stranger_is_guessed(name: str) -> None:
    assert metric_of(name) == name


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("15-20 users", 17.5),
        ("1,024", 1024.0),
        ("16", 16.0),
        ("Poisson", None),
        ("", None),
        ("2.5 million", 2.5e6),
    ],
)
def test_the_number_of_a_cell(text: str, number: float | None) -> None:
    assert quantity(text) == number


@pytest.mark.parametrize("note", ["beam 4", "beam size 4", "beam_size=4", "4 beams"])
def test_a_search_over_beams_steps_as_many_sequences(note: str) -> None:
    writer = {**LLM, "batch_size": "32", "metric": "tokens_s_total"}
    assert (read(writer, note=note).beams, read(writer).beams) == (4, 1)
    assert predicted(writer, note=note) < predicted(writer)


def test_users_of_one_model_wait_for_each_other_unless_their_requests_become_a_batch() -> None:
    row = {**ENCODER, "batch_size": ""}
    assert predicted(row, concurrency="8") > 7 * predicted(row, concurrency="1")
    served = {**row, "metric": "throughput_seq_s", "concurrency": "64"}
    assert predicted(served, framework="TensorRT 10, infinity") > 1.1 * predicted(
        served, framework="TensorRT 10"
    )


def test_users_beyond_those_in_progress_wait_by_littles_law() -> None:
    def metric(name: str, users: int) -> float:
        return predicted(LLM, concurrency=str(users), metric=name)

    # More requests than an engine has room for at a time do not make it faster.
    assert metric("tokens_s_total", 4096) == pytest.approx(metric("tokens_s_total", 2048))
    request = metric("latency_ms_avg", 2048)
    assert metric("latency_ms_avg", 4096) == pytest.approx(2 * request)
    # All of the difference is spent before the first token.
    assert metric("ttft_ms", 4096) - metric("ttft_ms", 2048) == pytest.approx(request)


@pytest.mark.parametrize(
    ("model", "active"), [("mine-30b-a3b", 3e9), ("mine 30B A3.5B", 3.5e9), ("mine-30b", 0.16 * 30e9)]
)
def test_a_mixture_that_no_preset_knows_uses_what_its_name_says_or_a_sixth(model: str, active: float) -> None:
    mixture = {**LLM, "architecture": "decoder-moe", "params": "30000000000", "model_key": "", "model": model}
    assert read(mixture).model.active_parameters == pytest.approx(active)


@pytest.mark.parametrize("note", ["random uniform up to 1000/1000", "real means: 500 in, 505 out"])
def test_lengths_that_are_drawn_vary(note: str) -> None:
    assert read(SERVED, note=note).load.varied
    assert not read(SERVED, note="random 1000/1000 ignore-eos").load.varied
