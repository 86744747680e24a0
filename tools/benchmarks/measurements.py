"""Read published measurements: each row becomes a case, from its descriptive columns alone.

The columns and what each may hold are described in ``data/README.md``; a cell that holds something else is a reason why the
row is not predicted. Measured values, ids and notes decide nothing. What a row does not state is a default. Defaults that
decide much:

* no concurrency and no batch: one request alone;
* a number of users without a batch, or with a batch of one: a closed loop, on any server. Users beside a larger batch are
  those of that batch;
* a language model on several devices without a word of how it is split: tensor-parallel over all of them, on Neuron over all
  logical cores. On GPUs that nobody counts, as many as the split needs;
* no precision: what the model is named after, else fp16 on GPUs, bf16 on Neuron, fp32 on CPUs;
* fp32 in TensorFlow from 2.4 on and in NVIDIA's containers: TF32 where the chip has it;
* a framework without a version: today's;
* a network without a size of its images: that of its preset.

Values are never rescaled, whatever the unit column says.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from sizewell.instance_selection.catalog import Catalog, InstanceType, load_catalog
from sizewell.instance_selection.presets import Preset, UnknownPresetError, find_preset
from sizewell.instance_selection.requirements import Architecture, ModelSpec, Precision
from tools.benchmarks.cells import Cells, UnreadableRowError, refused
from tools.benchmarks.chips import Chip, find_chip
from tools.benchmarks.frameworks import Framework, find_framework
from tools.benchmarks.images import with_images
from tools.benchmarks.load import Arrival, Load, load_of
from tools.benchmarks.metric_names import METRICS
from tools.benchmarks.parallelism import Split, split_of
from tools.benchmarks.precision import NumberFormat, number_format
from tools.benchmarks.trees import LIBRARIES, Trees, trees_of

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


#: Metrics that only one architecture has.
ARCHITECTURE_OF_METRIC = {
    "ttft_ms": "decoder", "itl_ms": "decoder", "tokens_s_total": "decoder", "tokens_s_per_gpu": "decoder",
    "tokens_s_inout": "decoder", "ms_per_token_all": "decoder", "prefill_tokens_s": "decoder", "mfu": "decoder",
    "denoise_iters_s": "diffusion", "images_s": "cnn",
}  # fmt: skip
#: A length that somebody chose is a multiple of this; another one is that of the longest text of the data.
CHOSEN_LENGTH = 64
#: The first year in which adapters are wrapped apart from the frozen weights (PyTorch 2.1, FSDP with use_orig_params).
WRAPPED_ADAPTERS_SINCE = "2024"
#: The parameters that a name states: ``foo-7b``, ``8x7b``, ``bar-110m``, and those that a token uses: ``30b-a3b``.
_SIZE = re.compile(r"(?<![a-z0-9.])(?:(\d+)x)?(\d+(?:\.\d+)?)\s?([bm])(?![a-z0-9])")
_ACTIVE = re.compile(r"\d+b[- ]a(\d+(?:\.\d+)?)b\b")
_INSTANCE_TYPE = re.compile(r"(?:ml\.)?([a-z0-9-]+\.[a-z0-9-]+)")


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
    """The release of the framework: its name in ``frameworks.csv``, a hyphen, and its version."""
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
    """What is left of the weight of a row that is in doubt, 1 or less."""
    tuned_record: bool
    """A round of MLPerf: tuned by the maker, with inputs as long as they come."""
    allocated_only: bool
    """Whether a peak of memory leaves the context of the driver out."""
    trees: Trees
    usd_per_hour: float | None
    instance_type: str
    nodes: int
    """Instances, of a known type, that hold the devices; 1 where the type is not known."""
    network_gbit_s: float | None
    """What connects the nodes: as stated, or else that of the instance type."""


def case_of(row: Mapping[str, str], catalog: Catalog | None = None) -> Case:
    """Return the case of a row; raises `UnreadableRowError` with the column and what it may hold, or with what is missing.

    ``catalog`` has the instance types of ``aws_instance``, by default those of us-east-1.
    """
    cells = Cells(row)
    metric = cells.word("metric", METRICS)
    training = cells.word("task", ("training", "inference")) == "training" or (
        not cells["task"] and metric in ("mfu", "train_time_s")
    )
    framework = find_framework(cells["framework"])
    preset = _preset(cells)
    architecture = _architecture(cells, preset, framework, metric)
    split = split_of(cells["parallelism"] or framework.parallelism)
    instance_type = _instance_type(cells["aws_instance"], catalog or _catalog())
    chip, count = _device(cells, instance_type, split)
    copies = cells.number("copies")
    if copies and chip.kind == "cpu":
        chip = replace(chip, cores=chip.cores / copies, host_cores=chip.host_cores / copies)
    convolves = architecture in (Architecture.CNN, Architecture.DIFFUSION)
    fmt = number_format(cells["precision"], framework, cells["model"], chip, convolves=convolves)
    engine = framework.engine_for(architecture, chip.kind)
    model, preset = _model(cells, preset, architecture, fmt.precision)
    tensor, pipeline = _degrees(split, training, count, chip, model.architecture)
    batch, length = cells.number("batch_size"), cells.number("input_len")
    micro_batch, adapters, rank = cells.number("micro_batch"), *_adapters(cells, fmt)
    per_device, recompute, updates = (
        cells.flag("per_device"),
        cells.flag("recompute"),
        cells.number("updates"),
    )
    load, trees = load_of(cells), trees_of(cells)
    return Case(
        id=cells["id"],
        source=cells["source_id"],
        training=training,
        metric=metric,
        value=number(cells["value"]),
        model=model,
        model_name=cells["model"],
        preset=preset.name if preset else "",
        chip=chip,
        chips=count,
        arithmetic=fmt.arithmetic,
        quantization="none"
        if fmt.weight_only is None
        else f"{fmt.weight_only}|{framework.family if engine == 'llm-engine' else engine}",
        engine=engine,
        framework=framework.family,
        library=framework.release,
        batch=batch,
        input_tokens=length,
        output_tokens=cells.number("output_len"),
        concurrency=load.users if load.arrival in (Arrival.BATCH, Arrival.USERS) else None,
        load=load,
        cache_scale=fmt.cache_scale,
        beams=cells.number("beams") or 1.0,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        split_stated=bool(split.tensor or split.pipeline or split.whole_pipeline),
        sharding=split.sharding,
        recompute=recompute
        if recompute is not None
        else split.recompute
        or _recomputes(framework, quantized_adapters=adapters and fmt.weight_only is not None),
        adapters=adapters,
        adapter_rank=rank,
        offloaded=split.offload,
        real_texts=_holds_real_texts(cells, length),
        unfused_attention=cells.flag("fused_attention") is False,
        wrapped_adapters=fmt.precision is Precision.INT4 or cells["data_date"][:4] >= WRAPPED_ADAPTERS_SINCE,
        micro_batch=micro_batch,
        per_device=per_device
        if per_device is not None
        else count > 1 and batch is not None and batch == micro_batch,
        data_parallel=per_device is None and chip.kind == "cuda" and split.data_alone,
        copies=copies,
        in_flight=cells.number("in_flight"),
        updates=updates,
        size_is_stated=metric != "train_time_s"
        or (trees.rounds is not None and length is not None if architecture.tabular else updates is not None),
        predicts_words=cells.flag("pretraining") is True,
        trust=cells.number("trust") or 1.0,
        tuned_record=_is_record(cells),
        allocated_only=cells.flag("allocated_only") is True,
        trees=trees,
        usd_per_hour=cells.number("usd_per_hour"),
        instance_type=cells["aws_instance"],
        nodes=_nodes(cells, instance_type),
        network_gbit_s=cells.number("network_gbit_s")
        or (instance_type.network_peak_gbps if instance_type else None),
    )


def number(text: str) -> float | None:
    """Return the number of a cell, None when it holds none."""
    try:
        return float(text)
    except ValueError:
        return None


@cache
def _catalog() -> Catalog:
    return load_catalog("us-east-1")


def _instance_type(cell: str, catalog: Catalog) -> InstanceType | None:
    found = _INSTANCE_TYPE.fullmatch(cell.lower())
    if cell and not found:
        raise refused("aws_instance", cell, "the name of an instance type, such as g5.xlarge")
    return catalog.find(f"ml.{found[1]}") if found else None


def _nodes(cells: Cells, instance_type: InstanceType | None) -> int:
    devices = cells.number("accelerator_count")
    if not (instance_type and instance_type.accelerator_count and devices):
        return 1
    return max(math.ceil(devices / instance_type.accelerator_count), 1)


def _device(cells: Cells, instance_type: InstanceType | None, split: Split) -> tuple[Chip, int]:
    count = int(cells.number("accelerator_count") or 0)
    name = cells["accelerator"]
    if instance_type and not name:
        accelerator = instance_type.accelerator
        name = accelerator.name if accelerator else instance_type.name
        count = count or instance_type.accelerator_count if accelerator else 1
    chip, devices = find_chip(name, count, instance_type=cells["aws_instance"], threads=split.threads)
    if not count and chip.kind == "cuda":
        devices = max(devices, max(split.tensor, 1) * max(split.pipeline, 1))
    return chip, devices


def _is_record(cells: Cells) -> bool:
    stated = cells.flag("record")
    return stated if stated is not None else "mlperf" in cells["source_id"].lower()


def _adapters(cells: Cells, fmt: NumberFormat) -> tuple[bool, float | None]:
    """Return whether adapters are trained, and their rank: ``yes``, or a number."""
    if cells["adapters"].lower() in ("yes", ""):
        return bool(cells["adapters"]) or fmt.adapters, None
    return True, cells.number("adapters")


def _recomputes(framework: Framework, *, quantized_adapters: bool) -> bool:
    """Return what a framework does by itself (the column ``recompute`` of its table)."""
    return framework.recompute == "yes" or (
        framework.recompute == "quantized adapters" and quantized_adapters
    )


def _holds_real_texts(cells: Cells, length: float | None) -> bool:
    """Return whether the stated length is the most of texts of many lengths."""
    lengths = cells["lengths"].lower()
    return lengths == "varied" or bool(not lengths and length and length % CHOSEN_LENGTH)


def _preset(cells: Cells) -> Preset | None:
    for name in (cells["model_key"], cells["model"]):
        if name:
            try:
                return find_preset(name)
            except UnknownPresetError:
                continue
    return None


def _architecture(cells: Cells, preset: Preset | None, framework: Framework, metric: str) -> Architecture:
    stated = cells.word("architecture", ARCHITECTURES)
    trees = framework.family in LIBRARIES
    found = stated or (
        preset.architecture if preset else "gbdt" if trees else ARCHITECTURE_OF_METRIC.get(metric, "")
    )
    if found not in ARCHITECTURES:
        raise refused("architecture", "", f"one of {', '.join(ARCHITECTURES)}")
    return ARCHITECTURES[found]


def _parameters(cells: Cells) -> float | None:
    """Return the parameters that a name states."""
    found = _SIZE.search(re.sub(r"[-_/]", " ", f"{cells['model_key']} {cells['model']}".lower()))
    return float(found[2]) * {"b": 1e9, "m": 1e6}[found[3]] * float(found[1] or 1) if found else None


def _model(
    cells: Cells, preset: Preset | None, architecture: Architecture, precision: Precision
) -> tuple[ModelSpec, Preset | None]:
    stated = cells.number("params") or (None if preset else _parameters(cells))
    if architecture.tabular:
        return ModelSpec(architecture=architecture, parameters=0.0, layers=0, precision=precision), None
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
            f"model {cells['model'] or '(empty)'} is not known and no parameters are stated"
        )
    embedding = (preset.embedding_parameters if preset else None) or 0.0
    active: float | None = preset.active_parameters if preset else None
    if active and stated and preset and preset.parameters and architecture is not Architecture.DIFFUSION:
        active = active * stated / preset.parameters
    if not preset and cells["architecture"].lower().endswith("moe"):
        named = _ACTIVE.search(f"{cells['model_key']} {cells['model']}".lower())
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
        denoising_steps=int(cells.number("denoising_steps") or _usual_steps(cells, preset)),
        guidance=not any(word in _pipeline(cells, preset) for word in UNGUIDED),
    )
    return with_images(model, preset, cells), preset


def _usual_steps(cells: Cells, preset: Preset | None) -> int:
    usual = [steps for word, steps in STEPS.items() if word in _pipeline(cells, preset)]
    return usual[0] if usual else DEFAULT_STEPS


def _pipeline(cells: Cells, preset: Preset | None) -> str:
    return f"{cells['model']} {preset.name if preset else ''}".lower()


def _degrees(
    split: Split, training: bool, count: int, chip: Chip, architecture: Architecture
) -> tuple[int, int]:
    """Return tensor-parallel and pipeline-parallel degree, in devices."""
    pipeline = count * chip.cores_per_device if split.whole_pipeline else split.pipeline
    alone = not (split.tensor or pipeline > 1 or split.data or split.sharding == "shard")
    if alone and not training and architecture.generates:
        # Language models are compiled for every core of an instance (Neuron inference samples).
        return count * chip.cores_per_device, 1
    return max(1, split.tensor), max(1, pipeline)
