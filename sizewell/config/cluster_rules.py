"""Rules of clusters: which there are, and whether a workload can run in the one that it names."""

from collections.abc import Iterator, Mapping
from typing import Any

from sizewell.config.base import with_article, without
from sizewell.config.cluster import CHEAPEST, SAGEMAKER, Cluster, TargetKind, is_allowed, target_of
from sizewell.config.environment import Environment
from sizewell.config.faults import near_match
from sizewell.config.request_members import Violation
from sizewell.config.workload import Workload
from sizewell.targets.registry import target_facet


def cluster_violations(environment: Environment) -> Iterator[Violation]:
    """Yield every violation, in the order of the configuration."""
    clusters, places = environment.clusters, environment.places
    allowed = environment.policy.allowed_targets
    for index, name in enumerate(allowed or ()):
        if name != SAGEMAKER and name not in clusters:
            yield ("policy", "allowed_targets", str(index)), f"there is no cluster {name}"
    for name, cluster in clusters.items():
        if name in (CHEAPEST, SAGEMAKER):
            yield ("clusters", name), f"{name} has a meaning of its own as a target: choose another name"
        if cluster.place is not None and cluster.place not in places:
            yield ("clusters", name, "place"), f"there is no place {cluster.place}"
    for name, workload in environment.workloads.items():
        path, target = ("workloads", name), target_of(workload)
        if target != CHEAPEST and has_choice(workload, environment) and not is_allowed(target, allowed):
            yield (
                (*path, "target"),
                f"is {target or f'not stated, which is {SAGEMAKER}'}, but policy.allowed_targets names only "
                f"{', '.join(allowed or ())}",
            )
        if target == CHEAPEST:
            yield from _has_a_choice(path, workload, environment)
            continue
        if target is not None and target not in clusters:
            match = near_match(target, tuple(clusters))
            known = f"clusters are {', '.join(clusters)}" if clusters else "clusters names none"
            yield (
                (*path, "target"),
                f"there is no cluster {target}; {f'did you mean {match}?' if match else known}",
            )
            continue
        yield from violations_there(path, workload, target, clusters)


def _has_a_choice(path: tuple[str, ...], workload: Workload, environment: Environment) -> Iterator[Violation]:
    if not has_choice(workload, environment):
        yield (
            (*path, "target"),
            f"is {CHEAPEST}, but no cluster runs {with_article(workload.kind)}: remove it",
        )
    elif not any(True for _ in possible_targets(workload, environment)):
        yield (*path, "target"), f"is {CHEAPEST}, but no place of policy.allowed_targets can run it"


def has_choice(workload: Workload, environment: Environment) -> bool:
    """Return whether some cluster runs workloads of this kind."""
    return any(
        workload.kind in target_facet(cluster.type, TargetKind).runs
        for cluster in environment.clusters.values()
    )


def possible_targets(workload: Any, environment: Environment) -> Iterator[str | None]:
    """Yield where a workload can run as far as its keys and the policy say: None is SageMaker."""
    for target in (None, *environment.clusters):
        if not is_allowed(target, environment.policy.allowed_targets):
            continue
        moved = workload.model_copy(update={"target": target})
        if not any(violations_there((), moved, target, environment.clusters)):
            yield target


def violations_there(
    path: tuple[str, ...], workload: Workload, target: str | None, clusters: Mapping[str, Cluster]
) -> Iterator[Violation]:
    """Yield why a workload does not run in a cluster, or in SageMaker, and which of its keys have no effect there."""
    if target is None:
        yield from _without_effect(path, workload, workload.only_in_clusters, "SageMaker")
        return
    cluster = clusters[target]
    kind = target_facet(cluster.type, TargetKind)
    if (runs := kind.runs.get(workload.kind)) is None:
        yield (
            (*path, "target"),
            f"{target} is {with_article(kind.words)}, which does not run {with_article(workload.kind)}, but "
            f"{', '.join(sorted(kind.runs))}: without the key it runs in SageMaker",
        )
        return
    if workload.place != cluster.place:
        where = "the account and region of the policy" if cluster.place is None else f"place {cluster.place}"
        yield (*path, "place"), f"the cluster {target} is in {where}; write the same place at both"
    yield from _without_effect(path, workload, runs.lacks, with_article(kind.words))


def _without_effect(
    path: tuple[str, ...], workload: Workload, lacks: Mapping[str, str], where: str
) -> Iterator[Violation]:
    for key, instead in lacks.items():
        keys = tuple(key.split("."))
        if _is_stated(workload, keys):
            yield (*path, *keys), f"has no effect in {where}: {instead}; {without(key)}"


def _is_stated(model: Any, keys: tuple[str, ...]) -> bool:
    """Return whether a key has another value than its default."""
    first, *rest = keys
    value = getattr(model, first, None)
    if rest:
        return value is not None and _is_stated(value, tuple(rest))
    field = type(model).model_fields.get(first)
    return field is not None and value != field.get_default(call_default_factory=True)
