"""The decisions for a model that pods of a Deployment serve to those who wait."""

from collections.abc import Iterator

from sizewell.planning.errors import PlanError
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.remedies import ENDPOINT_REMEDIES
from sizewell.targets.eks.cluster import Component, EksCluster
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan
from sizewell.targets.eks.pods_plan import (
    NAME,
    assumptions_of,
    catalog_of,
    catalog_of_plan,
    cluster_faults,
    pod_fields,
)
from sizewell.targets.eks.pods_spot import SHARE_OF_ANSWERING, spot_assumptions
from sizewell.targets.eks.proof import unsound
from sizewell.targets.serving.at_once import WATCHED, replicas_that_answer
from sizewell.targets.serving.on_ec2 import ec2_requirements, serve_on_ec2


def _plan(stated: Stated) -> Planned:
    plan = plan_deployment(stated)
    if found := cluster_faults(stated, plan, _needed(stated, plan)):
        raise PlanError(found)  # no manifest is written of what the cluster has not
    return plan, ()


def plan_deployment(stated: Stated) -> EksDeploymentPlan:
    """Return the plan of a workload whose cluster is ``stated.cluster``; raises what ``serve_on_ec2`` does."""
    cluster, policy = stated.cluster, stated.policy
    served = serve_on_ec2(
        stated,
        ec2_requirements(stated.workload, policy, stated.measurements),
        catalog_of(cluster, stated.catalog),
        *_assumptions(cluster),
        *spot_assumptions(stated),
        watched=WATCHED,
    )
    replicas = replicas_that_answer(stated, served)
    fields = {
        **served.fields,
        **replicas.fields,
        **pod_fields(stated, served, replicas, spot_share=SHARE_OF_ANSWERING),
    }
    if cluster.prometheus is None:
        fields["alarms"] = {}
    return EksDeploymentPlan(**fields)


def _needed(stated: Stated, plan: EksDeploymentPlan) -> dict[Component, str]:
    if plan.scaling is not None:
        return {
            Component.KEDA: "scales the pods; or write equal min_instances and max_instances",
            Component.PROMETHEUS: "counts the requests that pods scale by",
        }
    if stated.policy.production:
        return {
            Component.PROMETHEUS: "watches the requests: in production somebody must hear of errors",
        }
    return {}


def _assumptions(cluster: EksCluster) -> Iterator[str]:
    yield from assumptions_of(cluster)
    yield "a Service of Kubernetes spreads requests at random: the tail of latency is longer than behind a router that counts"
    if cluster.prometheus is None:
        yield "nothing watches the requests: the cluster has no prometheus, and there is no alarm"


FACET = PlanKind(
    plan=_plan,
    name=NAME,
    remedies=lambda _: ENDPOINT_REMEDIES,
    needs=ec2_requirements,
    foundation_faults=unsound,
    catalog=catalog_of_plan,
)
