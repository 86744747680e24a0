"""What the study guides say of endpoint types, as test cases; the id begins with the file of the guide."""

from collections.abc import Callable

import pytest

from sizewell.facts.serving_modes import limit
from sizewell.instance_selection.modes import Mode, ModeComparison, compare_modes
from tests.instance_selection.modes.builders import SMALL, needs

GUIDE = "provisioning"
INTERMITTENT = needs()
STEADY = needs(peak_requests_per_second=50, average_requests_per_second=45, max_instances=1000)
PERSISTENT = needs(peak_requests_per_second=50, average_requests_per_second=45, max_p95_latency_ms=500)
LARGE = needs(payload_mb=1024, max_wait_minutes=60)
OFFLINE = needs(
    peak_requests_per_second=50, average_requests_per_second=20, max_wait_minutes=24 * 60, max_instances=1000
)


def picks(*modes: Mode) -> Callable[[ModeComparison], bool]:
    return lambda comparison: comparison.chosen is not None and comparison.chosen.mode in modes


def bills(mode: Mode, part: str) -> Callable[[ModeComparison], bool]:
    return lambda comparison: part in {one.name for one in comparison.option(mode).parts}


def cheaper_below_break_even(mode: Mode) -> Callable[[ModeComparison], bool]:
    def check(comparison: ModeComparison) -> bool:
        found = comparison.option(mode).break_even
        return found is not None and found.cheaper_below

    return check


@pytest.mark.parametrize(
    ("wanted", "holds"),
    [
        pytest.param(
            PERSISTENT, picks(Mode.REAL_TIME), id=f"{GUIDE}: real-time: persistent, low-latency needs"
        ),
        pytest.param(
            STEADY, bills(Mode.REAL_TIME, "instances"), id=f"{GUIDE}: real-time: per hour, per instance"
        ),
        pytest.param(
            INTERMITTENT,
            picks(Mode.SERVERLESS, Mode.LAMBDA),
            id=f"{GUIDE}: serverless: intermittent traffic, small models",
        ),
        pytest.param(
            INTERMITTENT, bills(Mode.SERVERLESS, "compute"), id=f"{GUIDE}: serverless: per ms of execution"
        ),
        pytest.param(
            LARGE, picks(Mode.ASYNCHRONOUS), id=f"{GUIDE}: asynchronous: large payloads (up to 1GB)"
        ),
        pytest.param(
            LARGE,
            bills(Mode.ASYNCHRONOUS, "instances while awake"),
            id=f"{GUIDE}: asynchronous: can scale to 0",
        ),
        pytest.param(
            OFFLINE, picks(Mode.BATCH), id=f"{GUIDE}: batch transform: high-volume offline processing"
        ),
        pytest.param(
            OFFLINE,
            bills(Mode.BATCH, "instances of jobs"),
            id=f"{GUIDE}: batch transform: for duration of the job",
        ),
        pytest.param(
            INTERMITTENT,
            cheaper_below_break_even(Mode.LAMBDA),
            id=f"{GUIDE}: when to choose AWS Lambda over a real-time endpoint",
        ),
        pytest.param(
            needs(max_p95_latency_ms=2000),
            bills(Mode.LAMBDA, "workers kept warm"),
            id=f"{GUIDE}: provisioned concurrency eliminates cold starts",
        ),
        pytest.param(
            needs(similar_models=20, max_p95_latency_ms=1000),
            lambda c: c.option(Mode.MULTI_MODEL).usd_per_month < c.option(Mode.REAL_TIME).usd_per_month / 2,
            id="processors: GPU underutilization: multi-model endpoints",
        ),
    ],
)
def test_guide(wanted: object, holds: Callable[[ModeComparison], bool]) -> None:
    assert holds(compare_modes(wanted, SMALL))  # type: ignore[arg-type]


def test_lambda_runs_fifteen_minutes_at_most() -> None:
    assert limit(Mode.LAMBDA, "max_processing_s") == 15 * 60, f"{GUIDE}: Lambda: max 15 min execution"


def test_asynchronous_takes_one_gigabyte() -> None:
    assert limit(Mode.ASYNCHRONOUS, "max_payload_mb") == 1024, f"{GUIDE}: up to 1GB"
