"""What people see of a model on instances of EC2, whatever places its containers there."""

from collections.abc import Callable

from sizewell.cli.endpoint_words import asked_of
from sizewell.cli.kind import Asked, Subject
from sizewell.instance_selection import EndpointRequirements
from sizewell.targets.serving.on_ec2 import ec2_requirements
from sizewell.targets.serving.plan_model import QueueWorkerPlan, ServedOnEc2Plan

#: Why it is not assessed for a migration, after the name of the kind.
WHY_NOT_MIGRATED = "which runs in a cluster"
_UNITS = {
    "invocations": "requests/s",
    "concurrency": "requests in progress",
    "backlog": "requests that wait or are worked on",
}


def scaling_words(plan: ServedOnEc2Plan, container: str) -> str:
    """Return by what containers scale, and where the target comes from; people call one of them a ``container``."""
    if (scaling := plan.scaling) is None:
        return f"scaling: always {plan.initial_instance_count} {container}s"
    unit = _UNITS[scaling.signal]
    return f"scaling: {scaling.target_value:g} {unit} in each {container}: {scaling.derivation}"


def note(plan: ServedOnEc2Plan, container: str) -> str:
    """Return where it runs, and how it scales."""
    return f"runs in the cluster {plan.cluster.name}; {scaling_words(plan, container)}"


def queue_lines(plan: QueueWorkerPlan) -> list[str]:
    """Return why containers sleep, and what callers send to which queue."""
    queue = plan.queue
    return [
        f"queue: {queue.why}",
        f"callers put requests below {queue.input_prefix}, and send their place to the queue {queue.name}; an answer may take "
        f"{queue.invocation_timeout_s} s, and is tried {queue.max_receives} times",
    ]


def explained(
    subject: Subject,
    launcher: str,
    requirements: Callable[..., EndpointRequirements] = ec2_requirements,
) -> Asked:
    """Return what was asked of a model; ``launcher`` launches its instances."""
    types = subject.plan.instance_pools
    others = f"{launcher} launches any of: {', '.join(types)}" if len(types) > 1 else None
    needs = requirements(subject.stated, subject.policy, subject.measured)
    return asked_of(subject, needs, without_capacity=others)
