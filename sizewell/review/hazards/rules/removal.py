"""Environments, stacks, endpoints and data that are removed.

CDK deploys the stacks that an app has, and never deletes one that it no longer has.
"""

from collections.abc import Iterator
from typing import Literal

from sizewell.review.cluster_objects import addresses_in, folder_of, holds_objects, renamed_cluster_of
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.hazards.rule import Environment, Found, hazard_rule
from sizewell.review.hazards.rules.replacement import contents_of, subject_of
from sizewell.review.words import counted, listed
from sizewell.templates.deployment import REPLACED, ResourceImpact, StackRemoval
from sizewell.templates.endpoints import ENDPOINT
from sizewell.templates.template import Stack, StackPair

Remains = Literal["all", "snapshot", "contents", "nothing"]
"""What is left of a resource that leaves the app; contents: AWS refuses to delete it while it holds something."""

#: What a refused deletion means: of an update, which goes on without it; of a whole stack, which is not deleted then.
_STAYS = "and no stack manages what is left"
_STOPS = "and so does the deletion of the stack"
_AFTER_REMOVAL: dict[StackRemoval, str] = {
    "left": "CDK does not delete a stack that leaves the app. The stack keeps running and costing money. No deployment updates "
    "it, and nothing in the app watches it. Whoever deletes it later deletes everything that it does not retain.",
    "deleted": "CloudFormation deletes the nested stack with everything that it does not retain. Clients of its endpoints fail.",
    "kept": "DeletionPolicy keeps the nested stack with everything in it. The stack keeps running and costing money. No "
    "deployment updates it, and nothing in the app watches it.",
}


@hazard_rule("availability")
def environment_removed(environment: Environment) -> Iterator[Found]:
    """An environment is no longer in the app."""
    if environment.is_removed:
        outer = [stack for stack in environment.diff.stacks if stack.base and stack.base.parent is None]
        stacks = [stack for stack in outer if not holds_objects(stack.base)]
        clusters = sorted({folder_of(stack.name, None) for stack in outer if holds_objects(stack.base)})
        commands = [f"kubectl delete -k {folder}" for folder in clusters]
        yield Found(
            "danger" if environment.production else "warning",
            "",
            None,
            f"environment {environment.name}",
            f"{counted(len(stacks), 'stack')} → none",
            "No deployment updates the environment any more. CDK does not delete stacks that leave the app. Everything keeps "
            "running and costing money, and nobody repairs it.",
            f"Run {listed([*commands, 'cdk destroy'])} for the environment from a version that still has it, or put the "
            "environment back.",
        )


@hazard_rule("availability")
def stack_removed(environment: EnvironmentPair) -> Iterator[Found]:
    """A stack without an endpoint is no longer in the app."""
    for stack in _removed_stacks(environment):
        if stack.base is not None and holds_objects(stack.base):
            yield _manifests_removed(environment, stack.name, stack.base)
        elif not any(pair.stack is stack for pair in environment.diff.resources(ENDPOINT)) and not any(
            place[0] == stack.name for place in environment.diff.moved
        ):
            resources = counted(len(stack.base.resources) if stack.base else None, "resource")
            yield Found(
                "warning",
                stack.name,
                None,
                f"stack {stack.name}",
                f"{resources} → none",
                _AFTER_REMOVAL[environment.diff.removal_of(stack.base)],
                _what_to_do(environment, stack),
            )


def _manifests_removed(environment: EnvironmentPair, name: str, stack: Stack) -> Found:
    workload = environment.workload_of_stack(name)
    folder = folder_of(name, workload.name if workload else None)
    addresses = addresses_in(stack)
    cluster = renamed_cluster_of(name)
    starts = " The other cluster starts empty: apply the manifests there." if cluster else ""
    first = "move the callers first, and " if addresses else ""
    lost = (
        f" Whoever deletes them ends all pods, and callers of {listed(addresses)} fail." if addresses else ""
    )
    return Found(
        "danger" if addresses and environment.production else "warning",
        name,
        None,
        f"{folder} in cluster {cluster}" if cluster else folder,
        f"{counted(len(stack.resources), 'object')} → none",
        "kubectl apply -k prunes nothing: the objects stay in the cluster and keep costing money, and nothing updates them. Argo "
        f"CD and Flux delete them where they prune.{starts}{lost}",
        f"If you no longer want them, {first}run kubectl delete -k {folder} in an output that still has them. Otherwise put them "
        "back.",
    )


