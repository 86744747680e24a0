"""What the scheduler reserves for a pod: millicores of cpu, bytes of memory and storage, pieces of all else.

https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers, and
kubernetes/kubernetes staging/src/k8s.io/component-helpers/resource/helpers.go (PodRequests).
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from sizewell.targets.eks.quantity import cpu_millicores, device_count, size_bytes

_SIZES = ("memory", "ephemeral-storage", "hugepages-")


def amount(resource: str, quantity: object) -> int:
    """Return a quantity of a resource in its unit."""
    read = (
        cpu_millicores if resource == "cpu" else size_bytes if resource.startswith(_SIZES) else device_count
    )
    return read(quantity)


def written(resource: str, units: int) -> str:
    """Return an amount as people read it, exactly: 500m, 2048Mi, 3."""
    if resource.startswith(_SIZES):
        return f"{units} bytes" if units % 2**20 else f"{units // 2**20}Mi"
    return f"{units}m" if resource == "cpu" else str(units)


def pod_requests(pod: Mapping[str, Any]) -> dict[str, int]:
    """Return what a pod, or a template of pods, asks of its node; ``pods`` is its own place.

    Of each resource that is the larger of two sums: its containers with its sidecars, and an init container with the sidecars
    that start before it. A request for the whole pod replaces both; the overhead of its runtime class comes on top.
    """
    spec = pod["spec"]
    sidecars, starting = Counter[str](), Counter[str]()
    for container in spec.get("initContainers") or ():
        running = sidecars + _stated(container)
        starting |= running
        if container.get("restartPolicy") == "Always":
            sidecars = running
    containers = sum(map(_stated, spec["containers"]), sidecars) | starting
    whole_pod = dict(_stated(spec, "limits")) | dict(containers) | dict(_stated(spec, "requests"))
    overhead = _stated({"resources": {"requests": spec.get("overhead")}})
    return dict(Counter(whole_pod) + overhead + Counter({"pods": 1}))


def _stated(holder: Mapping[str, Any], *kinds: str) -> Counter[str]:
    """Return the requests of a container; where it states only a limit, the API server makes it the request."""
    resources = holder.get("resources") or {}
    stated = {
        k: v for kind in kinds or ("limits", "requests") for k, v in (resources.get(kind) or {}).items()
    }
    return Counter({name: amount(name, quantity) for name, quantity in stated.items()})
