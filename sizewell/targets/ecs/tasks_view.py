"""What people see of the tasks of a model."""

from sizewell.targets.ecs.tasks_plan_model import EcsTasksPlan
from sizewell.targets.view import scaling_words


def task_lines(plan: EcsTasksPlan) -> list[str]:
    """Return how tasks scale, where they run, and what each asks for."""
    task = plan.task
    devices = f", {task.gpu_count} GPUs" if task.gpu_count else ", all Neuron devices" if task.neuron else ""
    return [
        scaling_words(plan, "task"),
        f"instances: one task on each of {', '.join(plan.instance_pools)}; at most {plan.max_tasks}",
        f"a task asks for {task.vcpus} vCPUs, {task.memory_mib / 1024:.3g} GiB{devices}",
    ]
