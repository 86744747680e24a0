"""Read published measurements: each row becomes a case, from its descriptive columns alone.

The form is that of a results table with one number per row: a model, an accelerator, a batch, a metric. What a row
does not say is replaced by a stated default; what cannot be known is a reason. Defaults that decide much:

* no concurrency and no batch: one request alone;
* a number of users without a batch, or with a batch of one: a closed loop, on any server. Users beside a larger batch are
  those of that batch;
* a language model on several devices without a word of how it is split: tensor-parallel over all of them, on Neuron over all
  logical cores. On GPUs that nobody counts, as many as the split needs;
* no precision: what the framework or the model is named after, else fp16 on GPUs, bf16 on Neuron, fp32 on CPUs;
* fp32 in TensorFlow from 2.4 on and in NVIDIA's containers: TF32 where the chip has it;
* an engine without a version: today's; a TGI from 2 on batches like vLLM;
* tokens/s without more: of the output, of all requests. A latency without more: the average.

Values are never rescaled, whatever the unit column says.
"""

import re
from dataclasses import dataclass, replace

from sizewell.instance_selection.presets import Preset, UnknownPresetError, find_preset
from sizewell.instance_selection.requirements import Architecture, ModelSpec, Precision
from tools.benchmarks.chips import Chip, UnknownChipError, find_chip
from tools.benchmarks.frameworks import engine_of, framework_of, number_format, plain_name
from tools.benchmarks.images import with_images
from tools.benchmarks.load import Arrival, Load, load_of
from tools.benchmarks.quantities import quantity
from tools.benchmarks.splits import Split, split_of
from tools.benchmarks.training_words import (
    adapter_rank,
    holds_real_texts,
    is_per_device,
    micro_batch,
    offloads,
    predicts_words,
    recomputes,
    updates,
    writes_scores,
)

ARCHITECTURES = {
    "transformer-encoder": Architecture.ENCODER,
    "encoder": Architecture.ENCODER,
    "vision-transformer": Architecture.ENCODER,
    "decoder": Architecture.DECODER,
    "moe": Architecture.DECODER,
    "decoder-moe": Architecture.DECODER,
    "multimodal": Architecture.DECODER,
    "cnn": Architecture.CNN,
    "diffusion": Architecture.DIFFUSION,
    "encoder-decoder": Architecture.ENCODER_DECODER,
    "recsys": Architecture.RECOMMENDER,
    "recommender": Architecture.RECOMMENDER,
    "rnn": Architecture.RNN,
    "time-series": Architecture.TIME_SERIES,
    "gbdt": Architecture.GRADIENT_BOOSTING,
}
#: Steps of an image when none are stated: 50 by default, other pipelines by a word of their names (model cards).
STEPS = {"schnell": 4, "turbo": 1, "lightning": 4, "pixart": 20, "flux": 28, "sd-3": 28}
DEFAULT_STEPS = 50
#: Networks that are trained to need no second pass for guidance.
UNGUIDED = ("flux", "turbo", "lightning")
#: A row's size and the size of the preset of that name may differ this much before the preset is not believed.
SIZE_TOLERANCE = 2.0
#: Part of a mixture of experts that one token uses, where nobody says: the median of the presets.
ACTIVE_SHARE = 0.16
#: Most of a model that can be look-up tables, should a row state another size than its preset.
MAX_EMBEDDED_SHARE = {Architecture.RECOMMENDER: 0.9999}


class UnreadableRowError(ValueError):
    """Why a row cannot be predicted."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One row in the units of the estimates; None is not stated."""

    id: str
    source: str
    training: bool
    metric: str
    value: float | None
    model: ModelSpec
    model_name: str
    preset: str
    chip: Chip
    chips: int
    arithmetic: str
    quantization: str
    engine: str
    framework: str
    library: str
    batch: float | None
    input_tokens: float | None
    output_tokens: float | None
    concurrency: float | None
    load: Load
    cache_scale: float
    """Bytes of a cached value over those that the engine takes by itself."""
    beams: float
    """Hypotheses that a search keeps of each answer."""
    tensor_parallel: int
    pipeline_parallel: int
    split_stated: bool
    """Whether the row says over how many devices one copy of the model lies."""
    sharding: str
    recompute: bool
    adapters: bool
    adapter_rank: float | None
    offloaded: bool
    """Whether weights and states of a training wait in host memory."""
    real_texts: bool
    """Whether the stated length is the most of texts of many lengths."""
    unfused_attention: bool
    """Whether a decoder in training writes its attention scores to memory."""
    wrapped_adapters: bool
    """Whether adapters are sharded apart from the frozen weights, which are so shared out."""
    micro_batch: float | None
    per_device: bool
    data_parallel: bool
    """Copies of the model on GPUs, whose loaders take the batch of one device."""
    copies: float | None
    """Models that work at the same time, as the figure counts them; None: one on every device, or on its share. Those on a
    CPU share its cores: ``chip`` is what one of them has."""
    in_flight: float | None
    """Batches of each copy that are in progress at the same time; None: one."""
    updates: float | None
    """Updates of the weights that a duration covers; None: nobody says."""
    size_is_stated: bool
    """Whether the row says how much was trained: without that, a duration says nothing."""
    predicts_words: bool
    """Whether a training scores the words of a vocabulary, as a decoder always does."""
    trust: float
    """What the notes of the collection leave of the weight of a row, 1 or less."""
    tuned_record: bool
    """A round of MLPerf: tuned by the maker, with inputs as long as they come."""
    note: str
    instance_type: str
    nodes: int
    """Instances, of a known type, that hold the devices; 1 where the type is not known."""
    network_gbit_s: float | None


