"""How weights are stored and what multiplies them: the column ``precision``."""

import re
from dataclasses import dataclass, replace

from sizewell.instance_selection.catalog import Cpu
from sizewell.instance_selection.requirements import Precision
from tools.benchmarks.cells import plain_name, refused
from tools.benchmarks.chips import Chip
from tools.benchmarks.frameworks import Framework


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """How weights are stored and what computes; ``weight_only`` names a quantization that is expanded first."""

    precision: Precision
    arithmetic: str
    weight_only: str | None = None
    cache_scale: float = 1.0
    """Bytes of a cached key or value over the usual two."""
    adapters: bool = False
    """Whether adapters of low rank are trained over frozen weights."""
    repacked: bool = False
    """Weights that ggml lays out anew for the matrix instructions of Arm servers (llama.cpp pull request 5780 of July 2024)."""


_FP32 = NumberFormat(Precision.FP32, "fp32")
_HALF = NumberFormat(Precision.FP16, "half")
_BF16 = NumberFormat(Precision.BF16, "half")
_FP8 = NumberFormat(Precision.FP8, "fp8")
_FP4 = NumberFormat(Precision.INT4, "fp4")
_INT8 = NumberFormat(Precision.INT8, "int8", "int8")
_EIGHT_BIT_WEIGHTS = NumberFormat(Precision.INT8, "half", "int8")
_FOUR_BIT_WEIGHTS = NumberFormat(Precision.INT4, "half", "int4")
#: The formats, and the words of each.
_WORDS = (
    (_FP32, "fp32 float32 f32 fp64 fp32-hist fp32/none"),
    (NumberFormat(Precision.TF32, "tf32"), "tf32"),
    (_HALF, "fp16 float16 f16 half w16a16 fp16-amp fp16/bf16"),
    (_BF16, "bf16 bfloat16 bf16-amp amp-bf16 amp mixed fp32/matmult-bf16 fp16/matmult-bf16"),
    (_FP8, "fp8 float8 e4m3 fp8-w8a8 w8a8-fp8 amp-fp8"),
    (_FP4, "fp4 nvfp4 mxfp4 w4a4 mxfp4/as-shipped"),
    (_INT8, "int8 w8a8 w8a8-int8 smoothquant int8-smoothquant"),
    (_EIGHT_BIT_WEIGHTS, "int8-weight int8-weight-only int8-gptq int8-gptq-marlin int8-awq int8-bnb w8a16 8bit 8-bit fp6"),
    (
        _FOUR_BIT_WEIGHTS,
        "int4 int4-awq int4-gptq int4-awq-marlin int4-gptq-marlin int4-marlin int4-bnb int4-weight-only awq gptq w4a16 4bit "
        "4-bit nf4 nf4-dq int3 int2",
    ),
)  # fmt: skip
FORMATS = {word: format_ for format_, words in _WORDS for word in words.split()}
#: Quantizations of ggml: ``q4_k_m``, ``iq4_xs``, ``int8-q8_0``.
_GGML = re.compile(r"(?:int\d-)?(?P<name>i?q(?P<bits>[2-8])(?:-[a-z0-9]+)*)")
_CACHE_SCALES = {"fp8": 0.5, "int8": 0.5, "int4": 0.25, "fp16": 1.0, "bf16": 1.0}
_CELL = re.compile(r"(?P<word>.*?)(?P<adapters>-q?lora)?(?:-?/-?kv:(?P<cache>[a-z0-9]+))?")
_COMMENT = re.compile(r"\([^)]*\)")
#: Engines that multiply with the vector instructions of a CPU and leave its matrix units alone: dot products of eight bits, whose
#: values are packed and unpacked on the way, are about as fast as fp32 (ggml; AMX is built in by choice, since October 2024).
_VECTOR_ENGINES = ("llama.cpp",)


def number_format(
    cell: str, framework: Framework, model: str, chip: Chip, *, convolves: bool = False
) -> NumberFormat:
    """Return the format of a row; ``convolves``: most of the arithmetic is that of convolutions.

    Without one it is what the model is named after (``Llama-2-7b-AWQ``), or else fp16 on GPUs, bf16 on Neuron, fp32 on CPUs.
    """
    text = plain_name(_COMMENT.sub(" ", cell)).strip("-")
    parts = _CELL.fullmatch(text)
    word, adapters, cached = (parts["word"], parts["adapters"], parts["cache"]) if parts else (text, "", "")
    found = _named(word)
    if (word and found is None) or (cached and cached not in _CACHE_SCALES):
        usual = " ".join(words.split()[0] for _, words in _WORDS)
        allowed = f"one of {usual} q4_k_m, or an alias of precision.py, then lora after a space, then /kv:fp8"
        raise refused("precision", cell, allowed)
    if found is None:
        found = next(filter(None, map(_named, re.split(r"[-_ /.:]+", model.lower()))), None)
    found = _on_chip(found, word, framework, chip)
    if (
        found.precision is Precision.FP32
        and word != "fp32/none"
        and not isinstance(chip.facts, Cpu)
        and chip.facts.tf32_tflops
    ) and (framework.tf32 == "yes" or (framework.tf32 == "convolutions" and convolves)):
        found = replace(found, precision=Precision.TF32, arithmetic="tf32")
    return replace(found, cache_scale=_CACHE_SCALES.get(cached or "", 1.0), adapters=bool(adapters))


def _named(word: str) -> NumberFormat | None:
    if word in FORMATS:
        return FORMATS[word]
    ggml = _GGML.fullmatch(word)
    if ggml is None:
        return None
    weights = _FOUR_BIT_WEIGHTS if int(ggml["bits"]) <= 4 else _EIGHT_BIT_WEIGHTS
    return replace(weights, repacked=ggml["name"] == "q4-0")


def _on_chip(found: NumberFormat | None, word: str, framework: Framework, chip: Chip) -> NumberFormat:
    if chip.kind == "neuron":
        # The compiler casts what it multiplies to bf16 unless it is told not to.
        if found and found.weight_only == "int8":
            return _EIGHT_BIT_WEIGHTS
        return found if found and (found == _FP8 or word == "fp32/none") else _BF16
    if isinstance(chip.facts, Cpu):
        found = found or _FP32
        by_vector = framework.family in _VECTOR_ENGINES and not (
            found.repacked and "graviton" in chip.name.lower()
        )
        return replace(found, arithmetic="fp32") if by_vector else found
    found = found or _HALF
    if found.arithmetic == "fp4" and not chip.facts.fp4_dense_tflops:
        return _FOUR_BIT_WEIGHTS
    return found
