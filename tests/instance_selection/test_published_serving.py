"""Predicted latencies and decoding speeds against numbers that others have measured and published."""

from dataclasses import dataclass, replace

import pytest

from sizewell.instance_selection import Catalog, Engine, ModelSpec, Precision
from sizewell.instance_selection.endpoint_selection import select_endpoint_instance
from sizewell.instance_selection.estimation.coefficients import coefficients
from sizewell.instance_selection.estimation.forward import forward_seconds
from sizewell.instance_selection.estimation.generation import decoder_of, prefill_seconds, serve
from sizewell.instance_selection.estimation.work import forward_work
from sizewell.instance_selection.labels import serving_labels
from tests.instance_selection.builders import (
    BERT_BASE,
    BERT_LARGE,
    LLAMA_2_7B,
    RESNET_50,
    decoder_endpoint,
    limits,
)
from tests.instance_selection.measurements import (
    A10G,
    A100_40GB,
    A100_80GB,
    H100,
    RESNET_PYTORCH,
    T4,
    V100,
    assert_near,
    chip,
)

#: Touvron et al. 2023 (Llama 2): 80 layers, 8 key/value heads of 128.
LLAMA_2_70B = replace(
    LLAMA_2_7B,
    parameters=68.98e9,
    layers=80,
    hidden_size=8192,
    kv_hidden_size=1024,
    embedding_parameters=262e6,
)

# The sources, as they appear in the names of the tests.
TENSORRT_BERT_T4 = "NVIDIA TensorRT 7.2 demo/BERT"
TENSORRT_BERT_A100 = "NVIDIA TensorRT 10.5 demo/BERT"
FASTER_TRANSFORMER = "NVIDIA FasterTransformer bert_guide (TorchScript rows)"
RESNET_TENSORFLOW = "NVIDIA DeepLearningExamples TensorFlow resnet50v1.5"
MLPERF = "MLPerf Inference 1.0 single stream"
PREMAI = "premAI benchmarks llama2"
TGI = "philschmid/text-generation-inference-tests, TGI 1.0.3 on SageMaker"
TENSORRT_LLM = "NVIDIA TensorRT-LLM 0.6 performance.md"


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
    hardware = chip(real_catalog, row.instance_type, row.model.precision, row.model.architecture)
    labels = serving_labels(hardware, row.model, row.engine)

    if row.model.architecture.generates:
        predicted_s = prefill_seconds(
            decoder_of(row.model),
            hardware,
            coefficients("generation").values(labels, 1),
            tokens=float(row.input_tokens),
            sequences=1.0,
            degree=float(row.degree),
        )
    else:
        predicted_s = forward_seconds(
            forward_work(row.model, tokens=float(row.input_tokens)),
            hardware,
            coefficients("forward").values(labels, 1),
            weight_bytes=row.model.precision.bytes,
            batch=float(max(row.images, 1)),
        )

    assert_near(float(predicted_s[0]) * 1000, row.measured_ms)


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
    hardware = chip(real_catalog, row.instance_type, Precision.FP16, LLAMA_2_7B.architecture)
    labels = serving_labels(hardware, LLAMA_2_7B, row.engine)

    served = serve(
        decoder_of(LLAMA_2_7B),
        hardware,
        coefficients("generation").values(labels, 1),
        input_tokens=float(row.input_tokens),
        output_tokens=float(row.output_tokens),
        sequences=1.0,
        degree=float(row.degree),
        continuous=row.engine is Engine.LLM_ENGINE,
    )

    assert_near(row.output_tokens / float(served.request[0]), row.measured_tokens_per_second)


def test_throughput_of_a_full_engine(real_catalog: Catalog) -> None:
    # neuralmagic/nm-vllm, benchmark record of April 2024: 1,000 prompts of 256 tokens with 128 tokens each in answer,
    # all sent at once, reach 3.84 requests per second.
    needs = decoder_endpoint(
        model=LLAMA_2_7B,
        input_tokens=256,
        output_tokens=128,
        max_p95_latency_ms=600_000,
        limits=limits(instance_type=A10G),
    )

    found = select_endpoint_instance(needs, real_catalog).chosen.estimate

    assert_near(found.capacity_requests_per_second, 3.84)
