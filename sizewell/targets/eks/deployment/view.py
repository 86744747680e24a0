"""What people see of a model that pods serve."""

from collections.abc import Iterator

from sizewell.cli.endpoint_words import asked_of, endpoint_facts, endpoint_row
from sizewell.cli.kind import Asked, Subject, ViewKind
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan
from sizewell.targets.served_on_ec2 import ec2_requirements


def _notes(plan: EksDeploymentPlan) -> Iterator[str]:
    yield f"runs in the cluster {plan.cluster.name}; {_scaling(plan)[0]}"


def _scaling(plan: EksDeploymentPlan) -> list[str]:
    """Return by what pods scale, and where the target comes from."""
    if (scaling := plan.scaling) is None:
        return [f"scaling: always {plan.initial_instance_count} pods"]
    unit = {"invocations": "requests/s", "concurrency": "requests in progress"}[scaling.signal]
    return [f"scaling: {scaling.target_value:g} {unit} in each pod: {scaling.derivation}"]


def _explain(subject: Subject) -> Asked:
    pool = subject.plan.node_pool.instance_types
    others = f"the pool launches any of: {', '.join(pool)}" if len(pool) > 1 else None
    needs = ec2_requirements(subject.stated, subject.policy, subject.measured)
    return asked_of(subject, needs, without_capacity=others)


def _more(plan: EksDeploymentPlan) -> list[str]:
    pool, pod = plan.node_pool, plan.pod
    devices = "".join(f", {count} {name}" for name, count in pod.devices.items())
    return [
        *_scaling(plan),
        f"nodes: one pod on each of {', '.join(pool.instance_types)}; at most {pool.max_nodes}",
        f"a pod asks for {pod.cpu_millicores / 1000:.3g} vCPUs, {pod.memory_mib / 1024:.3g} GiB{devices}",
    ]


FACET = ViewKind(
    row=endpoint_row,
    notes=_notes,
    explain=_explain,
    facts=lambda explanation: endpoint_facts(explanation, _more),
    why_not_migrated="which runs in a cluster",
)
