"""What people see of a model that tasks serve."""

from collections.abc import Iterator

from sizewell.cli.endpoint_words import asked_of, endpoint_facts, endpoint_row
from sizewell.cli.kind import Asked, Subject, ViewKind
from sizewell.targets.ecs.service.plan_model import EcsServicePlan
from sizewell.targets.served_on_ec2 import ec2_requirements


def _notes(plan: EcsServicePlan) -> Iterator[str]:
    yield f"runs in the cluster {plan.cluster.name}; {_scaling(plan)}"


def _scaling(plan: EcsServicePlan) -> str:
    """Return by what tasks scale, and where the target comes from."""
    if (scaling := plan.scaling) is None:
        return f"scaling: always {plan.initial_instance_count} tasks"
    return f"scaling: {scaling.target_value:g} requests/s in each task: {scaling.derivation}"


def _explain(subject: Subject) -> Asked:
    types = subject.plan.instance_pools
    others = f"ECS launches any of: {', '.join(types)}" if len(types) > 1 else None
    needs = ec2_requirements(subject.stated, subject.policy, subject.measured)
    return asked_of(subject, needs, without_capacity=others)


def _more(plan: EcsServicePlan) -> list[str]:
    task = plan.task
    devices = f", {task.gpu_count} GPUs" if task.gpu_count else ", all Neuron devices" if task.neuron else ""
    return [
        _scaling(plan),
        f"instances: one task on each of {', '.join(plan.instance_pools)}; at most {plan.max_tasks}",
        f"a task asks for {task.cpu_units / 1024:g} vCPUs, {task.memory_mib / 1024:.3g} GiB{devices}",
    ]


FACET = ViewKind(
    row=endpoint_row,
    notes=_notes,
    explain=_explain,
    facts=lambda explanation: endpoint_facts(explanation, _more),
    why_not_migrated="which runs in a cluster",
)