def number(text: str) -> float | None:
    """Return the number of a cell, None when it holds none."""
    try:
        return float(text)
    except ValueError:
        return None


def case_of(row: dict[str, str]) -> Case:
    """Return the case of a row; raises `UnreadableRowError` with what is missing."""
    cell = _Row(row)
    note, framework_text = cell["note"], cell["framework"]
    architecture = ARCHITECTURES.get(cell["architecture"])
    if architecture is None:
        raise UnreadableRowError(f"architecture {cell['architecture'] or '(empty)'} is not known")
    try:
        chip, count = find_chip(
            cell["accelerator"],
            int(quantity(cell["accelerator_count"]) or 0),
            note,
            instance_type=cell["aws_instance"],
            parallelism=cell["parallelism"],
        )
    except UnknownChipError as error:
        raise UnreadableRowError(str(error)) from None
    copies = number(cell["copies"])
    if copies and chip.kind == "cpu":
        chip = replace(chip, cores=chip.cores / copies, host_cores=chip.host_cores / copies)
    split = split_of(cell["parallelism"], framework_text)
    if not quantity(cell["accelerator_count"]) and chip.kind == "cuda":
        count = max(count, max(split.tensor, 1) * max(split.pipeline, 1))
    convolves = architecture in (Architecture.CNN, Architecture.DIFFUSION)
    fmt = number_format(cell["precision"], framework_text, cell["model"], chip, convolves=convolves)
    engine = engine_of(framework_text, architecture, chip.kind)
    framework = framework_of(framework_text)
    model, preset = _model(cell, architecture, fmt.precision)
    architecture = model.architecture
    tensor, pipeline = _degrees(split, cell["task"], count, chip, architecture)
    batch = _batch(cell)
    load = load_of(cell, batch)
    covered = updates(note, batch)
    beams = re.search(r"beams?(?:[ _-]?(?:size|width))?\W{0,2}(\d+)\b|\b(\d+) beams", note.lower())
    adapters = "lora" in f"{framework_text} {note} {cell['model']} {cell['precision']}".lower()
    record = "division" in note and "Result" in note
    return Case(
        id=cell["id"],
        source=cell["source_id"],
        training=cell["task"] == "training",
        metric=cell["metric"],
        value=number(cell["value"]),
        model=model,
        model_name=cell["model"],
        preset=preset,
        chip=chip,
        chips=count,
        arithmetic=fmt.arithmetic,
        quantization="none"
        if fmt.weight_only is None
        else f"{fmt.weight_only}|{framework if engine == 'llm-engine' else engine}",
        engine=engine,
        framework=framework,
        library=plain_name(framework_text),
        batch=batch,
        # A thousand tokens are 1,024 and a thousand rows of a table 1,000.
        input_tokens=quantity(cell["input_len"], kilo=1000 if architecture.tabular else 1024),
        output_tokens=quantity(cell["output_len"], kilo=1024),
        concurrency=load.users if load.arrival in (Arrival.BATCH, Arrival.USERS) else None,
        load=load,
        cache_scale=fmt.cache_scale,
        beams=float(beams[1] or beams[2]) if beams else 1.0,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        split_stated=bool(split.tensor or split.pipeline or split.whole_pipeline),
        sharding=split.sharding,
        recompute=recomputes(
            f"{cell['parallelism']}; {framework_text}; {note}",
            framework_text,
            quantized_adapters=adapters and fmt.weight_only is not None,
        ),
        adapters=adapters,
        adapter_rank=adapter_rank(note),
        offloaded=offloads(f"{cell['parallelism']}; {note}"),
        real_texts=holds_real_texts(note, quantity(cell["input_len"], kilo=1024)),
        unfused_attention=writes_scores(framework_text, note, cell["data_date"]),
        wrapped_adapters=fmt.precision is Precision.INT4 or cell["data_date"][:4] >= "2024",
        micro_batch=micro_batch(note),
        per_device=is_per_device(note, batch, count),
        data_parallel=chip.kind == "cuda" and split.data_first,
        copies=copies,
        in_flight=number(cell["in_flight"]),
        updates=covered,
        size_is_stated=_size_is_stated(cell, architecture, covered),
        predicts_words=predicts_words(f"{cell['model']} {framework_text} {note}"),
        trust=number(cell["trust"]) or 1.0,
        tuned_record=record,
        note=note,
        instance_type=cell["aws_instance"],
        nodes=int(number(cell["nodes"]) or 1),
        network_gbit_s=number(cell["network_gbit_s"]),
    )


