"""The runs of a training or a transform in a cluster: the plan says how often and how long, the objects on what nodes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sizewell.facts.node_fees import fee_share
from sizewell.planning.saved_workload import SavedJob
from sizewell.review.cost.charges import Amounts, Charge, UnitPrice, by_use
from sizewell.review.cost.pricer import PlannedStack
from sizewell.review.cost.pricers.training import job_charges, runs_per_month


def run_charges(
    job: SavedJob,
    stack: PlannedStack,
    manager: str,
    fee: tuple[str, str],
    *,
    volume_gb: float | None,
    capacity_types: Sequence[str],
) -> Iterator[Charge]:
    """Yield what the instances of a month's runs cost, the ``fee`` (service and name) of their manager, and their volumes."""
    volume = None if volume_gb is None else int(volume_gb)
    attempts = tuple(
        job.attempts[0].model_copy(update={"spot": kind == "spot", "volume_size_gib": volume})
        for kind in sorted(capacity_types, reverse=True)  # Spot is launched first
    )
    instances, *others = job_charges(job.model_copy(update={"attempts": attempts}), stack)
    runs, hours = runs_per_month(job), job.selection.chosen.estimate.duration_hours
    price, paid_hours = instances.price, None
    if runs is not None and hours is not None:
        paid_hours = runs * hours * job.instance_count
    if not attempts[0].spot and price is not None and paid_hours is not None:
        instances = replace(instances, usd_per_month=Amounts.fixed(price.usd * paid_hours))
    share = fee_share(manager, job.instance_type.partition(".")[0])
    yield from _with_fee(instances, paid_hours, share, fee)
    yield from others
    yield from by_use(job.billed_by, "data transfer between zones", None)


def _with_fee(
    instances: Charge, paid_hours: float | None, share: float, fee: tuple[str, str]
) -> Iterator[Charge]:
    """Yield the instances apart from the fee that is in their price: Spot makes that no lower."""
    price, usd = instances.price, instances.usd_per_month
    if not share or price is None or usd is None or paid_hours is None:
        yield instances
        return
    own = UnitPrice(round(price.usd / (1 + share), 5), price.unit, price.as_of, price.basis, price.note)
    taken = UnitPrice(own.usd * share, price.unit, price.as_of, price.basis)
    fee_usd = Amounts.fixed(taken.usd * paid_hours)
    yield replace(instances, price=own, usd_per_month=usd - fee_usd)
    service, name = fee
    yield Charge(
        service=service,
        name=name,
        slot="fee of nodes",
        is_from_plan=True,
        basis=instances.basis,
        price=taken,
        usd_per_month=fee_usd,
        quantity=instances.quantity,
    )
