"""The decisions for one notebook."""

from collections.abc import Iterator
from dataclasses import replace

from sizewell.config.clock import WEEKDAYS, minute_of_day
from sizewell.config.working_hours import WorkingHours
from sizewell.facts.cron import cron_of_hours
from sizewell.facts.notebook_instances import API, PLATFORM_IDENTIFIER
from sizewell.instance_selection import (
    HardwareKind,
    NotebookRequirements,
    select_notebook_instance,
)
from sizewell.kinds.notebook.config import Notebook
from sizewell.kinds.notebook.plan_model import NotebookPlan
from sizewell.planning.digests import needs_digest
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.locked_selection import select_under_lock
from sizewell.planning.name_limits import NameLimit
from sizewell.planning.names import stated_keys
from sizewell.planning.remedies import COMMON_REMEDIES, PIN, Remedy
from sizewell.planning.translate import discount_percent, limits_of
from sizewell.planning.workload_plan import SchedulePlan

#: What the platform of a notebook has drivers for.
HARDWARE = frozenset({HardwareKind.CPU_X86_64, HardwareKind.CUDA})


def plan_notebook(stated: Stated) -> NotebookPlan:
    """Return the plan of a notebook, on its locked type while that is feasible.

    Raises ``NoFeasibleInstanceError`` and ``UnknownInstanceTypeError``.
    """
    notebook: Notebook = stated.workload
    name, policy, catalog, names = stated.name, stated.policy, stated.catalog, stated.names
    if notebook.instances.instance_type is not None:
        catalog.get(notebook.instances.instance_type)
    needs = NotebookRequirements(
        limits=replace(limits_of(notebook.instances, policy, HARDWARE), image_name=PLATFORM_IDENTIFIER),
        vcpus=notebook.vcpus,
        memory_gib=notebook.memory_gib,
        accelerators=notebook.accelerators,
        hours_per_month=notebook.paid_hours_per_month,
        working_hours_per_month=notebook.working_hours.hours_per_month,
        savings_plan_discount_pct=discount_percent(policy),
    )
    digest = needs_digest(needs, region=policy.region)
    selection, lock = select_under_lock(select_notebook_instance, needs, catalog, stated.locked, digest)
    instance_type, hours = selection.chosen.instance_type, notebook.working_hours
    return NotebookPlan(
        **stated_keys(name, notebook, names),
        notebook_name=names.workload(name),
        environment={},
        network_isolation=False,
        instance_type=instance_type,
        platform_identifier=PLATFORM_IDENTIFIER,
        volume_size_gib=notebook.volume_gib,
        idle_shutdown_minutes=notebook.idle_shutdown_minutes,
        stops=tuple(_schedule(expression, hours) for expression in _stop_expressions(hours)),
        read_prefixes=tuple(prefix.rstrip("/") for prefix in notebook.read_prefixes),
        write_prefixes=tuple(prefix.rstrip("/") for prefix in notebook.write_prefixes),
        selection=selection,
        instance_pools=(instance_type,),
        needs_digest=digest,
        lock=lock,
    )


def _stop_expressions(hours: WorkingHours) -> Iterator[str]:
    """Yield when it is stopped: as working hours end and every hour after it, until they begin; on other days all hours."""
    start, end = minute_of_day(hours.start), minute_of_day(hours.end)
    minute = end % 60
    last_before = (start - minute - 1) // 60
    before = f"0-{last_before}," if last_before >= 0 else ""
    yield cron_of_hours(minute, f"{before}{end // 60}-23", hours.weekdays)
    if free := [day for day in WEEKDAYS if day not in hours.weekdays]:
        yield cron_of_hours(minute, "*", free)


def _schedule(expression: str, hours: WorkingHours) -> SchedulePlan:
    return SchedulePlan(expression=expression, time_zone=hours.time_zone, enabled=True)


def _plan(stated: Stated) -> Planned:
    return plan_notebook(stated), ()


#: For each filter of a notebook's selection.
NOTEBOOK_REMEDIES = {
    **{name: COMMON_REMEDIES[name] for name in ("pinned", "use", "region", "policy")},
    "image": Remedy(PIN, "name a type without an accelerator, or with NVIDIA GPUs"),
    "accelerators": Remedy(("accelerators",), "ask for fewer GPUs"),
    "vcpus": Remedy(("vcpus",), "ask for fewer vCPUs"),
    "memory": Remedy(("memory_gib",), "ask for less memory"),
}


#: API reference: CreateNotebookInstance, NotebookInstanceName.
_NAME = NameLimit("the notebook", 63)

FACET = PlanKind(
    plan=_plan, name=_NAME, remedies=lambda _: NOTEBOOK_REMEDIES, services=lambda _: iter(("logs", API))
)
