"""The answer in one line."""

from collections.abc import Iterator

from sizewell.review.exposure import new_administrators, public_exposures
from sizewell.review.harmless import is_harmless_key
from sizewell.review.hazards import HAZARD_RULES
from sizewell.review.model import EnvironmentCost, Level, ResourceChange, Review, SelectionChange, Verdict
from sizewell.review.security import rule_count
from sizewell.review.words import SEVERITIES, counted, listed
from sizewell.templates.deployment import ACTIONS, REPLACED

_LOSSES = ("stateful-removed", "stateful-replaced")


def verdict_of(review: Review) -> Verdict:
    """Return how carefully to look, and what there is to see."""
    level = _level(review)
    parts = tuple(_parts(review)) or ("nothing that is deployed changes",)
    if level == "no change":
        return Verdict(level=level, sentence=_unchanged(review))
    if level == "nothing found":
        parts += (_looked_at(review),)
    sentence = "; ".join(parts)
    return Verdict(level=level, sentence=f"{sentence[0].upper()}{sentence[1:]}.")


def _unchanged(review: Review) -> str:
    """Say that nothing changes, and where only templates could be compared: catalogs are named by plans."""
    sides = {"base": review.base, "head": review.head}
    without = [name for name, side in sides.items() if side and not side.catalog_versions]
    if not without:
        return "Nothing changes."
    return f"Nothing changes in the templates; there is no plan.json in {' and '.join(without)} to compare."


def _level(review: Review) -> Level:
    noted = {note.severity for note in review.notes} - {"notice"}
    severities = {hazard.severity for hazard in review.hazards} | noted
    if "danger" in severities or any(_is_fatal(review, change) for change in review.resources.changes):
        return "danger"
    if any(public_exposures(review)) or any(new_administrators(review)):
        return "danger"
    if (
        severities
        or review.security.iam
        or any(change.direction != "stronger" for change in review.security.others)
        or any(change.action in REPLACED for change in review.resources.changes)
        or any(map(_may_exceed_budget, review.cost))
        or any(_unknown_now(review))
        or any(map(_is_another_pick, review.selection))
    ):
        return "look"
    if not _anything(review):
        return "no change"
    return "safe" if _is_harmless(review) else "nothing found"


def _is_harmless(review: Review) -> bool:
    """Tell whether every single change is known to do no harm; nothing else may be called safe."""
    return (
        all(change.harmless for change in review.resources.changes)
        and all(is_harmless_key(change.key_path, change.base, change.head) for change in review.config)
        and not review.resources.stacks
        and not review.selection
        and not any(map(_moves, review.cost))
    )


def _moves(cost: EnvironmentCost) -> bool:
    difference = cost.difference
    return any((difference.minimum, difference.expected, difference.maximum)) or difference.expected is None


def _looked_at(review: Review) -> str:
    """Say what "nothing found" is worth: what was looked at, and by how many rules."""
    rules = len(HAZARD_RULES) + rule_count()
    resources = review.resources.unchanged_count + len(review.resources.changes)
    stacks = counted(review.head.stack_count, "stack")
    return f"{rules} rules looked at {counted(resources, 'resource')} in {stacks} and found nothing"


def _is_fatal(review: Review, change: ResourceChange) -> bool:
    """Tell whether data are lost of which no hazard speaks: hazards know more, such as a nested stack that is kept."""
    lost = change.stateful and not change.retained and change.action in ("replaced", "removed")
    return lost and not any(
        hazard.rule in _LOSSES and (hazard.environment, hazard.stack) == (change.environment, change.stack)
        for hazard in review.hazards
    )


def _is_another_pick(change: SelectionChange) -> bool:
    base, head = change.base, change.head
    return (
        base is None
        or head is None
        or (base.instance_type, base.instance_count) != (head.instance_type, head.instance_count)
    )


def _anything(review: Review) -> bool:
    return bool(
        review.hazards
        or review.security.iam
        or review.security.others
        or review.selection
        or review.config
        or review.resources.changes
        or review.resources.stacks
        or any(map(_moves, review.cost))
        or any(_unknown_now(review))
    )