@hazard_rule("availability")
def stack_relocated(environment: Environment) -> Iterator[Found]:
    """A stack moves to another account or region."""
    ways: dict[str, list[str]] = {}
    for name, base, head in environment.diff.relocated:
        before, after = (f"{side.account or 'any'}/{side.region or 'any'}" for side in (base, head))
        ways.setdefault(f"account and region {before} → {after}", []).append(name)
    for cause, names in sorted(ways.items()):
        yield Found(
            "danger" if environment.production else "warning",
            names[0] if len(names) == 1 else "",
            None,
            f"{'stack' if len(names) == 1 else 'stacks'} {listed(names)}",
            cause,
            "The deployment creates everything anew in the new place, without data and without artifacts. The old stack keeps "
            "running and costing money, and no deployment updates it.",
            "Move data and clients first, and delete the old stacks afterwards.",
        )


@hazard_rule("durability")
def termination_protection_lost(environment: Environment) -> Iterator[Found]:
    """A stack loses its termination protection."""
    names = [
        stack.name
        for stack in environment.diff.stacks
        if stack.base
        and stack.head
        and stack.base.termination_protection
        and not stack.head.termination_protection
    ]
    if names:
        yield Found(
            "warning",
            names[0] if len(names) == 1 else "",
            None,
            f"{'stack' if len(names) == 1 else 'stacks'} {listed(names)}",
            "termination protection on → off",
            "CloudFormation no longer refuses to delete the stack. A deletion removes everything that the stack does not "
            "retain.",
            "Keep the protection where users are served. Turn it off by hand for a stack that you want to delete.",
        )


@hazard_rule("availability")
def workload_removed(environment: EnvironmentPair) -> Iterator[Found]:
    """An endpoint is no longer in the app."""
    if environment.is_removed:
        return
    for endpoint in environment.diff.endpoints:
        if endpoint.base is None or endpoint.head is not None:
            continue
        place = (endpoint.stack, endpoint.logical_id)
        if place in environment.diff.moved or environment.diff.is_retyped(*place):
            continue
        stack = next(pair for pair in environment.diff.changed_stacks if pair.name == endpoint.stack)
        whole = stack.head is None
        yield Found(
            "danger" if environment.production else "warning",
            endpoint.stack,
            endpoint.logical_id,
            f"endpoint {endpoint.base.name}",
            "the endpoint leaves the app with its stack" if whole else "the endpoint leaves its stack",
            _AFTER_REMOVAL[environment.diff.removal_of(stack.base)]
            if whole
            else "CloudFormation deletes the endpoint. Its clients fail, and its alarms watch nothing.",
            _what_to_do(environment, stack)
            if whole
            else f"{_move_clients(environment, endpoint.stack)}Make sure that no client calls it. Its metric Invocations must be "
            "zero.",
        )


@hazard_rule("availability")
def api_removed(environment: Environment) -> Iterator[Found]:
    """An API is removed or replaced, and its address is lost."""
    gone = {stack.name for stack in _removed_stacks(environment)}
    for change in () if environment.is_removed else environment.diff.changes:
        if change.resource_type != "AWS::ApiGateway::RestApi" or change.stack in gone:
            continue
        if change.action in ("removed", *REPLACED):
            yield Found(
                "danger" if environment.production else "warning",
                change.stack,
                change.logical_id,
                f"API {change.logical_id}",
                f"the API is {change.action}",
                "The address of an API contains its id, and no other API ever gets that id. Callers of the old address fail.",
                "Make sure that nobody calls it, or give its callers the new address. A custom domain name outlives the API.",
            )


def _removed_stacks(environment: Environment) -> Iterator[StackPair]:
    for stack in () if environment.is_removed else environment.diff.changed_stacks:
        if stack.head is None:
            yield stack


