"""State machines, and the jobs that they run, which are no resources: the plan says which, and how often."""

from collections.abc import Iterator

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.planning.saved_workload import SavedAttempt, SavedJob
from sizewell.review.cost.charges import (
    Amounts,
    Charge,
    Fact,
    UnitPrice,
    by_use,
    counted_noun,
    number_words,
    unknown,
    usd_words,
)
from sizewell.review.cost.instance_prices import catalog_price, planned_price
from sizewell.review.cost.pricer import PlannedStack, prices
from sizewell.templates.template import Resource
from sizewell.templates.values import mapping, text

SERVICE = "SageMaker"


@prices("AWS::StepFunctions::StateMachine")
def state_machine(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what the runs of a state machine cost, and of ours the jobs that it starts."""
    express = resource.written.get("StateMachineType") == "EXPRESS"
    price = None if express else stack.price("Step Functions", "state_transition")
    yield from by_use("Step Functions", "express runs" if express else "state transitions", price)
    if isinstance(stack.workload, SavedJob) and _is_first(resource, stack):
        yield from job_charges(stack.workload, stack)


@prices("AWS::SageMaker::TrainingJob")
def training_job(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield the hour of a training that a stack starts itself: each deployment that changes it trains once more."""
    instance_type = text(mapping(resource.properties.get("ResourceConfig")).get("InstanceType"))
    name = f"{instance_type or 'instances'} training"
    price = catalog_price(stack.region, instance_type, "training") if instance_type else None
    yield from by_use(SERVICE, name, price) if price else unknown(SERVICE, name)


@prices("AWS::Batch::ComputeEnvironment")
def compute_environment(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield instances that nobody knows the number of; those of our trainings are priced with their state machine."""
    if not isinstance(stack.workload, SavedJob):
        yield from unknown("EC2", "instances of AWS Batch")


def _is_first(resource: Resource, stack: PlannedStack) -> bool:
    machines = (
        machine for machine in stack.resources.values() if machine.resource_type == resource.resource_type
    )
    return next(machines).logical_id == resource.logical_id


def job_charges(job: SavedJob, stack: PlannedStack) -> Iterator[Charge]:
    """Yield the instances and volumes of a month's runs."""
    runs, hours = runs_per_month(job), job.selection.chosen.estimate.duration_hours
    first = job.attempts[0]
    price = planned_price(job.selection.chosen)
    usd = _usd_per_month(job, stack, runs, hours)
    words = _words(job, first, runs, hours)
    yield Charge(
        service=job.billed_by,
        name=f"{first.instance_type} {job.usage}{' on Spot' if first.spot else ''}",
        slot=job.usage,
        is_from_plan=True,
        basis=job.selection.chosen.cost.basis if usd else "unknown",
        price=price,
        usd_per_month=usd,
        quantity=words,
        facts=_facts(job, first, price, runs, hours),
    )
    yield from _volumes(stack, job, first, runs, hours)
    if job.keep_alive_minutes is not None:
        waiting = job.keep_alive_minutes / 60
        kept = price.usd * first.instance_count * waiting * runs if price and runs is not None else None
        yield Charge(
            service=SERVICE,
            name=f"{first.instance_type} warm pool",
            slot="warm pool",
            is_from_plan=True,
            basis="unknown" if kept is None else job.selection.chosen.cost.basis,
            price=price,
            usd_per_month=None if kept is None else Amounts.fixed(kept),
            quantity=_words(job, first, runs, waiting),
            facts={"wait for the next run": Fact(str(job.keep_alive_minutes), " minutes")},
        )


def runs_per_month(job: SavedJob) -> float | None:
    """Return how often a month it runs, or trains: as the plan says, or as its sum for a month comes to."""
    if job.runs_per_month is not None:
        return job.runs_per_month * job.trainings_per_run
    if job.training_plan_arn is not None:
        return 1.0
    per_run, per_month = job.selection.chosen.estimate.usd_per_run, job.selection.chosen.cost.usd_per_month
    return round(per_month / per_run, 3) if per_run and per_month is not None else None


def _usd_per_month(
    job: SavedJob, stack: PlannedStack, runs: float | None, hours: float | None
) -> Amounts | None:
    """As planned; at the most, every run on the dearest rung on demand for as long."""
    expected = job.selection.chosen.cost.usd_per_month
    if expected is None:
        return None
    rungs = [rung for rung in job.attempts if not rung.spot and job.training_plan_arn is None]
    if not rungs:
        return Amounts.fixed(expected)
    if runs is None or hours is None:
        return None if job.attempts[0].spot else Amounts.fixed(expected)
    known = [
        price.usd * rung.instance_count * hours * runs
        for rung in rungs
        if (price := _on_demand(job, stack, rung))
    ]
    return Amounts(expected, expected, max(expected, *known)) if known else Amounts.fixed(expected)


def _on_demand(job: SavedJob, stack: PlannedStack, rung: SavedAttempt) -> UnitPrice | None:
    chosen = job.selection.chosen
    if rung.instance_type == chosen.instance_type:
        return planned_price(chosen)
    return catalog_price(stack.region, rung.instance_type, job.usage)


def _volumes(
    stack: PlannedStack, job: SavedJob, first: SavedAttempt, runs: float | None, hours: float | None
) -> Iterator[Charge]:
    if first.volume_size_gib is None:
        return
    usage = job.usage
    price = stack.price(job.billed_by, job.volume_price or f"{usage}_volume_gb_month")
    gb_months = (
        first.volume_size_gib * first.instance_count * hours * runs / HOURS_PER_MONTH
        if runs is not None and hours is not None
        else None
    )
    yield Charge(
        service=job.billed_by,
        name=f"{usage} volumes",
        slot=f"{usage} volumes",
        is_from_plan=True,
        basis="published" if price and gb_months is not None else "unknown",
        price=price,
        usd_per_month=Amounts.fixed(gb_months * price.usd) if price and gb_months is not None else None,
        quantity=f"{number_words(gb_months)} GB-month" if gb_months is not None else "",
        facts={f"{usage} volume": Fact(f"{first.volume_size_gib} GB")},
    )


def _facts(
    job: SavedJob,
    first: SavedAttempt,
    price: UnitPrice | None,
    runs: float | None,
    hours: float | None,
) -> dict[str, Fact]:
    facts = {
        "instance type": Fact(first.instance_type),
        "instances": Fact(number_words(first.instance_count)),
        "capacity tried first": Fact(
            "training plan" if job.training_plan_arn else "Spot" if first.spot else "on demand"
        ),
    }
    if first.spot and job.selection.chosen.estimate.spot_savings_pct is not None:
        facts["expected saving of Spot"] = Fact(
            number_words(job.selection.chosen.estimate.spot_savings_pct), " %"
        )
    if runs is not None:
        facts[f"{job.run_noun}s per month"] = Fact(number_words(runs))
    if hours is not None:
        facts[f"hours per {job.run_noun}"] = Fact(number_words(hours))
    if price:
        facts[f"price of {first.instance_type}"] = Fact(usd_words(price.usd), " USD per hour (catalog)")
    return facts


def _words(job: SavedJob, first: SavedAttempt, runs: float | None, hours: float | None) -> str:
    if runs is None or hours is None:
        return ""
    parts = (runs, job.run_noun), (float(first.instance_count), "instance"), (hours, "hour")
    return " x ".join(counted_noun(number, noun) for number, noun in parts)
