"""How CodeDeploy shifts the traffic of a function's alias to a new version, and within which bounds.

"CodeDeploy quotas", https://docs.aws.amazon.com/codedeploy/latest/userguide/limits.html, and "Deployment configurations on an
AWS Lambda compute platform", https://docs.aws.amazon.com/codedeploy/latest/userguide/deployment-configurations.html, read
2026-11-23
"""

from collections.abc import Mapping
from typing import Literal

ShiftStrategy = Literal["canary", "linear"]

#: Of the traffic in one step.
MAX_SHARE_PERCENT = 99
#: Intervals are counted in minutes; between the first and the last step lie 48 hours at most.
INTERVAL_S = 60
MAX_SHIFT_S = 48 * 3600
#: Minutes between the steps of the configurations that every account has, each of 10 percent; of others, an account has 50.
_PREDEFINED_PERCENT = 10
_PREDEFINED_MINUTES: Mapping[ShiftStrategy, Mapping[int, str]] = {
    "canary": {number: f"LambdaCanary10Percent{number}Minutes" for number in (5, 10, 15, 30)},
    "linear": {
        1: "LambdaLinear10PercentEvery1Minute",
        **{number: f"LambdaLinear10PercentEvery{number}Minutes" for number in (2, 3, 10)},
    },
}


def waits(strategy: ShiftStrategy, share_percent: int) -> int:
    """Return how often a shift waits: after each step but the last."""
    return 1 if strategy == "canary" else -(-100 // share_percent) - 1


def predefined_config(strategy: ShiftStrategy, share_percent: int, interval_s: int) -> str | None:
    """Return the name of the configuration of AWS that fits; None where an own one is needed."""
    minutes, rest = divmod(interval_s, INTERVAL_S)
    if rest or share_percent != _PREDEFINED_PERCENT or minutes not in _PREDEFINED_MINUTES[strategy]:
        return None
    return f"CodeDeployDefault.{_PREDEFINED_MINUTES[strategy][minutes]}"
