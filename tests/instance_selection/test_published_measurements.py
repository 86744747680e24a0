"""Predictions against numbers that others have measured and published: the physics must not be far off.

One factor holds for every row. Sources disagree by 2 to 3.5 times between engines on the same chip and precision, so
a row pairs a measurement with the engine class that was measured.
"""

from dataclasses import dataclass, replace

import pytest

from instance_selection import Catalog, Engine, ModelSpec, Precision
from instance_selection.endpoint_evaluation import EndpointEvaluation
from instance_selection.estimation.efficiencies import find_efficiency
from instance_selection.estimation.hardware import Processor, processor
from instance_selection.estimation.serving_latency import request_s
from instance_selection.estimation.training_time import estimate_training_speed
from tests.instance_selection.builders import (
    BERT_BASE,
    BERT_LARGE,
    LLAMA_2_7B,
    LLAMA_3_8B,
    RESNET_50,
    decoder_endpoint,
    decoder_training,
    endpoint,
    training,
)

FACTOR = 2.5

# He et al. and Touvron et al. as in the builders; here what only these rows need.
LLAMA_2_70B = replace(
    LLAMA_2_7B,
    parameters=68.98e9,
    layers=80,
    hidden_size=8192,
    kv_hidden_size=1024,
    embedding_parameters=262e6,
)
#: MPT (MosaicML): token embeddings are shared with the output layer, so no weight only looks up.
MPT_7B = replace(LLAMA_3_8B, parameters=6.66e9, kv_hidden_size=4096, embedding_parameters=0.0)
MPT_1B = replace(MPT_7B, parameters=1.32e9, layers=24, hidden_size=2048, kv_hidden_size=2048)
MPT_13B = replace(MPT_7B, parameters=12.9e9, layers=40, hidden_size=5120, kv_hidden_size=5120)

# The sources, as they appear in the names of the tests.
TENSORRT_BERT_T4 = "NVIDIA TensorRT 7.2 demo/BERT"
TENSORRT_BERT_A100 = "NVIDIA TensorRT 10.5 demo/BERT"
FASTER_TRANSFORMER = "NVIDIA FasterTransformer bert_guide (TorchScript rows)"
RESNET_PYTORCH = "NVIDIA DeepLearningExamples PyTorch resnet50v1.5"
RESNET_TENSORFLOW = "NVIDIA DeepLearningExamples TensorFlow resnet50v1.5"
BERT_PYTORCH = "NVIDIA DeepLearningExamples PyTorch BERT"
MLPERF = "MLPerf Inference 1.0 single stream"
PREMAI = "premAI benchmarks llama2"
TGI = "philschmid TGI 1.0.3 on SageMaker"
TENSORRT_LLM = "NVIDIA TensorRT-LLM 0.6 performance.md"
NM_VLLM = "neuralmagic nm-vllm benchmark record"
LLM_FOUNDRY = "MosaicML llm-foundry training benchmarks"


def assert_near(predicted: float, measured: float) -> None:
    factor = max(predicted / measured, measured / predicted)
    assert factor <= FACTOR, f"predicted {predicted:.4g}, measured {measured:.4g}: {factor:.2f} times off"


def chip(known: Catalog, instance_type: str, precision: Precision) -> Processor:
    found = processor(known.get(instance_type), precision)
    assert isinstance(found, Processor), found
    return found


@dataclass(frozen=True, kw_only=True)
class Latency:
    """Milliseconds of one request alone on one accelerator, or on ``degree`` of them."""

    source: str
    instance_type: str
    model: ModelSpec
    engine: Engine
    measured_ms: float
    input_tokens: int = 0
    images: int = 0
    degree: int = 1

    def __str__(self) -> str:
        return f"{self.source}, {self.instance_type}"


T4, A10G, V100 = "ml.g4dn.xlarge", "ml.g5.xlarge", "ml.p3.2xlarge"
A100_40GB, A100_80GB, H100 = "ml.p4d.24xlarge", "ml.p4de.24xlarge", "ml.p5.48xlarge"

