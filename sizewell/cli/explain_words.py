"""The sentences of an explanation, as the terminal and the page say them."""

import shlex

from sizewell.cli.candidates import instance_count
from sizewell.cli.explanation import AnyCounterfactual, Explanation
from sizewell.cli.formats import hours, outcome, scaled_words, usd
from sizewell.cli.kind import ViewKind
from sizewell.cli.options import DEFAULT_DIRECTORY
from sizewell.config.variant_names import endpoint_of
from sizewell.instance_selection import (
    EndpointEstimate,
    Objective,
)
from sizewell.instance_selection.counterfactuals import QUANTIZED
from sizewell.instance_selection.decision import DecidedBy
from sizewell.instance_selection.latency_bounds import P95, bound_called
from sizewell.instance_selection.results import AnyCandidate, AnyEstimate, FleetEstimate
from sizewell.instance_selection.wording import milliseconds
from sizewell.kinds.registry import facet
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.workload_plan import LockPlan

#: As many types of the Pareto front are named before "more".
FRONT = 3
#: The heading above the counterfactuals.
WHAT_IF = "If a need changes"


def facts(explanation: Explanation) -> list[str]:
    """Return what the chosen type will do."""
    return facet(explanation.workload.kind, ViewKind).facts(explanation)


def warnings(explanation: Explanation) -> list[str]:
    """Return for each requirement that the pick meets by less than its estimate is sure of, how far it may miss."""
    e = explanation.workload.selection.chosen.estimate
    return [
        *(f"near its limit: {_near(limit, e, explanation)}" for limit in e.near_limits),
        *(
            f"not predicted: {_near(limit, e, explanation)}{_how_to_measure(explanation)}"
            for limit in e.not_predicted
        ),
    ]


def _how_to_measure(explanation: Explanation) -> str:
    """Return what measures the pick; empty where no measurement is taken: of a variant, and of copies of several models."""
    planned = explanation.workload
    estimate = planned.selection.chosen.estimate
    if planned.name != endpoint_of(planned.name) or isinstance(estimate, FleetEstimate):
        return ""
    if not isinstance(estimate, EndpointEstimate):
        return f"; measure it: run it once, then state its speed in measurements.yaml for {planned.name}"
    answers_here = isinstance(planned, EndpointPlan) and not planned.asynchronous
    options = {
        "env": explanation.environment,
        "payload": "FILE",
        "url": None if answers_here else "http://HOST/PATH",
        "config": None if explanation.directory == DEFAULT_DIRECTORY else explanation.directory.as_posix(),
    }
    words = [word for name, value in options.items() if value for word in (f"--{name}", value)]
    return f"; measure it: {shlex.join(['sizewell', 'measure', planned.name, *words])}"


def _near(limit: str, e: AnyEstimate, explanation: Explanation) -> str:
    bound = explanation.asked.bound
    if limit == "memory":
        return f"memory, {e.memory.needed_gib / e.memory.usable_gib:.0%} of what is usable"
    about = bound_called(limit)
    if isinstance(e, EndpointEstimate) and about and (interval := about.range_ms(e)):
        asked = explanation.asked.asked_ms.get(limit, bound)
        if interval[1] <= asked:  # a part of the answer is less sure than the whole, of which the range is
            reached = milliseconds(about.reached_ms(e) or 0.0)
            return f"{limit}, {about.name} of {reached} is less sure than {milliseconds(asked)} asked allows"
        return f"{limit}, {about.name} may reach {milliseconds(interval[1])}, {milliseconds(asked)} asked"
    if not isinstance(e, EndpointEstimate) and limit == "deadline" and e.duration_range_hours:
        return f"deadline, a run may take {hours(e.duration_range_hours[1])}, {bound:g} h asked"
    return limit


def measured_line(explanation: Explanation) -> str | None:
    """Return what of the pick is measured, or scaled by a measurement, rather than predicted; None where nothing is."""
    estimate = explanation.workload.selection.chosen.estimate
    measured = (f"measured: {', '.join(estimate.measured)}",) if estimate.measured else ()
    return "; ".join((*measured, *scaled_words(estimate))) or None


