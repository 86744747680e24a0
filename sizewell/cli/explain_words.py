"""The sentences of an explanation, as the terminal and the page say them."""

from sizewell.cli.candidates import instance_count
from sizewell.cli.component_words import fleet_lines
from sizewell.cli.explanation import AnyCounterfactual, Explanation
from sizewell.cli.formats import hours, outcome, scaled_words, spread, usd
from sizewell.cli.multi_model_words import multi_model_lines
from sizewell.cli.notebook_words import notebook_lines
from sizewell.cli.queue_words import queue_lines, scaling_lines
from sizewell.instance_selection import (
    EndpointEstimate,
    FleetEstimate,
    NotebookEstimate,
    Objective,
    ProcessingEstimate,
    TransformEstimate,
)
from sizewell.instance_selection.counterfactuals import QUANTIZED
from sizewell.instance_selection.decision import DecidedBy
from sizewell.instance_selection.latency_bounds import BOUNDS, P95, P99, bound_called, decisive_bound
from sizewell.instance_selection.results import AnyCandidate, AnyEstimate
from sizewell.instance_selection.wording import counted, milliseconds
from sizewell.planning.endpoint_plan_model import VariantPlan
from sizewell.planning.training_plan_model import TrainedModelPlan, TrainingAttemptPlan, TrainingJobPlan
from sizewell.planning.workload_plan import LockPlan

#: As many types of the Pareto front are named before "more".
FRONT = 3
#: The heading above the counterfactuals.
WHAT_IF = "If one need were otherwise"


def facts(explanation: Explanation) -> list[str]:
    """Return what the chosen type will do."""
    chosen = explanation.workload.selection.chosen
    e = chosen.estimate
    memory = f"memory: {e.memory.needed_gib:.1f} of {e.memory.usable_gib:.1f} GiB usable"
    if isinstance(e, NotebookEstimate):
        return notebook_lines(explanation.workload)
    if isinstance(e, FleetEstimate):
        return fleet_lines(e)
    if isinstance(e, EndpointEstimate):
        sure = spread(e, P95)
        split = f", tensor parallel over {e.tensor_parallel_degree}" if e.tensor_parallel_degree > 1 else ""
        return [
            *engine_line(explanation),
            # The models that are loaded together are told below.
            *([] if getattr(explanation.workload, "multi_model", None) else [f"{memory}{split}"]),
            f"one request alone: {milliseconds(e.service_time_ms)}; p95 at peak: {milliseconds(e.p95_latency_ms)}"
            f"{f' ({sure})' if sure else ''}, {milliseconds(explanation.asked_ms.get(P95.filter, explanation.bound))} asked",
            *_further_latencies(explanation, e),
            f"capacity of one instance: {e.capacity_requests_per_second:.3g} requests/s",
            f"instances: {e.instances_at_average} at average load, {e.instances_at_peak} at peak{_by_schedule(explanation, e)}",
            *(queue_lines(explanation.workload) or scaling_lines(explanation.workload)),
            *multi_model_lines(explanation.workload),
        ]
    if isinstance(e, ProcessingEstimate):
        accelerators = f", {e.accelerator_count} accelerator(s)" if e.accelerator_count else ""
        return [
            f"memory: {e.memory.needed_gib:g} of {e.memory.usable_gib:g} GiB asked for",
            f"{e.instance_count} instance(s), each with {e.vcpus} vCPU(s){accelerators}",
            f"{hours(e.duration_hours)} paid for in a run, {explanation.bound:g} h allowed; {usd(e.usd_per_run)} USD per run",
        ]
    sure = spread(e)
    if isinstance(e, TransformEstimate):
        split = f", tensor parallel over {e.tensor_parallel_degree}" if e.tensor_parallel_degree > 1 else ""
        return [
            *engine_line(explanation),
            # The models that are loaded together are told below.
            *([] if getattr(explanation.workload, "multi_model", None) else [f"{memory}{split}"]),
            f"one request of {counted(e.rows_per_request, 'row')}, {e.concurrent_requests} at a time on an instance: "
            f"{milliseconds(e.request_time_ms)}",
            f"{counted(e.instance_count, 'instance')}: {_rate(e.rows_per_second)} rows per second",
            f"{hours(e.duration_hours)}{f' ({sure})' if sure else ''}, {explanation.bound:g} h asked; "
            f"{usd(e.usd_per_run)} USD per run",
        ]
    accelerators = f", {counted(e.accelerator_count, 'accelerator')}" if e.accelerator_count else ""
    where = "on each accelerator" if e.accelerator_count else "on the host"
    lines = [
        f"{memory} {where}{', sharded over all' if e.sharded else ''}",
        f"{counted(e.instance_count, 'instance')}{accelerators}: "
        f"{e.units_per_second:,.0f} examples or tokens per second",
        f"{hours(e.duration_hours)}{f' ({sure})' if sure else ''}, {explanation.bound:g} h asked; "
        f"{usd(e.usd_per_run)} USD per run",
    ]
    if e.spot_savings_pct is not None:
        lines.append(f"Spot saves about {e.spot_savings_pct:.0f} %")
    assert isinstance(explanation.workload, TrainedModelPlan)
    if (experiment := explanation.workload.experiment) is not None:
        lines.append(f"its script records each run in the MLflow experiment {experiment}")
    return lines


