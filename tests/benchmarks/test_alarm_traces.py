"""The replay knows what every alarm of the examples watches."""

from pathlib import Path

import pytest

from tests.synthesis import PROJECT_ROOT, synthesize
from tools.benchmarks.alarm_replay.verdicts import Verdict, counts_by_kind, outcomes
from tools.benchmarks.alarm_replay.workloads import watched

pytestmark = pytest.mark.cdk

EXAMPLES = sorted(path.name for path in (PROJECT_ROOT / "examples").iterdir() if (path / "config").is_dir())


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_alarm_watches_what_its_kind_publishes(example: str, tmp_path: Path) -> None:
    synthesize(
        "dev" if example == "notebook" else "prod", tmp_path / "out", config=f"examples/{example}/config"
    )

    silent = {
        metric[1]
        for workload in watched(tmp_path / "out")
        for alarm in workload.alarms.values()
        for metric in alarm.metrics
        if metric not in workload.publish(workload.traces[0])
    }

    assert silent == set()


def test_whoever_is_paged_has_an_incident(tmp_path: Path) -> None:
    synthesize("prod", tmp_path / "out", config="examples/real-time-endpoint/config")
    workloads = list(watched(tmp_path / "out"))

    verdicts = {
        verdict
        for held_out in (False, True)
        for outcome in outcomes(workloads, held_out=held_out)
        for verdict in outcome.verdicts
    }

    assert verdicts <= {Verdict.GOOD, Verdict.LATE, Verdict.NOISY}


def test_two_replays_say_the_same(tmp_path: Path) -> None:
    synthesize("prod", tmp_path / "out", config="examples/batch-transform/config")

    first, second = (list(outcomes(watched(tmp_path / "out"))) for _ in range(2))

    assert first == second
    assert {verdict for outcome in first for verdict in outcome.verdicts} == {Verdict.GOOD}
    assert counts_by_kind(first)["batch-transform"]["incidents"] == 7
