"""What people see of a model that pods serve."""

from sizewell.cli.endpoint_words import endpoint_facts, endpoint_row
from sizewell.cli.kind import ViewKind
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan
from sizewell.targets.view import WHY_NOT_MIGRATED, explained, note, scaling_words


def _more(plan: EksDeploymentPlan) -> list[str]:
    pool, pod = plan.node_pool, plan.pod
    devices = "".join(f", {count} {name}" for name, count in pod.devices.items())
    return [
        scaling_words(plan, "pod"),
        f"nodes: one pod on each of {', '.join(pool.instance_types)}; at most {pool.max_nodes}",
        f"a pod asks for {pod.cpu_millicores / 1000:.3g} vCPUs, {pod.memory_mib / 1024:.3g} GiB{devices}",
    ]


FACET = ViewKind(
    row=endpoint_row,
    notes=lambda plan: iter((note(plan, "pod"),)),
    explain=lambda subject: explained(subject, "the pool"),
    facts=lambda explanation: endpoint_facts(explanation, _more),
    why_not_migrated=WHY_NOT_MIGRATED,
)
