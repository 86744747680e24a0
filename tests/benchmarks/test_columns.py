"""The grammar of each column: what it reads, leaves out and refuses, and that the tables follow it."""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from sizewell.instance_selection.catalog import load_catalog
from tests.benchmarks.measured_rows import DECODER, ENCODER
from tools.benchmarks.cells import UnreadableRowError
from tools.benchmarks.frameworks import _releases
from tools.benchmarks.measurements import Case, case_of
from tools.benchmarks.metric_names import METRICS
from tools.benchmarks.predictions import predict_rows
from tools.benchmarks.tables import DATA, read_table

CATALOG = load_catalog("us-east-1")
Row = Mapping[str, str]
LLM = {**DECODER, "batch_size": "", "input_len": "512", "output_len": "256", "framework": "vLLM 0.8.5"}
SERVED = {**LLM, "concurrency": "16", "metric": "latency_ms_avg"}
LARGE = {
    **LLM,
    "model": "Llama-2-70b",
    "params": "69000000000",
    "accelerator": "H100",
    "accelerator_count": "8",
}
TENSORFLOW = {**ENCODER, "precision": "fp32", "framework": "TensorFlow 2.11", "accelerator": "A100-40GB-SXM4"}
CPU = {
    **ENCODER,
    "accelerator": "Xeon Platinum 8480+ (56 cores)",
    "copies": "4",
    "metric": "throughput_seq_s",
}
TRAINED = {
    **ENCODER, "task": "training", "metric": "throughput_seq_s", "accelerator": "A100-40GB-SXM4", "accelerator_count": "4",
    "batch_size": "32", "framework": "PyTorch",
}  # fmt: skip
TUNED = {
    **LLM, "task": "training", "metric": "throughput_seq_s", "accelerator": "A100-40GB-SXM4", "batch_size": "8",
    "input_len": "2048", "output_len": "", "precision": "bf16 LoRA", "framework": "PyTorch",
}  # fmt: skip
#: A row, a column, and cells that mean the same; the first is what measurements.csv would hold.
ACCEPTED: tuple[tuple[Row, str, tuple[str, ...]], ...] = (
    (ENCODER, "batch_size", ("8", "8.0")),
    (ENCODER, "params", ("340000000", "340M", "0.34B", "3.4e8")),
    (LLM, "input_len", ("2048", "2,048")),
    (SERVED, "concurrency", ("16", "16 users")),
    (SERVED, "concurrency", ("rate=4/s", "4 req/s", "4/s", "Rate=4.0/s")),
    ({**SERVED, "metric": "tokens_s_total"}, "concurrency", ("burst=1000", "offline 1000 at once", "offline 1,000 prompts")),
    ({**SERVED, "metric": "tokens_s_total"}, "concurrency", ("burst", "offline", "unbounded (offline)")),
    ({**ENCODER, "batch_size": ""}, "concurrency", ("server", "Poisson arrivals")),
    (LARGE, "parallelism", ("tp8", "TP8", "TP=8", "tp-8", "TP8 PP1", "PP1xTP8", "TP8, EP8", "")),
    (LARGE, "parallelism", ("tp4 dp2", "DP2xTP4", "TP=4 DP=2", "TP4 x DP2", "DP2, TP4")),
    (LARGE, "parallelism", ("pp2 tp4", "TP4xPP2", "TP4 (NeuronCores) PP2")),
    (CPU, "parallelism", ("16 threads", "4 instances x 4 threads", "4 processes x 4 threads")),
    (TRAINED, "parallelism", ("fsdp", "FULL_SHARD", "HSDP", "sharded", "FSDP2", "zero3", "ZeRO-3")),
    (TRAINED, "parallelism", ("dp4", "DDP", "Data Parallel", "DP=4")),
    ({**TRAINED, "metric": "peak_mem_mb"}, "parallelism", ("fsdp offload", "FULL_SHARD, CPU offload", "FSDP + offload")),
    (TUNED, "parallelism", ("act-ckpt", "+act-ckpt")),
    (LLM, "precision", ("fp16", "FP16", "float16", "half", "")),
    (LLM, "precision", ("bf16", "bfloat16", "amp_bf16", "BF16 amp")),
    (LLM, "precision", ("fp8", "e4m3", "FP8 (W8A8)")),
    (LLM, "precision", ("int8", "W8A8", "smoothquant")),
    (LLM, "precision", ("int8-weight", "int8-gptq", "W8A16", "q8_0", "int8-Q8_0", "int8 weight-only")),
    (LLM, "precision", ("int4", "AWQ", "int4-awq", "GPTQ", "nf4", "Q4_K_M", "int4 Q4_K_M", "IQ4_XS", "mxfp4", "int4 (group 64)")),
    ({**SERVED, "accelerator": "B200"}, "precision", ("fp4", "nvfp4", "mxfp4/as shipped")),
    (LLM, "precision", ("fp16/kv:fp8", "FP16 / kv:fp8", "fp16/kv:int8")),
    (TENSORFLOW, "precision", ("tf32", "fp32", "float32")),
    (TENSORFLOW, "framework", ("tensorflow 2.11", "TensorFlow 2.4", "TF 2.16", "TensorFlow2", "tensorflow-ngc 20.03")),
    (TENSORFLOW, "framework", ("tensorflow 1.15", "TF 1.15", "TensorFlow1", "TensorFlow 2.3")),
    ({**TENSORFLOW, "accelerator": "T4"}, "framework", ("tensorflow 1.15", "TensorFlow 2.11")),
    (SERVED, "framework", ("vllm 0.6.3", "vLLM", "vllm v0.6.3.post1", "vLLM==0.10.1", "LMI", "SGLang 0.4.6", "HF TGI 3.0.1")),
    (SERVED, "framework", ("vllm 0.5.4", "vLLM v0.2", "vLLM 0.4.0 (a fork)")),
    (SERVED, "framework", ("tgi 1.0.3", "text-generation-inference 1.4", "HF TGI v0.9")),
    (SERVED, "framework", ("tensorrt-llm 0.12", "TRT-LLM", "TensorRT LLM 1.0", "NVIDIA NIM 1.3")),
    (LLM, "framework", ("transformers 4.40", "HF Transformers", "Hugging Face transformers")),
    (LLM, "framework", ("llama.cpp b5540", "llama_cpp", "Ollama 0.3", "llama.cpp 51f311e0")),
    (LLM, "architecture", ("decoder", "Decoder", "")),
    (ENCODER, "architecture", ("encoder", "transformer-encoder", "")),
    ({**ENCODER, "model": "resnet50", "architecture": "cnn", "params": ""}, "metric", ("images_s", "Images_S")),
    ({**LLM, "accelerator": "", "accelerator_count": ""}, "aws_instance", ("g5.12xlarge", "ml.g5.12xlarge", "ML.G5.12xlarge")),
    ({**LARGE, "accelerator_count": "", "parallelism": "TP8"}, "accelerator", ("H100", "8x H100", "8xH100-80GB-SXM5")),
    ({**ENCODER, "model": "resnet50", "architecture": "cnn", "params": ""}, "image_size", ("448x448", "448 x 448", "448")),
    (TUNED, "adapters", ("8", "yes")),
)  # fmt: skip
#: A row, a column, and cells that mean something else each.
DIFFERENT: tuple[tuple[Row, str, tuple[str, ...]], ...] = (
    (SERVED, "concurrency", ("16", "rate=4/s", "burst=1000", "burst=200")),
    ({**LARGE, "concurrency": "16"}, "parallelism", ("TP8", "TP4", "PP2", "DP8")),
    (TRAINED, "parallelism", ("DP4", "tp2 dp2", "fsdp")),
    (LLM, "precision", ("fp16", "fp8", "int4", "int8", "fp32")),
    ({**SERVED, "accelerator": "B200"}, "precision", ("mxfp4", "nf4")),
    (TENSORFLOW, "framework", ("TensorFlow 2.11", "TensorFlow 2.3")),
    (SERVED, "framework", ("vLLM", "vLLM 0.5.4", "transformers")),
    (SERVED, "metric", ("ttft_ms", "itl_ms", "tokens_s_total", "tokens_s_inout", "latency_ms_avg")),
    (SERVED, "lengths", ("", "varied")),
    ({**SERVED, "batch_size": "32", "concurrency": ""}, "beams", ("", "4")),
    ({**SERVED, "concurrency": "64"}, "max_sequences", ("", "16")),
    (TUNED, "recompute", ("no", "yes")),
    (TUNED, "lengths", ("", "varied")),
    (TUNED, "precision", ("bf16 LoRA", "nf4 LoRA", "bf16")),
    ({**TUNED, "accelerator_count": "4"}, "per_device", ("", "yes")),
    ({**TRAINED, "metric": "train_time_s"}, "updates", ("1", "20")),
    ({**TRAINED, "batch_size": "256"}, "micro_batch", ("", "4")),
    ({**TUNED, "metric": "peak_mem_mb"}, "fused_attention", ("", "no")),
    ({**TUNED, "metric": "peak_mem_mb"}, "adapters", ("yes", "64")),
    ({**TRAINED, "metric": "peak_mem_mb"}, "pretraining", ("", "yes")),
    ({**TRAINED, "metric": "peak_mem_mb", "framework": "fsdp"}, "parallelism", ("zero1", "zero2", "zero3", "zero3 offload")),
    ({**LLM, "metric": "peak_mem_mb"}, "allocated_only", ("", "yes")),
    ({**TRAINED, "accelerator_count": "16", "parallelism": "dp16"}, "network_gbit_s", ("", "10")),
    ({**ENCODER, "accelerator": "Inferentia2", "metric": "cost_per_1m_inferences_usd"}, "usd_per_hour", ("", "1.5")),
    ({**ENCODER, "model": "mine", "architecture": "cnn", "input_len": ""}, "gflops", ("", "5")),
    ({**ENCODER, "model": "sdxl", "architecture": "diffusion", "params": "", "input_len": ""}, "denoising_steps", ("", "30")),
    ({**ENCODER, "model": "mine", "architecture": "diffusion", "input_len": "", "image_size": "720x480"}, "frames", ("", "49")),
    ({**ENCODER, "model": "bert", "batch_size": "", "concurrency": "server", "metric": "latency_ms_p99"}, "record", ("", "yes")),
)  # fmt: skip
#: A row, a column, a cell of it that others write, what it is read as, and the words that are told.
IN_PART: tuple[tuple[Row, str, str, str, str], ...] = (
    (TUNED, "batch_size", "8 slots", "8", "slots"),
    (TUNED, "batch_size", "128 (FP32) / 256 (AMP)", "128", "256"),
    (SERVED, "concurrency", "15-20 users", "15", "20 users"),
    (SERVED, "concurrency", "16 VUs", "16", "vus"),
    (SERVED, "concurrency", "QPS 4, Poisson", "rate=4/s", "poisson"),
    ({**SERVED, "metric": "tokens_s_total"}, "concurrency", "offline 200 ShareGPT prompts at 3 am", "burst=200", "at 3 am"),
    (LARGE, "parallelism", "TP8 somehow", "tp8", "somehow"),
    (LARGE, "parallelism", "PP (naive) device_map", "pipeline", "device_map"),
    (TRAINED, "parallelism", "[32xNC(DP)] x 16Nodes(DP)", "dp512", ""),
    (TRAINED, "parallelism", "ZeRO stage 3, gradient checkpointing", "zero3 act-ckpt", ""),
    (CPU, "parallelism", "48 vCPU", "", ""),
    (LLM, "precision", "probably fp16", "fp16", "probably"),
    (LLM, "precision", "fp16/kv:float", "fp16", "kv float"),
    (LLM, "precision", "fp16, int8 KV cache", "fp16/kv:int8", ""),
    (LLM, "precision", "int4-gptq-g128", "int4-gptq", "g128"),
    (LLM, "precision", "fp16/Matmult-BF16/w:int4", "int4", ""),
    (LLM, "precision", "optimised (int8 likely)", "int8", "optimised"),
    (TUNED, "precision", "Autocast:BF16+SR, LoRA", "bf16 LoRA", "autocast sr"),
    (SERVED, "precision", "see repo", "", "see-repo"),
    (TENSORFLOW, "framework", "PyTorch 1.12 eager, CUDA 11.6.2", "pytorch 1.12", ""),
    (TENSORFLOW, "framework", "TensorFlow2 XLA (NGC 21.02)", "tensorflow-xla 2.4", ""),
    (ENCODER, "framework", "Triton, ONNX Runtime with FP16, Backend accelerator TensorRT", "triton-tensorrt",
     "with fp16 backend accelerator"),
    (ENCODER, "framework", "SageMaker (PyTorch 1.13)", "pytorch 1.13", ""),
    (ENCODER, "framework", "HF Trainer + torch.compile", "torch.compile", ""),
    ({**ENCODER, "model": "sdxl", "architecture": "diffusion", "params": ""}, "framework", "diffusers torch 2.0 compile",
     "diffusers-compile", ""),
    (SERVED, "framework", "vLLM CI (autumn 2024, 0.6.x)", "vllm", "ci"),
    (SERVED, "framework", "NVIDIA Triton 24.05 + vLLM 0.5.0", "vllm 0.5.0", ""),
    (SERVED, "framework", "vLLM 0.6, CUDA 12", "vllm 0.6", ""),
    (SERVED, "framework", "Frobnicator 9", "", "frobnicator 9"),
    (ENCODER, "architecture", "BERT", "", "bert"),
    (LLM, "task", "serving", "inference", "serving"),
    (ENCODER, "metric", "latency_ms_avg, warm", "latency_ms_avg", "warm"),
    (LLM, "accelerator", "A100 (HBM2e, 400 W)", "A100", ""),
    (LLM, "accelerator", "H100 and A100", "H100", "and a100"),
    (LLM, "accelerator", "A10G (4 vCPU)", "A10G", ""),
    ({**LARGE, "accelerator_count": ""}, "accelerator", "H100-80GB x8", "8x H100", ""),
    (CPU, "accelerator", "Xeon-SapphireRapids 8488C (16 phys cores)", "Xeon Platinum 8488C (16 cores)", "sapphirerapids"),
    (CPU, "accelerator", "Xeon-IceLake 8380 (2S)", "Xeon Platinum 8380 (2 sockets)", "icelake"),
    (CPU, "accelerator", "Xeon-CascadeLake c5.metal (8 threads)", "c5.metal (8 threads)", "cascadelake"),
    (CPU, "accelerator", "AMD EPYC 7763 64-Core Processor", "EPYC 7763 (64 cores)", ""),
    (CPU, "accelerator", "EPYC-Genoa 9R14 c7a.8xlarge", "c7a.8xlarge", "genoa 9r14"),
    (CPU, "accelerator", "CPU (unspecified)", "CPU", ""),
    (LLM, "aws_instance", "some g5.xlarge", "g5.xlarge", "some"),
    (SERVED, "lengths", "ShareGPT", "", "sharegpt"),
    (TUNED, "recompute", "selective", "", "selective"),
    ({**TUNED, "metric": "peak_mem_mb"}, "fused_attention", "no (2022)", "no", ""),
    ({**TUNED, "metric": "peak_mem_mb"}, "adapters", "r=8", "8", ""),
    ({**TRAINED, "metric": "train_time_s"}, "updates", "600,000 steps", "600000", "steps"),
    ({**ENCODER, "model": "resnet50", "architecture": "cnn", "params": ""}, "image_size", "448x448 crops", "448x448", "crops"),
)  # fmt: skip
#: Cells that a row cannot do without, of which nothing is known, and what the message says.
REFUSED = (
    ("metric", "latency (s)", "metric latency (s) is not read: write one of cost_per_1m"),
    ("metric", "tokens_s_total_per_user", "write one of cost_per_1m"),
    ("architecture", "LLM", "architecture LLM is not read: write one of transformer-encoder"),
    ("accelerator", "Intel Gaudi 2", "accelerator Intel Gaudi 2 is not read: write a chip of the catalog"),
    ("accelerator", "Xeon host of an MI300X", "write a chip of the catalog"),
    ("batch_size", "-8", "batch_size -8 is not between 0 and"),
)
#: Rows that a table holds although no preset has their model and they state no parameters.
WITHOUT_PARAMETERS = {"measurements.csv": 129, "unseen.csv": 72}


