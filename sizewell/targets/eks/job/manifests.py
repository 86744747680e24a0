"""The manifests of a training in a cluster."""

from collections.abc import Mapping

from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.eks.job.plan_model import EksJobPlan
from sizewell.targets.eks.manifests.job_sets import job_set, network_policy_of_hosts
from sizewell.targets.eks.manifests.kind import ManifestsKind
from sizewell.targets.eks.manifests.labels import Manifest
from sizewell.targets.eks.manifests.runs import cron_job, run_manifests
from sizewell.targets.eks.manifests.training_pods import TRAIN, TRAINING_GRACE_S, training_pod


def _manifests(plan: EksJobPlan, foundation: FoundationPlan, tags: Mapping[str, str]) -> dict[str, Manifest]:
    pod = training_pod(plan, foundation)
    grace_s = TRAINING_GRACE_S
    if plan.in_job_sets:
        started = {
            "job-set": job_set(plan, pod, pods=plan.instance_count, grace_s=grace_s),
            "network-policy": network_policy_of_hosts(plan),
        }
    else:
        started = cron_job(plan, pod, program_in=TRAIN, grace_s=grace_s)
    return run_manifests(plan, tags, started, grace_s=grace_s)


FACET = ManifestsKind(manifests=_manifests)
