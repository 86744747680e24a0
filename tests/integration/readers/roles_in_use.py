"""Every role of an environment where a service uses it, with what the plan grants it."""

from collections.abc import Iterator
from dataclasses import dataclass

from sizewell.planning.training_plan_model import TrainingJobPlan
from tests.integration.readers import READERS, plan_foundation_roles, plan_roles
from tests.integration.readers.common import Properties
from tests.integration.readers.grants import Grant, grants_of, trust
from tests.integration.readers.lookups import (
    flow_log_of,
    function_of,
    machine_of,
    model_of,
    schedules_of,
    train_states,
)
from tests.integration.readers.observed import observed
from tests.integration.readers.plan_foundation import Foundation


@dataclass(frozen=True)
class RoleInUse:
    """Who uses a role, and what the plan says of it."""

    user: str
    arn: str
    trust: list[Properties]
    statements: list[Properties]


def roles_in_use(foundation: Foundation) -> Iterator[RoleInUse]:
    """Yield every role."""
    plan = foundation.deployed.plan
    yield from _foundation_roles(foundation)
    for endpoint in plan.endpoints:
        arn = model_of(endpoint, foundation)["ExecutionRoleArn"]
        statements = plan_roles.model_role(endpoint, foundation)
        yield RoleInUse(f"model of {endpoint.name}", arn, _sagemaker(foundation), statements)
    for job in plan.training_jobs:
        yield from _training_roles(job, foundation)


def _of_account(foundation: Foundation) -> Properties:
    return {"StringEquals": {"aws:SourceAccount": foundation.deployed.plan.account}}


def _sagemaker(foundation: Foundation) -> list[Properties]:
    return trust("sagemaker.amazonaws.com", _of_account(foundation))


def _training_roles(job: TrainingJobPlan, foundation: Foundation) -> Iterator[RoleInUse]:
    machine = machine_of(job, foundation)
    (role_arn,) = {state["Arguments"]["RoleArn"] for state in train_states(machine)}
    statements = plan_roles.training_role(job, foundation)
    yield RoleInUse(f"jobs of {job.name}", role_arn, _sagemaker(foundation), statements)
    machine_arn = foundation.arn("states", f"stateMachine:{job.state_machine_name}")
    of_machine = _of_account(foundation) | {"ArnEquals": {"aws:SourceArn": machine_arn}}
    statements = plan_roles.state_machine_role(job, role_arn, foundation)
    yield RoleInUse(
        f"state machine of {job.name}",
        machine["RoleArn"],
        trust("states.amazonaws.com", of_machine),
        statements,
    )
    group = {"aws:SourceArn": foundation.arn("scheduler", "schedule-group/default")}
    of_group = {"StringEquals": _of_account(foundation)["StringEquals"] | group}
    for schedule in schedules_of(job, foundation):
        target = schedule["Target"]
        statements = plan_roles.schedule_role(job, target["DeadLetterConfig"]["Arn"], foundation)
        yield RoleInUse(
            f"schedule of {job.name}",
            target["RoleArn"],
            trust("scheduler.amazonaws.com", of_group),
            statements,
        )


def _foundation_roles(foundation: Foundation) -> Iterator[RoleInUse]:
    flow_log = flow_log_of(foundation)
    yield RoleInUse(
        "flow log",
        flow_log["DeliverLogsPermissionArn"],
        trust("vpc-flow-logs.amazonaws.com", _of_account(foundation)),
        plan_foundation_roles.flow_log_role(flow_log["LogGroupName"], foundation),
    )
    closing = function_of("CloseDefaultSecurity", foundation)
    log_group = closing["LoggingConfig"]["LogGroup"]
    statements = plan_foundation_roles.closing_role(log_group, foundation.default_group_id, foundation)
    yield RoleInUse("closing function", closing["Role"], trust("lambda.amazonaws.com"), statements)


def granted(role_arn: str, foundation: Foundation) -> set[Grant]:
    """Return what the policies of a role grant, which has no others than managed ones."""
    role = observed(foundation.deployed, "AWS::IAM::Role", role_arn.rpartition("/")[2])
    assert set(role) == {"AssumeRolePolicyDocument", "ManagedPolicyArns"}, "inline policies or a boundary"
    read = READERS["AWS::IAM::ManagedPolicy"]
    policies = [read(foundation.deployed.client, arn, {}) for arn in role["ManagedPolicyArns"]]
    return {grant for policy in policies for grant in grants_of(policy["PolicyDocument"]["Statement"])}
