"""What is said below the table of a plan: in short, or in full."""

from collections.abc import Iterator, Sequence

from rich.markup import escape

from sizewell.cli.formats import scaled_words, usd
from sizewell.cli.kind import ViewKind
from sizewell.cli.modes_view import mode_line
from sizewell.cli.quota_view import quota_lines
from sizewell.cli.working_hours_notes import month_line, working_hours_lines
from sizewell.facts.budgets import REGIONS as BUDGET_REGIONS
from sizewell.facts.tags import OWN_TAGS
from sizewell.instance_selection.wording import counted
from sizewell.kinds.registry import facet
from sizewell.planning.foundation_plan_model import ExistingNetworkPlan, NewNetworkPlan
from sizewell.planning.images import image_warnings
from sizewell.planning.lock_notes import lock_summary, lock_warnings
from sizewell.planning.network import zone_warning
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.scaling_schedules import schedule_warnings
from sizewell.planning.training_warnings import training_warnings
from sizewell.planning.workload_plan import AccessPlan

#: How many published results fell into their range: of publishers that the fit left out, and of those that no fit has used
#: (docs/guides/estimates.md, "Accuracy").
HELD_LEFT_OUT, HELD_NEVER_USED = "91 %", "84 %"

#: Workloads that a line of the short view names before it counts the rest.
NAMED = 3


def plan_notes(
    plan: DeploymentPlan, *, narrow: bool, ranges: bool, warn_of_lock: bool, details: bool
) -> list[str]:
    """Return a few lines, or all with ``details``."""
    warnings = _warnings(plan, warn_of_lock=warn_of_lock)
    if details:
        return _details(plan, warnings, narrow=narrow, ranges=ranges)
    return _in_short(plan, warnings, ranges=ranges)


def _warnings(plan: DeploymentPlan, *, warn_of_lock: bool) -> dict[str, tuple[str, ...]]:
    """Return the warnings of a plan by what to do about them, where ``{}`` stands for the workloads that they begin with."""
    return {
        "run sizewell lock": lock_warnings(plan) if warn_of_lock else (),
        "check the schedules of {}": tuple(schedule_warnings(plan)),
        "check the training of {}": training_warnings(plan),
        "take a newer image for {}": image_warnings(plan),
        "name the zones": tuple(
            warning
            for foundation in plan.foundations.values()
            if (warning := zone_warning(foundation.network, foundation.region))
        ),
    }


def _in_short(plan: DeploymentPlan, warnings: dict[str, tuple[str, ...]], *, ranges: bool) -> list[str]:
    """Return a few lines: the budget, what is in clusters or stops at night, what is near a limit, what to do, how to read on."""
    bill = plan.bill
    lines = ["The total is without what is paid by use."]
    if (budget := bill.budget_usd_per_month) is not None and bill.usd_per_month is not None:
        lines = [
            f"Budget: {usd(budget)} USD per month; the total takes {bill.usd_per_month / budget:.0%}, without what is paid by "
            "use."
        ]
    if bill.unknown:
        lines[0] += f" [red]Nor is in it, without a known price:[/] {_named(bill.unknown)}."
    in_clusters: dict[str, list[str]] = {}
    for workload in plan.workloads:
        if (target := getattr(workload, "target", None)) is not None:
            in_clusters.setdefault(target, []).append(workload.name)
    lines += [f"In the cluster {escape(target)}: {_named(names)}." for target, names in in_clusters.items()]
    lines += month_line(plan)
    for words, field in (("Near a limit", "near_limits"), ("Not predicted, measure", "not_predicted")):
        found = {w.name: getattr(w.selection.chosen.estimate, field) for w in plan.on_instances}
        if listed := [f"{name} ({', '.join(limits)})" for name, limits in found.items() if limits]:
            lines.append(f"[yellow]{words}:[/] {_named(listed)}.")
    names = [part.name for workload in plan.workloads for part in workload.variants]
    to_do = [
        task.format(_named([name for name in names if any(one.startswith(f"{name}: ") for one in said)]))
        for task, said in warnings.items()
        if said
    ]
    if plan.quotas:
        to_do.append(f"check {counted(len(plan.quotas), 'quota')}")
    if to_do:
        lines.append(f"[yellow]To do:[/] {'; '.join(to_do)}.")
    sure = (
        f"range: {HELD_NEVER_USED} of published results that no fit had seen fell into it. " if ranges else ""
    )
    lines.append(f"[dim]{sure}More: sizewell plan --env {plan.environment} --details[/]")
    return lines


