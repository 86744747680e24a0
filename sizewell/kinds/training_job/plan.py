"""How a training job is planned."""

from dataclasses import replace

from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.name_limits import JOB_NAME
from sizewell.planning.remedies import training_remedies
from sizewell.planning.training_plan import definition_faults, plan_training_job, spot_faults


def _plan(stated: Stated) -> Planned:
    inputs = stated.planning_inputs
    plan = plan_training_job(*inputs, stated.locked, stated.measurements, stated.environment_tags)
    return plan, (*definition_faults(plan), *spot_faults(plan))


FACET = PlanKind(
    rank=9, plan=_plan, name=replace(JOB_NAME, noun="the training jobs"), remedies=training_remedies
)
