"""What was decided for a notebook, in sentences."""

from sizewell.planning.notebook_plan_model import NotebookPlan
from sizewell.planning.plan import InstanceWorkload


def notebook_lines(workload: InstanceWorkload) -> list[str]:
    """Return what it has, for how long it runs, and what stops it; nothing for any other workload."""
    if not isinstance(workload, NotebookPlan):
        return []
    e = workload.selection.chosen.estimate
    gpus = f", {e.accelerator_count} accelerator(s)" if e.accelerator_count else ""
    zone = workload.stops[0].time_zone
    stops = " and ".join(one.expression for one in workload.stops)
    return [
        f"{e.vcpus} vCPUs, {e.memory.usable_gib:g} GiB of memory{gpus}, a volume of {workload.volume_size_gib} GiB",
        f"runs {e.duration_hours:,.4g} hours in a month, {e.utilization:.0%} of its working hours",
        f"stops after {workload.idle_shutdown_minutes} minutes without work",
        f"is stopped every hour outside of its working hours, whoever has started it: {stops}, {zone}",
        f"{workload.platform_identifier}: in the VPC alone, without root and direct internet access",
    ]