def _parts(review: Review) -> Iterator[str]:
    for severity in SEVERITIES:
        if count := sum(hazard.severity == severity for hazard in review.hazards):
            yield counted(count, severity)
    dangers = [note for note in review.notes if note.severity == "danger"]
    if any(note.workload is None for note in dangers):
        yield "head does not synthesize"
    if unknown := sum(note.workload is not None for note in dangers):
        yield f"head has {counted(unknown, 'workload')} of a kind that this release does not have"
    if exposed := list(public_exposures(review)):
        yield f"everybody can reach {exposed[0].subject}{_and_more(len(exposed))}"
    if administrators := list(new_administrators(review)):
        yield f"{administrators[0].policy}{_and_more(len(administrators))} may do everything, or grant itself everything"
    yield from _alone(review)
    if count := sum(change.direction == "broadened" for change in review.security.iam):
        yield f"permissions broadened in {counted(count, 'place')}"
    if count := sum(change.direction == "narrowed" for change in review.security.iam):
        yield f"permissions narrowed in {counted(count, 'place')}"
    for direction, words in (("weaker", "weaker"), ("neutral", "different")):
        if count := sum(change.direction == direction for change in review.security.others):
            yield f"protection {words} in {counted(count, 'place')}"
    yield from _cost_parts(review)
    if count := sum(map(_is_another_pick, review.selection)):
        yield f"{counted(count, 'pick')} changed"
    for action in ACTIONS:
        if count := sum(change.action == action for change in review.resources.changes):
            yield f"{counted(count, 'resource')} {action}"


def _alone(review: Review) -> Iterator[str]:
    """Say where there is nothing to compare with: then nothing counts as changed, whatever changes."""
    if review.base is None:
        yield "head is reviewed alone, there is no base"
        return
    names = [
        cost.environment
        for cost in review.cost
        if cost.base is None and cost.head is not None and cost.environment in review.base.environments
    ]
    if names:
        yield f"head is reviewed alone in {listed(names)}, where base does not synthesize"


def _and_more(count: int) -> str:
    return f" and {count - 1} more" if count > 1 else ""


def _cost_parts(review: Review) -> Iterator[str]:
    if review.base is None:
        return
    known = [cost for cost in review.cost if cost.difference.expected is not None]
    total = sum(cost.difference.expected or 0.0 for cost in known)
    if abs(total) >= 0.005:
        before = sum(cost.base.expected or 0.0 for cost in known if cost.base)
        percent = f" ({total / before:+.1%})" if before else ""
        words = f"{abs(total):,.2f} USD per month {'more' if total > 0 else 'less'}{percent}"
        # CDK deletes no stack that is gone from the app: until somebody does, it is paid for.
        yield (
            f"{words} once what is gone from the app is deleted" if any(map(_is_left, review.cost)) else words
        )
    for cost in filter(_may_exceed_budget, review.cost):
        assert cost.head is not None
        was = f" (was {cost.base.maximum:,.0f})" if cost.base and cost.base.maximum is not None else ""
        yield (
            f"{cost.environment} may cost {cost.head.maximum:,.0f}{was}, "
            f"above its budget of {cost.budget_usd_per_month:,.0f}"
        )
    for name in _unknown_now(review):
        yield f"the cost of {name} is unknown"


def _is_left(cost: EnvironmentCost) -> bool:
    return any(workload.head is None for workload in cost.workloads)


def _may_exceed_budget(cost: EnvironmentCost) -> bool:
    """Tell whether the most rises, and is above the budget."""
    most = cost.head.maximum if cost.head else None
    if most is None or cost.budget_usd_per_month is None or most <= cost.budget_usd_per_month:
        return False
    before = cost.base.maximum if cost.base else None
    return before is None or most > before + 0.5


def _unknown_now(review: Review) -> Iterator[str]:
    for cost in review.cost:
        if cost.head is not None and cost.unknown_changes:
            yield f"{cost.environment} {listed(cost.unknown_changes)}"
