"""The manifests of a batch transform in a cluster."""

from collections.abc import Mapping

from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.eks.manifests.deployments import network_policy, service_account
from sizewell.targets.eks.manifests.kind import ManifestsKind
from sizewell.targets.eks.manifests.labels import Manifest
from sizewell.targets.eks.manifests.monitoring import alert_rules_of_runs
from sizewell.targets.eks.manifests.nodes import node_class, node_pool_of_runs
from sizewell.targets.eks.manifests.runs import cron_job
from sizewell.targets.eks.manifests.transforming_pods import (
    TRANSFORM,
    TRANSFORM_GRACE_S,
    transforming_pod,
)
from sizewell.targets.eks.transform_job.plan_model import EksTransformJobPlan


def _manifests(
    plan: EksTransformJobPlan, foundation: FoundationPlan, tags: Mapping[str, str]
) -> dict[str, Manifest]:
    found = {
        "service-account": service_account(plan),
        "node-class": node_class(plan, tags),
        "node-pool": node_pool_of_runs(plan, TRANSFORM_GRACE_S),
        "cron-job": cron_job(
            plan,
            transforming_pod(plan, foundation),
            program_in=TRANSFORM,
            grace_s=TRANSFORM_GRACE_S,
            pods=plan.instance_count,
        ),
        # Nobody calls the pods.
        "network-policy": network_policy(plan, (), calls=True),
    }
    if (rules := alert_rules_of_runs(plan)) is not None:
        found["alert-rules"] = rules
    return found


FACET = ManifestsKind(manifests=_manifests)
