"""Whether policies let the caller start a deployment, and let CloudFormation make what the plan has, as IAM simulates it.

The roles of ``cdk bootstrap`` do the work, and the caller assumes them. The simulation reads identity policies, permissions
boundaries and service control policies of the organization; it knows no resource policies of roles, and conditions on requests
make its answer uncertain: what is denied here is no failure, but a thing to look at.
https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_testing-policies.html
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, Check, Place, passes, warns
from sizewell.planning.workload_plan import WorkloadPlan

_ROLE_OF_SESSION = re.compile(r"arn:[^:]+:sts::\d+:assumed-role/([^/]+)/.+")
#: What the foundation and every workload consist of.
_ALWAYS = ("iam:CreateRole", "iam:PassRole", "cloudwatch:PutMetricAlarm", "ssm:PutParameter")
#: What makes a workload, by the name that its plan gives to it.
_BY_NAME = {
    "endpoint_name": ("sagemaker:CreateModel", "sagemaker:CreateEndpointConfig", "sagemaker:CreateEndpoint"),
    "function_name": ("lambda:CreateFunction", "lambda:PublishVersion"),
    "notebook_name": ("sagemaker:CreateNotebookInstance",),
    "service_name": ("ecs:RegisterTaskDefinition", "ecs:CreateService"),
    "state_machine_name": ("states:CreateStateMachine",),
}


@dataclass(frozen=True)
class _Rights:
    """Actions that a principal needs on a resource."""

    who: str
    """The ARN of a role; empty is the caller."""
    actions: tuple[str, ...]
    resource: str


def _subjects(place: Place) -> Iterator[_Rights]:
    names = place.bootstrap
    # Who reads another account in its lookup role deploys with the rights of their own, which are not to be seen there.
    if names.lookup_role_arn.rpartition("/")[2] not in place.aws.caller_arn:
        for role_arn in (names.deploy_role_arn, names.publishing_role_arn):
            yield _Rights("", ("sts:AssumeRole",), role_arn)
    of_workloads = (action for workload in place.workloads for action in _actions(workload))
    yield _Rights(names.execution_role_arn, tuple(dict.fromkeys((*_ALWAYS, *of_workloads))), "*")


def _actions(workload: WorkloadPlan) -> Iterator[str]:
    for field, actions in _BY_NAME.items():
        if getattr(workload, field, None) is not None:
            yield from actions


def _ask(aws: AwsAccount, subject: _Rights) -> Iterator[Answer]:
    arn = subject.who or _policy_source(aws)
    if arn.endswith(":root"):
        yield passes(arn, "the root user may do all that the organization allows")
        return
    name = arn.rpartition("/")[2]
    try:
        results = _simulated(aws, arn, subject)
    except aws.client("iam").exceptions.NoSuchEntityException:
        yield warns(
            name,
            "there is no such role",
            "run cdk bootstrap, or name the role as bootstrap in the configuration",
        )
        return
    where = "" if subject.resource == "*" else f" on {subject.resource.rpartition('/')[2]}"
    denied: dict[str, list[str]] = {}
    for result in results:
        if result["EvalDecision"] != "allowed":
            denied.setdefault(_reason(result), []).append(result["EvalActionName"])
    if denied:
        yield warns(
            name,
            "; ".join(f"{reason} {', '.join(actions)}{where}" for reason, actions in denied.items()),
            "look whether another policy allows it: the simulation does not know all conditions of a request",
        )
    else:
        yield passes(name, f"policies allow {', '.join(subject.actions)}{where}")


def _policy_source(aws: AwsAccount) -> str:
    """Return the caller as IAM knows it: of a session its role, whose path is in no session."""
    session = _ROLE_OF_SESSION.fullmatch(aws.caller_arn)
    if session is None:
        return aws.caller_arn
    return str(aws.client("iam").get_role(RoleName=session[1])["Role"]["Arn"])


def _simulated(aws: AwsAccount, arn: str, subject: _Rights) -> list[dict[str, Any]]:
    pages = (
        aws.client("iam")
        .get_paginator("simulate_principal_policy")
        .paginate(PolicySourceArn=arn, ActionNames=list(subject.actions), ResourceArns=[subject.resource])
    )
    return [result for page in pages for result in page["EvaluationResults"]]


def _reason(result: dict[str, Any]) -> str:
    if not result.get("OrganizationsDecisionDetail", {}).get("AllowedByOrganizations", True):
        return "a service control policy of the organization does not allow"
    if not result.get("PermissionsBoundaryDecisionDetail", {}).get("AllowedByPermissionsBoundary", True):
        return "the permissions boundary does not allow"
    return "a policy denies" if result["EvalDecision"] == "explicitDeny" else "no policy allows"


PERMISSIONS = Check(
    name="permissions",
    actions=("iam:SimulatePrincipalPolicy", "iam:GetRole"),
    subjects=_subjects,
    ask=_ask,
    named=lambda rights: rights.who.rpartition("/")[2] or "caller",
)
