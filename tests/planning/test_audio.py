"""Sound is stated in seconds, and read in windows of 30 of them."""

from typing import Any

import pytest

from sizewell.instance_selection import load_catalog, select_endpoint_instance
from sizewell.kinds.real_time_endpoint.needs import endpoint_requirements
from tests.planning.builders import endpoint, policy

WHISPER = {"preset": "whisper-large-v3", "precision": "fp16"}


def needs(**request: Any) -> Any:
    changes = {
        "latency": {"max_p95_ms": 60_000},
        "traffic": {"peak_requests_per_minute": 1, "average_requests_per_hour": 9},
    }
    return endpoint_requirements(endpoint(model=WHISPER, request=request, **changes), policy())


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        # 150 words a minute of 4/3 tokens are 100 in half a minute.
        ({"audio_seconds": 30}, (1500, 100, 1)),
        ({"audio_seconds": 31}, (1500, 52, 2)),
        ({"audio_seconds": 600}, (1500, 100, 20)),
        ({"audio_seconds": 600, "output_tokens": 1000}, (1500, 50, 20)),
        ({"input_tokens": 1500, "output_tokens": 90}, (1500, 90, 1)),
    ],
)
def test_sound_has_windows(request_: dict[str, Any], expected: tuple[int, int, int]) -> None:
    found = needs(**request_)
    assert (found.input_tokens, found.output_tokens, found.windows_per_request) == expected


def test_windows_are_answered_one_after_the_other() -> None:
    catalog = load_catalog("us-east-1")
    picks = [
        select_endpoint_instance(needs(audio_seconds=seconds).locked_on("ml.g5.xlarge"), catalog).chosen
        for seconds in (30, 120)
    ]
    assert [pick.instance_type for pick in picks] == ["ml.g5.xlarge"] * 2
    short, long = (pick.estimate for pick in picks)
    assert long.service_time_ms == pytest.approx(4 * short.service_time_ms)
    assert long.memory == short.memory


@pytest.mark.parametrize(
    ("model", "request_", "reason"),
    [
        (
            {"architecture": "decoder", "parameters_millions": 10},
            {"audio_seconds": 9},
            "for an encoder-decoder of sound",
        ),
        (
            {"architecture": "encoder-decoder", "parameters_millions": 10},
            {"audio_seconds": 9, "input_tokens": 9, "output_tokens": 9},
            "is said by audio_seconds",
        ),
    ],
)
def test_seconds_that_say_nothing_are_refused(
    model: dict[str, Any], request_: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        endpoint(model=model, request=request_)
