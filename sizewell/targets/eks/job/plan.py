"""The decisions for a training in a cluster of Amazon EKS: its nodes, its pod, and what the cluster must have for them."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from sizewell.config.training import TrainedModel
from sizewell.instance_selection import TrainingRequirements
from sizewell.instance_selection.estimation.hardware import BASE_VOLUME_GIB
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.remedies import training_remedies
from sizewell.targets.eks.cluster import Component, EksCluster
from sizewell.targets.eks.efa import efa_of
from sizewell.targets.eks.job.plan_model import EksJobPlan
from sizewell.targets.eks.node_group import RUNS_AT_A_TIME, plan_node_group
from sizewell.targets.eks.node_types import NOTHING
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
from sizewell.targets.eks.pods_plan_model import PodRoomPlan
from sizewell.targets.eks.proof import unsound
from sizewell.targets.eks.runs_plan import assumptions_of_runs, needed_by_runs
from sizewell.targets.eks.scheduling import Overhead
from sizewell.targets.training.on_ec2 import (
    TrainedOnEc2,
    ec2_training_requirements,
    train_on_ec2,
    variable_faults,
)

#: The kubelet ends pods of a node whose volume is fuller than this:
#: https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/#hard-eviction-thresholds
_USABLE_VOLUME_SHARE = 0.9
#: Ours. What EFA takes from the memory of a node as huge pages, which Karpenter does not know, so that a pod that asked for all
#: would fit no node: https://github.com/kubernetes-sigs/karpenter/issues/692. How much it is, no page says.
_HUGE_PAGES = Overhead(cpu_millicores=0, memory_mib=10_240, pods=0)


def eks_training_requirements(*args: Any) -> TrainingRequirements:
    """Return the needs of a training whose nodes Karpenter launches: a run that has a Spot Instance keeps it."""
    needs = ec2_training_requirements(*args)
    return replace(needs, spot=needs.spot and replace(needs.spot, on_demand_fallback=False))


def _plan(stated: Stated) -> Planned:
    plan = plan_job(stated)
    if found := (
        *pod_faults(stated, plan, "to read its data and to write its model", _needed(stated, plan)),
        *variable_faults(plan, "in a cluster of Amazon EKS"),
        *_job_set_faults(plan),
    ):
        raise PlanError(found)  # no manifest is written of what the cluster has not
    return plan, ()


def plan_job(stated: Stated) -> EksJobPlan:
    """Return the plan of a training whose cluster is ``stated.cluster``; raises what ``train_on_ec2`` does."""
    job: TrainedModel = stated.workload
    cluster: EksCluster = stated.cluster
    trained = train_on_ec2(
        stated,
        catalog_of(cluster, stated.catalog, NOTHING),
        _assumptions(job, cluster),
        eks_training_requirements,
    )
    count = trained.fields["selection"].chosen.estimate.instance_count
    volume_gib = SYSTEM_VOLUME_GIB + BASE_VOLUME_GIB + trained.fields["volume_size_gib"]
    pool = plan_node_pool(
        stated,
        trained.types,
        trained.kind,
        capacity_types=tuple(_capacity_types(job)),
        volume_size_gib=math.ceil(volume_gib / _USABLE_VOLUME_SHARE),
        max_nodes=count,
    )
    pod = _pod(stated, trained, count)
    return EksJobPlan(
        **trained.fields,
        cluster=plan_cluster(stated),
        node_pool=pool,
        node_group=plan_node_group(stated, pool, pod.devices, max_nodes=RUNS_AT_A_TIME * pool.max_nodes),
        pod=pod,
    )


def _pod(stated: Stated, trained: TrainedOnEc2, count: int) -> PodRoomPlan:
    """Return what a pod asks for; beside others, all adapters of its node, and less memory."""
    if count == 1:
        return PodRoomPlan(**pod_room(stated, trained.types, NOTHING))
    room = pod_room(stated, trained.types, _HUGE_PAGES)
    return PodRoomPlan(**{**room, "devices": room["devices"] | efa_of(trained.types[0])})


def _job_set_faults(plan: EksJobPlan) -> Iterator[PlanFault]:
    if plan.in_job_sets and plan.node_group is not None:
        yield PlanFault(
            ("clusters", plan.cluster.key, "nodes"),
            f"is node-groups, and {plan.name} needs {plan.instance_count} instances: EKS gives the nodes of a group no EFA "
            "by itself",
            "write karpenter or auto-mode; or write max_instances: 1 at the workload",
        )
    if plan.in_job_sets and plan.schedule is not None:
        yield PlanFault(
            ("workloads", plan.name, "schedule"),
            f"starts no run on {plan.instance_count} instances: such a run is a JobSet, which no CronJob can make",
            "let people or a workflow run kubectl create, and remove the key; or write max_instances: 1",
        )


def _capacity_types(job: TrainedModel) -> Iterator[str]:
    if job.spot.enabled:
        yield "spot"
    if not job.spot.enabled or job.spot.on_demand_fallback:
        yield "on-demand"


def _needed(stated: Stated, plan: EksJobPlan) -> dict[Component, str]:
    needed = needed_by_runs(stated)
    if plan.in_job_sets:
        needed[Component.JOBSET] = f"starts and ends the {plan.instance_count} pods of a run together"
        needed[Component.EFA_DEVICE_PLUGIN] = f"offers the network between nodes of {plan.instance_type}"
    return needed


def _assumptions(job: TrainedModel, cluster: EksCluster) -> Iterator[str]:
    yield from assumptions_of(cluster)
    if job.spot.enabled:
        otherwise = ", and on demand where Spot has no capacity" if job.spot.on_demand_fallback else ""
        yield (
            f"each start of a pod is tried on Spot{otherwise}: a run that is often interrupted is not moved on demand before its "
            "deadline"
        )
    if job.max_instances > 1:
        yield "EC2 alone encrypts the traffic between the hosts of a run, where the type can: nothing is set for that"
    yield "the program around the script calls S3, so the script can call HTTPS, too, whatever container.network_isolation says"
    yield from assumptions_of_runs(cluster)


FACET = PlanKind(
    plan=_plan,
    name=NAME,
    remedies=training_remedies,
    foundation_faults=unsound,
    catalog=partial(catalog_of_plan, beside=NOTHING),
)