def _named(names: Sequence[str]) -> str:
    """Return names in a line: the first ones, and how many more there are."""
    more = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
    return ", ".join([*map(escape, names[:NAMED]), *more])


def _details(
    plan: DeploymentPlan, warnings: dict[str, tuple[str, ...]], *, narrow: bool, ranges: bool
) -> list[str]:
    """Return everything beside the table: what is in the bill and what is not, and what each workload does."""
    bill = plan.bill
    lines = []
    if bill.published_share is not None:
        lines.append(
            f"At average load; {_share(bill.published_share)} of the total has a price that AWS publishes."
        )
    costs = [one.selection.chosen.cost for one in plan.on_instances]
    dates = sorted({cost.price_date or "undated" for cost in costs if cost.usd_per_hour is not None})
    if costs:
        lines.append(
            f"Prices of instances: {', '.join(dates) or 'none is known'}; catalog {plan.catalog_version}."
        )
    if bill.unknown:
        lines.append(f"[red]Without a known price, and not in the total:[/] {', '.join(bill.unknown)}.")
    if missing := bill.unknown_items():
        named = ", ".join(f"{name} of {_of(workloads)}" for name, workloads in missing.items())
        lines.append(f"No price or no amount known, and not in the total: {named}.")
    if fixed := bill.fixed_costs():
        parts = ", ".join(f"{name}: {usd(cost)}" for name, cost in fixed.items())
        lines.append(
            f"Fixed costs, whatever the load: {usd(bill.fixed_usd_per_month)} of the total ({parts})."
        )
    lines += _budget(plan)
    lines += working_hours_lines(plan)
    lines += _sureness(plan)
    lines += [mode_line(workload.name, workload.modes) for workload in plan.workloads if workload.modes]
    lines += [
        f"{escape(part.name)}: {escape(note)}."
        for workload in plan.workloads
        for part in workload.variants
        for note in facet(part.kind, ViewKind).notes(part)
    ]
    lines += [
        line
        for workload in plan.workloads
        if (access := getattr(workload, "access", None)) is not None
        for line in _access(workload.name, access)
    ]
    if locked := lock_summary(plan):
        lines.append(locked)
    lines += [f"[yellow]{escape(warning)}[/]" for said in warnings.values() for warning in said]
    for foundation in plan.foundations.values():
        if foundation.place is not None:
            lines.append(f"[bold]{foundation.place}[/] is {foundation.account}, {foundation.region}.")
        lines += _network(foundation.network)
    lines += _existing(plan)
    lines += quota_lines(plan)
    lines.append(
        f"Not included: what your app adds, and what is paid by use: {'; '.join(bill.not_included)}."
    )
    used = "used: the share of planned capacity at peak load; for training, of peak arithmetic. "
    used += "".join(dict.fromkeys(facet(workload.kind, ViewKind).used for workload in plan.workloads))
    sure = (
        f"range: {HELD_LEFT_OUT} of published results fell into it (publishers that the fit had not seen), "
        f"and {HELD_NEVER_USED} of others that nothing was fitted to. "
    )
    lines.append(
        f"[dim]{sure if ranges else ''}{'' if narrow else used}"
        f"Why a type was picked: sizewell explain WORKLOAD --env {plan.environment}[/]"
    )
    return lines


