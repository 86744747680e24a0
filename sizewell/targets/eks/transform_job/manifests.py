"""The manifests of a batch transform in a cluster."""

from collections.abc import Mapping

from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.eks.manifests.kind import ManifestsKind
from sizewell.targets.eks.manifests.labels import Manifest
from sizewell.targets.eks.manifests.runs import cron_job, run_manifests
from sizewell.targets.eks.manifests.transforming_pods import TRANSFORM, TRANSFORM_GRACE_S, transforming_pod
from sizewell.targets.eks.transform_job.plan_model import EksTransformJobPlan


def _manifests(
    plan: EksTransformJobPlan, foundation: FoundationPlan, tags: Mapping[str, str]
) -> dict[str, Manifest]:
    pod, grace_s = transforming_pod(plan, foundation), TRANSFORM_GRACE_S
    started = cron_job(plan, pod, program_in=TRANSFORM, grace_s=grace_s, pods=plan.instance_count)
    return run_manifests(plan, tags, started, grace_s=grace_s)


FACET = ManifestsKind(manifests=_manifests)
