"""What the name of a framework and of a precision say about an engine and its arithmetic."""

import re
from dataclasses import dataclass, replace

from sizewell.instance_selection.catalog import Cpu
from sizewell.instance_selection.requirements import Architecture, Precision
from tools.benchmarks.chips import Chip

#: Engines that are built for decoding, by words in the name of a framework in the order in which they decide, and the
#: framework that they mean. What runs inside of a wrapper stands before the wrapper; one that names no engine runs the
#: one that it installs by default (NIM: TensorRT-LLM; LMI, DJL: vLLM).
LLM_ENGINES = (
    (r"(?:tensorrt|trt)-?llm|optimum-nvidia", "tensorrt-llm"),
    (r"fastertransformer", "fastertransformer"),
    (r"vllm|sglang|lmdeploy", "vllm"),
    (r"(?<![a-z])tgi|text-generation", "tgi"),
    (r"gpt-fast", "torch-compile"),
    (r"deepspeed(?!-zero)|fastgen|(?<![a-z])mii(?![a-z])", "deepspeed"),
    (r"llama[.-]?cpp|ollama|llamafile|ggml|[a-z]\.cpp(?![a-z])|neural-speed", "llama.cpp"),
    (r"exllama", "exllama"),
    (r"(?<![a-z])nim(?![a-z])", "tensorrt-llm"),
    (r"(?<![a-z])(?:lmi|djl)(?![a-z])", "vllm"),
    (r"awq|ctranslate|(?<![a-z])mlc|mistral\.rs|lightllm|rtp-llm", "none"),
)
#: The same of all others.
FRAMEWORKS = (
    (r"tensorrt", "tensorrt"),
    (r"onnx", "onnxruntime"),
    (r"torchscript", "torchscript"),
    (r"compile", "torch-compile"),
    (r"deepspeed", "deepspeed"),
    (r"litgpt", "litgpt"),
    (r"accelerate(?!or)", "accelerate"),
    (r"composer", "composer"),
    (r"neuron", "neuron"),
    (r"tensorflow|(?<![a-z])tf(?![a-z])", "tensorflow"),
    (r"diffusers", "diffusers"),
    (r"transformers", "transformers"),
    (r"pytorch", "pytorch"),
)
OPTIMIZED = (
    r"tensorrt|fastertransformer|trt|onnx|(?<![a-z])ort(?![a-z])|openvino|infinity|aitemplate|lightseq"
)
OPTIMIZED_ON_CPU = rf"{OPTIMIZED}|int8|triton"
COMPILED = r"xla|compile|jax|stable-fast"
_VENDOR = re.compile(r"^(?:hf|hugging-?face|nvidia|aws)[-/]")
#: Engines that multiply with the vector instructions of a CPU and leave its matrix units alone: dot products of eight bits, whose
#: values are packed and unpacked on the way, are about as fast as fp32 (ggml; AMX is built in by choice, since October 2024).
VECTOR_ENGINES = ("llama.cpp",)
#: Weights that ggml lays out anew for the matrix instructions of Arm servers (llama.cpp pull request 5780 of July 2024).
REPACKED = "q4_0"
#: Before 0.6 vLLM's scheduler ran between the steps (vLLM blog of September 2024).
_EARLY_VLLM = re.compile(r"vllm\W*(?:v|version-)?0\.[0-5]\b")
#: Before 2.0 TGI read prompts in passes of their own, as its level was measured. Without a version it is today's.
_EARLY_TGI = re.compile(r"(?:tgi|text-generation-inference)\W*(?:v|version-)?[01]\.")
#: Chips of Ampere and later compute fp32 as TF32 in NVIDIA's containers (NGC), in TensorFlow from 2.4 on (its release
#: notes: TensorFloat-32 is on by default), in JAX (jax.default_matmul_precision), and in PyTorch's convolutions
#: (torch.backends.cudnn.allow_tf32).
_TF32_BY_DEFAULT = re.compile(r"\bngc\b|(?:tensorflow|\btf)(?![- ]?v?(?:1\.|2\.[0-3]\b))|\bjax\b")
_TF32_IN_CONVOLUTIONS = re.compile(r"torch|timm|detectron|mmdet|diffusers")


def plain_name(name: str) -> str:
    """Return the name of a framework as the tables write it: small letters, hyphens, without who publishes it."""
    return _VENDOR.sub("", re.sub(r"[\s_]+", "-", name.strip().lower()))


def framework_of(name: str) -> str:
    """Return the framework that a name means, ``none`` when it is a stranger."""
    text = plain_name(name)
    if text.startswith("transformers"):
        return "transformers"
    found = next(
        (framework for words, framework in (*LLM_ENGINES, *FRAMEWORKS) if re.search(words, text)), "none"
    )
    if found == "vllm" and _EARLY_VLLM.search(text):
        return "vllm-early"
    return "vllm" if found == "tgi" and not _EARLY_TGI.search(text) else found


