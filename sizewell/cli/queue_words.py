"""What an asynchronous endpoint does with its queue, in sentences."""

from sizewell.planning.plan import EndpointPlan, InstanceWorkload
from sizewell.planning.scaling_policies import TargetTrackingPlan


def queue_lines(workload: InstanceWorkload) -> list[str]:
    """Return whether the instances sleep, by what they scale, and what callers state; nothing for other workloads."""
    if not isinstance(workload, EndpointPlan) or workload.asynchronous is None:
        return []
    asynchronous = workload.asynchronous
    policies = workload.scaling.policies if workload.scaling else ()
    return [
        f"queue: {asynchronous.why}",
        *(
            f"scaling: {policy.name}"
            f"{f' at {policy.target_value:g}' if isinstance(policy, TargetTrackingPlan) else ''}: {policy.derivation}"
            for policy in policies
        ),
        f"callers state InvocationTimeoutSeconds={asynchronous.invocation_timeout_s} and "
        f"RequestTTLSeconds={asynchronous.request_ttl_s}, and put requests below {asynchronous.input_prefix}",
    ]
