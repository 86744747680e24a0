"""Translate needs into decisions, once: the plan. Pure: no CDK, no network, no clock."""

from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.load import PlannedEnvironment, load_for_synth, load_plan
from sizewell.planning.plan import DeploymentPlan, EndpointPlan, TrainingJobPlan
from sizewell.planning.serialization import configuration_to_json, plan_from_json, plan_to_json

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
