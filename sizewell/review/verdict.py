"""The answer: how carefully to look, the worst thing that the change does, and what it costs."""

from collections.abc import Iterator

from sizewell.review.consequences.table import WHOLE
from sizewell.review.exposure import new_administrators, public_exposures
from sizewell.review.harmless import is_harmless_key
from sizewell.review.model import (
    EnvironmentCost,
    Hazard,
    Level,
    ResourceChange,
    Review,
    SelectionChange,
    Verdict,
)
from sizewell.review.words import WORST_EFFECTS, Severity, listed
from sizewell.templates.deployment import REPLACED

_LOSSES = ("stateful-removed", "stateful-replaced")
#: Who still needs a way that is closed, no template says.
CLOSED = ("security-group-closed", "network-acl-closed")
#: Less than half a cent is no money.
_CENT = 0.005


def verdict_of(review: Review) -> Verdict:
    """Return how carefully to look, and in one to three sentences what is worst and what it costs."""
    level = _level(review)
    if level == "no change":
        return Verdict(level=level, sentence=_unchanged(review))
    sentences = dict.fromkeys((next(_worst(review, level)), *_not_known(review), *_money(review)))
    return Verdict(
        level=level, sentence=" ".join(f"{sentence[0].upper()}{sentence[1:]}" for sentence in sentences)
    )


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
    if "danger" in severities or any(_fatal(review)):
        return "danger"
    if any(public_exposures(review)) or any(new_administrators(review)):
        return "danger"
    if (
        severities
        or review.security.iam
        or any(change.direction != "stronger" or change.rule in CLOSED for change in review.security.others)
        or any(change.action in REPLACED for change in review.resources.changes)
        or any(map(_may_exceed_budget, review.cost))
        or any(_unknown_costs(review))
        or any(map(_is_another_pick, review.selection))
    ):
        return "look"
    if not _anything(review):
        return "no change"
    if any(change.unknown for change in review.resources.changes):
        return "not known"
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


def _fatal(review: Review) -> Iterator[ResourceChange]:
    """Yield what loses data of which no hazard speaks: hazards know more, such as a nested stack that is kept."""
    for change in review.resources.changes:
        lost = change.stateful and not change.retained and change.action in ("replaced", "removed")
        if lost and not any(
            hazard.rule in _LOSSES
            and (hazard.environment, hazard.stack) == (change.environment, change.stack)
            for hazard in review.hazards
        ):
            yield change


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
        or any(_unknown_costs(review))
    )


def _worst(review: Review, level: Level) -> Iterator[str]:
    """Yield what the change does, the worst first."""
    for note in review.notes:
        if note.severity == "danger":
            yield (
                "head does not synthesize."
                if note.workload is None
                else f"head has a workload of a kind that this release does not have: {note.workload}."
            )
    for exposure in public_exposures(review):
        yield f"in {exposure.environment}, everybody can reach {exposure.subject}."
    for administrator in new_administrators(review):
        yield f"in {administrator.environment}, {administrator.policy} may do everything, or grant itself everything."
    yield from map(_said, _worst_hazards(review, "danger"))
    for lost in _fatal(review):
        yield f"in {lost.environment}, {lost.resource_type} {lost.path} is {lost.action}, and what it holds is lost."
    yield from _alone(review)
    yield from map(_said, _worst_hazards(review, "warning"))
    new_stacks = {
        (stack.environment, stack.stack) for stack in review.resources.stacks if stack.action == "added"
    }
    for change in review.security.others:
        accepted_as_new = (
            change.rule == "acknowledgement-added" and (change.environment, change.stack) in new_stacks
        )
        if change.direction == "weaker" and not accepted_as_new:
            yield f"in {change.environment}, {change.subject}: {change.base} → {change.head}. {_first_sentence(change.why)}"
    for change in review.security.others:
        if change.rule in CLOSED:
            yield f"in {change.environment}, {change.subject} no longer admits {change.base}."
    for policy in review.security.iam:
        if policy.direction == "broadened" and (policy.environment, policy.stack) not in new_stacks:
            yield f"in {policy.environment}, {policy.policy} allows more."
        if policy.direction == "narrowed":
            yield f"in {policy.environment}, {policy.policy} allows less."
    yield from _not_known(review)
    for environment in dict.fromkeys(stack.environment for stack in review.resources.stacks):
        if names := sorted(stack for where, stack in new_stacks if where == environment):
            yield f"in {environment}, {listed(names, 3)} {'is' if len(names) == 1 else 'are'} new."
    for replaced in (change for change in review.resources.changes if change.action in REPLACED):
        yield f"in {replaced.environment}, {replaced.resource_type} {replaced.path} is {replaced.action}."
    for pick in filter(_is_another_pick, review.selection):
        sides = (
            f"{side.instance_count} x {side.instance_type}" if side else "nothing"
            for side in (pick.base, pick.head)
        )
        yield f"in {pick.environment}, {pick.workload} runs on {' → '.join(sides)}."
    for hazard in review.hazards:
        yield _said(hazard)
    yield (
        "every change is known to do no harm." if level == "safe" else "nothing that is deployed gets worse."
    )


