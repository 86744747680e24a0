"""Resources that CloudFormation replaces, or refuses to replace."""

from collections.abc import Iterator

from sizewell.review.cluster_objects import is_object, object_shown
from sizewell.review.hazards.rule import Environment, Found, hazard_rule
from sizewell.review.words import counted, listed, moved, shown_pair
from sizewell.templates.deployment import Move, ResourceImpact
from sizewell.templates.endpoints import ENDPOINT
from sizewell.templates.resource_schemas import resource_schema
from sizewell.templates.template import Resource
from sizewell.templates.values import references_in

_KEEPING = ("Retain", "RetainExceptOnCreate", "Snapshot")
#: What AWS deletes only while it is empty, and what it then holds: CloudFormation user guide, "DeletionPolicy attribute", on
#: buckets; Amazon S3 API reference, DeleteBucket; Amazon ECR API reference, DeleteRepository (``force``, which is
#: EmptyOnDelete); AWS Backup API reference, DeleteBackupVault.
_DELETED_ONLY_EMPTY = {
    "AWS::Backup::BackupVault": "recovery points",
    "AWS::ECR::Repository": "images",
    "AWS::S3::Bucket": "objects",
    "AWS::S3Express::DirectoryBucket": "objects",
}
_WHEN = {
    "DeletionPolicy": "when it leaves the template or is deleted with its stack",
    "UpdateReplacePolicy": "when it is replaced",
}
_LOOK_AT_CHANGE_SET = " A change set says whether it is replaced (Replacement: True, False or Conditional)."


def subject_of(change: ResourceImpact) -> str:
    """Return what a change is about."""
    if is_object(change.resource_type):
        return object_shown(change.resource, change.stack)
    return f"{change.resource_type} {change.path}"


def contents_of(resource: Resource | None) -> str:
    """Return what a resource may hold without which alone AWS deletes it; empty for all that AWS deletes as it is."""
    if resource is None or resource.properties.get("EmptyOnDelete") in (True, "true"):
        return ""
    return _DELETED_ONLY_EMPTY.get(resource.resource_type, "")


def _leaves_snapshot(change: ResourceImpact) -> bool:
    return change.resource.attributes.get("UpdateReplacePolicy") == "Snapshot"


def cause_of(change: ResourceImpact) -> str:
    """Return what makes CloudFormation replace a resource."""
    reasons = []
    for difference, _ in change.differences:
        path = difference.shown_path
        if any(path == decisive or path.startswith(f"{decisive}.") for decisive in change.decided_by):
            reasons.append(f"{path} {moved(*shown_pair(difference.base, difference.head))}")
    reasons = reasons or sorted(set(change.decided_by))
    if change.because_of:
        reasons.append(f"follows {change.because_of}")
    return f"{change.action}: {listed(reasons)}" if reasons else str(change.action)


def _fixed_name(environment: Environment, change: ResourceImpact) -> str:
    """Return the name that the old and the new resource share; empty where there is none."""
    schema = resource_schema(change.resource_type)
    pair = environment.diff.both_sides(change.stack, change.logical_id)
    if pair is None or (schema and schema.deleted_first):
        return ""
    base, head = (resource.identity for resource in pair)
    follows = any(
        environment.diff.is_replaced(change.stack, reference.name) for reference in references_in(list(head))
    )
    return " / ".join(head) if base == head and not follows else ""


def _is_replaced(environment: Environment, change: ResourceImpact) -> bool:
    """Tell whether a resource is made anew; endpoints and other types of one logical id have rules of their own."""
    return (
        change.is_replaced
        and change.resource_type != ENDPOINT
        and not environment.diff.is_retyped(change.stack, change.logical_id)
    )


@hazard_rule("durability")
def stateful_replaced(environment: Environment) -> Iterator[Found]:
    """A resource that holds data or keys is replaced by an empty one."""
    for change in environment.diff.changes:
        if not change.is_stateful or not _is_replaced(environment, change):
            continue
        name = _fixed_name(environment, change)
        certain = change.action == "replaced"
        makes = "CloudFormation creates" if certain else "CloudFormation may create"
        if change.is_retained and _leaves_snapshot(change):
            deletes = "deletes" if certain else "would delete"
            consequence = (
                f"{makes} a new, empty resource, and then takes a last snapshot of the old one and {deletes} it. Clients of "
                "the old one fail, and only the snapshot is left. No stack manages the snapshot, and it keeps costing money."
            )
            remedy = (
                "Keep the property that decides. Otherwise plan how to create the new resource from a snapshot, and for how "
                "long nothing is written."
            )
        elif change.is_retained:
            consequence = (
                f"{makes} a new, empty resource. The old one {'stays' if certain else 'then stays'} with its data, but no "
                "stack manages it any more, and it keeps costing money."
            )
            remedy = "Keep the property that decides. Otherwise plan the move of the data, and who deletes the old resource."
        else:
            deletes, is_lost = ("deletes", "is") if certain else ("delete", "would be")
            holds = contents_of(change.base)
            consequence = (
                f"{makes} a new, empty resource and then {deletes} the old one only if it is empty. With {holds} in it, the "
                "deletion fails (DELETE_FAILED), and no stack manages the old one any more. If something empties it first, the "
                f"{holds} are lost."
                if holds
                else f"{makes} a new, empty resource and then {deletes} the old one, and what it holds {is_lost} lost."
            )
            remedy = (
                "Keep the property that decides. Otherwise set DeletionPolicy and UpdateReplacePolicy to Retain in a "
                "deployment before this one, and copy the data."
            )
        if not certain:
            remedy += _LOOK_AT_CHANGE_SET
        if name:
            consequence += (
                f" Its fixed name {name} is taken while the old one is there. The new one fails with AlreadyExists, and the "
                "deployment rolls back."
            )
        yield Found(
            "danger" if certain and (environment.production or not change.is_retained) else "warning",
            change.stack,
            change.logical_id,
            subject_of(change),
            cause_of(change),
            consequence,
            remedy,
            "availability" if change.is_retained else None,
        )