def read(row: Row, **changes: str) -> Case:
    return case_of({**row, **changes}, CATALOG)


def predicted(row: Row, **changes: str) -> float:
    (prediction,) = predict_rows([{**row, **changes}], CATALOG)
    assert prediction.predicted is not None, prediction.reason
    return prediction.predicted


@pytest.mark.parametrize(
    ("row", "column", "cell", "usual"),
    [
        pytest.param(row, column, cell, cells[0], id=f"{column}: {cell or 'empty'}")
        for row, column, cells in ACCEPTED
        for cell in cells[1:]
    ],
)
def test_cells_that_mean_the_same_give_the_same_prediction(
    row: Row, column: str, cell: str, usual: str
) -> None:
    assert predicted(row, **{column: cell}) == pytest.approx(predicted(row, **{column: usual}), rel=1e-9)


@pytest.mark.parametrize(
    ("row", "column", "cells"), [pytest.param(*case, id=f"{case[1]}: {case[2][-1]}") for case in DIFFERENT]
)
def test_cells_that_mean_something_else_do_not(row: Row, column: str, cells: tuple[str, ...]) -> None:
    assert len({predicted(row, **{column: cell}) for cell in cells}) == len(cells)


@pytest.mark.parametrize(
    ("row", "column", "cell", "usual", "unread"),
    [pytest.param(*case, id=f"{case[1]}: {case[2]}") for case in IN_PART],
)
def test_words_that_are_known_are_read_and_the_rest_is_told(
    row: Row, column: str, cell: str, usual: str, unread: str
) -> None:
    assert predicted(row, **{column: cell}) == pytest.approx(predicted(row, **{column: usual}), rel=1e-9)
    assert read(row, **{column: cell}).unread == (((column, unread),) if unread else ())


