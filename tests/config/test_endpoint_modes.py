"""The keys of an endpoint that only the comparison of modes reads."""

from collections.abc import Callable
from typing import Any

MessageFor = Callable[[str], str]


def test_payload_stands_beside_the_units_of_the_model(load_dev: Callable[[str], Any]) -> None:
    loaded = load_dev("workloads:\n  support-bert:\n    request: {payload_mb: 0.1, response_mb: 0.01}\n")
    request = loaded.environment.workloads["support-bert"].request
    assert (request.payload_mb, request.response_mb, request.input_tokens) == (0.1, 0.01, 256)


def test_mode_has_a_near_match(message_for: MessageFor) -> None:
    message = message_for("workloads:\n  support-bert:\n    kind: endpoint\n    mode: serverles\n")
    assert 'got "serverles"' in message
    assert "did you mean serverless?" in message


def test_unit_of_the_payload_is_in_its_name(message_for: MessageFor) -> None:
    message = message_for("workloads:\n  support-bert:\n    request: {payload_mb: 5MB}\n")
    assert "the unit (MB) is in the key's name: write payload_mb: 5" in message


def test_few_active_hours_cannot_hold_the_requests_of_a_day(message_for: MessageFor) -> None:
    message = message_for(
        "workloads:\n  support-bert:\n    traffic:\n      peak_requests_per_second: 10\n"
        "      average_requests_per_second: 5\n      active_hours_per_day: 8\n"
    )
    assert message == (
        "config/dev.yaml:6  workloads.support-bert.traffic.active_hours_per_day\n"
        "  squeezes the requests of a day into 8 hours, 15 a second, above the peak (10 a second)"
    )
