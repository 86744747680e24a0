"""What people see of all that AWS Batch runs."""

from collections.abc import Iterator

from sizewell.instance_selection.wording import counted
from sizewell.targets.batch.jobs_plan_model import BatchJobsPlan


def notes_of_jobs(plan: BatchJobsPlan) -> Iterator[str]:
    """Yield what runs it, and on which types."""
    yield f"AWS Batch runs it, on any of {', '.join(plan.instance_pools)}"


def room_words(plan: BatchJobsPlan) -> str:
    """Return what its container asks for, and how large the volume is."""
    container = plan.container
    gpus = f", {counted(container.gpu_count, 'GPU')}" if container.gpu_count else ""
    return (
        f"its container asks for {container.vcpus} vCPUs, {container.memory_mib / 1024:.3g} GiB{gpus}; the volume of an instance "
        f"has {plan.attempts[0].volume_size_gib} GiB"
    )
