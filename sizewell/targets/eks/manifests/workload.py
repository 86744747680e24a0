"""All manifests of a workload, and those that workloads of a cluster share, by the names of their files."""

from collections.abc import Mapping

from sizewell.kinds.registry import facet
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.eks.manifests.kind import ManifestsKind
from sizewell.targets.eks.manifests.labels import Manifest
from sizewell.targets.eks.pods_plan_model import EksClusterPlan, EksPlan


def workload_manifests(
    plan: EksPlan, foundation: FoundationPlan, tags: Mapping[str, str]
) -> dict[str, Manifest]:
    """Return the objects of a workload; nodes carry ``tags``, by which AWS allocates costs."""
    return facet(plan.kind, ManifestsKind).manifests(plan, foundation, tags)


def shared_manifests(cluster: EksClusterPlan) -> dict[str, Manifest]:
    """Return the namespace, in which nothing may call or be called that no policy names."""
    pod_security = {
        f"pod-security.kubernetes.io/{mode}": cluster.pod_security for mode in ("enforce", "audit", "warn")
    }
    return {
        "namespace": {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": cluster.namespace, "labels": pod_security},
        },
        "default-deny": {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "metadata": {"name": "default-deny", "namespace": cluster.namespace},
            "spec": {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]},
        },
    }
