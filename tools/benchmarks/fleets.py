"""What a fleet costs above the oracle, which knows what every type was measured to carry.

Of each workload that was measured on several types a load and a bound of latency are drawn, before anything is picked. A
fleet is as many instances of the picked type as carry the load, by its measured capacity. Who picks a type that misses the
bound, or none, is counted apart: a cheap fleet that fails is no saving.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from tools.benchmarks.publishers import mean_over_publishers, median_over_publishers
from tools.benchmarks.workload_groups import Group, Member

#: With fewer types there is little to pick from.
MIN_TYPES = 3
#: Loads and bounds that are drawn of each workload.
DRAWS = 5
HOURS_PER_MONTH = 730.0
#: A default job of Inference Recommender takes 45 minutes for each type (SageMaker developer guide, "Get an inference
#: recommendation").
TESTED_HOURS_PER_TYPE = 0.75
#: Types that a load test compares.
TESTED_TYPES = 3
#: A type whose range exceeds a bound counts as so much dearer (the product's own rule).
NEAR_LIMIT_FACTOR = 1.1
#: Metrics of which one over the figure is no capacity of an instance: shares, first tokens, rates of one accelerator.
NO_CAPACITY = (
    "mfu",
    "ttft_ms",
    "prefill_tokens_s",
    "tokens_s_per_gpu",
    "peak_mem_mb",
    "cost_per_1m_inferences_usd",
)


@dataclass(frozen=True, slots=True)
class Demand:
    """A workload with a load, in the unit of one over its figures, and a bound of these; infinite where it has none."""

    group: Group
    load: float
    bound: float


Pick = Callable[[Demand], Member | None]


def demands_of(groups: Sequence[Group]) -> list[Demand]:
    """Return the demands that are drawn of all groups with prices and capacities, the same ones at every call."""
    return [
        demand
        for group in groups
        if group.metric not in NO_CAPACITY
        and not group.only_order
        and len(group.members) >= MIN_TYPES
        and all(member.usd_per_hour for member in group.members)
        for demand in _drawn(group)
    ]


def _drawn(group: Group) -> Iterable[Demand]:
    figures = sorted(member.measured for member in group.members)
    name = repr((group.publisher, group.metric, [m.name for m in group.members], figures))
    is_latency = group.metric.startswith(("latency_", "itl_"))
    for draw in range(DRAWS):
        digest = sha256(f"{draw} {name}".encode()).digest()
        place, size = (int.from_bytes(digest[i : i + 4], "big") / 2**32 for i in (0, 4))
        # From a third of the slowest instance to thirty of the fastest.
        least, most = 1 / figures[-1] / 3, 30 / figures[0]
        bound = figures[0] * (1.5 * figures[-1] / figures[0]) ** place if is_latency else math.inf
        yield Demand(group, least * (most / least) ** size, bound)


def usd_per_month(demand: Demand, picked: Member) -> float:
    """Return the cost of as many instances of a type as carry the load."""
    return _instances(demand, picked.measured) * (picked.usd_per_hour or 0.0) * HOURS_PER_MONTH


def _instances(demand: Demand, figure: float) -> float:
    return max(1.0, math.ceil(demand.load * figure - 1e-9))


def predicted_pick(demand: Demand) -> Member | None:
    """Return what the estimates pick: the cheapest fleet by predicted capacity, within the bound as predicted."""

    def cost(member: Member) -> tuple[float, str]:
        figure, worse = member.predicted or math.inf, member.pessimistic or math.inf
        near = NEAR_LIMIT_FACTOR if worse > demand.bound else 1.0
        return _instances(demand, figure) * (member.usd_per_hour or 0.0) * near, member.name

    kept = [m for m in demand.group.members if m.predicted and m.predicted <= demand.bound]
    return min(kept, key=cost, default=None)


def cheapest_that_fits(demand: Demand) -> Member | None:
    """Return the type with the least price: every measured type held the model."""
    return min(demand.group.members, key=lambda m: (m.usd_per_hour or 0.0, m.name))


def newest_single_gpu(demand: Demand) -> Member | None:
    """Return the type with one GPU of the latest year, None where no type has one GPU."""
    single = [
        (chip.launch_year or 0.0, -(member.usd_per_hour or 0.0), member.name, member)
        for member in demand.group.members
        if (known := member.instance_type)
        and (chip := known.accelerator)
        and chip.kind == "cuda"
        and known.accelerator_count == 1
    ]
    return max(single)[-1] if single else None


def tested_types(demand: Demand) -> list[Member]:
    """Return the cheapest types, which a load test compares."""
    return sorted(demand.group.members, key=lambda m: (m.usd_per_hour or 0.0, m.name))[:TESTED_TYPES]


def best_of_tested(demand: Demand) -> Member | None:
    """Return the best of the three cheapest types, as a load test finds it; None where none of them keeps the bound."""
    return _cheapest_fleet(demand, tested_types(demand))


def oracle_pick(demand: Demand) -> Member | None:
    """Return the best of all types."""
    return _cheapest_fleet(demand, demand.group.members)


def _cheapest_fleet(demand: Demand, members: Sequence[Member]) -> Member | None:
    kept = [m for m in members if m.measured <= demand.bound]
    return min(kept, key=lambda m: (usd_per_month(demand, m), m.name), default=None)


PICKS: dict[str, Pick] = {
    "Sizewell's estimates": predicted_pick,
    "the cheapest that holds the model": cheapest_that_fits,
    "the newest single GPU": newest_single_gpu,
    "a load test of the 3 cheapest": best_of_tested,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a rule did of a demand: its cost over that of the oracle, None where its fleet misses the bound or is none."""

    publisher: str
    cost_over_oracle: float | None
    missed: bool = False


def outcome_of(demand: Demand, pick: Pick) -> Outcome | None:
    """Return the outcome of a demand; None where no type keeps the bound."""
    best, picked, publisher = oracle_pick(demand), pick(demand), demand.group.publisher
    if best is None:
        return None
    if picked is None or picked.measured > demand.bound:
        return Outcome(publisher, None, missed=picked is not None)
    tested = tested_types(demand) if pick is best_of_tested else []
    once = TESTED_HOURS_PER_TYPE * sum(member.usd_per_hour or 0.0 for member in tested)
    cost, least = usd_per_month(demand, picked) + once, usd_per_month(demand, best)
    return Outcome(publisher, cost / least)


def cost_above_oracle(demands: Sequence[Demand], pick: Pick) -> dict[str, float | int | None]:
    """Return how much the fleets of a rule cost above the oracle, as shares, and how many miss the bound.

    Demands differ in size by chance alone, so a dollar of the oracle weighs the same in each.
    """
    outcomes = [outcome for demand in demands if (outcome := outcome_of(demand, pick))]
    costs = [(o.publisher, o.cost_over_oracle - 1) for o in outcomes if o.cost_over_oracle is not None]
    return {
        "fleets": len(outcomes),
        "median": median_over_publishers(costs),
        "mean": mean_over_publishers(costs),
        "missed": mean_over_publishers((o.publisher, float(o.missed)) for o in outcomes),
        "none_found": mean_over_publishers(
            (o.publisher, float(o.cost_over_oracle is None and not o.missed)) for o in outcomes
        ),
    }