def _further_latencies(explanation: Explanation, e: EndpointEstimate) -> list[str]:
    """Return the latencies beside the 95th percentile that are asked for or that a generating model has, and what decides."""
    asked, is_streamed = explanation.asked_ms, not queue_lines(explanation.workload)
    told = [
        f"{bound.name} at peak: {milliseconds(ms)}"
        + (f", {milliseconds(asked[bound.filter])} asked" if bound.filter in asked else "")
        for bound in BOUNDS
        if bound is not P95
        and (ms := bound.reached_ms(e)) is not None
        and (bound.filter in asked or (bound is not P99 and is_streamed))
    ]
    decides = f"the {decisive_bound(e).name} decides: it leaves the least room" if len(asked) > 1 else None
    return [line for line in ("; ".join(told), decides) if line]


def _rate(per_second: float) -> str:
    return f"{per_second:,.0f}" if per_second >= 10 else f"{per_second:.2g}"


def engine_line(explanation: Explanation) -> list[str]:
    """Return what executes the model, and whether anybody said so; nothing where it makes no difference."""
    engine = explanation.engine
    if engine is None:
        return []
    return [f"engine: {engine.name}{'' if engine.stated else ', which is assumed: none is stated'}"]


def _by_schedule(explanation: Explanation, e: EndpointEstimate) -> str:
    if e.instances_by_schedule is None:
        return ""
    words = "awake on average" if queue_lines(explanation.workload) else "by schedule"
    return f"; {e.instances_by_schedule:.3g} are paid for, {words}"


def warnings(explanation: Explanation) -> list[str]:
    """Return for each requirement that the pick meets by less than its estimate is sure of, how far it may miss."""
    e = explanation.workload.selection.chosen.estimate
    return [f"near its limit: {_near(limit, e, explanation)}" for limit in e.near_limits]


def _near(limit: str, e: AnyEstimate, explanation: Explanation) -> str:
    bound = explanation.bound
    if limit == "memory":
        return f"memory, {e.memory.needed_gib / e.memory.usable_gib:.0%} of what is usable"
    about = bound_called(limit)
    if isinstance(e, EndpointEstimate) and about and (interval := about.range_ms(e)):
        asked = explanation.asked_ms.get(limit, bound)
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
        tie = " and as fast" if explanation.objective is Objective.LEAST_LATENCY else ""
        if round(more, 2) == 0:
            return f"before {name}: cheaper by less than a cent per month{tie}"
        return f"before {name}: cheaper by {usd(more)} USD per month{share}{tie}"
    if decision.by is DecidedBy.RANGE and more is not None:
        limits = " and ".join(second.estimate.near_limits)
        return f"before {name}: dearer by {usd(-more)} USD per month, but {name} may miss {limits}"
    if decision.by is DecidedBy.TIME:
        if explanation.objective is Objective.LEAST_LATENCY:
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
    """Return why the nearest cheaper type was turned down; None where no type is cheaper by the hour."""
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
    """Return what another type is beside the pick: ``dearer and faster``."""
    chosen = explanation.workload.selection.chosen
    ours, theirs = chosen.cost.usd_per_month, other.cost.usd_per_month
    if ours is None or theirs is None:
        price = "of known price"
    else:
        price = "cheaper" if theirs < ours else "dearer" if theirs > ours else "as dear"
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
        for one in explanation.counterfactuals
        if one.pick is not None and one.changes_pick
    ]


def counterfactual_notes(explanation: Explanation) -> list[str]:
    """Return which changed needs change nothing, which nothing meets, and what is assumed of them."""
    told, engine = explanation.counterfactuals, explanation.engine
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


def pools_line(explanation: Explanation) -> str | None:
    """Return the alternatives for when there is no capacity, and who takes them; None where there are none."""
    workload = explanation.workload
    provisioned = workload.provisioned_pools if isinstance(workload, VariantPlan) else None
    if provisioned is not None:
        return f"without capacity, SageMaker takes: {', '.join(provisioned.instance_types[1:])}"
    if isinstance(workload, TrainingJobPlan) and workload.training_plan_arn is not None:
        return f"runs in {workload.training_plan_arn.rpartition(':')[2]}, and nowhere else"
    if isinstance(workload, TrainingJobPlan):
        return f"tried in turn: {_ladder(workload.attempts)}"
    pools = workload.instance_pools
    return f"without capacity, on the same image: {', '.join(pools[1:])}" if len(pools) > 1 else None


def _ladder(attempts: tuple[TrainingAttemptPlan, ...]) -> str:
    on_spot = ", ".join(
        f"{one.instance_type} until {one.ends_after_s / 3600:,.1f} h" for one in attempts if one.spot
    )
    on_demand = ", ".join(one.instance_type for one in attempts if not one.spot)
    return "; ".join(
        f"{how}: {types}" for how, types in (("on Spot", on_spot), ("on demand", on_demand)) if types
    )


def list_title(explanation: Explanation) -> str:
    """Return the title of the list of candidates, which says how they are ordered."""
    order = "fastest" if explanation.objective is Objective.LEAST_LATENCY else "cheapest"
    if explanation.decision.by is DecidedBy.LOCK:
        return f"Meets every requirement: the locked type, then {order} first"
    return f"Meets every requirement, {order} first"
