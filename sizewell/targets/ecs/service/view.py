"""What people see of a model that tasks serve."""

from sizewell.cli.endpoint_words import endpoint_facts, endpoint_row
from sizewell.cli.kind import ViewKind
from sizewell.targets.ecs.service.plan_model import EcsServicePlan
from sizewell.targets.view import WHY_NOT_MIGRATED, explained, note, scaling_words


def _more(plan: EcsServicePlan) -> list[str]:
    task = plan.task
    devices = f", {task.gpu_count} GPUs" if task.gpu_count else ", all Neuron devices" if task.neuron else ""
    return [
        scaling_words(plan, "task"),
        f"instances: one task on each of {', '.join(plan.instance_pools)}; at most {plan.max_tasks}",
        f"a task asks for {task.vcpus} vCPUs, {task.memory_mib / 1024:.3g} GiB{devices}",
    ]


FACET = ViewKind(
    row=endpoint_row,
    notes=lambda plan: iter((note(plan, "task"),)),
    explain=lambda subject: explained(subject, "ECS"),
    facts=lambda explanation: endpoint_facts(explanation, _more),
    why_not_migrated=WHY_NOT_MIGRATED,
)
