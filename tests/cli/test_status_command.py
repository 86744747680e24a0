"""How people and programs are shown what runs."""

import json
from datetime import UTC, datetime

import pytest

from sizewell.account.status import Part, WorkloadStatus
from sizewell.cli.console import open_console
from sizewell.cli.status_command import print_status, status_to_json
from tests.account.after.deployed import DEPLOYED_PLAN

(PLANTS,) = DEPLOYED_PLAN.workloads
CHANGED = datetime(2026, 5, 1, 12, tzinfo=UTC)
FOUND = {
    "111122223333, us-east-1": (
        WorkloadStatus(
            PLANTS,
            (Part("demo-dev-plants/primary", "2 x ml.g9.xlarge", "InService", CHANGED),),
            firing=("demo-dev-plants-errors",),
            requests=1234.0,
        ),
        WorkloadStatus(PLANTS, (Part("demo-dev-plants", "-", "never ran"),)),
        WorkloadStatus(PLANTS, ()),
        WorkloadStatus(PLANTS, (), not_read="AccessDenied"),
    )
}


def test_a_row_stands_for_each_workload_and_below_what_somebody_must_know(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with open_console() as console:
        print_status(FOUND, console)

    rows = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    planned = status_to_json("dev", FOUND)
    planned_words = json.loads(planned)["places"][0]["workloads"][0]["planned"]
    assert f"plants {planned_words} 2 x ml.g9.xlarge InService 2026-05-01 12:00 1,234 1" in rows
    assert f"plants {planned_words} - never ran - -" in rows
    assert f"plants {planned_words} - not deployed - -" in rows
    assert f"plants {planned_words} - not read - -" in rows
    assert "plants: the alarm demo-dev-plants-errors fires" in rows
    assert "plants: not read: AccessDenied" in rows


def test_data_has_all_that_was_read() -> None:
    read, never_ran, _, refused = json.loads(status_to_json("dev", FOUND))["places"][0]["workloads"]

    assert read["parts"] == [
        {
            "name": "demo-dev-plants/primary",
            "runs_on": "2 x ml.g9.xlarge",
            "state": "InService",
            "changed": "2026-05-01T12:00:00+00:00",
        }
    ]
    assert (read["requests_last_hour"], read["firing_alarms"]) == (1234.0, ["demo-dev-plants-errors"])
    assert never_ran["parts"][0]["changed"] is None
    assert refused["not_read"] == "AccessDenied"