def lock_line(explanation: Explanation) -> str | None:
    """Return what the lock has to do with the pick; None without a lock."""
    lock = explanation.workload.lock
    return f"lock: {_lock_state(lock)}" if lock else None


def _lock_state(lock: LockPlan) -> str:
    if lock.state == "infeasible":
        return f"not followed: {lock.instance_type} cannot be used ({lock.reason})"
    if lock.state == "stale":
        return "followed, though the configuration has changed since; run: sizewell lock"
    return "followed"


def decision_line(explanation: Explanation) -> str:
    """Return what decided between the pick and the runner-up."""
    decision, selection = explanation.decision, explanation.workload.selection
    if not selection.runners_up:
        return "no other type meets every requirement"
    chosen, second = selection.chosen, selection.runners_up[0]
    # Which is faster, the 95th percentile says.
    ours, theirs = outcome(chosen.estimate, P95), outcome(second.estimate, P95)
    faster = f"faster, {ours} instead of {theirs}" if ours != theirs else f"as fast ({ours})"
    more = decision.runner_up_more_usd_per_month
    name = second.instance_type
    if decision.by is DecidedBy.LOCK:
        return f"kept by the lock before {name}, which {_free_pick(second, more)}"
    if decision.by is DecidedBy.COST and more is not None:
        whole = second.cost.usd_per_month or 0.0
        share = f" ({more / whole:.0%})" if whole else ""
        tie = " and as fast" if explanation.asked.objective is Objective.LEAST_LATENCY else ""
        if round(more, 2) == 0:
            return f"before {name}: cheaper by less than a cent per month{tie}"
        return f"before {name}: cheaper by {usd(more)} USD per month{share}{tie}"
    if decision.by is DecidedBy.PREDICTED:
        limits = " and ".join(second.estimate.not_predicted)
        return f"before {name}: whether {name} meets {limits} is not predicted"
    if decision.by is DecidedBy.RANGE and more is not None:
        limits = " and ".join(second.estimate.near_limits)
        return f"before {name}: more expensive by {usd(-more)} USD per month, but {name} may miss {limits}"
    if decision.by is DecidedBy.TIME:
        if explanation.asked.objective is Objective.LEAST_LATENCY:
            price = "" if more is None or more >= 0 else f", at {usd(-more)} USD per month more"
            return f"before {name}: {faster}{price}"
        equal = "no price is known for either" if more is None else "at the same cost"
        return f"before {name}: {equal}, {faster}"
    if decision.by is DecidedBy.KNOWN_PRICE:
        return f"before {name}: its price is unknown"
    return f"before {name}: equal in cost and time, the first by name"


def _free_pick(second: AnyCandidate, more: float | None) -> str:
    if more is None:
        return "would be the pick without it; a price is unknown"
    if round(more, 2) == 0:
        return f"would cost the same and take {outcome(second.estimate, P95)}"
    return f"would cost {usd(abs(more))} USD per month {'less' if more < 0 else 'more'}"


def cheaper_line(explanation: Explanation) -> str | None:
    """Return why the nearest cheaper type was rejected; None where no type is cheaper by the hour."""
    miss = explanation.decision.nearest_cheaper
    if miss is None:
        return None
    short = f" ({miss.shortfall:.3g} times)" if miss.shortfall else ""
    return f"cheaper by the hour, but not {miss.instance_type}: {miss.filter}: {miss.reason}{short}"


def front_line(explanation: Explanation) -> str | None:
    """Return what else the Pareto front offers, as it lies to the pick; None where no other type is on it."""
    chosen = explanation.workload.selection.chosen
    groups: dict[str, list[AnyCandidate]] = {}
    for other in explanation.front:
        if other.instance_type != chosen.instance_type:
            groups.setdefault(_beside(explanation, other), []).append(other)
    return "; ".join(f"{words}: {_listed(explanation, others)}" for words, others in groups.items()) or None


