"""What people see of a model on instances of EC2, whatever places its containers there."""

from sizewell.cli.endpoint_words import asked_of
from sizewell.cli.kind import Asked, Subject
from sizewell.targets.served_on_ec2 import ec2_requirements
from sizewell.targets.served_plan_model import ServedOnEc2Plan

#: Why it is not assessed for a migration, after the name of the kind.
WHY_NOT_MIGRATED = "which runs in a cluster"
_UNITS = {"invocations": "requests/s", "concurrency": "requests in progress"}


def scaling_words(plan: ServedOnEc2Plan, container: str) -> str:
    """Return by what containers scale, and where the target comes from; people call one of them a ``container``."""
    if (scaling := plan.scaling) is None:
        return f"scaling: always {plan.initial_instance_count} {container}s"
    unit = _UNITS[scaling.signal]
    return f"scaling: {scaling.target_value:g} {unit} in each {container}: {scaling.derivation}"


def note(plan: ServedOnEc2Plan, container: str) -> str:
    """Return where it runs, and how it scales."""
    return f"runs in the cluster {plan.cluster.name}; {scaling_words(plan, container)}"


def explained(subject: Subject, launcher: str) -> Asked:
    """Return what was asked of a model; ``launcher`` launches its instances."""
    types = subject.plan.instance_pools
    others = f"{launcher} launches any of: {', '.join(types)}" if len(types) > 1 else None
    needs = ec2_requirements(subject.stated, subject.policy, subject.measured)
    return asked_of(subject, needs, without_capacity=others)
