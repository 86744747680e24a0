"""The names and labels by which objects of one workload find each other."""

from collections.abc import Mapping
from typing import Any

from sizewell.targets.eks.pods_plan_model import EksPlan

Manifest = dict[str, Any]
#: The name of the ports, which a Service and a PodMonitor refer to.
HTTP, METRICS = "http", "metrics"
MODEL = "model"
PROXY = "proxy"
WORKER = "worker"
#: Of the nodes of a node group: the name of a group changes with what its nodes are, and a new one takes the pods of the old one.
NODE_GROUP_LABEL = "sizewell/node-group"
#: What Karpenter calls the kinds of capacity of a node.
CAPACITY_TYPE = "karpenter.sh/capacity-type"


def selector(plan: EksPlan) -> dict[str, str]:
    """Return the labels that pods of a workload have, and no others of the namespace; a Deployment never changes them.

    https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/
    """
    return {"app.kubernetes.io/name": plan.name, "app.kubernetes.io/instance": plan.cluster.namespace}


def caller_label(plan: EksPlan) -> dict[str, str]:
    """Return the label of pods that may call a workload."""
    return {f"sizewell/calls-{plan.name}": "true"}


def manifest(
    api_version: str, kind: str, name: str, plan: EksPlan, *, namespaced: bool = True, **fields: Any
) -> Manifest:
    """Return an object of a workload."""
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {
            "name": name,
            **({"namespace": plan.cluster.namespace} if namespaced else {}),
            "labels": {**selector(plan), "app.kubernetes.io/managed-by": "sizewell"},
        },
        **fields,
    }


def quoted(values: Mapping[str, str]) -> list[dict[str, str]]:
    """Return environment variables as a container takes them."""
    return [{"name": name, "value": value} for name, value in values.items()]
