"""How the instances of an endpoint scale, and what an asynchronous one does with its queue, in sentences."""

from sizewell.planning.endpoint_plan_model import EndpointPlan, VariantPlan
from sizewell.planning.plan import InstanceWorkload
from sizewell.planning.scaling_policies import TargetTrackingPlan


def scaling_lines(workload: InstanceWorkload) -> list[str]:
    """Return by what the instances of a variant scale, and where the target comes from; nothing where they do not."""
    policies = workload.scaling.policies if isinstance(workload, VariantPlan) and workload.scaling else ()
    return [
        f"scaling: {policy.name}"
        f"{f' at {policy.target_value:g}' if isinstance(policy, TargetTrackingPlan) else ''}: {policy.derivation}"
        for policy in policies
    ]


def queue_lines(workload: InstanceWorkload) -> list[str]:
    """Return whether the instances sleep, by what they scale, and what callers state; nothing for other workloads."""
    if not isinstance(workload, EndpointPlan) or workload.asynchronous is None:
        return []
    asynchronous = workload.asynchronous
    return [
        f"queue: {asynchronous.why}",
        *scaling_lines(workload),
        f"callers state InvocationTimeoutSeconds={asynchronous.invocation_timeout_s} and "
        f"RequestTTLSeconds={asynchronous.request_ttl_s}, and put requests below {asynchronous.input_prefix}",
    ]