LATENCIES = [
    Latency(
        source=TENSORRT_BERT_T4,
        instance_type=T4,
        model=BERT_BASE,
        engine=Engine.OPTIMIZED_RUNTIME,
        input_tokens=128,
        measured_ms=2.02,
    ),
    Latency(
        source=TENSORRT_BERT_T4,
        instance_type=V100,
        model=BERT_BASE,
        engine=Engine.OPTIMIZED_RUNTIME,
        input_tokens=128,
        measured_ms=1.15,
    ),
    Latency(
        source=f"{TENSORRT_BERT_T4} large",
        instance_type=T4,
        model=BERT_LARGE,
        engine=Engine.OPTIMIZED_RUNTIME,
        input_tokens=128,
        measured_ms=5.51,
    ),
    Latency(
        source=f"{TENSORRT_BERT_A100} large",
        instance_type=A100_40GB,
        model=BERT_LARGE,
        engine=Engine.OPTIMIZED_RUNTIME,
        input_tokens=128,
        measured_ms=1.55,
    ),
    Latency(
        source=FASTER_TRANSFORMER,
        instance_type=T4,
        model=BERT_BASE,
        engine=Engine.EAGER,
        input_tokens=128,
        measured_ms=10.51,
    ),
    # Measured on an A10, whose memory is as fast as that of the A10G.
    Latency(
        source=FASTER_TRANSFORMER,
        instance_type=A10G,
        model=BERT_BASE,
        engine=Engine.EAGER,
        input_tokens=128,
        measured_ms=4.38,
    ),
    Latency(
        source=FASTER_TRANSFORMER,
        instance_type=V100,
        model=BERT_BASE,
        engine=Engine.EAGER,
        input_tokens=128,
        measured_ms=6.99,
    ),
    Latency(
        source=f"{RESNET_PYTORCH} fp32",
        instance_type=V100,
        model=replace(RESNET_50, precision=Precision.FP32),
        engine=Engine.EAGER,
        images=1,
        measured_ms=10.37,
    ),
    Latency(
        source=f"{RESNET_PYTORCH} 8 images",
        instance_type=T4,
        model=RESNET_50,
        engine=Engine.EAGER,
        images=8,
        measured_ms=12.82,
    ),
    Latency(
        source=f"{RESNET_TENSORFLOW} 8 images",
        instance_type=A100_40GB,
        model=RESNET_50,
        engine=Engine.EAGER,
        images=8,
        measured_ms=5.40,
    ),
    Latency(
        source=f"{MLPERF} int8",
        instance_type=T4,
        model=replace(RESNET_50, precision=Precision.INT8),
        engine=Engine.OPTIMIZED_RUNTIME,
        images=1,
        measured_ms=0.852,
    ),
    Latency(
        source=f"{TENSORRT_LLM} first token of 70B on four",
        instance_type=A100_80GB,
        model=LLAMA_2_70B,
        engine=Engine.LLM_ENGINE,
        input_tokens=2048,
        degree=4,
        measured_ms=377,
    ),
    Latency(
        source=f"{TENSORRT_LLM} first token of 7B fp8",
        instance_type=H100,
        model=replace(LLAMA_2_7B, precision=Precision.FP8),
        engine=Engine.LLM_ENGINE,
        input_tokens=2048,
        measured_ms=36,
    ),
]


@pytest.mark.parametrize("row", LATENCIES, ids=str)
def test_latency_of_one_request(row: Latency, real_catalog: Catalog) -> None:
    needs = endpoint(model=row.model, input_tokens=row.input_tokens, images_per_request=row.images)
    hardware = chip(real_catalog, row.instance_type, row.model.precision)
    efficiency = find_efficiency(
        "inference", hardware.table_name, row.engine, row.model.architecture, hardware.precision
    )
    assert efficiency

    predicted_s = request_s(needs, hardware, efficiency, concurrency=1, degree=row.degree)

    assert_near(predicted_s * 1000, row.measured_ms)


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """Output tokens per second of one sequence of Llama 2 7B in fp16."""

    source: str
    instance_type: str
    engine: Engine
    measured_tokens_per_second: float
    input_tokens: int
    output_tokens: int
    degree: int = 1

    def __str__(self) -> str:
        return f"{self.source}, {self.instance_type}, {self.engine}"


# The length of premAI's prompt is not stated: a short question.
DECODINGS = [
    Decoding(
        source=f"{PREMAI} vLLM",
        instance_type=A100_80GB,
        engine=Engine.LLM_ENGINE,
        input_tokens=20,
        output_tokens=512,
        measured_tokens_per_second=90.5,
    ),
    Decoding(
        source=f"{PREMAI} TensorRT-LLM",
        instance_type=A100_80GB,
        engine=Engine.OPTIMIZED_RUNTIME,
        input_tokens=20,
        output_tokens=512,
        measured_tokens_per_second=101.9,
    ),
    Decoding(
        source=f"{PREMAI} transformers",
        instance_type=A100_80GB,
        engine=Engine.EAGER,
        input_tokens=20,
        output_tokens=512,
        measured_tokens_per_second=46.4,
    ),
    Decoding(
        source=TGI,
        instance_type=A10G,
        engine=Engine.LLM_ENGINE,
        input_tokens=10,
        output_tokens=50,
        measured_tokens_per_second=32.4,
    ),
    Decoding(
        source=f"{TGI} on four",
        instance_type="ml.g5.12xlarge",
        engine=Engine.LLM_ENGINE,
        input_tokens=10,
        output_tokens=50,
        degree=4,
        measured_tokens_per_second=61.5,
    ),
]


@pytest.mark.parametrize("row", DECODINGS, ids=str)
def test_decoding_speed_of_llama_2_7b(row: Decoding, real_catalog: Catalog) -> None:
    needs = decoder_endpoint(model=LLAMA_2_7B, input_tokens=row.input_tokens, output_tokens=row.output_tokens)
    hardware = chip(real_catalog, row.instance_type, Precision.FP16)
    efficiency = find_efficiency("inference", "cuda", row.engine, "decoder", "fp16")
    assert efficiency

    predicted_s = request_s(needs, hardware, efficiency, concurrency=1, degree=row.degree)

    assert_near(row.output_tokens / predicted_s, row.measured_tokens_per_second)


