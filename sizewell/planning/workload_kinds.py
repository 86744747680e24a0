"""The kinds of workloads: what each is planned by, and priced by. A new kind is one entry here, and one in the configuration."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sizewell.config.batch_transform import BatchTransform
from sizewell.config.endpoint import RealTimeEndpoint
from sizewell.config.policy import Policy
from sizewell.config.training import TrainingJob
from sizewell.instance_selection import Catalog, Measurement
from sizewell.planning.alarm_thresholds import alarm_faults
from sizewell.planning.bill_lines import endpoint_line, training_line, transform_line
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.endpoint_plan import plan_endpoint
from sizewell.planning.errors import PlanFault
from sizewell.planning.lock import LockedWorkload
from sizewell.planning.modes import mode_faults
from sizewell.planning.names import Names
from sizewell.planning.plan import AnyWorkloadPlan, EndpointPlan, TrainingJobPlan
from sizewell.planning.training_plan import definition_faults, plan_training_job
from sizewell.planning.transform_plan import plan_batch_transform
from sizewell.planning.transform_plan_model import BatchTransformPlan


@dataclass(frozen=True, kw_only=True)
class Stated:
    """A workload as the configuration states it, and what its plan is made with."""

    name: str
    workload: Any
    """Of the class of its kind."""
    policy: Policy
    catalog: Catalog
    names: Names
    locked: LockedWorkload | None = None
    measurements: tuple[Measurement, ...] = ()
    environment_tags: Mapping[str, str]


@dataclass(frozen=True)
class WorkloadKind:
    """One kind of workload."""

    config: type
    """What it is in the configuration."""
    plan: Callable[[Stated], tuple[AnyWorkloadPlan, Iterable[PlanFault]]]
    """Returns the plan, and what of it cannot be built; raises ``NoFeasibleInstanceError`` and ``UnknownInstanceTypeError``."""
    bill_line: Callable[[Any, str], BillLine]
    """Returns a month of the plan in a region."""


def _plan_real_time(stated: Stated) -> tuple[EndpointPlan, Iterable[PlanFault]]:
    plan = plan_endpoint(
        stated.name,
        stated.workload,
        stated.policy,
        stated.catalog,
        stated.names,
        stated.locked,
        stated.measurements,
    )
    faults = (
        *mode_faults(stated.name, stated.workload, stated.policy, plan.modes),
        *alarm_faults(stated.workload, plan),
    )
    return plan, faults


def _plan_transform(stated: Stated) -> tuple[BatchTransformPlan, Iterable[PlanFault]]:
    plan = plan_batch_transform(
        stated.name,
        stated.workload,
        stated.policy,
        stated.catalog,
        stated.names,
        stated.locked,
        stated.measurements,
        stated.environment_tags,
    )
    return plan, ()


def _plan_training(stated: Stated) -> tuple[TrainingJobPlan, Iterable[PlanFault]]:
    plan = plan_training_job(
        stated.name,
        stated.workload,
        stated.policy,
        stated.catalog,
        stated.names,
        stated.locked,
        stated.measurements,
        stated.environment_tags,
    )
    return plan, definition_faults(plan)


#: By the name of the kind, in the order of a plan.
WORKLOAD_KINDS: Mapping[str, WorkloadKind] = {
    "real-time-endpoint": WorkloadKind(RealTimeEndpoint, _plan_real_time, endpoint_line),
    "batch-transform": WorkloadKind(BatchTransform, _plan_transform, transform_line),
    "training-job": WorkloadKind(TrainingJob, _plan_training, training_line),
}
