"""Which needs of a workload changed, in the words of the configuration."""

from collections.abc import Iterable
from dataclasses import dataclass

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.config_differences import MISSING, Difference, KeyPath, differences
from sizewell.review.saved.configuration import saved_environment, value_at
from sizewell.review.yaml_text import key_path, one_line, shortened

#: By filter of the selection: the needs that it asks for first.
FILTER_NEEDS = {
    "pinned": ("instances",),
    "region": ("policy.region",),
    "policy": ("policy", "instances"),
    "image": ("container.image", "container.images", "container.model_package"),
    "pipeline": ("pipeline",),
    "neuron-sdk": ("model",),
    "autoscaling": ("scaling",),
    "precision": ("model",),
    "memory": ("model", "request", "batch_size_per_accelerator", "method", "optimizer", "pipeline", "margin"),
    "host-memory": ("model", "pipeline"),
    "disk": ("model", "pipeline"),
    **dict.fromkeys(
        ("latency", "p99", "first-token", "inter-token"),
        ("latency", "request", "model", "engine", "pipeline", "margin", "policy.margin"),
    ),
    "throughput": ("traffic", "scaling", "policy.max_endpoint_instances", "latency", "request", "model"),
    "accelerators": ("min_accelerators", "max_instances"),
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
        Need(key_path(_within_workload(one.path)), _text(one))
        for path in (("workloads", workload), ("policy",))
        for one in differences(value_at(base, *path), value_at(head, *path), path)
    ]
    return tuple(_in_order([need for need in needs if need.is_about(*prefixes)], prefixes))


def by_relevance(needs: tuple[Need, ...], rejecting_filter: str | None) -> tuple[Need, ...]:
    """Return the needs that a filter asks for first, then the others."""
    return tuple(_in_order(needs, FILTER_NEEDS.get(rejecting_filter or "", ())))


def _within_workload(path: KeyPath) -> KeyPath:
    return path[2:] if path[0] == "workloads" else path


def _in_order(needs: Iterable[Need], prefixes: tuple[str, ...]) -> list[Need]:
    """Return needs in the order of the prefixes; what no prefix names comes last, as it was."""

    def place(need: Need) -> int:
        return next((i for i, prefix in enumerate(prefixes) if need.is_about(prefix)), len(prefixes))

    return sorted(needs, key=place)


def _text(difference: Difference) -> str:
    key = key_path(_within_workload(difference.path))
    base, head = shortened(one_line(difference.base), one_line(difference.head))
    if difference.base is MISSING:
        return f"{key} {head} added"
    return f"{key} {base} removed" if difference.head is MISSING else f"{key} {base} → {head}"
