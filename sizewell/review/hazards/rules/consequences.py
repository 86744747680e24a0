"""What the tables of consequences say of single properties: ``sizewell/review/consequences/tables``."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from sizewell.review.cluster_objects import holds_objects
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.consequences.find import Consequence
from sizewell.review.consequences.table import WHOLE, Suffers
from sizewell.review.hazards.rule import Found, hazard_rule
from sizewell.review.hazards.rules.replacement import subject_of
from sizewell.review.words import Effect, listed, moved, shown_pair
from sizewell.templates.values import is_intrinsic

_DEFINITIONS, _STATES, _REQUESTS = ("Definition", "DefinitionString"), "States", ("Arguments", "Parameters")
#: Properties that are others because the instance type is, which another rule tells.
_FOLLOWS_TYPE = ("InferenceAmiVersion", "TargetValue", "VolumeSizeInGB")
#: The number of pods of a Deployment: only where a scaler remains do two of them set it.
_REPLICAS = ("spec", "replicas")
REMOVED = "removed"
"""The cause of what follows from the removal of a whole resource."""
_USUAL: dict[Effect, str] = {
    "availability": "Make sure that requests and runs do not need it, or keep it.",
    "durability": "Make sure that the data are kept elsewhere, or keep it.",
    "security": "Let an owner of the environment approve it, or keep it.",
    "alerting": "Make sure that somebody hears of it in another way, or keep it.",
    "money": "Check that the budget allows it, or keep it.",
    "correctness": "Try it in an environment without users first.",
    "recovery": "Say in the pull request how a failure is ended, or keep it.",
}


@hazard_rule("availability")
def less_available(environment: EnvironmentPair) -> Iterator[Found]:
    """A changed property makes requests or runs fail, wait or be throttled."""
    return _found(environment, "availability")


@hazard_rule("durability")
def less_durable(environment: EnvironmentPair) -> Iterator[Found]:
    """A changed property loses data, or makes it easier to lose them."""
    return _found(environment, "durability")


@hazard_rule("security")
def less_secure(environment: EnvironmentPair) -> Iterator[Found]:
    """A changed property allows, opens or shows more."""
    return _found(environment, "security")


@hazard_rule("security")
def publicly_reachable(environment: EnvironmentPair) -> Iterator[Found]:
    """Everybody can reach what only some could reach, by a setting of a resource."""
    return _found(environment, "exposure")


@hazard_rule("alerting")
def fewer_alerts(environment: EnvironmentPair) -> Iterator[Found]:
    """A changed property tells people less, later or something else."""
    return _found(environment, "alerting")


@hazard_rule("money")
def costs_more(environment: EnvironmentPair) -> Iterator[Found]:
    """A changed property costs more, by use that no template states."""
    return _found(environment, "money")


@hazard_rule("correctness")
def other_results(environment: EnvironmentPair) -> Iterator[Found]:
    """A changed property changes what is computed, delivered or stored."""
    return _found(environment, "correctness")


@hazard_rule("recovery")
def slower_recovery(environment: EnvironmentPair) -> Iterator[Found]:
    """A changed property makes a failure last longer, or lets a bad update stay."""
    return _found(environment, "recovery")


def _found(environment: EnvironmentPair, effect: Suffers) -> Iterator[Found]:
    """Yield what the tables say of an effect; what several properties of a resource lead to is one."""
    causes: dict[Found, dict[str, dict[str, None]]] = {}
    retyped = _stacks_with_another_type(environment)
    # kubectl removes no folder, and what prunes ends the pods as well: the rule stack-removed says it.
    left = {stack.name for stack in environment.diff.stacks if not stack.head and holds_objects(stack.base)}
    scaled = {pair.stack.name for pair in environment.diff.resources("Kubernetes::ScaledObject") if pair.head}
    for consequence in environment.consequences.known:
        row, impact = consequence.row, consequence.impact
        if row.effect != effect or row.level is None or impact.place in environment.diff.moved:
            continue
        if impact.stack in left or (impact.stack in retyped and row.path[-1] in _FOLLOWS_TYPE):
            continue
        if row.path == _REPLICAS and row.worse == "added" and impact.stack not in scaled:
            continue
        without_cause = Found(
            "warning" if row.level == "danger" and not environment.production else row.level,
            impact.stack,
            impact.logical_id,
            subject_of(impact),
            "",
            row.consequence,
            row.to_do or _USUAL["security" if effect == "exposure" else effect],
        )
        step, cause = _cause(consequence)
        causes.setdefault(without_cause, {}).setdefault(cause, {})[step] = None
    for found, steps_by_cause in causes.items():
        yield replace(found, cause="; ".join(_shown(cause, steps) for cause, steps in steps_by_cause.items()))


def _stacks_with_another_type(environment: EnvironmentPair) -> Set[str]:
    return {
        impact.stack
        for impact in environment.diff.changes
        for difference, _ in impact.differences
        if difference.path[-1] == "InstanceType"
    }


def _cause(consequence: Consequence) -> tuple[str, str]:
    """Return the step of a state machine, empty for other resources, and what changes in it."""
    difference = consequence.difference
    if difference.path == (WHOLE,):
        return "", str(consequence.impact.action)
    step, path = _step_and_path(difference.path)
    return step, f"{path} {_moved(difference.base, difference.head)}".lstrip()


def _moved(base: Any, head: Any) -> str:
    """Return from → to; of a whole map or list whether it comes or goes, because its parts say little."""
    if head is None and isinstance(base, Mapping | list) and not is_intrinsic(base):
        return "removed"
    if base is None and isinstance(head, Mapping | list) and not is_intrinsic(head):
        return "added"
    return moved(*shown_pair(base, head))


def _step_and_path(path: Sequence[str]) -> tuple[str, str]:
    if path[0] not in _DEFINITIONS or _STATES not in path:
        return "", ".".join(path)
    at = len(path) - 1 - path[::-1].index(_STATES)
    step, *inside = path[at + 1 :]
    return step, ".".join(name for name in inside if name not in _REQUESTS)


def _shown(cause: str, steps: Iterable[str]) -> str:
    names = [step for step in steps if step]
    if not names:
        return cause
    return f"{'step' if len(names) == 1 else 'steps'} {listed(names, 3)}: {cause}"