@hazard_rule("availability")
def named_resource_replaced(environment: Environment) -> Iterator[Found]:
    """A resource with a fixed name is replaced, which fails because the name is taken."""
    for change in environment.diff.changes:
        if change.is_stateful or not _is_replaced(environment, change):
            continue
        if name := _fixed_name(environment, change):
            yield Found(
                "danger" if change.action == "replaced" else "warning",
                change.stack,
                change.logical_id,
                subject_of(change),
                cause_of(change),
                f"CloudFormation creates the new resource before it deletes the old one, and both have the name {name}. The "
                "new one fails with AlreadyExists, and the deployment rolls back.",
                "Change the name in the same deployment, or leave it to CloudFormation.",
            )
    groups: dict[tuple[str, str], list[Move]] = {}
    for move in environment.diff.moves:
        groups.setdefault((move.base_stack, move.head_stack), []).append(move)
    for (base_stack, head_stack), moves in sorted(groups.items()):
        yield _recreated(base_stack, head_stack, moves)


def _recreated(base_stack: str, head_stack: str, moves: list[Move]) -> Found:
    ordered = sorted(moves, key=lambda move: (move.head.resource_type, move.head.identity))
    names = listed(f"{move.head.resource_type} {' / '.join(move.head.identity)}" for move in ordered)
    single = len(moves) == 1
    cause = (
        listed(f"logical id {move.base.logical_id} → {move.head.logical_id}" for move in ordered)
        if base_stack == head_stack
        else f"stack {base_stack} → {head_stack}"
    )
    return Found(
        "danger",
        head_stack,
        ordered[0].head.logical_id if single else None,
        names if single else f"{counted(len(moves), 'resource')} with fixed names: {names}",
        cause,
        "CloudFormation takes "
        + ("this for a new resource" if single else "these for new resources")
        + ", and the old "
        + ("one still has the name" if single else "ones still have the names")
        + ". The creation fails with AlreadyExists, and the deployment rolls back.",
        "Keep construct ids and stack names, or move the deployed resources with a stack refactor (cdk refactor) before this "
        "deployment.",
    )


@hazard_rule("availability")
def resource_type_changed(environment: Environment) -> Iterator[Found]:
    """The resource type of a logical id changes, which CloudFormation refuses."""
    for stack, base, head in environment.diff.retyped:
        yield Found(
            "danger",
            stack,
            head.logical_id,
            head.path,
            f"resource type {moved(base.resource_type, head.resource_type)}",
            "CloudFormation refuses the whole update, because a logical id cannot get another resource type.",
            "Give the new resource another construct id. CloudFormation then removes the old one and adds the new one.",
        )


@hazard_rule("durability")
def removal_policy_weakened(environment: Environment) -> Iterator[Found]:
    """A resource that holds data, logs or keys loses the policy that keeps it."""
    for stack, base, head in environment.diff.kept():
        change = environment.diff.change_of(stack, head.logical_id)
        if change is not None and (not change.is_stateful or change.is_replaced):
            continue
        weaker = [
            f"{key} {moved(before, after)}"
            for key in _WHEN
            if (before := _policy(base, key)) in _KEEPING and (after := _policy(head, key)) == "Delete"
        ]
        if weaker:
            holds = contents_of(head)
            yield Found(
                "danger" if environment.production and not holds else "warning",
                stack,
                head.logical_id,
                f"{head.resource_type} {head.path}",
                "; ".join(weaker),
                (
                    f"From this deployment on, CloudFormation deletes it if it is empty, and fails if it holds {holds}"
                    if holds
                    else "From this deployment on, CloudFormation deletes it with everything that it holds"
                )
                + f": {' and '.join(_WHEN[key] for key in _WHEN if any(cause.startswith(key) for cause in weaker))}.",
                "Keep Retain for resources that hold data, logs or keys.",
            )


def _policy(resource: Resource, key: str) -> str:
    """Return a policy; databases leave a snapshot where none is written, though not when they are replaced."""
    default = "Snapshot" if key == "DeletionPolicy" and resource.retained else "Delete"
    return str(resource.attributes.get(key, default))
