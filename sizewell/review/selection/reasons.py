"""Why a choice is another one: rules that each look for one cause, the decisive one first."""

from collections.abc import Callable, Iterator

from sizewell.instance_selection.wording import milliseconds
from sizewell.planning.saved_workload import SavedChoice
from sizewell.review.selection.candidate_record import Candidate, CandidateRecord
from sizewell.review.selection.comparison import Comparison
from sizewell.review.selection.needs import by_relevance

Rule = Callable[[Comparison], Iterator[str]]

#: Needs that are named; what is more is counted.
MAX_NEEDS = 4
#: Filters that ask the catalog alone, unless the region is another one.
_OF_THE_CATALOG = frozenset({"use", "region"})
_CATALOG = "the catalog changed: "
_ESTIMATE = "the estimate changed: "


def reasons_for(comparison: Comparison) -> tuple[str, ...]:
    """Return at least one reason for a workload that both sides have and that is not the same."""
    order = _PRICE_FIRST if comparison.price_decided else _NEEDS_FIRST
    found = [reason for rule in order for reason in rule(comparison)]
    return tuple(dict.fromkeys(found)) or (_unexplained(comparison),)


def reasons_for_new(workload: SavedChoice, record: CandidateRecord) -> tuple[str, ...]:
    """Return why a workload that base does not have runs on its type."""
    reasons = []
    if workload.lock and workload.lock.state != "infeasible":
        reasons.append(f"it is locked on {workload.lock.instance_type}")
    chosen, second = (record.candidate(name) for name in (workload.instance_type, record.runner_up))
    if chosen and second and chosen.usd_per_month is not None and second.usd_per_month is not None:
        more = second.usd_per_month - chosen.usd_per_month
        if more > 0:
            reasons.append(f"{second.instance_type} would cost {_usd_per_month(more)} more")
    return tuple(reasons)


def _unusable_lock(c: Comparison) -> Iterator[str]:
    lock = c.head.lock
    if lock and lock.state == "infeasible" and (c.type_changed or c.lock_changed):
        yield f"the locked type {lock.instance_type} cannot be used: {lock.reason or 'the plan does not say why'}"


def _kept_by_lock(c: Comparison) -> Iterator[str]:
    lock = c.followed_lock
    if lock is None or lock.instance_type != c.new or lock.best_instance_type == c.new:
        return
    if not (c.type_changed or c.lock_changed):
        return
    saving = lock.saving_usd_per_month
    would = f"save {_usd_per_month(saving)}" if saving is not None and saving > 0 else "be the choice"
    yield f"the lock keeps this type; without it {lock.best_instance_type} would {would}"


def _no_longer_feasible(c: Comparison) -> Iterator[str]:
    if not c.type_changed:
        return
    if reason := c.head_record.rejection(c.old):
        cause = _cause(c, c.head_record.rejecting_filter(c.old))
        yield f"{cause}{c.old} no longer meets the needs: {reason}"
    elif c.catalog_changed and c.head_record.feasible and not c.head_record.knows(c.old):
        yield f"{_CATALOG}{c.old} is no longer in it"


def _feasible_now(c: Comparison) -> Iterator[str]:
    if not c.type_changed:
        return
    if reason := c.base_record.rejection(c.new):
        cause = _cause(c, c.base_record.rejecting_filter(c.new))
        yield f"{cause}{c.new} is feasible now; before: {reason}"
    elif c.catalog_changed and c.base_record.feasible and not c.base_record.knows(c.new):
        yield f"{_CATALOG}{c.new} is new in it"


def _needs(c: Comparison) -> Iterator[str]:
    if not c.needs_changed:
        return
    asked = (
        (c.head_record.rejecting_filter(c.old) or c.base_record.rejecting_filter(c.new))
        if c.type_changed
        else None
    )
    needs = by_relevance(c.needs, asked)
    yield from (need.text for need in needs[:MAX_NEEDS])
    if (more := len(needs) - MAX_NEEDS) > 0:
        yield f"{more} more {'need' if more == 1 else 'needs'} changed"
    if not needs and not any(_no_longer_feasible(c)) and not any(_feasible_now(c)):
        yield "the needs changed"


def _prices(c: Comparison) -> Iterator[str]:
    moved = [
        (name, text)
        for name in dict.fromkeys((c.old, c.new))
        if (both := c.both(name) or _chosen_of_both(c, name)) and (text := _price_move(*both))
    ]
    if moved:
        prefix = _CATALOG if c.catalog_changed else ""
        yield prefix + ", ".join(text for _, text in moved) + _now_cheaper(c, said=moved[-1][0])


def _counts(c: Comparison) -> Iterator[str]:
    both = c.both(c.old) or _chosen_of_both(c, c.old)
    if both is None or both[0].instance_count == both[1].instance_count or both[1].instance_count is None:
        return
    if c.needs_changed:
        at = "at the new traffic " if c.traffic_changed else "with the new needs "
    else:
        at = _CATALOG if c.catalog_changed else _ESTIMATE
    verb = "would need" if c.type_changed else "needs"
    was = "" if both[0].instance_count is None else f" (was {both[0].instance_count})"
    reason = f"{at}{c.old} {verb} {_instances(both[1].instance_count)}{was}"
    yield reason + ("" if any(_prices(c)) else _now_cheaper(c, said=c.old))


