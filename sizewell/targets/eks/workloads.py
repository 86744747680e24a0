"""What of a set of manifests runs pods, and how many at a time at most."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Manifest = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class Workload:
    """Pods of one template: the most that run at a time, with those that a rolling update adds."""

    name: str
    template: Manifest
    pods: int


def workloads(manifests: Sequence[Manifest]) -> Iterator[Workload]:
    """Yield the workloads of Deployments, Jobs, CronJobs and JobSets; ValueError for another kind that runs pods."""
    for manifest in manifests:
        kind, spec = manifest["kind"], manifest.get("spec") or {}
        metadata = manifest["metadata"]
        name = f"{kind}/{metadata.get('name') or metadata['generateName']}"
        if kind == "Deployment":
            replicas = max([spec.get("replicas", 1), *_bounds_of_autoscalers(manifest, manifests)])
            yield Workload(name=name, template=spec["template"], pods=replicas + _surge(spec, replicas))
        elif kind == "Job":
            yield Workload(name=name, template=spec["template"], pods=_parallel_pods(spec))
        elif kind == "CronJob":
            # Of those that start by themselves: people may start more.
            if spec.get("concurrencyPolicy") != "Forbid":
                raise ValueError(
                    f"{name} does not say how many of its Jobs run at a time: write concurrencyPolicy: Forbid"
                )
            job = spec["jobTemplate"]["spec"]
            yield Workload(name=name, template=job["template"], pods=_parallel_pods(job))
        elif kind == "JobSet":
            for part in spec["replicatedJobs"]:
                job = part["template"]["spec"]
                pods = part.get("replicas", 1) * _parallel_pods(job)
                yield Workload(name=f"{name}/{part['name']}", template=job["template"], pods=pods)
        elif _has_containers(spec):
            raise ValueError(
                f"{name} runs pods: only those of Deployments, Jobs, CronJobs and JobSets are simulated"
            )


def _has_containers(value: object) -> bool:
    inside = (
        value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    )
    return (isinstance(value, Mapping) and "containers" in value) or any(map(_has_containers, inside))


def _bounds_of_autoscalers(deployment: Manifest, manifests: Sequence[Manifest]) -> Iterator[int]:
    namespace, name = deployment["metadata"].get("namespace", "default"), deployment["metadata"]["name"]
    for manifest in manifests:
        if manifest["kind"] == "ScaledObject":
            spec, target = manifest["spec"], manifest["spec"]["scaleTargetRef"]
            place = (
                manifest["metadata"].get("namespace", "default"),
                target.get("kind", "Deployment"),
                target["name"],
            )
            if place == (namespace, "Deployment", name):
                # 100: KEDA's default (https://keda.sh/docs/latest/reference/scaledobject-spec).
                yield spec.get("maxReplicaCount", 100)


def _surge(deployment: Manifest, replicas: int) -> int:
    """Return maxSurge in pods: a share is rounded up, and the default is 25 %."""
    strategy = deployment.get("strategy") or {}
    surge = (strategy.get("rollingUpdate") or {}).get("maxSurge", "25%")
    if strategy.get("type", "RollingUpdate") != "RollingUpdate":
        return 0
    return surge if isinstance(surge, int) else math.ceil(replicas * int(surge.removesuffix("%")) / 100)


def _parallel_pods(job: Manifest) -> int:
    """Return how many pods of a Job run at a time: no more than must complete."""
    pods: int = job.get("parallelism", 1)
    return min(pods, job.get("completions") or pods)
