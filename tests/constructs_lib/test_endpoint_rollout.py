from typing import Any

import pytest

from constructs_lib.endpoint_rollout import Rollout

VALUES: dict[str, Any] = {"first_share_percent": 50, "wait_interval_s": 600, "max_execution_timeout_s": 3600}


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"first_share_percent": 51}, "first_share_percent must lie between 5 and 50, got 51"),
        ({"first_share_percent": 4}, "first_share_percent must lie between 5 and 50, got 4"),
        ({"wait_interval_s": 3601}, "wait_interval_s must lie between 0 and 3600, got 3601"),
        ({"max_execution_timeout_s": 599}, "max_execution_timeout_s must lie between 600 and 28800, got 599"),
    ],
)
def test_what_update_endpoint_would_refuse_is_refused(overrides: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Rollout(strategy="canary", **(VALUES | overrides))
