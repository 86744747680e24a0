"""As whom something acts: another role is another set of permissions, though no policy changed."""

from collections.abc import Iterator, Mapping
from typing import Any

from sizewell.review.model import SecurityChange
from sizewell.review.security.rule import NOT_SET, StackChange, stack_rule
from sizewell.review.words import Direction
from sizewell.templates.alternatives import guarded_texts
from sizewell.templates.differences import value_at
from sizewell.templates.iam.changes import PermissionChange
from sizewell.templates.iam.permissions import OWNER, Permission, Permissions, Term, Written, under
from sizewell.templates.iam.sources import ROLE, Policies
from sizewell.templates.template import ResourcePair

#: The properties that name the role, by type (resource pages of the template reference).
_ROLES: Mapping[str, tuple[str, ...]] = {
    "AWS::Batch::JobDefinition": ("ContainerProperties.JobRoleArn",),
    "AWS::CodeBuild::Project": ("ServiceRole",),
    "AWS::CodeDeploy::DeploymentGroup": ("ServiceRoleArn",),
    "AWS::ECS::TaskDefinition": ("TaskRoleArn", "ExecutionRoleArn"),
    "AWS::Glue::Job": ("Role",),
    "AWS::IAM::InstanceProfile": ("Roles",),
    "AWS::Lambda::Function": ("Role",),
    "AWS::Scheduler::Schedule": ("Target.RoleArn",),
    "AWS::SageMaker::Domain": ("DefaultUserSettings.ExecutionRole",),
    "AWS::SageMaker::MlflowApp": ("RoleArn",),
    "AWS::SageMaker::Model": ("ExecutionRoleArn",),
    "AWS::SageMaker::NotebookInstance": ("RoleArn",),
    "AWS::SageMaker::Pipeline": ("RoleArn",),
    "AWS::SageMaker::TrainingJob": ("RoleArn",),
    "AWS::SageMaker::UserProfile": ("UserSettings.ExecutionRole",),
    "AWS::StepFunctions::StateMachine": ("RoleArn",),
}
_ITSELF = Term((OWNER,))
_WHY: Mapping[Direction, str] = {
    "weaker": "The other role gives it permissions that it did not have.",
    "stronger": "The other role gives it fewer permissions.",
}
_WHY_UNKNOWN = "The template does not say what one of the roles may do. Compare the permissions of both."


@stack_rule
def exchanged_roles(stack: StackChange) -> Iterator[SecurityChange]:
    """Yield what acts as another role that may do more, or less, or nobody knows what."""
    for pair in stack.changed:
        for path in _ROLES.get(pair.either.resource_type, ()):
            yield from _exchanged(stack, pair, path)


def _exchanged(stack: StackChange, pair: ResourcePair, path: str) -> Iterator[SecurityChange]:
    if pair.base is None or pair.head is None:
        return
    before, after = (value_at(side.properties, path.split(".")) for side in (pair.base, pair.head))
    if before == after:
        return
    base, head = _permissions(stack.base_policies, before), _permissions(stack.head_policies, after)
    direction: Direction
    if base is None or head is None:
        direction, why = "weaker", _WHY_UNKNOWN
    else:
        change = PermissionChange(pair.head.logical_id, base, head)
        if not change.broadened and not change.narrowed:
            return
        direction = "weaker" if change.broadened else "stronger"
        why = _WHY[direction]
    yield stack.change(
        "role-exchanged",
        direction,
        pair.head.logical_id,
        base=_shown(stack.base_policies, path, before),
        head=_shown(stack.head_policies, path, after),
        why=why,
    )


def _permissions(policies: Policies, value: Any) -> Permissions | None:
    """Return what the roles may do; None where one of them is not in this stack."""
    found: dict[Permission, Written] = {}
    for name, guards in guarded_texts(value):
        role = policies.resources.get(policies.owner(name))
        if role is None or role.resource_type != ROLE:
            return None
        found.update(under(guards, policies.of(role.logical_id)))
    return {p: written for p, written in found.items() if p.principal == _ITSELF}


def _shown(policies: Policies, path: str, value: Any) -> str:
    names = [" ".join((policies.owner(name), *map(str, guards))) for name, guards in guarded_texts(value)]
    return f"{path}: {', '.join(sorted(names)) or NOT_SET}"
