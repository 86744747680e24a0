"""How much arrives, in the unit of time that people count in, and what bounds an answer token by token."""

from collections.abc import Callable
from typing import Any

import pytest

from sizewell.config.endpoint import Latency
from sizewell.config.traffic import RequestTraffic

MessageFor = Callable[[str], str]


def test_a_rate_is_per_second_in_whatever_unit_it_is_stated() -> None:
    traffic = RequestTraffic.model_validate(
        {"peak_requests_per_minute": 90, "average_requests_per_day": 8640}
    )
    assert (traffic.peak_requests_per_second, traffic.average_requests_per_second) == (1.5, 0.1)
    assert traffic.share(50).peak_requests_per_second == 0.75


def traffic_of(**keys: object) -> str:
    nulls = {f"{rate}_requests_per_second": "null" for rate in ("peak", "average")}
    stated = "\n".join(f"      {key}: {value}" for key, value in {**nulls, **keys}.items())
    return f"workloads:\n  support-bert:\n    traffic:\n{stated}\n"


@pytest.mark.parametrize(
    ("keys", "at", "reason"),
    [
        (
            {"peak_requests_per_second": 1, "peak_requests_per_hour": 9, "average_requests_per_hour": 9},
            "peak_requests_per_hour",
            "is stated beside peak_requests_per_second; one of them is enough: remove it, or write "
            "peak_requests_per_second: null in the environment's file",
        ),
        (
            {"peak_requests_per_minute": 1, "average_requests_per_hour": 61},
            "average_requests_per_hour",
            "is above peak_requests_per_minute",
        ),
        (
            {"peak_requests_per_minute": "often", "average_requests_per_hour": 60},
            "peak_requests_per_minute",
            'got "often" (text); expected a number',
        ),
        (
            {"peak_requests_per_minute": 1, "average_requests_per_day": 0},
            "average_requests_per_day",
            "got 0; expected a number of at least 0.0864",
        ),
    ],
)
def test_a_rate_that_cannot_be_is_said_at_its_key(
    message_for: MessageFor, keys: dict[str, Any], at: str, reason: str
) -> None:
    message = message_for(traffic_of(**keys))
    assert f"workloads.support-bert.traffic.{at}\n  {reason}" in message
    assert message.count("config/dev.yaml:") == 1


def test_bounds_of_tokens_alone_bound_the_whole_answer(load_dev: Callable[[str], Any]) -> None:
    def answered_ms(latency: str) -> float:
        text = (
            "workloads:\n  chat:\n    kind: real-time-endpoint\n    model: {preset: llama-3.1-8b, precision: bf16}\n"
            "    container: {image: {framework: djl-lmi, version: '0.36'}, artifact: {key: models/chat/, compression: none}}\n"
            "    request: {input_tokens: 100, output_tokens: 200}\n"
            f"    traffic: {{peak_concurrent_users: 4}}\n    latency: {latency}\n"
        )
        ms: float = load_dev(text).environment.workloads["chat"].latency.max_p95_ms
        return ms

    assert answered_ms("{max_time_to_first_token_ms: 800, max_inter_token_ms: 50}") == 800 + 200 * 50
    assert answered_ms("{max_time_to_first_token_ms: 800}") == 60_000
    assert answered_ms("{max_time_to_first_token_ms: 800, max_p95_ms: 9000}") == 9000


def test_some_bound_is_stated() -> None:
    with pytest.raises(ValueError, match="how fast must 95 of 100 requests be answered"):
        Latency.model_validate({"max_wait_minutes": 3})
