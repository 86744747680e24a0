"""What people see of the pods of a workload."""

from sizewell.targets.eks.pods_plan_model import EksPodsPlan, PodRoomPlan
from sizewell.targets.view import scaling_words


def pod_lines(plan: EksPodsPlan) -> list[str]:
    """Return how pods scale, where they run, and what each asks for."""
    pool = plan.node_pool
    return [
        scaling_words(plan, "pod"),
        f"nodes: one pod on each of {', '.join(pool.instance_types)}; at most {pool.max_nodes}",
        room_words(plan.pod),
    ]


def room_words(pod: PodRoomPlan) -> str:
    """Return what a pod asks for."""
    devices = "".join(f", {count} {name}" for name, count in pod.devices.items())
    return f"a pod asks for {pod.cpu_millicores / 1000:.3g} vCPUs, {pod.memory_mib / 1024:.3g} GiB{devices}"