@pytest.mark.parametrize(("column", "cell", "message"), REFUSED, ids=lambda text: text)
def test_a_row_is_refused_that_cannot_do_without_a_cell_of_which_nothing_is_known(
    column: str, cell: str, message: str
) -> None:
    with pytest.raises(UnreadableRowError) as caught:
        read({**TUNED, "model": "mine", "model_key": ""}, **{column: cell})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "note", ["gradient checkpointing, batch 8 per GPU", "LoRA rank 8, 20 steps, unfused"]
)
def test_no_note_changes_a_prediction(note: str) -> None:
    for row in (ENCODER, SERVED, TUNED):
        assert predicted(row, note=note, data_date="2022") == predicted(row)


@pytest.mark.parametrize(
    "table", [*(DATA / name for name in WITHOUT_PARAMETERS), *Path(__file__).parent.glob("p*.csv")],
    ids=lambda path: path.name,
)  # fmt: skip
def test_every_word_of_the_tables_is_read(table: Path) -> None:
    reasons: Counter[str] = Counter()
    for row in read_table(table):
        try:
            assert case_of(row, CATALOG).unread == ()
        except UnreadableRowError as error:
            reasons[str(error).split(" is ")[-1]] += 1
    assert reasons.pop("not known and no parameters are stated", 0) == WITHOUT_PARAMETERS.get(table.name, 0)
    assert not reasons


