"""All stacks of one environment: a foundation for each place, and one for each workload."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from aws_cdk import App, DefaultStackSynthesizer, Environment, PermissionsBoundary, Stack, Tags
from aws_cdk import aws_iam as iam
from constructs import IConstruct

from sizewell.dashboards.environment import dashboard_of
from sizewell.kinds.registry import facet
from sizewell.kinds.stack_kind import StackKind
from sizewell.planning.foundation_plan_model import BootstrapPlan, FoundationPlan
from sizewell.planning.plan import AnyWorkloadPlan, DeploymentPlan
from sizewell.stacks.foundation_stack import FoundationStack


class StackProps(TypedDict):
    """What all stacks of a place have: production is not deleted by one command."""

    env: Environment
    termination_protection: bool
    permissions_boundary: PermissionsBoundary | None
    synthesizer: DefaultStackSynthesizer | None


class WorkloadStackProps(StackProps):
    """What the stacks of its workloads have besides."""

    foundation_plan: FoundationPlan
    description: str | None


@dataclass(frozen=True)
class PlatformStacks:
    """The stacks of a plan."""

    foundations: dict[str | None, FoundationStack] = field(default_factory=dict)
    """By the name of the place; None is that of the policy."""
    of_workloads: dict[str, Stack] = field(default_factory=dict)
    """By the name of the workload."""


def add_stacks(app: App, plan: DeploymentPlan) -> PlatformStacks:
    """Add the stacks of a plan; workload stacks wait for their foundation but import nothing from it."""
    stacks = PlatformStacks()
    for place, foundation in plan.foundations.items():
        stacks.foundations[place] = FoundationStack(
            app,
            foundation.stack_name,
            plan=foundation,
            dashboard=dashboard_of(plan, foundation),
            **_stack_props(foundation, plan),
        )
    for workload in plan.workloads:
        stack = facet(workload.kind, StackKind).stack_class()(
            app, workload.stack_name, plan=workload, **_workload_props(workload, plan)
        )
        stack.add_stack_dependency(stacks.foundations[workload.place])
        stacks.of_workloads[workload.name] = stack
    _tag(app, {**plan.tags, "platform": plan.platform, "environment": plan.environment})
    for workload in plan.workloads:
        _tag(stacks.of_workloads[workload.name], workload.tags)
    if plan.role_path is not None:
        _move_roles((*stacks.foundations.values(), *stacks.of_workloads.values()), plan.role_path)
    return stacks


def _stack_props(foundation: FoundationPlan, plan: DeploymentPlan) -> StackProps:
    boundary = foundation.permissions_boundary_arn
    return {
        "env": Environment(account=foundation.account, region=foundation.region),
        "termination_protection": plan.production,
        "permissions_boundary": PermissionsBoundary.from_arn(boundary) if boundary else None,
        "synthesizer": synthesizer(foundation.bootstrap),
    }


def _workload_props(workload: AnyWorkloadPlan, plan: DeploymentPlan) -> WorkloadStackProps:
    foundation = plan.foundations[workload.place]
    return {
        **_stack_props(foundation, plan),
        "foundation_plan": foundation,
        "description": workload.description or None,
    }


def synthesizer(bootstrap: BootstrapPlan | None) -> DefaultStackSynthesizer | None:
    """Return what names the roles and the bucket of a bootstrap, for any number of stacks; None where all is as usual."""
    if bootstrap is None:
        return None
    return DefaultStackSynthesizer(
        qualifier=bootstrap.qualifier,
        deploy_role_arn=bootstrap.deploy_role_arn,
        cloud_formation_execution_role=bootstrap.cloudformation_execution_role_arn,
        file_asset_publishing_role_arn=bootstrap.file_asset_publishing_role_arn,
        lookup_role_arn=bootstrap.lookup_role_arn,
        file_assets_bucket_name=bootstrap.file_assets_bucket_name,
        bucket_prefix=bootstrap.bucket_prefix,
    )


def _tag(scope: IConstruct, tags: Mapping[str, str]) -> None:
    """Tag everything below; what is nearer to a resource comes before what is further away."""
    if tags:
        manager = Tags.of(scope)
        for key, value in tags.items():
            manager.add(key, value)


def _move_roles(stacks: Iterable[Stack], path: str) -> None:
    """Put every role and managed policy into an IAM path, for which CDK has nothing."""
    for stack in stacks:
        for construct in stack.node.find_all():
            if isinstance(construct, iam.CfnRole | iam.CfnManagedPolicy):
                construct.path = path
