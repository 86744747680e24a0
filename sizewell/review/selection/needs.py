"""Which needs of a workload changed, in the words of the configuration."""

from collections.abc import Iterable
from dataclasses import dataclass

from sizewell.config.variant_names import PRIMARY, endpoint_of, path_in_endpoint, variant_of
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.config_differences import MISSING, Difference, KeyPath, differences
from sizewell.review.saved.configuration import saved_environment, value_at
from sizewell.review.words import shorten_pair
from sizewell.review.yaml_text import VALUE_LIMIT, key_path, one_line

#: By filter of the selection: the needs that it asks for first.
FILTER_NEEDS = {
    "pinned": ("instances",),
    "region": ("policy.region",),
    "policy": ("policy", "instances"),
    "image": ("container.image", "container.images", "container.model_package"),
    "cuda": ("container.image", "container.images"),
    "pipeline": ("pipeline",),
    "neuron-sdk": ("model",),
    "autoscaling": ("scaling",),
    "precision": ("model",),
    "memory": (
        "model",
        "request",
        "batch_size_per_accelerator",
        "method",
        "optimizer",
        "pipeline",
        "margin",
        "memory_gib",
    ),
    "host-memory": ("model", "pipeline"),
    "disk": ("model", "pipeline", "volume_gib"),
    **dict.fromkeys(
        ("latency", "p99", "first-token", "inter-token"),
        ("latency", "request", "model", "engine", "pipeline", "margin", "policy.margin"),
    ),
    "throughput": ("traffic", "scaling", "policy.max_endpoint_instances", "latency", "request", "model"),
    "accelerators": ("min_accelerators", "max_instances", "accelerators"),
    "vcpus": ("vcpus",),
    "timeout": ("invocation_timeout_s", "max_payload_mb", "strategy", "data", "request", "model", "margin"),
    "deadline": ("deadline_hours", "dataset", "data", "max_instances", "model", "margin"),
    "budget": ("max_usd_per_month", "max_usd_per_run", "traffic", "dataset", "data"),
}


@dataclass(frozen=True)
class Need:
    """One key that is another one."""

    key: str
    """Within the workload, or ``policy.`` and the rest."""
    text: str
    """``latency.max_p95_ms 100 -> 50``."""

    def is_about(self, *prefixes: str) -> bool:
        """Return whether the key is one of these, stands below one, or holds one."""
        return any(f"{self.key}.".startswith(f"{p}.") or p.startswith(f"{self.key}.") for p in prefixes)


def changed_needs(pair: EnvironmentPair, workload: str) -> tuple[Need, ...]:
    """Return the needs of a workload that differ, its own first; nothing where a side has no configuration."""
    base, head = saved_environment(pair.base), saved_environment(pair.head)
    if base is None or head is None:
        return ()
    # Not at the top: the models of the configuration take a tenth of a second.
    from sizewell.config.reviewed_keys import selection_needs

    prefixes = tuple(".".join(_within_workload(path)) for path in selection_needs())
    needs = [
        Need(key_path(_within_workload(difference.path)), _text(difference))
        for path in (("workloads", endpoint_of(workload)), ("policy",))
        for difference in differences(value_at(base, *path), value_at(head, *path), path)
        if _is_of_variant(difference.path, variant_of(workload))
    ]
    return tuple(_in_order([need for need in needs if need.is_about(*prefixes)], prefixes))


def by_relevance(needs: tuple[Need, ...], rejecting_filter: str | None) -> tuple[Need, ...]:
    """Return the needs that a filter asks for first, then the others."""
    return tuple(_in_order(needs, FILTER_NEEDS.get(rejecting_filter or "", ())))


def _is_of_variant(path: KeyPath, variant: str) -> bool:
    """Return whether a key is of the endpoint, or of that variant; the first one depends on the shares of all."""
    if path[2:3] not in (("variants",), ("shadow",)):
        return True
    own = path_in_endpoint(variant)
    return path[2 : 2 + len(own)] == own or (variant == PRIMARY and path[-1] == "traffic_percent")


def _within_workload(path: KeyPath) -> KeyPath:
    """Return the key in the workload, or in the variant of an endpoint."""
    if path[0] != "workloads":
        return path
    return path[{"variants": 4, "shadow": 3}.get(path[2] if len(path) > 3 else "", 2) :]


def _in_order(needs: Iterable[Need], prefixes: tuple[str, ...]) -> list[Need]:
    """Return needs in the order of the prefixes; what no prefix names comes last, as it was."""

    def place(need: Need) -> int:
        return next((i for i, prefix in enumerate(prefixes) if need.is_about(prefix)), len(prefixes))

    return sorted(needs, key=place)


def _text(difference: Difference) -> str:
    key = key_path(difference.path[2:] if difference.path[0] == "workloads" else difference.path)
    base, head = shorten_pair(one_line(difference.base), one_line(difference.head), VALUE_LIMIT)
    if difference.base is MISSING:
        return f"{key} {head} added"
    return f"{key} {base} removed" if difference.head is MISSING else f"{key} {base} → {head}"
