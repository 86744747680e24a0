"""Spot for the pods of a model: which of them, what it saves, and what it needs.

The type is chosen by its price on demand, with Spot as without: that is what a pod costs while Spot has no capacity. Karpenter
launches Spot first, and on demand where it has none: https://karpenter.sh/docs/concepts/nodepools/#capacity-type.
"""

from collections.abc import Iterator

from sizewell.instance_selection.catalog import InstanceType, load_ec2_catalog
from sizewell.planning.errors import PlanFault
from sizewell.planning.kind import Stated
from sizewell.targets.eks.pods_plan_model import EksPodsPlan, SpotPlan

#: Ours. Somebody waits for the answers: half of the pods are left where EC2 takes all of its Spot capacity back at once.
SHARE_OF_ANSWERING = 0.5
#: Requests wait in the queue, and come back to it from a pod that is lost.
SHARE_OF_WORKING = 1.0
#: Ours. One answers while EC2 takes the other one back.
_LEAST_PODS = 2
#: Ours. Each type in each zone is a pool of spare capacity of its own.
#: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-best-practices.html
_LEAST_TYPES = 3


def plan_spot(stated: Stated, chosen: InstanceType, share: float) -> SpotPlan:
    """Return what is published of Spot for the chosen type."""
    history = load_ec2_catalog(stated.policy.region, refreshed=stated.catalog.refreshed).spot(chosen.name)
    return SpotPlan(
        share=share,
        # A price of Spot above the one on demand is never paid.
        savings_percent=max(0.0, history.savings_percent) if history else None,
        interruption_band=history.interruption_band if history else None,
        as_of=history.as_of if history else None,
    )


def spot_faults(plan: EksPodsPlan) -> Iterator[PlanFault]:
    """Yield why a model cannot have Spot."""
    if plan.on_spot is None:
        return
    path, types = ("workloads", plan.name), plan.node_pool.instance_types
    if plan.on_spot.share < 1 and plan.least_pods < _LEAST_PODS:
        yield PlanFault(
            (*path, "scaling", "min_instances"),
            f"is {plan.least_pods}, but Spot needs {_LEAST_PODS} pods at least: one answers while the other is taken back",
            f"write min_instances: {_LEAST_PODS}, or spot: {{enabled: false}}",
        )
    if len(types) < _LEAST_TYPES:
        yield PlanFault(
            (*path, "spot", "enabled"),
            f"Spot needs {_LEAST_TYPES} instance types that take each other's place, because each may have no capacity, but the "
            f"needs leave {len(types)}: {', '.join(types)}",
            "loosen the needs, or the limits in instances; or write enabled: false",
        )


def spot_assumptions(stated: Stated) -> Iterator[str]:
    """Yield what its type is chosen by, where that is not all that it costs."""
    if stated.workload.spot.enabled:
        yield (
            "the type is chosen by its price on demand, against which bounds on cost are held, too: a pod costs that while Spot "
            "has no capacity"
        )
