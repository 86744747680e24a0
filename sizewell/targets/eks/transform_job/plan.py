"""The decisions for a batch transform in a cluster of Amazon EKS: its nodes, its pods, and what the cluster must have."""

from collections.abc import Iterator
from functools import partial

from sizewell.planning.errors import PlanError
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.remedies import TRANSFORM_REMEDIES
from sizewell.targets.eks.cluster import EksCluster
from sizewell.targets.eks.manifests.transforming_pods import TRANSFORMER
from sizewell.targets.eks.node_group import RUNS_AT_A_TIME, plan_node_group
from sizewell.targets.eks.pods_plan import (
    NAME,
    SYSTEM_VOLUME_GIB,
    assumptions_of,
    catalog_of,
    catalog_of_plan,
    plan_cluster,
    plan_node_pool,
    pod_faults,
    pod_room,
)
from sizewell.targets.eks.pods_plan_model import PodPlan
from sizewell.targets.eks.proof import unsound
from sizewell.targets.eks.runs_plan import assumptions_of_runs, needed_by_runs
from sizewell.targets.eks.transform_job.plan_model import EksTransformJobPlan
from sizewell.targets.transforming.on_ec2 import transform_on_ec2


def _plan(stated: Stated) -> Planned:
    plan = plan_transform_job(stated)
    if found := pod_faults(stated, plan, "to read the rows and to write the results", needed_by_runs(stated)):
        raise PlanError(found)  # no manifest is written of what the cluster has not
    return plan, ()


def plan_transform_job(stated: Stated) -> EksTransformJobPlan:
    """Return the plan of a batch transform whose cluster is ``stated.cluster``; raises what ``transform_on_ec2`` does."""
    cluster: EksCluster = stated.cluster
    transformed = transform_on_ec2(
        stated,
        catalog_of(cluster, stated.catalog, TRANSFORMER),
        _assumptions(cluster),
    )
    fields = transformed.fields
    pool = plan_node_pool(
        stated,
        transformed.types,
        transformed.kind,
        volume_size_gib=SYSTEM_VOLUME_GIB + fields["volume_size_gib"],
        max_nodes=fields["instance_count"],
    )
    pod = PodPlan(
        **pod_room(stated, transformed.types, TRANSFORMER),
        startup_s=fields["startup_s"],
        longest_answer_s=fields["answer_timeout_s"],
    )
    return EksTransformJobPlan(
        **fields,
        cluster=plan_cluster(stated),
        node_pool=pool,
        node_group=plan_node_group(stated, pool, pod.devices, max_nodes=RUNS_AT_A_TIME * pool.max_nodes),
        pod=pod,
    )


def _assumptions(cluster: EksCluster) -> Iterator[str]:
    yield from assumptions_of(cluster)
    yield "a node is there, and has its image and the model, as soon as an instance of SageMaker: nobody measured it"
    yield (
        "the program beside the model calls S3, so the model can call HTTPS, too, whatever container.network_isolation says"
    )
    yield from assumptions_of_runs(cluster)


FACET = PlanKind(
    plan=_plan,
    name=NAME,
    remedies=lambda _: TRANSFORM_REMEDIES,
    foundation_faults=unsound,
    catalog=partial(catalog_of_plan, beside=TRANSFORMER),
)
