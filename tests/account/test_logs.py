"""Where a workload logs, and what is read of it."""

import time
from typing import Any

import pytest

from sizewell.account.logs import LogSource, follow_logs, log_sources, read_logs
from sizewell.planning.planned_logs import SharedLogs
from tests.account.after.deployed import DEPLOYED_PLAN, NOT_THERE, stack_of
from tests.account.builders import Refusal, ScriptedAccount
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import planned_endpoint, planned_job

ENDPOINT = "/aws/sagemaker/Endpoints/demo-dev-plants"
STATES = "/aws/vendedlogs/states/demo-dev-plants"


def groups(*names: str) -> Any:
    return {f"Group{index}": ("AWS::Logs::LogGroup", name, {}) for index, name in enumerate(names)}


def event(at_ms: int, message: str = "ready", event_id: str = "") -> dict[str, Any]:
    return {
        "eventId": event_id or f"{at_ms}",
        "timestamp": at_ms,
        "logStreamName": "primary/i-1",
        "message": message,
    }


def stream(name: str, last_ms: int) -> dict[str, Any]:
    return {"logStreamName": name, "lastEventTimestamp": last_ms}


def test_an_endpoint_logs_to_the_group_of_its_stack() -> None:
    aws = ScriptedAccount({"cloudformation": stack_of(groups(ENDPOINT, STATES))})

    assert log_sources(aws, DEPLOYED_PLAN.workloads[0]) == (LogSource(ENDPOINT),)


def test_what_a_state_machine_logs_is_read_where_there_is_nothing_else() -> None:
    aws = ScriptedAccount({"cloudformation": stack_of(groups(STATES))})

    assert log_sources(aws, planned_endpoint(catalog(gpu_instance()))) == (LogSource(STATES),)


def test_of_jobs_the_newest_run_is_read_and_no_job_of_another_workload() -> None:
    job = planned_job(catalog(gpu_instance()))
    name = job.job_name_prefix
    streams = [
        stream(f"{name}-0123456789ab/algo-1-1", 10),
        stream(f"{name}-ffff456789ab/algo-1-1", 30),
        stream(f"{name}-ffff456789ab/algo-2-1", 20),
        stream(f"{name}-next-0123456789ab/algo-1-1", 99),
    ]
    aws = ScriptedAccount(
        {
            "cloudformation": stack_of(groups(STATES)),
            "logs": [("describe_log_streams", {"logStreams": streams})],
        }
    )

    assert log_sources(aws, job) == (LogSource("/aws/sagemaker/TrainingJobs", f"{name}-ffff456789ab"),)


def test_a_job_that_never_ran_in_an_account_without_jobs_has_no_logs() -> None:
    aws = ScriptedAccount(
        {
            "cloudformation": [("describe_stacks", NOT_THERE)],
            "logs": [("describe_log_streams", Refusal("ResourceNotFoundException"))],
        }
    )

    assert log_sources(aws, planned_job(catalog(gpu_instance()))) == ()


@pytest.mark.parametrize(
    ("stream_name", "run"),
    [
        ("tune-01234567-001-abcdef01/algo-1-1", "tune-01234567"),
        ("tune-0123456789ab/algo-1-1", "tune-0123456789ab"),
        ("tune-other-01234567/algo-1-1", None),
        ("tuner-01234567/algo-1-1", None),
    ],
)
def test_a_stream_is_of_one_run_of_one_workload(stream_name: str, run: str | None) -> None:
    assert SharedLogs(of="TrainingJobs", name="tune").run_of(stream_name) == run


def test_a_notebook_has_the_streams_of_its_name() -> None:
    notebook = SharedLogs(of="NotebookInstances", name="lab")

    assert notebook.group == "/aws/sagemaker/NotebookInstances"
    assert (notebook.run_of("lab/jupyter.log"), notebook.run_of("lab-2/jupyter.log")) == ("lab", None)


def test_events_of_all_sources_come_in_the_order_of_time() -> None:
    answers = [
        ("filter_log_events", {"events": [event(30), event(10)]}),
        ("filter_log_events", {"events": [event(20)]}),
    ]
    aws = ScriptedAccount({"logs": answers})

    found = read_logs(aws, [LogSource("a"), LogSource("b")], 60)
    assert [one.at_ms for one in found] == [10, 20, 30]


def test_what_is_followed_is_told_once_and_what_comes_late_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sizewell.account.logs.POLL_INTERVAL_S", 0)
    now = int(time.time() * 1000)
    first, late, last = event(now, "first"), event(now - 5000, "late"), event(now + 1, "last")
    answers = [
        ("filter_log_events", {"events": some}) for some in ([first], [late, first], [late, first, last])
    ]
    aws, starts = ScriptedAccount({"logs": answers}), []
    aws.client("logs").meta.events.register(
        "provide-client-params.logs.FilterLogEvents", lambda params, **_: starts.append(params["startTime"])
    )

    followed = follow_logs(aws, [LogSource("a")], 60)
    assert [next(followed).message for _ in range(3)] == ["first", "late", "last"]
    assert starts[0] <= now - 59_000
    assert starts[1:] == [now - 30_000, now - 30_000]
