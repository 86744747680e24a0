"""Pick an instance type for the question of a row: the selection where it can be computed, else a table and prices."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Any

from sizewell.instance_selection import (
    Architecture,
    Candidate,
    Catalog,
    ModelSpec,
    NoFeasibleInstanceError,
    Precision,
    select_endpoint_instance,
    select_training_instance,
)
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.catalog.tables import read_table
from sizewell.instance_selection.endpoint_selection import endpoint_verdicts
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.results import TrainingEstimate
from tools.benchmarks.algorithms import Algorithm
from tools.benchmarks.choice_names import GROUPS, SERVERLESS, family_of, matches
from tools.benchmarks.choice_needs import (
    DEFAULT_BATCH,
    UNBOUNDED_MS,
    capacity_needs,
    endpoint_needs,
    training_needs,
)
from tools.benchmarks.choice_table import Question
from tools.benchmarks.choice_verdicts import USABLE_CARD_SHARE, Answer, algorithm_verdict

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
    def name(self) -> str:
        return self.instance_type.name

    @property
    def regions(self) -> int:
        return _regions().get(self.instance_type.family, 0)


@dataclass(frozen=True, slots=True)
class Pick:
    """A type (None where nothing is suitable), how it was found, and the types in the order of their cost."""

    instance_type: str | None
    how: str
    ranking: tuple[str, ...] = ()


def pick(question: Question, catalog: Catalog) -> Pick:
    """Return the pick for a question, whose answers it does not see."""
    if "intermittent" in question.circumstances:
        return Pick(SERVERLESS, "intermittent traffic that tolerates a cold start")
    for how, ranking in _rankings(question, catalog):
        if ranking:
            return Pick(established(ranking, question), how, tuple(ranked.name for ranked in ranking))
    return Pick(None, "nothing that is offered holds it")


def _rankings(question: Question, catalog: Catalog) -> Iterable[tuple[str, list[Ranked]]]:
    if algorithm := question.hardware_of_algorithm:
        types = _algorithm_types(question, algorithm, catalog)
        yield "algorithm table and price", _by_price(types, catalog, question)
        return
    for how, asked in _relaxations(question):
        yield how, _selected(asked, catalog)


def _relaxations(question: Question) -> Iterable[tuple[str, Question]]:
    """Yield the question with less and less of it binding.

    What a row does not state goes first, its budget next, then its latency; at last its weights have eight bits.
    """
    yield "selection", question
    if question.concurrent_requests is None:
        question = question.model_copy(update={"concurrent_requests": 1})
        yield "selection for one request at a time", question
    unhurried = question.model_copy(update={"max_p95_latency_ms": UNBOUNDED_MS})
    if question.max_p95_latency_ms is None:
        yield "selection without a latency", unhurried
    if question.max_usd_per_month is not None:
        yield "selection without the budget", question.model_copy(update={"max_usd_per_month": None})
        unhurried = unhurried.model_copy(update={"max_usd_per_month": None})
    yield "selection without the latency", unhurried
    if question.model.precision.bytes > 1:
        yield "selection with 8-bit weights", unhurried.model_copy(update={"precision": Precision.INT8})


def _selected(question: Question, catalog: Catalog) -> list[Ranked]:
    """Return what the selection keeps of the types that the row means, best first, with a cost."""
    allowed = {t.name: t for t in _allowed(question, catalog)}
    budget = question.max_usd_per_month or inf
    kept = [
        (candidate, t, cost)
        for candidate in _candidates(question, allowed.values(), catalog)
        if (t := allowed.get(candidate.instance_type))
        and (cost := candidate.cost.usd_per_month) is not None
        and cost <= budget
    ]
    if question.objective != "least-cost":
        kept.sort(key=lambda found: (_slowness(found[0], question.objective), found[2], found[1].name))
    return [Ranked(t, cost, _work(candidate) if t.accelerator_count else 0.0) for candidate, t, cost in kept]


def _candidates(
    question: Question, allowed: Iterable[InstanceType], catalog: Catalog
) -> list[Candidate[Any]]:
    images = frozenset(kind for t in allowed if (kind := hardware_kind(t)))
    try:
        if question.task == "training":
            trained = select_training_instance(training_needs(question, images), catalog)
            return [trained.chosen, *trained.runners_up]
        needs = endpoint_needs(question, images)
        served = select_endpoint_instance(needs, catalog)
    except NoFeasibleInstanceError:
        return []
    candidates = [served.chosen, *served.runners_up]
    if not question.model.architecture.generates or question.requests_per_second:
        return candidates
    batch = capacity_needs(needs, question.concurrent_requests or DEFAULT_BATCH)
    holds = endpoint_verdicts(batch, catalog, [candidate.instance_type for candidate in candidates])
    return [candidate for candidate in candidates if holds[candidate.instance_type] is None]


def _work(candidate: Candidate[Any]) -> float:
    """Return the requests per second that a candidate can serve; 0 of a training."""
    estimate = candidate.estimate
    return 0.0 if isinstance(estimate, TrainingEstimate) else float(estimate.capacity_requests_per_second)


def _slowness(candidate: Candidate[Any], objective: str) -> float:
    estimate = candidate.estimate
    if isinstance(estimate, TrainingEstimate):
        return estimate.duration_hours
    return -_work(candidate) if objective == "most-throughput" else float(estimate.p95_latency_ms)


def _allowed(question: Question, catalog: Catalog) -> list[InstanceType]:
    """Return the types that a row may mean: those that it names, else those that its model is usually run on."""
    usable = [t for t in catalog.instance_types if not t.burstable and t.cpu_architecture != "arm64"]
    if question.instance_types:
        usable = [t for t in usable if any(matches(name, t) for name in question.instance_types)]
    elif not question.algorithm:
        usable = [t for t in usable if _is_usual(question, t)]
    generates = not question.algorithm and question.model.architecture.generates
    if not generates or question.task == "training" or question.max_usd_per_month or _names_types(question):
        return usable
    return [t for t in usable if _is_modern_enough(question.model, t)]


def _is_usual(question: Question, instance_type: InstanceType) -> bool:
    """Return whether a type is usual for a model where the row names none."""
    if GROUPS["neuron"](instance_type):  # a model must be compiled for it, which somebody does to save money
        return "low-cost" in question.circumstances or question.max_usd_per_month is not None
    # The containers of LLM engines (LMI, TGI) are built for accelerators.
    served_by_engine = question.model.architecture.generates and question.task == "inference"
    return not (served_by_engine and GROUPS["cpu"](instance_type))


def _names_types(question: Question) -> bool:
    return any(name not in GROUPS for name in question.instance_types)


def _is_modern_enough(model: ModelSpec, instance_type: InstanceType) -> bool:
    chip = instance_type.accelerator
    if not (chip and GROUPS["gpu"](instance_type)):
        return True
    # Encoder-decoders were trained in bf16: where there is none they run in fp32, if they fit.
    card_bytes = (instance_type.accelerator_memory_gib or 0.0) * GIB * USABLE_CARD_SHARE
    fits = model.architecture is Architecture.ENCODER_DECODER and model.parameters * 4 <= card_bytes
    return fits or float(chip.generation or 0) >= LLM_CAPABILITY


def _algorithm_types(question: Question, algorithm: Algorithm, catalog: Catalog) -> list[InstanceType]:
    """Return the types that the row names, else those that the table prefers for its algorithm."""
    preferred = GROUPS[algorithm.preferred_hardware(question.conditions)]
    return [
        t
        for t in _allowed(question, catalog)
        if (question.instance_types or preferred(t))
        and algorithm_verdict(question, algorithm, t).answer is Answer.FEASIBLE
        and (t.accelerator_count or t.family[0] == algorithm.cpu_series)
        and (question.task == "inference" or t.vcpus >= MIN_TRAINING_VCPUS)
    ]


def _by_price(types: Iterable[InstanceType], catalog: Catalog, question: Question) -> list[Ranked]:
    """Return the offered types with a price, cheapest first, or fastest first where speed is asked for."""
    fastest = question.objective != "least-cost"
    priced = [
        Ranked(t, price)
        for t in types
        if catalog.is_offered(t.name, question.usage)
        and (price := catalog.price(t.name, question.usage).usd_per_hour) is not None
    ]
    return sorted(
        priced,
        key=lambda r: (-_bandwidth(r.instance_type) if fastest else 0.0, r.usd, r.name),
    )


def _bandwidth(instance_type: InstanceType) -> float:
    """Return the bandwidth of all accelerators of a type in GB/s, 0 where it has none."""
    chip = instance_type.accelerator
    return (chip.memory_bandwidth_gb_s or 0.0) * instance_type.accelerator_count if chip else 0.0


def established(ranking: list[Ranked], question: Question) -> str:
    """Return the first type of a family that many regions offer.

    Of near costs in its series the one that does most for the money is taken, of equal ones the most widely offered.
    """
    named = _names_types(question)
    wide = [ranked for ranked in ranking if named or ranked.regions >= MIN_REGIONS] or ranking
    first = wide[0]
    if question.objective != "least-cost":
        return first.name
    near_usd = first.usd * (1 + (NEAR_PRICE if first.work else EQUAL_PRICE))
    series = first.instance_type.family[0]
    near = [r for r in wide if r.usd <= near_usd and r.instance_type.family[0] == series]
    best = max(r.work / r.usd for r in near) / (1 + EQUAL_PRICE)
    worth = [r for r in near if r.work / r.usd >= best]
    return min(worth, key=lambda r: (-r.regions, r.usd, r.name)).name


@cache
def _regions() -> dict[str, int]:
    """Return in how many regions some size of each family is offered for hosting."""
    regions: dict[str, set[str]] = {}
    for row in read_table("availability"):
        if "hosting" in row["usages"]:
            regions.setdefault(family_of(row["instance_type"]), set()).add(row["region"])
    return {family: len(places) for family, places in regions.items()}
