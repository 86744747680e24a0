"""Training jobs, which are no resources: the plan says what the state machine of a stack runs, and how often."""

from collections.abc import Iterator

from sizewell.review.cost.amounts import Amounts
from sizewell.review.cost.charges import Charge, Fact, counted_noun
from sizewell.review.cost.instance_prices import planned_price
from sizewell.review.cost.prices import UnitPrice, catalog_price
from sizewell.review.cost.stack_view import StackView
from sizewell.review.cost.wording import HOURS_PER_MONTH, number_words, usd_words
from sizewell.review.saved.plan import SavedAttempt, SavedTrainingJob

SERVICE = "SageMaker"
#: What only a plan knows.
TRAINING_SLOTS = ("training", "training volumes")
_TRAINING = "training"


def training_charges(job: SavedTrainingJob, stack: StackView) -> Iterator[Charge]:
    """Yield the instances and volumes of a month's runs."""
    runs, hours = runs_per_month(job), job.selection.chosen.estimate.duration_hours
    first = job.attempts[0]
    price = planned_price(job.selection.chosen)
    usd = _usd_per_month(job, stack, runs, hours)
    words = _words(first, runs, hours)
    yield Charge(
        service=SERVICE,
        name=f"{first.instance_type} training{' on Spot' if first.spot else ''}",
        slot=TRAINING_SLOTS[0],
        basis=job.selection.chosen.cost.basis if usd else "unknown",
        price=price,
        usd_per_month=usd,
        quantity=words,
        facts=_facts(job, first, price, runs, hours),
    )
    yield from _volumes(stack, first, runs, hours)


def runs_per_month(job: SavedTrainingJob) -> float | None:
    """Return how often a month it runs: as the plan says, or as its sum for a month comes to."""
    if job.runs_per_month is not None:
        return job.runs_per_month
    per_run, per_month = job.selection.chosen.estimate.usd_per_run, job.selection.chosen.cost.usd_per_month
    return round(per_month / per_run, 3) if per_run and per_month is not None else None


def _usd_per_month(
    job: SavedTrainingJob, stack: StackView, runs: float | None, hours: float | None
) -> Amounts | None:
    """As planned; at the most, every run on the dearest rung on demand for as long."""
    expected = job.selection.chosen.cost.usd_per_month
    if expected is None:
        return None
    rungs = [rung for rung in job.attempts if not rung.spot]
    if not rungs:
        return Amounts.fixed(expected)
    if runs is None or hours is None:
        return None if job.attempts[0].spot else Amounts.fixed(expected)
    prices = [_on_demand(job, stack, rung) for rung in rungs]
    known = [
        price.usd * rung.instance_count * hours * runs
        for rung, price in zip(rungs, prices, strict=True)
        if price
    ]
    return Amounts(expected, expected, max(expected, *known)) if known else Amounts.fixed(expected)


def _on_demand(job: SavedTrainingJob, stack: StackView, rung: SavedAttempt) -> UnitPrice | None:
    chosen = job.selection.chosen
    if rung.instance_type == chosen.instance_type:
        return planned_price(chosen)
    return catalog_price(stack.region, rung.instance_type, _TRAINING)


def _volumes(
    stack: StackView, first: SavedAttempt, runs: float | None, hours: float | None
) -> Iterator[Charge]:
    price = stack.price(SERVICE, "training_volume_gb_month")
    gb_months = (
        first.volume_size_gib * first.instance_count * hours * runs / HOURS_PER_MONTH
        if runs is not None and hours is not None
        else None
    )
    yield Charge(
        service=SERVICE,
        name="training volumes",
        slot=TRAINING_SLOTS[1],
        basis="published" if price and gb_months is not None else "unknown",
        price=price,
        usd_per_month=Amounts.fixed(gb_months * price.usd) if price and gb_months is not None else None,
        quantity=f"{number_words(gb_months)} GB-month" if gb_months is not None else "",
        facts={"training volume": Fact(f"{first.volume_size_gib} GB")},
    )


def _facts(
    job: SavedTrainingJob,
    first: SavedAttempt,
    price: UnitPrice | None,
    runs: float | None,
    hours: float | None,
) -> dict[str, Fact]:
    facts = {
        "instance type": Fact(first.instance_type),
        "instances": Fact(number_words(first.instance_count)),
        "capacity tried first": Fact("Spot" if first.spot else "on demand"),
    }
    if first.spot and job.selection.chosen.estimate.spot_savings_pct is not None:
        facts["expected saving of Spot"] = Fact(
            number_words(job.selection.chosen.estimate.spot_savings_pct), " %"
        )
    if runs is not None:
        facts["runs per month"] = Fact(number_words(runs))
    if hours is not None:
        facts["hours per run"] = Fact(number_words(hours))
    if price:
        facts[f"price of {first.instance_type}"] = Fact(usd_words(price.usd), " USD per hour (catalog)")
    return facts


def _words(first: SavedAttempt, runs: float | None, hours: float | None) -> str:
    if runs is None or hours is None:
        return ""
    parts = (runs, "run"), (float(first.instance_count), "instance"), (hours, "hour")
    return " x ".join(counted_noun(number, noun) for number, noun in parts)
