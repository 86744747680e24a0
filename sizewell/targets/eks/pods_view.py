"""What people see of the pods of a workload."""

from sizewell.targets.eks.pods_plan_model import EksPodsPlan, PodRoomPlan
from sizewell.targets.view import scaling_words

#: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html
_NOTICE_S = 120
#: What becomes, by whether somebody waits for the answers, of all pods on Spot at once, and of an answer that takes too long.
_LOST = {
    True: ("half of the pods answer until others are ready", "is cut off"),
    False: ("requests wait until others are ready", "begins again, as one of its tries"),
}


def pod_lines(plan: EksPodsPlan) -> list[str]:
    """Return how pods scale, where they run, and what each asks for."""
    pool = plan.node_pool
    return [
        scaling_words(plan, "pod"),
        f"nodes: one pod on each of {', '.join(pool.instance_types)}; at most {pool.max_nodes}",
        *_spot_lines(plan),
        room_words(plan.pod),
    ]


def _spot_lines(plan: EksPodsPlan) -> list[str]:
    """Return what is on Spot, what that saves and risks; nothing where all nodes are on demand."""
    if (spot := plan.on_spot) is None:
        return []
    saves = (
        f"no saving of {plan.instance_type} is known"
        if spot.savings_percent is None
        else f"it saves about {spot.savings_percent:.0f} % of {plan.instance_type}, which the bill counts, and "
        f"{spot.interruption_band} of its instances were interrupted in a month (EC2 Spot Instance Advisor, {spot.as_of})"
    )
    at_once, late = _LOST[spot.share < 1]
    is_late = plan.pod.longest_answer_s >= _NOTICE_S
    return [
        f"Spot: {'half of the pods' if spot.share < 1 else 'all pods'}, on demand while it has no capacity; {saves}",
        f"if EC2 takes all of Spot back at once, {at_once}"
        + (f"; an answer that takes longer than the notice of {_NOTICE_S} s {late}" if is_late else ""),
    ]


def room_words(pod: PodRoomPlan) -> str:
    """Return what a pod asks for."""
    devices = "".join(f", {count} {name}" for name, count in pod.devices.items())
    return f"a pod asks for {pod.cpu_millicores / 1000:.3g} vCPUs, {pod.memory_mib / 1024:.3g} GiB{devices}"