def test_throughput_of_a_full_engine(real_catalog: Catalog) -> None:
    # NM_VLLM: 1,000 prompts of 256 tokens, 128 tokens each in answer, all sent at once: 3.84 requests per second.
    needs = decoder_endpoint(
        model=LLAMA_2_7B, input_tokens=256, output_tokens=128, max_p95_latency_ms=600_000
    )
    evaluation = EndpointEvaluation(needs, real_catalog.get(A10G))

    assert_near(evaluation.capacity_requests_per_second, 3.84)


@dataclass(frozen=True, kw_only=True)
class Training:
    """Images or tokens per second and accelerator of a job on ``accelerators`` of one instance."""

    source: str
    instance_type: str
    model: ModelSpec
    accelerators: int
    batch_size_per_accelerator: int
    measured_units_per_second: float
    sequence_length: int = 0
    sharded: bool = False

    def __str__(self) -> str:
        return f"{self.source}, {self.accelerators} of {self.instance_type}"


TRAININGS = [
    Training(
        source=f"{RESNET_PYTORCH} amp",
        instance_type="ml.p3.16xlarge",
        model=RESNET_50,
        accelerators=1,
        batch_size_per_accelerator=256,
        measured_units_per_second=1200,
    ),
    Training(
        source=f"{RESNET_PYTORCH} amp",
        instance_type="ml.p3.16xlarge",
        model=RESNET_50,
        accelerators=8,
        batch_size_per_accelerator=256,
        measured_units_per_second=8322 / 8,
    ),
    Training(
        source=f"{RESNET_PYTORCH} fp32",
        instance_type="ml.p3.16xlarge",
        model=replace(RESNET_50, precision=Precision.FP32),
        accelerators=1,
        batch_size_per_accelerator=128,
        measured_units_per_second=367,
    ),
    Training(
        source=f"{RESNET_PYTORCH} amp",
        instance_type=A100_80GB,
        model=RESNET_50,
        accelerators=1,
        batch_size_per_accelerator=256,
        measured_units_per_second=2470,
    ),
    Training(
        source=f"{BERT_PYTORCH} large, phase 1, amp",
        instance_type=A100_80GB,
        model=BERT_LARGE,
        accelerators=1,
        batch_size_per_accelerator=256,
        sequence_length=128,
        measured_units_per_second=580 * 128,
    ),
    Training(
        source=f"{BERT_PYTORCH} large, phase 2, amp",
        instance_type=A100_80GB,
        model=BERT_LARGE,
        accelerators=8,
        batch_size_per_accelerator=32,
        sequence_length=512,
        measured_units_per_second=1657 * 512 / 8,
    ),
    Training(
        source=f"{LLM_FOUNDRY} MPT-1B",
        instance_type=H100,
        model=MPT_1B,
        accelerators=8,
        batch_size_per_accelerator=14,
        sequence_length=2048,
        sharded=True,
        measured_units_per_second=45_455,
    ),
    Training(
        source=f"{LLM_FOUNDRY} MPT-7B",
        instance_type=H100,
        model=MPT_7B,
        accelerators=8,
        batch_size_per_accelerator=6,
        sequence_length=2048,
        sharded=True,
        measured_units_per_second=10_643,
    ),
    Training(
        source=f"{LLM_FOUNDRY} MPT-7B",
        instance_type=A100_40GB,
        model=MPT_7B,
        accelerators=8,
        batch_size_per_accelerator=12,
        sequence_length=2048,
        sharded=True,
        measured_units_per_second=3679,
    ),
    Training(
        source=f"{LLM_FOUNDRY} MPT-13B",
        instance_type=A100_80GB,
        model=MPT_13B,
        accelerators=8,
        batch_size_per_accelerator=2,
        sequence_length=2048,
        sharded=True,
        measured_units_per_second=2262,
    ),
]


@pytest.mark.parametrize("row", TRAININGS, ids=str)
def test_training_speed(row: Training, real_catalog: Catalog) -> None:
    build = decoder_training if row.sequence_length else training
    needs = build(
        model=row.model,
        batch_size_per_accelerator=row.batch_size_per_accelerator,
        sequence_length=row.sequence_length,
    )
    hardware = replace(chip(real_catalog, row.instance_type, row.model.precision), count=row.accelerators)
    efficiency = find_efficiency("training", "cuda", "*", row.model.architecture, row.model.precision)
    assert efficiency

    speed = estimate_training_speed(
        needs,
        real_catalog.get(row.instance_type),
        hardware,
        efficiency,
        instance_count=1,
        sharded=row.sharded,
    )

    assert_near(speed.units_per_second / row.accelerators, row.measured_units_per_second)