def _budget(plan: DeploymentPlan) -> list[str]:
    """Return the budget and who hears of it, and the tags by which AWS can tell what costs what."""
    lines = []
    if (limit := plan.bill.budget_usd_per_month) is not None:
        line = f"Budget: {usd(limit)} USD per month."
        foundation = plan.foundation
        if foundation.budget is not None:
            line += f" An AWS Budget tells {foundation.alarm_topic_name} of 80 % and 100 % of it, and of a forecast above it."
        elif plan.region not in BUDGET_REGIONS:
            line += f" CloudFormation makes no AWS Budget in {plan.region}: nobody hears of costs above it."
        lines.append(line)
    keys = {*OWN_TAGS, *plan.tags, *(key for workload in plan.workloads for key in workload.tags)}
    lines.append(
        f"Cost allocation tags to activate in the account that pays: {', '.join(map(escape, sorted(keys)))}."
    )
    return lines


def _network(network: NewNetworkPlan | ExistingNetworkPlan) -> list[str]:
    """Return which zones and VPC endpoints there will be, or what a VPC that exists must have."""
    services = "; ".join(f"{one.service} ({escape(one.reason)})" for one in network.interface_endpoints)
    if not isinstance(network, NewNetworkPlan):
        return [f"{network.vpc_id} must reach s3{f'; {services}' if services else ''}."]
    lines = [f"Zones: {', '.join(network.availability_zone_ids)}."] if network.availability_zone_ids else []
    return (
        [*lines, f"Interface endpoints in {network.availability_zones} zones: {services}."]
        if services
        else lines
    )


def _existing(plan: DeploymentPlan) -> list[str]:
    """Return what is taken from the account, in place of being made."""
    existing = (one.existing.model_dump().values() for one in plan.foundations.values())
    taken = [name for names in existing for name in names if name is not None]
    taken += dict.fromkeys(w.execution_role_arn for w in plan.workloads if w.execution_role_arn)
    return [f"Taken from the account: {', '.join(map(escape, taken))}."] if taken else []


def _access(name: str, access: AccessPlan) -> Iterator[str]:
    """Yield who may invoke an endpoint, and how."""
    ways = (("by", access.role_arns), ("through a role of its stack by", access.role_arns_elsewhere))
    if who := "; ".join(f"{how} {', '.join(arns)}" for how, arns in ways if arns):
        yield f"{escape(name)} may be invoked {escape(who)}."
    if (api := access.api_gateway) is not None:
        yield (
            f"The API of {escape(name)} may be called by {escape(', '.join(api.role_arns))}: {api.requests_per_second:,} "
            f"requests/s, {api.burst_requests:,} at once."
        )


def _of(workloads: tuple[str, ...]) -> str:
    return escape(workloads[0]) if len(workloads) == 1 else f"{len(workloads)} workloads"


def _sureness(plan: DeploymentPlan) -> list[str]:
    """Return which picks may miss a requirement within the range of their estimate, and which are measured."""
    lines = []
    for words, style, found in (
        (
            "Near a limit",
            "yellow",
            {w.name: w.selection.chosen.estimate.near_limits for w in plan.on_instances},
        ),
        (
            "Not predicted, measure",
            "yellow",
            {w.name: w.selection.chosen.estimate.not_predicted for w in plan.on_instances},
        ),
        ("Measured", "green", {w.name: w.selection.chosen.estimate.measured for w in plan.on_instances}),
        (
            "Measured beside it",
            "green",
            {w.name: scaled_words(w.selection.chosen.estimate) for w in plan.on_instances},
        ),
    ):
        listed = "; ".join(f"{escape(name)} ({', '.join(what)})" for name, what in found.items() if what)
        if listed:
            lines.append(f"[{style}]{words}:[/] {listed}.")
    return lines


def _share(value: float) -> str:
    """Return a percentage that says 100 only where nothing is missing."""
    return "over 99%" if 0.995 <= value < 1 else f"{value:.0%}"
