"""The stacks: each exists, its last deployment succeeded, and its template is the one that was synthesized.

Statuses: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sizewell.account.after.synthesized import Synthesized
from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, Check, Place, fails, passes, warns
from sizewell.account.deployed import STACK_ACTIONS, deployed_stack, stack_names

_SUCCEEDED = ("CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "IMPORT_COMPLETE")
_ROLLED_BACK = ("UPDATE_ROLLBACK_COMPLETE", "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS")


@dataclass(frozen=True)
class _Wanted:
    name: str
    environment: str
    template: Mapping[str, Any] | None


def check_of(synthesized: Synthesized) -> Check:
    """Return the check of the stacks; templates are compared where they were synthesized."""

    def subjects(place: Place) -> Iterator[_Wanted]:
        templates = synthesized(place.plan)
        for name in stack_names(place):
            yield _Wanted(name, place.plan.environment, templates.get(name))

    return Check(
        name="stacks", actions=STACK_ACTIONS, subjects=subjects, ask=_ask, named=lambda wanted: wanted.name
    )


def _ask(aws: AwsAccount, wanted: _Wanted) -> Iterator[Answer]:
    name, deploy = wanted.name, f"sizewell deploy --env {wanted.environment}"
    stack = deployed_stack(aws, name)
    if stack is None:
        yield fails(name, "there is no such stack", f"{deploy} {name}")
        return
    events = f"read why: aws cloudformation describe-stack-events --stack-name {name} --region {aws.region}"
    is_synthesized = wanted.template is not None and _spelled(stack.template) == _spelled(wanted.template)
    if stack.status in _ROLLED_BACK and is_synthesized:
        yield warns(
            name,
            f"{stack.status}: an update failed, and nothing of it is left: the template is that of cdk.out",
            "nothing, if the update was taken back; the next one ends this status",
        )
    elif stack.status in _ROLLED_BACK:
        yield fails(
            name,
            f"{stack.status}: the last update failed, and what runs is the version before it",
            f"{events}; then {deploy} {name}",
        )
    elif stack.status not in _SUCCEEDED and stack.status.endswith("_IN_PROGRESS"):
        yield warns(name, f"{stack.status}: what runs is about to change", "verify again when it has ended")
    elif stack.status not in _SUCCEEDED:
        reason = (
            f": {stack.description['StackStatusReason']}" if "StackStatusReason" in stack.description else ""
        )
        yield fails(name, f"{stack.status}{reason}", f"{events}; then {deploy} {name}")
    elif wanted.template is not None and not is_synthesized:
        yield fails(
            name,
            f"{stack.status}, but with another template than cdk.out has",
            f"make synth ENV={wanted.environment}, if that is old; else {deploy} {name}",
        )
    else:
        same = ", with the template of cdk.out" if wanted.template is not None else ""
        yield passes(name, f"{stack.status}{same}")
    # The result of the last detection that somebody started; NOT_CHECKED and IN_SYNC say nothing:
    # https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_StackDriftInformation.html
    if stack.description.get("DriftInformation", {}).get("StackDriftStatus") == "DRIFTED":
        yield warns(
            name,
            "DRIFTED when it was last looked at: somebody changed its resources by hand",
            f"aws cloudformation describe-stack-resource-drifts --stack-name {name} --region {aws.region}",
        )


def _spelled(value: Any) -> Any:
    """Return a template in which every sign that is not ASCII is a question mark, as GetTemplate returns it.

    The CDK CLI compares in the same way: https://github.com/aws/aws-cdk-cli, ``mangleLikeCloudFormation``.
    """
    if isinstance(value, Mapping):
        return {key: _spelled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_spelled(item) for item in value]
    return re.sub(r"[^\x00-\x7f]", "?", value) if isinstance(value, str) else value
