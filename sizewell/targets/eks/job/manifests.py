"""The manifests of a training in a cluster."""

from collections.abc import Mapping

from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.eks.job.plan_model import EksJobPlan
from sizewell.targets.eks.manifests.kind import ManifestsKind
from sizewell.targets.eks.manifests.labels import Manifest
from sizewell.targets.eks.manifests.runs import run_manifests
from sizewell.targets.eks.manifests.training_pods import TRAIN, TRAINING_GRACE_S, training_pod


def _manifests(plan: EksJobPlan, foundation: FoundationPlan, tags: Mapping[str, str]) -> dict[str, Manifest]:
    pod = training_pod(plan, foundation)
    return run_manifests(plan, tags, pod, program_in=TRAIN, grace_s=TRAINING_GRACE_S)


FACET = ManifestsKind(manifests=_manifests)
