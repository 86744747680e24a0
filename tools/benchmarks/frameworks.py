"""What the name of a framework and of a precision say about an engine and its arithmetic."""

import re
from dataclasses import dataclass, replace

from sizewell.instance_selection.requirements import Architecture, Precision

#: Words in the name of a framework, in the order in which they decide, and the framework that they mean.
FRAMEWORKS = (
    ("tensorrt-llm", "tensorrt-llm"),
    ("trt-llm", "tensorrt-llm"),
    ("trtllm", "tensorrt-llm"),
    ("fastertransformer", "fastertransformer"),
    ("optimum-nvidia", "tensorrt-llm"),
    ("tensorrt", "tensorrt"),
    ("onnx", "onnxruntime"),
    ("torchscript", "torchscript"),
    ("gpt-fast", "torch-compile"),
    ("compile", "torch-compile"),
    ("deepspeed", "deepspeed"),
    ("vllm", "vllm"),
    ("sglang", "vllm"),
    ("lmi", "vllm"),
    ("lmdeploy", "vllm"),
    ("tgi", "tgi"),
    ("text-generation-inference", "tgi"),
    ("llama.cpp", "llama.cpp"),
    ("llama-cpp", "llama.cpp"),
    ("ollama", "llama.cpp"),
    ("exllama", "exllama"),
    ("litgpt", "litgpt"),
    ("accelerate", "accelerate"),
    ("composer", "composer"),
    ("neuron", "neuron"),
    ("tensorflow", "tensorflow"),
    ("tf", "tensorflow"),
    ("diffusers", "diffusers"),
    ("transformers", "transformers"),
    ("pytorch", "pytorch"),
)
#: Frameworks that batch requests of a decoder continuously, or are built for decoding.
LLM_WORDS = (
    "vllm", "tgi", "text-generation", "tensorrt-llm", "trt-llm", "trtllm", "sglang", "lmdeploy", "deepspeed-inference",
    "llama.cpp", "llama-cpp", "exllama", "ctranslate", "gpt-fast", "optimum-nvidia", "mlc", "lmi", "fastgen", "djl",
    "mii", "deepspeed", "awq", "ollama", "mistral.rs", "lightllm", "fastertransformer", "nim", "rtp-llm",
)  # fmt: skip
OPTIMIZED_WORDS = ("tensorrt", "fastertransformer", "trt", "onnx", "ort ", "openvino", "infinity")
COMPILED_WORDS = ("xla", "compile", "jax", "aitemplate", "stable-fast")
FOUR_BIT_WORDS = ("int4", "nf4", "4bit", "4-bit", "q4", "awq", "gptq", "w4", "fp4")


def framework_of(name: str) -> str:
    """Return the framework that a name means, ``none`` when it is a stranger."""
    text = name.lower()
    if text.startswith("transformers"):
        return "transformers"
    if re.search(r"vllm\W*v?0\.[0-5]\b", text):
        # Before 0.6 the scheduler ran between the steps (vLLM blog of September 2024).
        return "vllm-early"
    return next((framework for word, framework in FRAMEWORKS if word in text), "none")


def engine_of(name: str, architecture: Architecture, kind: str) -> str:
    """Return the engine class: eager, compiled, optimized, llm-engine or neuron."""
    text = name.lower().replace("deepspeed-zero", "zero")
    if kind == "neuron":
        return "neuron"
    generating = architecture is Architecture.DECODER and not text.startswith("transformers")
    if generating and any(word in text for word in LLM_WORDS):
        return "llm-engine"
    if kind == "cpu":
        return "optimized" if any(word in text for word in (*OPTIMIZED_WORDS, "int8", "triton")) else "eager"
    if any(word in text for word in OPTIMIZED_WORDS):
        return "optimized"
    return "compiled" if any(word in text for word in COMPILED_WORDS) else "eager"


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """How weights are stored and what computes; ``weight_only`` names a quantization that is expanded first."""

    precision: Precision
    arithmetic: str
    weight_only: str | None = None
    cache_scale: float = 1.0
    """Bytes of a cached key or value over the usual two."""


#: What is said of the key/value cache in a cell about precision.
_CACHE_FORMAT = re.compile(r"[/+, ]*(?:kv|cache)[-_ :=]*(?:cache)?[-_ :=]*(fp8\w*|int8|int4|fp16|bf16|auto)")


def number_format(text: str, framework: str, kind: str) -> NumberFormat:
    """Return the format of a row; what a row does not state is what its hardware is used with."""
    name = text.lower()
    cache = _CACHE_FORMAT.search(name)
    scale = {"fp8": 0.5, "int8": 0.5, "int4": 0.25}.get(cache[1][:4].rstrip("_"), 1.0) if cache else 1.0
    weights = _CACHE_FORMAT.sub("", name)
    return replace(_weights_format(weights, framework, kind), cache_scale=scale)


def _weights_format(name: str, framework: str, kind: str) -> NumberFormat:
    if kind == "neuron":
        if "w:int8" in name:
            return NumberFormat(Precision.INT8, "half", "int8")
        if name == "fp32/none":
            return NumberFormat(Precision.FP32, "fp32")
        if "fp8" in name:
            return NumberFormat(Precision.FP8, "fp8")
        return NumberFormat(Precision.BF16, "half")
    if any(word in name for word in FOUR_BIT_WORDS):
        return NumberFormat(Precision.INT4, "half", "int4")
    if re.search(r"q[568]|int8-weight|w8a16|8bit|8-bit", name):
        return NumberFormat(Precision.INT8, "half", "int8")
    unstated = not name or "not stated" in name or "as reference" in name
    if "int8" in name or "w8a8" in name or "optimised" in name or (unstated and "int8" in framework.lower()):
        return NumberFormat(Precision.INT8, "int8", "int8")
    if "fp8" in name:
        return NumberFormat(Precision.FP8, "fp8")
    if "tf32" in name:
        return NumberFormat(Precision.TF32, "tf32")
    if "fp16" in name or "half" in name:
        return NumberFormat(Precision.FP16, "half")
    if any(word in name for word in ("bf16", "amp", "mixed", "autocast")):
        return NumberFormat(Precision.BF16, "half")
    if "fp32" in name or "float32" in name or kind == "cpu":
        return NumberFormat(Precision.FP32, "fp32")
    return NumberFormat(Precision.FP16, "half")
