"""Rules of an environment that become weaker. Nothing that is deployed changes, but the next change is allowed more."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.hazards.rule import Found, hazard_rule
from sizewell.review.saved.configuration import saved_environment
from sizewell.review.saved.output import Assembly
from sizewell.review.words import listed
from sizewell.templates.values import mapping, number

Policy = Mapping[str, Any]


def _production(base: Policy, head: Policy) -> str | None:
    if base.get("production") is True and head.get("production") is not True:
        return "production true → false: one instance in one zone is allowed"
    return None


def _fewer(key: str, what: str) -> Callable[[Policy, Policy], str | None]:
    """Return a rule for a list that lost items."""

    def compare(base: Policy, head: Policy) -> str | None:
        lost = [str(item) for item in base.get(key) or () if item not in (head.get(key) or ())]
        return f"{key} without {listed(sorted(lost))}: {what}" if lost else None

    return compare


def _lower(key: str) -> Callable[[Policy, Policy], str | None]:
    def compare(base: Policy, head: Policy) -> str | None:
        before, after = number(base.get(key)), number(head.get(key))
        return f"{key} {before:g} → {after:g}" if before and after and after < before else None

    return compare


def _budget(base: Policy, head: Policy) -> str | None:
    before, after = (number(side.get("budget_usd_per_month")) for side in (base, head))
    if before is None or (after is not None and after <= before):
        return None
    return f"budget {before:,.0f} → {'none' if after is None else f'{after:,.0f}'} USD per month"


def _waived(base: Policy, head: Policy) -> str | None:
    """Tell what head waives and base does not, or not for as long."""
    before, after = _ends(base), _ends(head)
    longer = [
        f"{of} of {subject} until {until}"
        for (of, subject), until in sorted(after.items())
        if until > before.get((of, subject), "")
    ]
    return (
        f"review_waivers with {listed(longer)}: the next change is not stopped for that" if longer else None
    )


def _ends(policy: Policy) -> Mapping[tuple[str, str], str]:
    """Return the last day of each waiver by its condition and subject."""
    ends: dict[tuple[str, str], str] = {}
    for waiver in _rules(policy, "review_waivers"):
        finding = str(waiver.get("of")), str(waiver.get("subject"))
        ends[finding] = max(str(waiver.get("until")), ends.get(finding, ""))
    return ends


def _approvals(base: Policy, head: Policy) -> str | None:
    lost = sorted(_approvers(base) - _approvers(head))
    return (
        f"review_approvals without {listed(f'{name} for {of}' for of, name in lost)}: nobody asks them for the next change"
        if lost
        else None
    )


def _approvers(policy: Policy) -> set[tuple[str, str]]:
    return {
        (str(rule.get("of")), str(name))
        for rule in _rules(policy, "review_approvals")
        for name in rule.get("by") or ()
    }


def _rules(policy: Policy, key: str) -> Iterator[Policy]:
    return (rule for rule in policy.get(key) or () if isinstance(rule, Mapping))


_LOOSENED: tuple[Callable[[Policy, Policy], str | None], ...] = (
    _production,
    _fewer("nag_packs", "their findings no longer stop synth"),
    _fewer("review_fail_on", "a review no longer stops the next change for that"),
    _waived,
    _approvals,
    _lower("min_endpoint_instances"),
    _lower("min_availability_zones"),
    _budget,
)


@hazard_rule("security")
def guardrail_loosened(environment: EnvironmentPair) -> Iterator[Found]:
    """A rule of the environment becomes weaker: production, rule packs, what the review asks for, minimums, budget."""
    base, head = _policy(environment.base), _policy(environment.head)
    if base is None or head is None:
        return
    causes = [cause for compare in _LOOSENED if (cause := compare(base, head))]
    if causes:
        yield Found(
            "warning",
            "",
            None,
            f"policy of {environment.name}",
            "; ".join(causes),
            "This change alone may do nothing else. But the environment now allows what it refused until now.",
            "Let an owner of the environment approve it, apart from any change that needs it.",
        )


def _policy(assembly: Assembly | None) -> Policy | None:
    environment = saved_environment(assembly)
    return None if environment is None else mapping(environment.get("policy"))