def test_each_column_of_the_tables_is_documented() -> None:
    lines = (DATA / "README.md").read_text("utf-8").splitlines()
    documented = {
        name
        for line in lines
        if line.startswith("| `") and line.count("|") == 4
        for name in re.findall(r"`(\w+)`", line.split("|")[1])
    }
    for table in WITHOUT_PARAMETERS:
        assert set(read_table(DATA / table)[0]) - {"note", "value"} <= documented - {"value"}


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_is_a_word_of_its_column(metric: str) -> None:
    assert read(ENCODER, metric=metric.upper()).metric == metric


def test_each_framework_has_one_row_for_each_release_and_no_two_have_one_name() -> None:
    rows = read_table(DATA / "frameworks.csv")
    assert {row["engine"] for row in rows} == {"eager", "compiled", "optimized"}
    named = [
        (name, row["since"])
        for row in rows
        for name in (row["framework"], *filter(None, row["aliases"].split(";")))
    ]
    assert [name for name, count in Counter(named).items() if count > 1] == []


def test_no_framework_stands_behind_one_that_has_fewer_words_of_its_name() -> None:
    names = [(name, rows[0]["framework"]) for name, rows in _releases()]
    hidden = [
        (framework, other)
        for i, (name, framework) in enumerate(names)
        for other_name, other in names[:i]
        if other_name < name and other != framework
    ]
    assert hidden == []
