"""Turn the question of a row of a choices file into requirements; the columns with the answers are never read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sizewell.instance_selection import Architecture, Catalog, ModelSpec, Precision
from sizewell.instance_selection.estimation.work import image_flops
from sizewell.instance_selection.presets import Preset, UnknownPresetError, find_preset
from tools.benchmarks.algorithms import Algorithm, Task, find_algorithm
from tools.benchmarks.choice_cells import chip_names, parse_cell

#: Models from this size on are deployed in half precision where a row states none.
HALF_PRECISION_FROM = 300e6
#: From this size on nothing but a network is meant, whatever algorithm a text mentions.
NETWORK_FROM = 5e9
#: More weights than this are a misprint: the largest published models have some 10^12.
MAX_PARAMETERS = 1e14
#: How far "~500 USD" stretches.
ABOUT = 1.1
HOURS_PER_MONTH = 730
_PRECISIONS = re.compile(r"fp32|tf32|fp16|bf16|fp8|int8|int4|half|mixed|amp|[48]-?bit", re.I)
_PRECISION_NAMES = {"half": "fp16", "mixed": "fp16", "amp": "fp16", "4bit": "int4", "8bit": "int8"}
# Longer runs of digits are no quantity of anything.
_NUMBER = r"(?<![\d.])(\d[\d,]{0,15}(?:\.\d{1,9})?)(?!\d)"
_BATCH = re.compile(
    rf"(?:batch(?: size)?|bs)\s*(?:of|=|:)?\s*~?\s*{_NUMBER}|{_NUMBER}\s*(?:concurrent|parallel|users|simultaneous)",
    re.I,
)
_LATENCY = re.compile(rf"{_NUMBER}\s*(ms|milliseconds?|s|sec|seconds?)\b", re.I)
_RATE = re.compile(
    rf"{_NUMBER}\s*(?:tps|rps|qps|(?:requests|req|docs|queries|images|inferences|transactions)\s*(?:/|per\s*)\s*s)",
    re.I,
)
_BUDGET = re.compile(rf"(?:usd|\$)\s*{_NUMBER}|{_NUMBER}\s*(?:usd|\$)", re.I)
_DATA = re.compile(rf"(<|>|less than|more than|larger than|over|under)?\s*{_NUMBER}\s*(mb|gb|tb)\b", re.I)
#: Models that are shown images and write text: decoders, whose vision tower is a small part.
_VISION_LANGUAGE = re.compile(
    r"\b(?:\w*vlm\w*|vl|llava|pixtral|idefics\w*|internvl\w*|paligemma)\b|vision[- ]language|multi-?modal|visual question",
    re.I,
)
#: The models of SageMaker JumpStart, whose sizes their names need not tell.
_JUMPSTART = re.compile(r"\bjump\s?start\b", re.I)
_CIRCUMSTANCES = {
    "speed": r"highest speed|full speed|fastest|most performant|best latency|maximum speed",
    "large": r"larger? (?:jobs?|models?|data|datasets?|training)",
    "large-batch": r"large (?:mini-?)?batch",
    "throughput": r"throughput|at scale",
    "dense": r"(?<!non-)\bdense\b",
    "dnn": r"deep neural|\bdnn\b",
    "cheap": (
        r"low(?:er)?[- ]cost|cheap|budget|entry[- ]level|sav(?:e|ing)|reduce cost|minimi\w+ cost|"
        r"cost[- ](?:optimi|effective|efficient)"
    ),
    "pre-training": r"pre-?train(?!ed)|from scratch",
}


@dataclass(frozen=True, kw_only=True)
class Workload:
    """What a row asks, without its answers.

    Either ``model`` or ``algorithm`` is known; with neither, only the restrictions count. ``series`` are prefixes of
    Neuron families that the text names, ``hardware`` is ``cpu``, ``gpu``, ``no-gpu`` or empty, ``candidates`` are
    types and ``chips`` accelerators that the text limits the question to; ``arm64`` means Graviton.
    """

    row_id: str
    task: str
    model: ModelSpec | None = None
    algorithm: Algorithm | None = None
    parameters: float | None = None
    precision_is_stated: bool = False
    batch: int | None = None
    """Requests in progress; None where the row states none."""
    context_tokens: int | None = None
    data_gb: float | None = None
    requests_per_second: float | None = None
    max_latency_ms: float | None = None
    max_usd_per_month: float | None = None
    objective: str = "cost"
    circumstances: frozenset[str] = frozenset()
    candidates: frozenset[str] = frozenset()
    chips: tuple[tuple[int, str], ...] = ()
    series: frozenset[str] = frozenset()
    hardware: str = ""
    arm64: bool = False
    serverless: bool = False
    of_unknown_size: bool = False
    """Whether the row asks for hardware of a published model of which neither it nor the presets know the size."""


def read_workload(row: Mapping[str, str], catalog: Catalog) -> Workload:
    """Return the question of a row; what a row does not say is left at its stated default."""

    def cell(column: str) -> str:
        return (row.get(column) or "").strip()

    text = " ; ".join(cell(c) for c in ("workload", "dataset_or_batch", "latency_hint", "budget_hint"))
    task = "training" if cell("task").startswith("training") or "train" in cell("task") else "inference"
    circumstances = frozenset(
        word for word, pattern in _CIRCUMSTANCES.items() if re.search(pattern, text, re.I)
    )
    parameters = number(cell("model_params"))
    model, algorithm = identify(cell("model"), cell("workload"), parameters, cell("precision"), task)
    named = parse_cell(cell("workload"), catalog)
    # A container or a note may say what the model is compiled for.
    words = _hardware_words(" ; ".join((text, cell("container"), cell("note"))))
    jumpstart = _JUMPSTART.search(f"{cell('model')} {cell('workload')}")
    return Workload(
        row_id=cell("id"),
        task=task,
        model=model,
        algorithm=algorithm,
        parameters=parameters,
        precision_is_stated=bool(_PRECISIONS.search(cell("precision"))),
        batch=min_batch(f"{cell('dataset_or_batch')} ; {cell('workload')}"),
        context_tokens=tokens(cell("context_len")) or number_of_tokens(text),
        data_gb=data_gb(cell("dataset_or_batch")) or data_gb(cell("workload")),
        requests_per_second=number_at(_RATE, text),
        max_latency_ms=max_latency_ms(f"{cell('latency_hint')} ; {cell('workload')}"),
        max_usd_per_month=max_usd_per_month(f"{cell('budget_hint')} ; {cell('workload')}"),
        objective=objective(f"{cell('workload')} ; {cell('latency_hint')}", cell("budget_hint")),
        circumstances=circumstances,
        candidates=frozenset(named.types),
        chips=tuple(
            chip for clause in named.clauses for chip in clause.chips if chip[1] in chip_names(catalog)
        ),
        series=frozenset(words & {"inf", "inf1", "inf2", "trn", "trn1", "trn2", "neuron"}),
        hardware=next((word for word in ("no-gpu", "gpu", "cpu") if word in words), ""),
        arm64=bool(re.search(r"graviton|\barm(?:64)?\b|aarch64", text, re.I)),
        serverless=bool(re.search(r"serverless|cold[- ]start|intermittent", text, re.I)),
        of_unknown_size=bool(jumpstart)
        and model is None
        and (algorithm is None or algorithm.kind == "class"),
    )


def identify(
    model: str, workload: str, parameters: float | None, precision: str, task: str
) -> tuple[ModelSpec | None, Algorithm | None]:
    """Return a model that can be computed, or an algorithm whose hardware is known: software before classes."""
    where: Task = "training" if task == "training" else "inference"
    named, described = find_algorithm(model, where), find_algorithm(workload, where)
    if named and named.kind != "class":
        return None, named
    if preset := _preset(model):
        return model_spec(preset, parameters, precision), None
    if presets := _presets(model):
        nearest = min(presets, key=lambda preset: abs(preset.parameters - (parameters or preset.parameters)))
        return model_spec(nearest, parameters, precision), None
    if described and described.kind != "class" and (parameters or 0) < NETWORK_FROM:
        return None, described
    if parameters:
        return _unknown_model(f"{model} {workload}", parameters, precision), None
    if not named and (preset := _preset_in(workload)):
        return model_spec(preset, None, precision), None
    return None, named or described


def model_spec(preset: Preset, parameters: float | None, precision: str) -> ModelSpec:
    """Return the preset at a precision; more weights than it has are several models on one machine."""
    scale = max(1.0, (parameters or 0) / preset.parameters)
    scale = scale if scale > 1.1 else 1.0
    active = preset.active_parameters
    return ModelSpec(
        architecture=Architecture(preset.architecture),
        parameters=preset.parameters * scale,
        layers=preset.layers or 0,
        precision=Precision(precision_name(precision, preset.parameters)),
        active_parameters=active * scale if active else None,
        embedding_parameters=float(preset.embedding_parameters or 0),
        hidden_size=preset.hidden_size or 0,
        kv_hidden_size=preset.kv_hidden_size or 0,
        forward_flops_per_image=(preset.forward_gflops or 0) * 1e9,
        activations_per_image=(preset.activations_millions or 0) * 1e6,
    )


def _unknown_model(text: str, parameters: float, precision: str) -> ModelSpec:
    sees_and_writes = bool(_VISION_LANGUAGE.search(text))
    writes = sees_and_writes or re.search(r"\bllm\b|gpt|llama|generat|chat|instruct", text, re.I)
    architecture = Architecture.ENCODER if parameters < 1e9 and not writes else Architecture.DECODER
    if not sees_and_writes and re.search(r"resnet|\bcnn\b|image|vision|yolo|detect|segment", text, re.I):
        architecture = Architecture.CNN
    if re.search(r"diffusion|text-to-image|sdxl|\bflux\b", text, re.I):
        architecture = Architecture.DIFFUSION
    transformer = architecture in (Architecture.ENCODER, Architecture.DECODER)
    # Width / layers of published transformers: about 64 for encoders, 100 for large decoders; weights 12 x L x h^2.
    ratio = 64 if architecture is Architecture.ENCODER else 100
    hidden = max(64, round((ratio * parameters / 12) ** (1 / 3) / 64) * 64)
    model = ModelSpec(
        architecture=architecture,
        parameters=parameters,
        layers=max(2, round(parameters / 12 / hidden**2)) if transformer else 0,
        precision=Precision(precision_name(precision, parameters)),
        hidden_size=hidden if transformer else 0,
        kv_hidden_size=hidden if architecture is Architecture.DECODER else 0,
    )
    return replace(model, forward_flops_per_image=image_flops(model))


def precision_name(text: str, parameters: float) -> str:
    """Return the first precision that a cell names, else half for large models and fp32 for small ones."""
    found = _PRECISIONS.search(text)
    if not found:
        return "fp16" if parameters >= HALF_PRECISION_FROM else "fp32"
    name = found[0].lower().replace("-", "")
    return _PRECISION_NAMES.get(name, name)


def min_batch(text: str) -> int | None:
    """Return the lower end of a batch or number of users: ``est. max batch 32-64`` is 32, ``~49`` a tenth less."""
    found = _BATCH.search(text)
    if not found:
        return None
    return max(1, int(_float(found[1] or found[2]) / (ABOUT if "~" in found[0] else 1.0)))


def tokens(text: str) -> int | None:
    """Return a length in tokens: ``4096``, ``4k``, ``8,192``."""
    found = re.search(rf"{_NUMBER}\s*(k)?", text, re.I)
    return int(_float(found[1]) * (1024 if found[2] else 1)) or None if found else None


def number_of_tokens(text: str) -> int | None:
    """Return the length that a sentence states: ``up to 64 tokens``, ``4096-token sequences``, ``seq 128``."""
    found = re.search(rf"\bseq(?:uence)?(?: length)?\s*{_NUMBER}|{_NUMBER}(k)?[- ]tokens?\b(?!/)", text, re.I)
    return int(_float(found[1] or found[2]) * (1024 if found[3] else 1)) or None if found else None


def max_latency_ms(text: str) -> float | None:
    """Return the upper end of a latency that a text states: ``5-6 ms`` is 6; rates per second are none."""
    limits = [
        _float(m[1]) * (1 if m[2].lower().startswith("m") else 1000)
        for m in _LATENCY.finditer(text)
        if not text[: m.start()].rstrip().endswith("/")
    ]
    return (limits[0] or None) if limits else None


def max_usd_per_month(text: str) -> float | None:
    """Return a budget per month: ``~500 USD/month`` stretches by a tenth, an hourly one is taken for 730 hours."""
    found = _BUDGET.search(text)
    if not found:
        return None
    amount = _float(found[1] or found[2]) * (ABOUT if "~" in text[: found.start() + 1] else 1.0)
    return (
        amount * HOURS_PER_MONTH
        if re.match(r"\s*(?:usd|\$)?\s*(?:/|per)\s*h", text[found.end() :], re.I)
        else amount
    )


def data_gb(text: str) -> float | None:
    """Return the size of data in GB; ``<2 GB`` is a little below, ``larger than 2 GB`` a little above."""
    found = _DATA.search(text)
    if not found:
        return None
    amount = _float(found[2]) * {"mb": 1e-3, "gb": 1.0, "tb": 1e3}[found[3].lower()]
    sign = (found[1] or "").lower()
    return amount * {"<": 0.9, "less than": 0.9, "under": 0.9, "": 1.0}.get(sign, 1.1)


def objective(workload: str, budget: str) -> str:
    """Return ``cost``, ``latency`` or ``throughput``: what the words ask to be best; a word about cost wins."""
    if re.search(_CIRCUMSTANCES["cheap"], f"{workload} ; {budget}", re.I):
        return "cost"
    if re.search(r"(?:best|highest|max\w*)[ -]throughput", workload, re.I):
        return "throughput"
    fast = r"(?:best|low(?:est)?)(?: average)?[ -]latency|(?:full|highest) speed|most performant|fastest"
    return "latency" if re.search(fast, workload, re.I) else "cost"


def number(text: str) -> float | None:
    """Return a positive number, as ``7000000000``, ``7e9``, ``7B`` or ``110M``; None for anything else."""
    found = re.fullmatch(r"~?\s*([\d,]*\.?\d+(?:e\+?\d+)?)\s*([kmbt])?", text.strip(), re.I)
    if not found:
        return None
    value = _float(found[1]) * {"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}.get((found[2] or "").lower(), 1.0)
    return value if 0 < value <= MAX_PARAMETERS else None


def number_at(pattern: re.Pattern[str], text: str) -> float | None:
    """Return the first number that a pattern captures."""
    found = pattern.search(text)
    return _float(found[1]) if found else None


def _float(text: str) -> float:
    return float(text.replace(",", ""))


def _hardware_words(text: str) -> set[str]:
    plain = text.lower()
    found = {word for word in ("inferentia2", "inferentia1", "trainium1", "trainium2") if word in plain}
    words = {word.replace("inferentia", "inf").replace("trainium", "trn") for word in found}
    # Neuron, Neuronx in the name of an image, 8 NeuronCores.
    neuron = r"neuronx?|neuron[- ]?cores?"
    for name, series in (("inferentia", "inf"), ("trainium", "trn"), (neuron, "neuron")):
        if re.search(rf"\b(?:{name})\b", plain):
            words.add(series)
    if re.search(r"than (?:a |on )?gpu|instead of (?:a )?gpu|without (?:a )?gpu", plain):
        words.add("no-gpu")
    gpu, cpu = re.search(r"\bgpus?\b", plain), re.search(r"\bcpus?\b", plain)
    if gpu and not cpu:
        words.add("gpu")
    if cpu and not gpu:
        words.add("cpu")
    return words


def _preset(name: str) -> Preset | None:
    try:
        return find_preset(name) if name else None
    except UnknownPresetError:
        return None


def _presets(cell: str) -> list[Preset]:
    parts = re.split(r"\s*[,+;|]\s*|\s+and\s+|\s*/\s*", cell)
    return [preset for part in parts if (preset := _preset(part))]


def _preset_in(text: str) -> Preset | None:
    """Return the preset of the longest run of up to four words of a text that names one."""
    words = re.findall(r"[\w.\-]+", text)
    for length in (4, 3, 2, 1):
        for start in range(len(words) - length + 1):
            name = " ".join(words[start : start + length])
            if re.search(r"\d", name) and (found := _preset(name)):
                return found
    return None
