"""How SageMaker exchanges the fleet of an endpoint, and within which bounds.

"Use deployment guardrails", https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails.html; bounds: API
reference, BlueGreenUpdatePolicy, TrafficRoutingConfig, RollingUpdatePolicy and AutoRollbackConfig.
"""

from collections.abc import Mapping
from typing import Literal

RolloutStrategy = Literal["all-at-once", "canary", "linear", "rolling"]

#: The share of the capacity that takes traffic first, is added at a time, or is exchanged at a time, in percent.
SHARE_BOUNDS_PERCENT: Mapping[str, tuple[int, int]] = {
    "canary": (5, 50),
    "linear": (10, 50),
    "rolling": (5, 50),
}
#: How long alarms are watched before the next share follows, and how long the old fleet stays after it has lost the traffic.
MAX_WAIT_S = 3600
EXECUTION_TIMEOUT_BOUNDS_S = (600, 28_800)
#: Alarms of AutoRollbackConfig.
MAX_ROLLBACK_ALARMS = 10


def wait_intervals(strategy: RolloutStrategy, share_percent: int | None) -> int:
    """Return how often WaitIntervalInSeconds is waited in a deployment, and its alarms are watched.

    Blue/green waits between its steps, and all-at-once has none: the last bake, in which the new fleet has all of the traffic, is
    TerminationWaitInSeconds ("Canary Traffic Shifting"; "All At Once Traffic Shifting", whose example states no other wait).
    Rolling watches each batch (API reference, RollingUpdatePolicy).
    """
    if strategy == "all-at-once":
        return 0
    if strategy == "canary":
        return 1
    assert share_percent is not None
    steps = -(-100 // share_percent)
    return steps if strategy == "rolling" else steps - 1
