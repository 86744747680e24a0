"""The manifests of a training in a cluster."""

from collections.abc import Mapping

from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.eks.job.plan_model import EksJobPlan
from sizewell.targets.eks.manifests.deployments import network_policy, service_account
from sizewell.targets.eks.manifests.kind import ManifestsKind
from sizewell.targets.eks.manifests.labels import Manifest
from sizewell.targets.eks.manifests.monitoring import alert_rules_of_runs
from sizewell.targets.eks.manifests.nodes import node_class, node_pool_of_runs
from sizewell.targets.eks.manifests.runs import cron_job
from sizewell.targets.eks.manifests.training_pods import TRAIN, TRAINING_GRACE_S, training_pod


def _manifests(plan: EksJobPlan, foundation: FoundationPlan, tags: Mapping[str, str]) -> dict[str, Manifest]:
    found = {
        "service-account": service_account(plan),
        "node-class": node_class(plan, tags),
        "node-pool": node_pool_of_runs(plan, TRAINING_GRACE_S),
        "cron-job": cron_job(
            plan, training_pod(plan, foundation), program_in=TRAIN, grace_s=TRAINING_GRACE_S
        ),
        # Nobody calls the pod.
        "network-policy": network_policy(plan, (), calls=True),
    }
    if (rules := alert_rules_of_runs(plan)) is not None:
        found["alert-rules"] = rules
    return found


FACET = ManifestsKind(manifests=_manifests)
