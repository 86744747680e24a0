"""How SageMaker exchanges the fleet of an endpoint, and within which bounds.

"Use deployment guardrails", https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails.html; bounds: API
reference, BlueGreenUpdatePolicy, TrafficRoutingConfig and RollingUpdatePolicy.
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
