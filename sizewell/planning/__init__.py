"""Translate needs into decisions, once: the plan. Pure: no CDK, no network, no clock.

Names are imported when they are first used: what reads a saved plan does not wait for what makes one.
"""

from typing import TYPE_CHECKING

from sizewell.modules import imported_on_first_use

if TYPE_CHECKING:
    from sizewell.planning.build import build_plan
    from sizewell.planning.endpoint_plan_model import EndpointPlan
    from sizewell.planning.errors import PlanError, PlanFault
    from sizewell.planning.load import PlannedEnvironment, load_for_synth, load_plan
    from sizewell.planning.plan import DeploymentPlan
    from sizewell.planning.serialization import configuration_to_json, plan_from_json, plan_to_json
    from sizewell.planning.training_plan_model import TrainingJobPlan

_MODULES = {
    "DeploymentPlan": "plan",
    "EndpointPlan": "plan",
    "PlanError": "errors",
    "PlanFault": "errors",
    "PlannedEnvironment": "load",
    "TrainingJobPlan": "plan",
    "build_plan": "build",
    "configuration_to_json": "serialization",
    "load_for_synth": "load",
    "load_plan": "load",
    "plan_from_json": "serialization",
    "plan_to_json": "serialization",
}

__all__ = [
    "DeploymentPlan",
    "EndpointPlan",
    "PlanError",
    "PlanFault",
    "PlannedEnvironment",
    "TrainingJobPlan",
    "build_plan",
    "configuration_to_json",
    "load_for_synth",
    "load_plan",
    "plan_from_json",
    "plan_to_json",
]

__getattr__ = imported_on_first_use(__name__, _MODULES)
