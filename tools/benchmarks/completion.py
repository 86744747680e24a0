"""Rows of a table of unknown origin: an empty cell is derived from the others, and nonsense is refused.

Only descriptive columns are read: a measured value, a rank or the id of a row never decides anything.
"""

import math
import re
from collections.abc import Mapping

from sizewell.instance_selection.catalog import Catalog, InstanceType
from sizewell.instance_selection.presets import Preset, UnknownPresetError, find_preset
from tools.benchmarks.chips import INSTANCE, UnknownChipError, find_chip
from tools.benchmarks.load import in_their_columns
from tools.benchmarks.measurements import ARCHITECTURES, UnreadableRowError
from tools.benchmarks.metric_names import metric_of
from tools.benchmarks.quantities import quantity

DESCRIPTIVE = (
    "id", "source_id", "task", "model", "architecture", "params", "precision", "accelerator", "accelerator_count",
    "aws_instance", "batch_size", "input_len", "output_len", "concurrency", "framework", "metric", "note",
    "parallelism", "data_date", "model_key", "copies", "in_flight", "trust",
)  # fmt: skip
#: The largest number that a cell may hold: beyond it a row is a mistake, not a workload.
LARGEST = {
    "params": 1e15,
    "accelerator_count": 1e6,
    "batch_size": 1e9,
    "input_len": 1e12,
    "output_len": 1e9,
    "concurrency": 1e9,
}
#: Words in the architecture cell, the model or the framework of a row, in the order in which they decide.
ARCHITECTURE_WORDS = (
    ("gbdt", r"xgboost|lightgbm|catboost|\bh2o\b|boost(?:ing|ed)|random forest|gbdt"),
    ("diffusion", r"diffusion|\bunet\b|\bdit\b|sdxl|sd-?[1-3]|flux|controlnet"),
    ("decoder", r"vlm|\bvl\b|llava|pixtral|vision[- ]language"),
    ("time-series", r"deepar|patchtst|timesfm|chronos-bolt|forecast"),
    ("recsys", r"dlrm|recsys|recommend|wide.?and.?deep|\bncf\b"),
    ("encoder-decoder", r"encoder-decoder|seq2seq|\b(?:flan-)?t5|bart\b|whisper|marian|pegasus"),
    ("cnn", r"resnet|cnn|convnet|efficientnet|mobilenet|yolo|\bssd\b|inception|densenet|vgg|mask.?r-?cnn|unet"),
    ("rnn", r"\brnn|lstm|gru\b"),
    ("decoder", r"decoder|\bmoe\b|mixture|causal|\bllm\b|gpt|llama|mistral|mixtral|qwen|gemma|falcon|deepseek|phi-"),
    ("transformer-encoder", r"encoder|bert|\bvit\b|vision.transformer|deit|swin|clip|electra|transformer"),
)  # fmt: skip
#: Words in the architecture cell that decoders and encoders share: the model decides.
VAGUE_ARCHITECTURES = ("transformer", "transformers", "language model", "lm", "nlp", "dense")
#: Metrics that only one architecture has.
ARCHITECTURE_OF_METRIC = {
    "ttft_ms": "decoder", "itl_ms": "decoder", "tokens_s_total": "decoder", "tokens_s_per_gpu": "decoder",
    "tokens_s_inout": "decoder", "ms_per_token_all": "decoder", "prefill_tokens_s": "decoder", "mfu": "decoder",
    "denoise_iters_s": "diffusion", "images_s": "cnn",
}  # fmt: skip
#: Architectures that write token by token.
GENERATING = tuple(name for name, architecture in ARCHITECTURES.items() if architecture.generates)
#: What the notes of a results table say of a round of MLPerf: a tuned record.
MLPERF_NOTE = "closed division, Result"
_SIZE = re.compile(r"(?<![a-z0-9.])(?:(\d+)x)?(\d+(?:\.\d+)?)\s?([bm])(?![a-z0-9])")


