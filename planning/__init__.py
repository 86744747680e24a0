"""Translate needs into decisions, once: the plan. Pure: no CDK, no network, no clock."""

from planning.build import build_plan
from planning.errors import PlanError, PlanFault
from planning.load import load_plan
from planning.plan import DeploymentPlan, EndpointPlan, TrainingJobPlan
from planning.serialization import plan_from_json, plan_to_json

__all__ = [
    "DeploymentPlan",
    "EndpointPlan",
    "PlanError",
    "PlanFault",
    "TrainingJobPlan",
    "build_plan",
    "load_plan",
    "plan_from_json",
    "plan_to_json",
]