def engine_of(name: str, architecture: Architecture, kind: str) -> str:
    """Return the engine class: eager, compiled, optimized, llm-engine or neuron."""
    text = plain_name(name)
    if kind == "neuron":
        return "neuron"
    if (
        architecture.generates
        and not text.startswith("transformers")
        and any(re.search(words, text) for words, _ in LLM_ENGINES)
    ):
        return "llm-engine"
    if kind == "cpu":
        return "optimized" if re.search(OPTIMIZED_ON_CPU, text) else "eager"
    if re.search(OPTIMIZED, text):
        return "optimized"
    return "compiled" if re.search(COMPILED, text) else "eager"


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """How weights are stored and what computes; ``weight_only`` names a quantization that is expanded first."""

    precision: Precision
    arithmetic: str
    weight_only: str | None = None
    cache_scale: float = 1.0
    """Bytes of a cached key or value over the usual two."""


#: What is said of the key/value cache in a cell about precision, before or after its format.
_CACHE_BYTES = r"fp8\w*|int8|int4|fp16|bf16|auto"
_CACHE_FORMAT = re.compile(
    rf"[/+, ]*(?:(?:kv|cache)[-_ :=]*(?:cache)?[-_ :=]*({_CACHE_BYTES})|({_CACHE_BYTES})[-_ ]*(?:kv|cache)[-_ ]*(?:cache)?)"
)
_FOUR_BIT_WEIGHTS = NumberFormat(Precision.INT4, "half", "int4")
_EIGHT_BIT_WEIGHTS = NumberFormat(Precision.INT8, "half", "int8")
_FP32 = NumberFormat(Precision.FP32, "fp32")
#: Words of a precision, in the order in which they decide, and its format.
FORMATS = (
    (r"(?<!n)fp4|w4a4", NumberFormat(Precision.INT4, "fp4")),
    (
        r"q[568]|w8a16|w:int8|int8[-_ ]?(?:weight|wo\b|gptq|awq|bnb)|weight[-_ ]only[-_ ]int8|(?<!\d)8[-_ ]?bit",
        _EIGHT_BIT_WEIGHTS,
    ),
    (r"int[2-4]|nf4|(?<!\d)[2-4][-_ ]?bit|q[2-4]|awq|gptq|w4(?!\d)", _FOUR_BIT_WEIGHTS),
    (r"fp8|float8|e4m3|e5m2", NumberFormat(Precision.FP8, "fp8")),
    (r"int8|w8a8|smoothquant|optimised", NumberFormat(Precision.INT8, "int8", "int8")),
    (r"tf32", NumberFormat(Precision.TF32, "tf32")),
    (r"(?<!b)(?:fp|float|f)16|half|w16a16|(?<!\d)16[-_ ]?bit", NumberFormat(Precision.FP16, "half")),
    (r"bf(?:loat)?16|(?<![a-z])amp(?![a-z])|mixed|autocast", NumberFormat(Precision.BF16, "half")),
    (r"(?:fp|float|f)32|(?:single|full)[- ]precision", _FP32),
)
#: The same on Neuron, whose compiler casts what it multiplies to bf16 unless it is told not to.
NEURON_FORMATS = (
    (r"int8|w8a16", _EIGHT_BIT_WEIGHTS),
    (r"^fp32/none$", _FP32),
    (r"fp8|float8|e4m3|e5m2", NumberFormat(Precision.FP8, "fp8")),
    (r"", NumberFormat(Precision.BF16, "half")),
)


def number_format(
    text: str, framework: str, model: str, chip: Chip, *, convolves: bool = False
) -> NumberFormat:
    """Return the format of a row; ``convolves``: most of the arithmetic is that of convolutions.

    What it does not state is what its framework or its model is named after, or else what its hardware is used with.
    """
    name = text.lower()
    cache = _CACHE_FORMAT.search(name)
    scale = (
        {"fp8": 0.5, "int8": 0.5, "int4": 0.25}.get((cache[1] or cache[2])[:4].rstrip("_"), 1.0)
        if cache
        else 1.0
    )
    weights = _CACHE_FORMAT.sub("", name)
    found = _weights_format(weights, framework.lower(), model.lower(), chip)
    convolutions = convolves and _TF32_IN_CONVOLUTIONS.search(framework.lower())
    by_default = convolutions or _TF32_BY_DEFAULT.search(f"{weights} {framework.lower()}")
    if found == _FP32 and by_default and not isinstance(chip.facts, Cpu) and chip.facts.tf32_tflops:
        found = NumberFormat(Precision.TF32, "tf32")
    return replace(found, cache_scale=scale)


def _weights_format(name: str, framework: str, model: str, chip: Chip) -> NumberFormat:
    formats = NEURON_FORMATS if chip.kind == "neuron" else FORMATS
    unstated = not name or "not stated" in name or "as reference" in name
    for text in (name, framework, model) if unstated else (name,):
        found = next((format_ for words, format_ in formats if re.search(words, text)), None)
        if found:
            break
    if isinstance(chip.facts, Cpu):
        found = found or _FP32
        by_vector = framework_of(framework) in VECTOR_ENGINES and not (
            REPACKED in name and "graviton" in chip.name.lower()
        )
        return replace(found, arithmetic="fp32") if by_vector else found
    found = found or NumberFormat(Precision.FP16, "half")
    if found.arithmetic == "fp4" and not chip.facts.fp4_dense_tflops:
        return _FOUR_BIT_WEIGHTS
    return found
