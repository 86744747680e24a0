"""What people see of runs in a cluster."""

from collections.abc import Iterator

from sizewell.dashboards.graph import Section
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.eks.runs_plan_model import EksRunsPlan


def section_of_runs(plan: EksRunsPlan, _: FoundationPlan) -> Section:
    """Return where the runs are found."""
    cluster = plan.cluster
    text = (
        f"Runs of {plan.name} in the namespace {cluster.namespace} of the cluster {cluster.name}: kubectl get jobs --namespace "
        f"{cluster.namespace} --selector app.kubernetes.io/name={plan.name}."
    )
    return Section(title=plan.name, text=text)


def notes_of_runs(plan: EksRunsPlan) -> Iterator[str]:
    """Yield where it runs, and how people start a run."""
    cluster = plan.cluster
    by_hand = f"kubectl create job --namespace {cluster.namespace} --from=cronjob/{plan.name} {plan.name}-RUN"
    if plan.in_job_sets:
        by_hand = f"kubectl create -f cdk.out/manifests/{cluster.key}/{plan.name}/job-set.yaml"
    yield f"runs in the cluster {cluster.name}; by hand: {by_hand}"
