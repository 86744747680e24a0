"""What runs in a cluster need of it."""

from collections.abc import Iterator

from sizewell.planning.kind import Stated
from sizewell.targets.eks.cluster import Component, EksCluster

_TELL = {
    Component.PROMETHEUS: "tells of runs that fail: in production somebody must hear of them",
    Component.KUBE_STATE_METRICS: "counts the runs that fail",
}


def needed_by_runs(stated: Stated) -> dict[Component, str]:
    """Return what tells of runs that fail, where somebody must hear of them."""
    return dict(_TELL) if stated.policy.production else {}


def assumptions_of_runs(cluster: EksCluster) -> Iterator[str]:
    """Yield what becomes of their logs, and that nobody hears of runs that fail, where that is so."""
    yield "the log of a run goes with its node, five minutes after its end: a collector of logs in the cluster must keep it"
    if not _TELL.keys() <= {*cluster.has}:
        yield "nobody is told of a run that fails: the cluster has no prometheus, or no kube-state-metrics"