def _not_known(review: Review) -> Iterator[str]:
    """Name the changes of which nobody knows what they lead to, in one sentence."""
    unknown = [change for change in review.resources.changes if change.unknown]
    names = [
        ("" if change.unknown == (WHOLE,) else f"another {change.unknown[0]} of ")
        + f"{change.resource_type} {change.path}"
        for change in unknown
    ]
    if names:
        where = listed(dict.fromkeys(change.environment for change in unknown))
        yield f"nobody knows what {listed(dict.fromkeys(names), 2)} {'means' if len(names) == 1 else 'mean'} in {where}."


def _worst_hazards(review: Review, severity: Severity) -> list[Hazard]:
    """Return the hazards of a severity: those of the first environment first, in it what is worst for users and data."""
    environments = list(dict.fromkeys(hazard.environment for hazard in review.hazards))
    return sorted(
        (hazard for hazard in review.hazards if hazard.severity == severity),
        key=lambda hazard: (environments.index(hazard.environment), WORST_EFFECTS.index(hazard.effect)),
    )


def _said(hazard: Hazard) -> str:
    return (
        f"in {hazard.environment}, {hazard.subject}: {hazard.cause.rstrip('.')}. "
        f"{_first_sentence(hazard.consequence)}"
    )


def _first_sentence(text: str) -> str:
    return f"{text.partition('. ')[0].rstrip('.')}."


def _alone(review: Review) -> Iterator[str]:
    """Say where there is nothing to compare with: then nothing counts as changed, whatever changes."""
    if review.base is None:
        yield "head is reviewed alone, because there is no base."
        return
    names = [
        cost.environment
        for cost in review.cost
        if cost.base is None and cost.head is not None and cost.environment in review.base.environments
    ]
    if names:
        yield f"head is reviewed alone in {listed(names)}, where base does not synthesize."


def _money(review: Review) -> Iterator[str]:
    """Yield what becomes of the bill of each environment, against its budget."""
    if review.base is None:
        return
    for cost in review.cost:
        if unknown := cost.unknown_changes if cost.head is not None else ():
            yield f"the cost of {cost.environment} {listed(unknown, 2)} is unknown."
        moved = cost.difference.expected
        if moved is not None and abs(moved) >= _CENT:
            share = "" if cost.difference_percent is None else f" ({cost.difference_percent:+.1f}%)"
            # CDK deletes no stack that is gone from the app: until somebody does, it is paid for.
            once = " once what is gone from the app is deleted" if _is_left(cost) else ""
            yield (
                f"{cost.environment} costs {abs(moved):,.2f} USD per month {'more' if moved > 0 else 'less'}{share}{once}"
                f"{_of_budget(cost)}."
            )
        if _may_exceed_budget(cost):
            assert cost.head is not None
            was = f" (was {cost.base.maximum:,.0f})" if cost.base and cost.base.maximum is not None else ""
            yield (
                f"{cost.environment} may cost {cost.head.maximum:,.0f}{was}, "
                f"above its budget of {cost.budget_usd_per_month:,.0f}."
            )


def _of_budget(cost: EnvironmentCost) -> str:
    expected = cost.head.expected if cost.head else None
    if expected is None or not cost.budget_usd_per_month:
        return ""
    return f", {expected / cost.budget_usd_per_month:.0%} of its budget"


def _is_left(cost: EnvironmentCost) -> bool:
    return any(workload.head is None for workload in cost.workloads)


def _may_exceed_budget(cost: EnvironmentCost) -> bool:
    """Tell whether the most rises, and is above the budget."""
    most = cost.head.maximum if cost.head else None
    if most is None or cost.budget_usd_per_month is None or most <= cost.budget_usd_per_month:
        return False
    before = cost.base.maximum if cost.base else None
    return before is None or most > before + 0.5


def _unknown_costs(review: Review) -> Iterator[str]:
    for cost in review.cost:
        if cost.head is not None and cost.unknown_changes:
            yield f"{cost.environment} {listed(cost.unknown_changes)}"