def _cheaper(c: Comparison) -> Iterator[str]:
    """Of two types that are feasible on both sides, where neither a price nor a count says it."""
    saving = c.saving_usd_per_month
    if saving is not None and c.both(c.old) and c.both(c.new) and not any(_prices(c)) and not any(_counts(c)):
        yield f"{c.new} is cheaper than {c.old} by {_usd_per_month(saving)}"


def _estimate(c: Comparison) -> Iterator[str]:
    if c.needs_changed or c.catalog_changed:
        return
    for name in dict.fromkeys((c.old, c.new)):
        both = c.both(name) or _chosen_of_both(c, name)
        if both is None or both[0].time is None or both[1].time is None or both[0].time == both[1].time:
            continue
        subject = f"{name}: " if c.type_changed else ""
        yield f"{_ESTIMATE}{subject}{_time_move(c, both[0].time, both[1].time)}{_measured(*both)}"


def _lock(c: Comparison) -> Iterator[str]:
    base, head = c.base.lock, c.head.lock
    if head is None:
        if base is not None:
            yield "the workload is no longer locked"
    elif base is None:
        yield f"the workload is locked now, on {head.instance_type}"
    elif base.instance_type != head.instance_type:
        yield f"the lock was updated: {base.instance_type} → {head.instance_type}"
    elif (base.state, head.state) == ("stale", "locked"):
        yield f"the lock was updated and keeps {head.instance_type}"
    elif head.state == "stale" and base.state != "stale":
        yield f"the configuration has changed since {head.instance_type} was locked"
    elif base.state == "infeasible" and head.state != "infeasible":
        yield f"the locked type {head.instance_type} can be used again"


_FIRST: tuple[Rule, ...] = (_unusable_lock, _kept_by_lock, _no_longer_feasible, _feasible_now)
_NEEDS_FIRST: tuple[Rule, ...] = (*_FIRST, _needs, _counts, _prices, _cheaper, _estimate, _lock)
_PRICE_FIRST: tuple[Rule, ...] = (*_FIRST, _prices, _needs, _counts, _cheaper, _estimate, _lock)


def _unexplained(c: Comparison) -> str:
    if c.catalog_changed:
        return "the catalog changed; the plans do not say which row made the difference"
    return "the estimates of this release differ"


def _cause(c: Comparison, rejecting_filter: str | None) -> str:
    """Return what a type became feasible or infeasible by; empty where it is the needs."""
    region_is_the_same = not any(need.is_about("policy.region") for need in c.needs)
    asks_the_catalog = rejecting_filter in _OF_THE_CATALOG and region_is_the_same
    if c.catalog_changed and (asks_the_catalog or not c.needs_changed):
        return _CATALOG
    return "" if c.needs_changed else _ESTIMATE


def _chosen_of_both(c: Comparison, name: str) -> tuple[Candidate, Candidate] | None:
    """Return the choice of both sides where it is the same type: the plans say as much without the record of candidates."""
    if c.type_changed or name != c.new:
        return None
    base, head = (_chosen(workload) for workload in (c.base, c.head))
    return base, head


def _chosen(workload: SavedChoice) -> Candidate:
    cost, estimate = workload.selection.chosen.cost, workload.selection.chosen.estimate
    return Candidate(
        instance_type=workload.instance_type,
        usd_per_hour=cost.usd_per_hour,
        usd_per_month=cost.usd_per_month,
        time=workload.time,
        instance_count=estimate.instances_at_average
        if workload.time_of == "latency"
        else estimate.instance_count,
        is_measured=False,
        scaled_by=estimate.scaled_by,
    )


def _price_move(base: Candidate, head: Candidate) -> str:
    name, was, now = base.instance_type, base.usd_per_hour, head.usd_per_hour
    if was == now:
        return ""
    if now is None:
        return f"the price of {name} is not known any more"
    return f"{name} costs {_usd_per_hour(now)} USD per hour (was {'unknown' if was is None else _usd_per_hour(was)})"


def _now_cheaper(c: Comparison, said: str) -> str:
    saving = c.saving_usd_per_month
    if saving is None:
        return ""
    return f", {'it' if said == c.new else c.new} is now cheaper by {_usd_per_month(saving)}"


def _time_move(c: Comparison, base: float, head: float) -> str:
    if c.head.time_of == "duration":
        return f"duration {base:.3g} → {head:.3g} h"
    was, now = milliseconds(base), milliseconds(head)
    same_unit = was.split()[-1] == now.split()[-1]
    return f"p95 {was.split()[0] if same_unit else was} → {now}"


def _measured(base: Candidate, head: Candidate) -> str:
    if head.is_measured:
        return " (measured)"
    if head.scaled_by:
        return f" (scaled by what was measured on {', '.join(head.scaled_by)})"
    return " (no longer measured)" if base.is_measured or base.scaled_by else ""


def _usd_per_month(amount: float) -> str:
    """Return an amount per month with its unit; cents where they count."""
    return f"{amount:,.0f} USD per month" if amount >= 10 else f"{amount:,.2f} USD per month"


def _usd_per_hour(price: float) -> str:
    """Return a price as its source writes it, with two decimals at least and four at most."""
    whole, _, decimals = f"{price:,.4f}".partition(".")
    return f"{whole}.{decimals.rstrip('0'):0<2}"


def _instances(count: int) -> str:
    """Return a number of instances."""
    return "1 instance" if count == 1 else f"{count:,} instances"
