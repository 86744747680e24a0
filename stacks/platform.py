"""All stacks of one environment: a foundation, and one for each workload."""

from aws_cdk import App, Environment, Tags

from sizewell.planning.plan import DeploymentPlan
from sizewell.stacks.endpoint_stack import EndpointStack
from sizewell.stacks.foundation_stack import FoundationStack
from sizewell.stacks.training_stack import TrainingStack


def add_stacks(app: App, plan: DeploymentPlan) -> None:
    """Add the stacks of a plan; workload stacks wait for the foundation but import nothing from it."""
    target = Environment(account=plan.account, region=plan.region)
    foundation = FoundationStack(app, plan.foundation.stack_name, plan=plan.foundation, env=target)
    for endpoint in plan.endpoints:
        EndpointStack(
            app,
            endpoint.stack_name,
            plan=endpoint,
            foundation_plan=plan.foundation,
            description=endpoint.description or None,
            env=target,
        ).add_stack_dependency(foundation)
    for job in plan.training_jobs:
        TrainingStack(
            app,
            job.stack_name,
            plan=job,
            foundation_plan=plan.foundation,
            description=job.description or None,
            env=target,
        ).add_stack_dependency(foundation)
    Tags.of(app).add("platform", plan.platform)
    Tags.of(app).add("environment", plan.environment)