def complete(row: Mapping[str, str], catalog: Catalog) -> dict[str, str]:
    """Return the descriptive cells of a row, completed; raises `UnreadableRowError` for numbers that cannot be."""
    done = {column: (row.get(column) or "").strip() for column in DESCRIPTIVE}
    done["metric"] = metric_of(done["metric"])
    done["batch_size"], done["concurrency"] = in_their_columns(done["batch_size"], done["concurrency"])
    for column, largest in LARGEST.items():
        _check(column, done[column], largest)
    preset = _preset(done)
    done["architecture"] = _architecture(done, preset)
    done["task"] = done["task"].lower() or (
        "training" if done["metric"] in ("mfu", "train_time_s") else "inference"
    )
    if not done["params"] and preset is None and (stated := _size(f"{done['model_key']} {done['model']}")):
        done["params"] = f"{stated:.0f}"
    named = re.search(INSTANCE, done["aws_instance"].lower())
    instance_type = catalog.find(f"ml.{named[1]}.{named[2]}") if named else None
    if instance_type and instance_type.accelerator_count and (devices := quantity(done["accelerator_count"])):
        nodes = math.ceil(devices / instance_type.accelerator_count)
        done["nodes"] = str(max(nodes, 1))
        done["network_gbit_s"] = str(instance_type.network_peak_gbps or "")
    if instance_type and not done["accelerator"]:
        done["accelerator"], done["accelerator_count"] = _processor(instance_type, done["accelerator_count"])
    done["parallelism"] = done["parallelism"] or _parallelism(done)
    if "mlperf" in done["source_id"].lower() and not done["note"]:
        done["note"] = MLPERF_NOTE
    return done


def _parallelism(row: dict[str, str]) -> str:
    """Return how a model is split where nothing is stated: what frameworks and NeuronCores are used with."""
    if "fsdp" in row["framework"].lower():
        return "FSDP"
    if row["task"] == "training" or row["architecture"] not in GENERATING:
        return ""
    try:
        chip, count = find_chip(
            row["accelerator"],
            int(quantity(row["accelerator_count"]) or 0),
            instance_type=row["aws_instance"],
        )
    except UnknownChipError:
        return ""
    # Language models are compiled for every core of an instance (Neuron inference samples).
    return f"TP{count * chip.cores_per_device}" if chip.kind == "neuron" else ""


def _check(column: str, text: str, largest: float) -> None:
    value = quantity(text)
    if value is not None and not (math.isfinite(value) and 0 <= value <= largest):
        raise UnreadableRowError(f"{column} {text} is not between 0 and {largest:.0e}")


def _preset(row: dict[str, str]) -> Preset | None:
    for name in (row["model_key"], row["model"]):
        if name:
            try:
                return find_preset(name)
            except UnknownPresetError:
                continue
    return None


def _architecture(row: dict[str, str], preset: Preset | None) -> str:
    stated = row["architecture"].lower()
    if stated in VAGUE_ARCHITECTURES:
        stated = ""
    if stated in ARCHITECTURES:
        return stated
    if preset and not stated:
        return preset.architecture
    for text in (stated, f"{row['model']} {row['model_key']} {row['framework']}".lower()):
        for architecture, words in ARCHITECTURE_WORDS:
            if re.search(words, text):
                return architecture
    return (preset.architecture if preset else "") or stated or ARCHITECTURE_OF_METRIC.get(row["metric"], "")


def _size(name: str) -> float | None:
    """Return the parameters that a name states: ``foo-7b``, ``8x7b``, ``bar-110m``."""
    found = _SIZE.search(re.sub(r"[-_/]", " ", name.lower()))
    if not found:
        return None
    experts, number, unit = found.groups()
    return float(number) * {"b": 1e9, "m": 1e6}[unit] * float(experts or 1)


def _processor(instance_type: InstanceType, count: str) -> tuple[str, str]:
    if instance_type.accelerator:
        return instance_type.accelerator.name, count or str(instance_type.accelerator_count)
    return instance_type.name, "1"