def _beside(explanation: Explanation, other: AnyCandidate) -> str:
    """Return what another type is beside the pick: ``more expensive and faster``."""
    chosen = explanation.workload.selection.chosen
    ours, theirs = chosen.cost.usd_per_month, other.cost.usd_per_month
    if ours is None or theirs is None:
        price = "of known price"
    else:
        price = "cheaper" if theirs < ours else "more expensive" if theirs > ours else "as expensive"
    time, their_time = explanation.time(chosen.estimate), explanation.time(other.estimate)
    return f"{price} and {'faster' if their_time < time else 'slower' if their_time > time else 'as fast'}"


def _listed(explanation: Explanation, others: list[AnyCandidate]) -> str:
    named = [
        f"{c.instance_type} ({explanation.outcome(c)}, {usd(c.cost.usd_per_month)} USD)"
        for c in others[:FRONT]
    ]
    more = [f"{len(others) - FRONT} more"] if len(others) > FRONT else []
    return ", ".join(named + more)


def savings_plan_line(explanation: Explanation) -> str | None:
    """Return from which use on the configured Savings Plan pays; None without one."""
    hours_per_month = explanation.workload.selection.chosen.cost.savings_plan_break_even_hours
    if hours_per_month is None:
        return None
    return f"the Savings Plan pays from {hours_per_month:,.0f} hours of use in a month"


def counterfactual_rows(explanation: Explanation) -> list[tuple[str, str, str, str, str]]:
    """Return for each changed need that changes the pick: the need, the pick, its outcome, USD per month, the difference."""
    return [
        (
            one.change.name,
            f"{instance_count(one.pick)} x {one.pick.instance_type}",
            outcome(one.pick.estimate),
            usd(one.pick.cost.usd_per_month),
            _saving(one),
        )
        for one in explanation.asked.counterfactuals
        if one.pick is not None and one.changes_pick
    ]


def counterfactual_notes(explanation: Explanation) -> list[str]:
    """Return which changed needs change nothing, which nothing meets, and what is assumed of them."""
    told, engine = explanation.asked.counterfactuals, explanation.asked.engine
    if not told:
        return []
    same = [one.change.name for one in told if not one.changes_pick]
    lines = [f"no change: {', '.join(same)}"] if same else []
    lines += [
        f"{one.change.name}: nothing meets the needs; the nearest, {one.nearest.instance_type}: "
        f"{one.nearest.filter}: {one.nearest.reason}"
        for one in told
        if one.nearest is not None
    ]
    lines += [f"{one.change.name}: {one.change.assumption}" for one in told if one.change.assumption]
    if engine is not None:
        lines.append("another engine needs an image that has it")
        if engine.name in QUANTIZED:
            lines.append("fewer bits may change the answers")
        else:
            lines.append(
                f"int8, fp8 and int4 are not tried: {engine.name} needs a library for them, and no image says that it has one"
            )
        if explanation.workload.selection.chosen.estimate.measured:
            lines.append("what was measured says nothing of another engine or number format")
    lock = explanation.workload.lock
    if explanation.decision.by is DecidedBy.LOCK and lock:
        lines.append(f"the difference is to {lock.best_instance_type}, the pick without the lock")
    return lines


def _saving(one: AnyCounterfactual) -> str:
    saving = one.saving_usd_per_month
    if saving is None:
        return "unknown"
    if round(saving, 2) == 0:
        return "the same"
    assert one.pick is not None
    theirs = one.pick.cost.usd_per_month or 0.0
    share = f" ({saving / (saving + theirs):.0%})" if saving > 0 else ""
    return f"{usd(abs(saving))} {'less' if saving > 0 else 'more'}{share}"


def list_title(explanation: Explanation) -> str:
    """Return the title of the list of candidates, which says how they are ordered."""
    order = "fastest" if explanation.asked.objective is Objective.LEAST_LATENCY else "cheapest"
    if explanation.decision.by is DecidedBy.LOCK:
        return f"Meets every requirement: the locked type, then {order} first"
    return f"Meets every requirement, {order} first"
