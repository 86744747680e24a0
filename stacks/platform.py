"""All stacks of one environment: a foundation, and one for each workload."""

from dataclasses import dataclass, field
from typing import TypedDict

from aws_cdk import App, Environment, Tags

from sizewell.planning.plan import DeploymentPlan
from sizewell.stacks.endpoint_stack import EndpointStack
from sizewell.stacks.foundation_stack import FoundationStack
from sizewell.stacks.training_stack import TrainingStack


class StackProps(TypedDict):
    """What all stacks of an environment have: production is not deleted by one command."""

    env: Environment
    termination_protection: bool


@dataclass(frozen=True)
class PlatformStacks:
    """The stacks of a plan; those of workloads by the name of the workload."""

    foundation: FoundationStack
    endpoints: dict[str, EndpointStack] = field(default_factory=dict)
    training_jobs: dict[str, TrainingStack] = field(default_factory=dict)


def add_stacks(app: App, plan: DeploymentPlan) -> PlatformStacks:
    """Add the stacks of a plan; workload stacks wait for the foundation but import nothing from it."""
    everywhere: StackProps = {
        "env": Environment(account=plan.account, region=plan.region),
        "termination_protection": plan.production,
    }
    foundation = FoundationStack(app, plan.foundation.stack_name, plan=plan.foundation, **everywhere)
    stacks = PlatformStacks(foundation)
    for endpoint in plan.endpoints:
        stacks.endpoints[endpoint.name] = EndpointStack(
            app,
            endpoint.stack_name,
            plan=endpoint,
            foundation_plan=plan.foundation,
            description=endpoint.description or None,
            **everywhere,
        )
        stacks.endpoints[endpoint.name].add_stack_dependency(foundation)
    for job in plan.training_jobs:
        stacks.training_jobs[job.name] = TrainingStack(
            app,
            job.stack_name,
            plan=job,
            foundation_plan=plan.foundation,
            description=job.description or None,
            **everywhere,
        )
        stacks.training_jobs[job.name].add_stack_dependency(foundation)
    Tags.of(app).add("platform", plan.platform)
    Tags.of(app).add("environment", plan.environment)
    return stacks
