"""Pick an instance type for the question of a row: the selection where it can be computed, else a table and prices."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from sizewell.instance_selection import (
    Architecture,
    Candidate,
    Catalog,
    HardwareKind,
    ModelSpec,
    NoFeasibleInstanceError,
    Precision,
    Usage,
    select_endpoint_instance,
    select_training_instance,
)
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.catalog.tables import read_table
from sizewell.instance_selection.endpoint_selection import endpoint_verdicts
from tools.benchmarks.choice_cells import family_of, has_hardware
from tools.benchmarks.choice_needs import (
    DEFAULT_BATCH,
    UNBOUNDED_MS,
    capacity_needs,
    endpoint_needs,
    training_needs,
)
from tools.benchmarks.choice_requirements import Workload
from tools.benchmarks.choice_verdicts import USABLE_CARD_SHARE, Answer, algorithm_verdict, host_gib

SERVERLESS = "serverless"
#: Half-precision kernels of LLM engines need bf16 and asynchronous copies: compute capability 8.0 (Ampere) or later.
LLM_CAPABILITY = 8.0
#: A family that is offered in fewer regions is taken only where no other will do: capacity is what deployments lack.
MIN_REGIONS = 10
#: Prices within this share are equal: then the family that more regions offer is taken.
EQUAL_PRICE = 0.05
#: Costs of serving with accelerators within this share are near: then the generation of a series that does most for the
#: money is taken.
NEAR_PRICE = 0.3
#: The smallest size that every training family has is xlarge.
MIN_TRAINING_VCPUS = 4
GIB = 2**30


@dataclass(frozen=True, slots=True)
class Ranked:
    """A type with what it costs (USD, of an hour or a month) and what it does (requests per second; 0: not known)."""

    instance_type: InstanceType
    usd: float
    work: float = 0.0

    @property
    def regions(self) -> int:
        return _regions().get(self.instance_type.family, 0)


@dataclass(frozen=True, slots=True)
class Pick:
    """A type (None where nothing is suitable), how it was found, and the types in the order of their cost."""

    instance_type: str | None
    how: str
    ranking: tuple[str, ...] = ()


def pick(workload: Workload, catalog: Catalog) -> Pick:
    """Return the pick for a row; never raises for a row that was read."""
    if workload.serverless:
        return Pick(SERVERLESS, "intermittent traffic that tolerates a cold start")
    usage = Usage.TRAINING if workload.task == "training" else Usage.HOSTING
    model = workload.model
    if workload.of_unknown_size:
        return Pick(None, "the size of the model is not stated")
    if model is None:
        ranking = _by_price(_algorithm_types(workload, catalog), catalog, usage, workload)
        return Pick(established(ranking, workload), "algorithm table and price", _names(ranking))
    for how, asked in _relaxations(workload):
        if ranking := _selected(asked, catalog):
            return Pick(established(ranking, workload), how, _names(ranking))
    return Pick(None, "nothing that is offered holds it")


def _relaxations(workload: Workload) -> Iterable[tuple[str, Workload]]:
    """Yield the question with less and less of it binding.

    What a row does not state goes first, its budget next, then its latency; at last its weights have eight bits.
    """
    yield "selection", workload
    if workload.batch is None:
        workload = replace(workload, batch=1)
        yield "selection for one request at a time", workload
    if workload.max_latency_ms is None:
        yield "selection without a latency", replace(workload, max_latency_ms=UNBOUNDED_MS)
    if workload.max_usd_per_month is not None:
        workload = replace(workload, max_usd_per_month=None)
        yield "selection without the budget", workload
    workload = replace(workload, max_latency_ms=UNBOUNDED_MS)
    yield "selection without the latency", workload
    if workload.model and workload.model.precision.bytes > 1:
        narrow = replace(workload.model, precision=Precision.INT8)
        yield "selection with 8-bit weights", replace(workload, model=narrow)


def _selected(workload: Workload, catalog: Catalog) -> list[Ranked]:
    """Return what the selection keeps of the types that the row means, best first, with a cost."""
    model = workload.model
    assert model is not None
    try:
        candidates = _candidates(workload, model, catalog)
    except (NoFeasibleInstanceError, LookupError, ArithmeticError, ValueError):
        # A row that the selection cannot compute must not hide the others.
        return []
    allowed = {instance_type.name: instance_type for instance_type in _allowed(workload, catalog)}
    budget = workload.max_usd_per_month
    kept = [
        candidate
        for candidate in candidates
        if candidate.instance_type in allowed
        and candidate.cost.usd_per_month is not None
        and (budget is None or candidate.cost.usd_per_month <= budget)
    ]
    if workload.objective != "cost":
        kept.sort(key=lambda candidate: _speed_order(candidate, workload.objective))
    return [
        Ranked(
            allowed[candidate.instance_type],
            candidate.cost.usd_per_month or 0.0,
            _work(candidate, allowed[candidate.instance_type]),
        )
        for candidate in kept
    ]


def _candidates(workload: Workload, model: ModelSpec, catalog: Catalog) -> list[Candidate[Any]]:
    images = _images(workload)
    if workload.task == "training":
        trained = select_training_instance(training_needs(workload, model, images), catalog)
        return [trained.chosen, *trained.runners_up]
    needs = endpoint_needs(workload, model, images)
    served = select_endpoint_instance(needs, catalog)
    candidates = [served.chosen, *served.runners_up]
    if not model.architecture.generates or workload.requests_per_second:
        return candidates
    batch = capacity_needs(needs, workload.batch or DEFAULT_BATCH)
    holds = endpoint_verdicts(batch, catalog, [candidate.instance_type for candidate in candidates])
    return [candidate for candidate in candidates if holds[candidate.instance_type] is None]


def _work(candidate: Candidate[Any], instance_type: InstanceType) -> float:
    served = instance_type.accelerator_count and hasattr(candidate.estimate, "capacity_requests_per_second")
    return candidate.estimate.capacity_requests_per_second if served else 0.0


def _speed_order(candidate: Candidate[Any], objective: str) -> tuple[float, float, str]:
    estimate, cost = candidate.estimate, candidate.cost.usd_per_month or 0.0
    if hasattr(estimate, "duration_hours"):
        return estimate.duration_hours, cost, candidate.instance_type
    if objective == "throughput":
        return -estimate.capacity_requests_per_second, cost, candidate.instance_type
    return estimate.p95_latency_ms, cost, candidate.instance_type


def _allowed(workload: Workload, catalog: Catalog) -> list[InstanceType]:
    """Return the types that the text of a row leaves: its candidates, chips, hardware, and what an engine needs."""
    kept = []
    for instance_type in catalog.instance_types:
        chip = instance_type.accelerator.name.lower() if instance_type.accelerator else ""
        neuron = has_hardware(instance_type, "neuron")
        if workload.candidates and instance_type.name not in workload.candidates:
            continue
        if workload.chips and not any(
            chip.startswith(name) and instance_type.accelerator_count >= count
            for count, name in workload.chips
        ):
            continue
        if workload.series and not any(has_hardware(instance_type, series) for series in workload.series):
            continue
        if not workload.series and neuron and not _may_compile(workload):
            continue
        if workload.hardware == "cpu" and instance_type.accelerator_count:
            continue
        if workload.hardware == "gpu" and not has_hardware(instance_type, "gpu"):
            continue
        if workload.hardware == "no-gpu" and has_hardware(instance_type, "gpu"):
            continue
        if (
            instance_type.burstable
            or (instance_type.cpu_architecture == "arm64") is not workload.arm64
            or not _is_modern_enough(workload, instance_type)
        ):
            continue
        kept.append(instance_type)
    return kept


def _may_compile(workload: Workload) -> bool:
    """Neuron needs a model compiled for it: it is considered where a row asks for low cost, or for no GPU."""
    return (
        "cheap" in workload.circumstances
        or workload.hardware == "no-gpu"
        or workload.max_usd_per_month is not None
    )


def _is_modern_enough(workload: Workload, instance_type: InstanceType) -> bool:
    model, chip = workload.model, instance_type.accelerator
    if not model or not chip or chip.kind != "cuda" or workload.max_usd_per_month or workload.candidates:
        return True
    if (
        not model.architecture.generates
        or workload.task == "training"
        or float(chip.generation or 0) >= LLM_CAPABILITY
    ):
        return True
    # Encoder-decoders were trained in bf16: where there is none they run in fp32, if they fit.
    card_bytes = (instance_type.accelerator_memory_gib or 0.0) * GIB * USABLE_CARD_SHARE
    return model.architecture is Architecture.ENCODER_DECODER and model.parameters * 4 <= card_bytes


def _images(workload: Workload) -> frozenset[HardwareKind]:
    kinds = {HardwareKind.CUDA, HardwareKind.CPU_ARM64 if workload.arm64 else HardwareKind.CPU_X86_64}
    generates = workload.model is not None and workload.model.architecture.generates
    if generates and workload.task != "training" and workload.hardware != "cpu" and not workload.arm64:
        kinds = {HardwareKind.CUDA}  # the containers of LLM engines (LMI, TGI) are built for accelerators
    if workload.series or _may_compile(workload):
        kinds.add(HardwareKind.NEURON)
    return frozenset(kinds)


def _algorithm_types(workload: Workload, catalog: Catalog) -> list[InstanceType]:
    """Return the types that the table prefers for an algorithm, or for the words of a row without one."""
    algorithm = workload.algorithm
    hardware = {"cpu": "cpu", "gpu": "gpu"}.get(workload.hardware) or ("neuron" if workload.series else "")
    if algorithm and not (hardware and getattr(algorithm, hardware)):
        hardware = algorithm.preferred_hardware(workload.circumstances, workload.data_gb)
    series = algorithm.cpu_series if algorithm else "m"
    families = algorithm.families if algorithm else ()
    needed = host_gib(workload)
    kept = []
    for instance_type in _allowed(
        replace(workload, circumstances=workload.circumstances | {"cheap"}), catalog
    ):
        if not has_hardware(instance_type, hardware or "cpu"):
            continue
        if algorithm and algorithm_verdict(workload, algorithm, instance_type).answer is not Answer.FEASIBLE:
            continue
        if instance_type.accelerator_count and families and instance_type.family not in families:
            continue
        if not instance_type.accelerator_count and instance_type.family[0] != series:
            continue
        if instance_type.memory_gib > needed and (
            workload.task != "training" or instance_type.vcpus >= MIN_TRAINING_VCPUS
        ):
            kept.append(instance_type)
    return kept


def _by_price(
    types: Iterable[InstanceType], catalog: Catalog, usage: Usage, workload: Workload
) -> list[Ranked]:
    """Return the offered types with a price, cheapest first, or fastest first where speed is asked for."""
    priced = [
        Ranked(instance_type, price)
        for instance_type in types
        if catalog.is_offered(instance_type.name, usage)
        and (price := catalog.price(instance_type.name, usage).usd_per_hour) is not None
    ]
    if workload.objective == "cost" or not all(ranked.instance_type.accelerator for ranked in priced):
        return sorted(priced, key=lambda ranked: (ranked.usd, ranked.instance_type.name))
    return sorted(
        priced, key=lambda ranked: (-_bandwidth(ranked.instance_type), ranked.usd, ranked.instance_type.name)
    )


def _bandwidth(instance_type: InstanceType) -> float:
    chip = instance_type.accelerator
    return (chip.memory_bandwidth_gb_s or 0.0) * instance_type.accelerator_count if chip else 0.0


def established(ranking: list[Ranked], workload: Workload) -> str | None:
    """Return the first type of a family that many regions offer.

    Of near costs in its series the one that does most for the money is taken, of equal ones the most widely offered.
    """
    if not ranking:
        return None
    named = workload.candidates or workload.chips or workload.series
    wide = [ranked for ranked in ranking if named or ranked.regions >= MIN_REGIONS] or ranking
    if workload.objective != "cost":
        return wide[0].instance_type.name
    first = wide[0]
    near = [
        ranked
        for ranked in wide
        if ranked.usd <= first.usd * (1 + (NEAR_PRICE if first.work else EQUAL_PRICE))
        and ranked.instance_type.family[0] == first.instance_type.family[0]
    ]
    best = max(ranked.work / ranked.usd for ranked in near) / (1 + EQUAL_PRICE)
    worth = [ranked for ranked in near if ranked.work / ranked.usd >= best]
    return min(
        worth, key=lambda ranked: (-ranked.regions, ranked.usd, ranked.instance_type.name)
    ).instance_type.name


@cache
def _regions() -> dict[str, int]:
    """Return in how many regions some size of each family is offered for hosting."""
    regions: dict[str, set[str]] = {}
    for row in read_table("availability"):
        if "hosting" in row["usages"]:
            regions.setdefault(family_of(row["instance_type"]), set()).add(row["region"])
    return {family: len(places) for family, places in regions.items()}


def _names(ranking: list[Ranked]) -> tuple[str, ...]:
    return tuple(ranked.instance_type.name for ranked in ranking)
