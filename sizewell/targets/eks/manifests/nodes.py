"""The nodes of a workload: whatever its cluster launches for it, its pod fits. A node group is no manifest.

https://karpenter.sh/docs/concepts/nodepools/, https://docs.aws.amazon.com/eks/latest/userguide/create-node-pool.html
"""

from collections.abc import Mapping
from typing import Any

from sizewell.instance_selection.requirements import HardwareKind
from sizewell.targets.eks.manifests.labels import CAPACITY_TYPE, Manifest, manifest
from sizewell.targets.eks.node_types import DEVICES
from sizewell.targets.eks.pods_plan_model import EksPlan, EksPodsPlan

#: The names of a node class: of Karpenter, and of EKS Auto Mode.
_CLASSES = {
    "karpenter": ("karpenter.k8s.aws", "v1", "EC2NodeClass"),
    "auto-mode": ("eks.amazonaws.com", "v1", "NodeClass"),
}
#: Security fixes arrive with new nodes: the defaults of Karpenter, 30 days, and of EKS Auto Mode, 14 days.
_EXPIRE_AFTER = {"karpenter": "720h", "auto-mode": "336h"}
#: A node of runs goes after them, and expiration would end one. EKS Auto Mode lets no node live longer than 21 days, its grace
#: period among them: https://docs.aws.amazon.com/eks/latest/userguide/automode.html
_RUNS_EXPIRE_AFTER = {"karpenter": "Never", "auto-mode": "480h"}
#: Ours. How long a node stays without a pod.
EMPTY_NODE_S = 300
#: Ours. A pod that does not end must not keep its node for ever: it has half an hour beyond what it may take.
_AFTER_POD_S, _HOUR_S = 1800, 3600

#: Ours. While pods move to other types, nodes of both generations count in the limits of the pool, and no old pod ends before its
#: successor is ready: a limit for the new nodes alone, if they are smaller or fewer, would be full of old ones. A step to types
#: of less than half the size may still need a limit that is raised by hand.
_GENERATIONS = 2
#: The chart of NVIDIA's device plugin starts its pods on nodes with this label, or with one of Node Feature Discovery, whose own
#: pods do not tolerate our taint (NVIDIA/k8s-device-plugin, deployments/helm/nvidia-device-plugin/values.yaml). The plugin of EKS
#: Auto Mode is no DaemonSet: https://docs.aws.amazon.com/eks/latest/userguide/auto-accelerated.html
GPU_PRESENT = {"nvidia.com/gpu.present": "true"}


def nodes(plan: EksPodsPlan, tags: Mapping[str, str]) -> dict[str, Manifest]:
    """Return the nodes of a model: all types in one list, of which the cheapest that has capacity is launched."""
    # A node that holds a model is not moved to save a little: its successor would load for minutes.
    return _nodes(plan, tags, _EXPIRE_AFTER, plan.pod.longest_answer_s, {"nodes": "1"})


def nodes_of_runs(plan: EksPlan, tags: Mapping[str, str], grace_s: int) -> dict[str, Manifest]:
    """Return the nodes of pods that end by themselves, or after ``grace_s``.

    No run is ended to replace its node. A budget says so, not an annotation of the pod: with karpenter.sh/do-not-disrupt,
    Karpenter 1.x does not evict the pod of a Spot Instance that EC2 takes back, either, and nobody tells it to save a checkpoint:
    https://github.com/aws/karpenter-provider-aws/issues/8276
    """
    budget = {"nodes": "0", "reasons": ["Drifted", "Underutilized"]}
    return _nodes(plan, tags, _RUNS_EXPIRE_AFTER, grace_s, budget)


def _nodes(
    plan: EksPlan,
    tags: Mapping[str, str],
    expire_after: Mapping[str, str],
    pod_ends_s: int,
    budget: Mapping[str, Any],
) -> dict[str, Manifest]:
    if plan.node_group is not None:
        return {}
    return {
        "node-class": _node_class(plan, tags),
        "node-pool": _pool(plan, expire_after, pod_ends_s, budget=budget),
    }


def _pool(
    plan: EksPlan, expire_after: Mapping[str, str], pod_ends_s: int, *, budget: Mapping[str, Any]
) -> Manifest:
    pool = plan.node_pool
    group, _, kind = _CLASSES[plan.cluster.nodes]
    most_nodes = _GENERATIONS * pool.max_nodes
    has_plugin_of_nvidia = (
        plan.cluster.nodes == "karpenter" and DEVICES[HardwareKind.CUDA] in plan.pod.devices
    )
    requirements = {
        "node.kubernetes.io/instance-type": list(pool.instance_types),
        "kubernetes.io/arch": [pool.architecture],
        CAPACITY_TYPE: list(pool.capacity_types),
    }
    return manifest(
        "karpenter.sh/v1",
        "NodePool",
        pool.name,
        plan,
        namespaced=False,
        spec={
            "template": {
                **({"metadata": {"labels": GPU_PRESENT}} if has_plugin_of_nvidia else {}),
                "spec": {
                    "nodeClassRef": {"group": group, "kind": kind, "name": pool.name},
                    "requirements": [
                        {"key": key, "operator": "In", "values": values}
                        for key, values in requirements.items()
                    ],
                    "taints": [{"key": pool.taint, "value": "true", "effect": "NoSchedule"}],
                    "expireAfter": expire_after[plan.cluster.nodes],
                    "terminationGracePeriod": f"{-(-(pod_ends_s + _AFTER_POD_S) // _HOUR_S)}h",
                },
            },
            "disruption": {
                "consolidationPolicy": "WhenEmpty",
                "consolidateAfter": f"{EMPTY_NODE_S // 60}m",
                "budgets": [budget],
            },
            "limits": {
                "cpu": str(most_nodes * pool.vcpus),
                **{name: str(most_nodes * count) for name, count in plan.pod.devices.items()},
            },
        },
    )


def _node_class(plan: EksPlan, tags: Mapping[str, str]) -> Manifest:
    """Return what the nodes are made of."""
    cluster, pool = plan.cluster, plan.node_pool
    group, version, kind = _CLASSES[cluster.nodes]
    terms = [{"tags": cluster.discovery_tags}]
    spec: dict[str, Any] = {
        "role": cluster.node_role,
        "subnetSelectorTerms": terms,
        "securityGroupSelectorTerms": terms,
        "tags": dict(tags),
    }
    if cluster.nodes == "karpenter":
        spec |= {
            "amiSelectorTerms": [{"alias": cluster.ami}],
            "blockDeviceMappings": [
                {
                    "deviceName": "/dev/xvda",
                    "ebs": {
                        "volumeSize": f"{pool.volume_size_gib}Gi",
                        "volumeType": "gp3",
                        "encrypted": True,
                        "deleteOnTermination": True,
                    },
                }
            ],
            # Containers reach no role of the node.
            "metadataOptions": {
                "httpEndpoint": "enabled",
                "httpProtocolIPv6": "disabled",
                "httpPutResponseHopLimit": 1,
                "httpTokens": "required",
            },
        }
    else:
        spec["ephemeralStorage"] = {"size": f"{pool.volume_size_gib}Gi"}
    return manifest(f"{group}/{version}", kind, pool.name, plan, namespaced=False, spec=spec)
