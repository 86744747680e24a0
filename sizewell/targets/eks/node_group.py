"""The managed node group of a workload, which the Cluster Autoscaler scales.

https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from sizewell.planning.kind import Stated
from sizewell.planning.training_plan import job_tags
from sizewell.targets.eks.cluster import Nodes
from sizewell.targets.eks.manifests.labels import NODE_GROUP_LABEL, Manifest
from sizewell.targets.eks.manifests.nodes import GPU_PRESENT
from sizewell.targets.eks.node_selection import INSTANCE_TYPE
from sizewell.targets.eks.pods_plan_model import EksPlan, NodeGroupPlan, NodePoolPlan

#: https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html, amiType.
_AMI_TYPES = {
    ("amd64", None): "AL2023_x86_64_STANDARD",
    ("arm64", None): "AL2023_ARM_64_STANDARD",
    ("amd64", "nvidia.com/gpu"): "AL2023_x86_64_NVIDIA",
    ("arm64", "nvidia.com/gpu"): "AL2023_ARM_64_NVIDIA",
    ("amd64", "aws.amazon.com/neuron"): "AL2023_x86_64_NEURON",
}
#: With the second label, the Cluster Autoscaler waits until a node offers its GPUs, and launches no other one instead
#: (kubernetes/autoscaler cluster-autoscaler/cloudprovider/aws/README.md).
_GPU_LABELS = {**GPU_PRESENT, "k8s.amazonaws.com/accelerator": "nvidia"}
#: What a node offers, for a group without one: the Cluster Autoscaler knows CPU, memory and NVIDIA's GPUs of the type, and reads
#: labels, taints and these tags of the group itself (aws_manager.go there; kubernetes/autoscaler pull request 5596, in 1.28).
_OFFERED = "k8s.io/cluster-autoscaler/node-template/resources"
#: Ours, as of the limit of a node pool: one that is scheduled, and one that people start.
RUNS_AT_A_TIME = 2
#: API reference: CreateNodegroup, nodegroupName.
_MAX_NAME_CHARACTERS = 63


def plan_node_group(
    stated: Stated,
    pool: NodePoolPlan,
    devices: Mapping[str, int],
    *,
    max_nodes: int,
    min_nodes: int = 0,
    desired_nodes: int = 0,
) -> NodeGroupPlan | None:
    """Return the node group of a workload; None where the cluster has no such groups."""
    if stated.cluster.nodes is not Nodes.NODE_GROUPS:
        return None
    device = next(iter(devices), None)
    fields: dict[str, Any] = {
        "ami_type": _AMI_TYPES[pool.architecture, device],
        "capacity_type": "SPOT" if pool.capacity_types[0] == "spot" else "ON_DEMAND",
        "labels": {
            NODE_GROUP_LABEL: pool.name,
            **(_GPU_LABELS if device == "nvidia.com/gpu" else {}),
        },
        "group_tags": {
            f"{_OFFERED}/ephemeral-storage": f"{pool.volume_size_gib}Gi",
            **{f"{_OFFERED}/{name}": str(count) for name, count in devices.items()},
        },
        "instance_tags": job_tags(stated.name, stated.workload.tags, stated.names, stated.environment_tags),
    }
    where = {"role": stated.cluster.node_role, "subnets": stated.cluster.subnet_ids}
    return NodeGroupPlan(
        name=_name(pool, {**fields, **where}),
        min_nodes=min_nodes,
        desired_nodes=max(min_nodes, desired_nodes) if min_nodes else 0,
        max_nodes=max_nodes,
        # The default one first launches up to two nodes for each Availability Zone:
        # https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html
        update_strategy="DEFAULT" if min_nodes else "MINIMAL",
        **fields,
    )


def _name(pool: NodePoolPlan, fields: Mapping[str, Any]) -> str:
    """Return a name that is another one whenever anything changes but the release and the numbers of nodes.

    Then the group is replaced, and the new one does not collide with the old one. EKS refuses an update of the launch template
    or the release together with any other one: https://github.com/aws/containers-roadmap/issues/1258.
    """
    content = json.dumps([pool.model_dump(exclude={"max_nodes"}), fields], sort_keys=True)
    digest = sha256(content.encode()).hexdigest()[:8]
    return f"{pool.name[: _MAX_NAME_CHARACTERS - 9]}-{digest}"


def as_node_pool(plan: EksPlan) -> list[Manifest]:
    """Return the node group as the proof of ``scheduling`` reads nodes; none where there is no group."""
    if (group := plan.node_group) is None:
        return []
    pool = plan.node_pool
    requirements = [{"key": INSTANCE_TYPE, "operator": "In", "values": list(pool.instance_types)}]
    taints = [{"key": pool.taint, "value": "true", "effect": "NoSchedule"}]
    template = {
        "metadata": {"labels": group.labels},
        "spec": {"requirements": requirements, "taints": taints},
    }
    limits = {"nodes": str(group.max_nodes)}
    return [
        {
            "kind": "NodePool",
            "metadata": {"name": group.name},
            "spec": {"template": template, "limits": limits},
        }
    ]