class _Row(dict[str, str]):
    """Cells by column; a column that a file does not have is empty."""

    def __init__(self, row: dict[str, str]) -> None:
        super().__init__((column, (cell or "").strip()) for column, cell in row.items())

    def __missing__(self, column: str) -> str:
        return ""


def _batch(cell: _Row) -> float | None:
    # "128 (FP32) / 256 (AMP)": the one of the row's precision.
    parts = cell["batch_size"].split("/")
    return quantity(parts[-1] if "amp" in cell["precision"].lower() else parts[0])


def _size_is_stated(cell: _Row, architecture: Architecture, covered: float | None) -> bool:
    if cell["metric"] != "train_time_s":
        return True
    if not architecture.tabular:
        return covered is not None
    return bool(re.search(r"\d+ ?k? ?(?:trees|rounds|iterations)\b", cell["note"]) and cell["input_len"])


def _find(cell: _Row) -> Preset | None:
    for name in (cell["model_key"], cell["model"]):
        if name:
            try:
                return find_preset(name)
            except UnknownPresetError:
                continue
    return None


def _model(cell: _Row, architecture: Architecture, precision: Precision) -> tuple[ModelSpec, str]:
    preset = _find(cell)
    stated = quantity(cell["params"])
    if architecture.tabular:
        return ModelSpec(architecture=architecture, parameters=0.0, layers=0, precision=precision), ""
    # Diffusion tables state the denoiser, presets the whole pipeline.
    if preset and stated and architecture is not Architecture.DIFFUSION:
        ratio = stated / (preset.parameters or stated)
        preset = preset if 1 / SIZE_TOLERANCE < ratio < SIZE_TOLERANCE else None
    if (
        preset
        and architecture is Architecture.ENCODER_DECODER
        and preset.architecture == Architecture.CNN.value
    ):
        # Tables call image networks with skip connections so.
        architecture = Architecture.CNN
    parameters = stated or (preset.parameters if preset else None)
    if not parameters:
        raise UnreadableRowError(
            f"model {cell['model'] or '(empty)'} is not known and no parameters are stated"
        )
    embedding = (preset.embedding_parameters if preset else None) or 0.0
    active: float | None = preset.active_parameters if preset else None
    if active and stated and preset and preset.parameters and architecture is not Architecture.DIFFUSION:
        active = active * stated / preset.parameters
    if not preset and cell["architecture"].endswith("moe"):
        named = re.search(r"\d+b[- ]a(\d+(?:\.\d+)?)b\b", f"{cell['model_key']} {cell['model']}".lower())
        active = float(named[1]) * 1e9 if named else ACTIVE_SHARE * parameters
    model = ModelSpec(
        architecture=architecture,
        parameters=parameters,
        layers=int((preset.layers if preset else None) or 0),
        precision=precision,
        active_parameters=active,
        embedding_parameters=min(
            embedding, MAX_EMBEDDED_SHARE.get(architecture, 0.7) * (active or parameters)
        ),
        hidden_size=int((preset.hidden_size if preset else None) or 0),
        kv_hidden_size=int((preset.kv_hidden_size if preset else None) or 0),
        intermediate_size=int((preset.intermediate_size if preset else None) or 0),
        vocabulary_size=int((preset.vocabulary_size if preset else None) or 0),
        forward_flops_per_image=((preset.forward_gflops if preset else None) or 0.0) * 1e9,
        activations_per_image=((preset.activations_millions if preset else None) or 0.0) * 1e6,
        denoising_steps=_steps(cell, preset),
        guidance=not any(word in _pipeline(cell, preset) for word in UNGUIDED),
    )
    return with_images(model, preset, cell), (preset.name if preset else "")


def _steps(cell: _Row, preset: Preset | None) -> int:
    stated = re.search(r"(\d+)[ -](?:inference |denoising |sampling )?steps?\b", cell["note"])
    usual = [n for word, n in STEPS.items() if word in _pipeline(cell, preset)]
    return int(stated[1]) if stated else usual[0] if usual else DEFAULT_STEPS


def _pipeline(cell: _Row, preset: Preset | None) -> str:
    return f"{cell['model']} {preset.name if preset else ''}".lower()


def _degrees(split: Split, task: str, count: int, chip: Chip, architecture: Architecture) -> tuple[int, int]:
    """Return tensor-parallel and pipeline-parallel degree, in devices."""
    pipeline = count * chip.cores_per_device if split.whole_pipeline else split.pipeline
    alone = not (split.tensor or pipeline > 1 or split.streamed or split.data or split.sharding == "shard")
    if task == "inference" and alone and architecture.generates and chip.kind != "neuron":
        return count, 1
    return max(1, split.tensor), max(1, pipeline)