def _move_clients(environment: EnvironmentPair, stack_name: str) -> str:
    """Return what to do before an endpoint goes whose workload runs somewhere else from then on."""
    if stack_name not in environment.moved_workloads:
        return ""
    return (
        "Its workload runs somewhere else from then on, at another address. To move clients without a gap, add a workload of "
        "another name that runs there, move the clients, and remove this one in a later deployment. "
    )


def _what_to_do(environment: Environment, stack: StackPair) -> str:
    removal = environment.diff.removal_of(stack.base)
    if removal == "deleted":
        return "Make sure that nothing in it is used any more."
    if removal == "kept":
        return "Decide who deletes it and when, or put it back. A resource import takes it into the parent again."
    return (
        "If you no longer want the stack, make sure that nobody uses it, and run aws cloudformation delete-stack --stack-name "
        f"{stack.name}. Otherwise put it back."
    )


@hazard_rule("durability")
def stateful_removed(environment: Environment) -> Iterator[Found]:
    """A resource that holds data or keys is removed."""
    gone = {
        stack.name: environment.diff.removal_of(stack.base)
        for stack in environment.diff.changed_stacks
        if stack.head is None
    }
    with_stack: dict[tuple[str, Remains], list[ResourceImpact]] = {}
    for change in environment.diff.changes:
        if not change.is_stateful or change.action != "removed" or change.resource_type == ENDPOINT:
            continue
        if (change.stack, change.logical_id) in environment.diff.colliding_moves:
            continue
        remains: Remains = "all" if gone.get(change.stack) == "kept" else _remains(environment, change)
        if change.stack in gone:
            with_stack.setdefault((change.stack, remains), []).append(change)
        else:
            yield _lost(change.stack, [change], remains, "removed from the template", "")
    for (stack, remains), changes in sorted(with_stack.items()):
        when = "When somebody deletes the stack, " if gone[stack] == "left" else ""
        yield _lost(stack, changes, remains, "removed with the stack", when)


def _remains(environment: Environment, change: ResourceImpact) -> Remains:
    if not change.is_retained:
        return "contents" if contents_of(change.base) else "nothing"
    base = environment.diff.base_resource(change.stack, change.logical_id)
    policy = str(base.body.get("DeletionPolicy", "Snapshot")) if base and base.retained else ""
    return "snapshot" if policy == "Snapshot" else "all"


def _lost(stack: str, changes: list[ResourceImpact], remains: Remains, cause: str, when: str) -> Found:
    """Return the loss of resources of which the same remains."""
    single = len(changes) == 1
    it, they = ("it", "it") if single else ("them", "they")
    s = "s" if single else ""
    if remains == "all":
        consequence = (
            f"{when}{they} stay{s} with {'its' if single else 'their'} data. No stack manages {it} any more, {they} keep{s} "
            "costing money, and a fixed name stays taken."
        )
        remedy = (
            "Decide who deletes it and when, or keep it in the template. A resource import brings it back."
        )
    elif remains == "snapshot":
        consequence = (
            f"{when}CloudFormation takes a last snapshot and deletes {it}. Clients fail, and only the snapshot is left. No "
            "stack manages the snapshot, and it keeps costing money."
        )
        remedy = (
            "Make sure that nobody uses it. Otherwise keep it, or set DeletionPolicy to Retain in a deployment before "
            "this one."
        )
    elif remains == "contents":
        consequence = (
            f"{when}CloudFormation deletes {it} only if empty. While {they} hold{s} something, the deletion fails "
            f"(DELETE_FAILED), {_STOPS if when else _STAYS}. If something empties {it} first, such as autoDeleteObjects of "
            "CDK, those contents are lost."
        )
        remedy = "Keep it, copy the data, or set DeletionPolicy to Retain in a deployment before this one."
    else:
        consequence = f"{when}CloudFormation deletes {it}, and what {they} hold{s} is lost."
        remedy = "Keep it, copy the data, or set DeletionPolicy to Retain in a deployment before this one."
    names = listed(subject_of(change) for change in sorted(changes, key=lambda lost: lost.logical_id))
    return Found(
        "danger" if remains in ("contents", "nothing") else "warning",
        stack,
        changes[0].logical_id if single else None,
        names if single else f"{len(changes)} resources: {names}",
        cause,
        consequence[0].upper() + consequence[1:],
        remedy,
    )
