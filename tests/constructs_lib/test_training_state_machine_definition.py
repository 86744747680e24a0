import fnmatch
from typing import Any

import pytest

from constructs_lib.job_state_machine_definition import EXECUTION_GRACE_S
from constructs_lib.training_job import TrainingJobProps
from constructs_lib.training_state_machine_definition import (
    TASK_GRACE_S,
    training_state_machine_definition,
)
from tests.constructs_lib.training import RESOURCES, job


def definition(props: TrainingJobProps, partition: str = "aws") -> dict[str, Any]:
    return training_state_machine_definition(props, resources=RESOURCES, partition=partition)


DEFINITION = definition(job())
STATES: dict[str, dict[str, Any]] = DEFINITION["States"]

NO_CAPACITY = "CapacityError: Unable to provision requested ML compute capacity."
SCRIPT_FAILED = "AlgorithmError: ExecuteUserScriptError: CapacityError in line 7"


def _holds(rule: dict[str, Any], data: dict[str, Any]) -> bool:
    if "And" in rule:
        return all(_holds(part, data) for part in rule["And"])
    if "Or" in rule:
        return any(_holds(part, data) for part in rule["Or"])
    *parents, name = rule["Variable"].removeprefix("$.").split(".")
    for parent in parents:
        data = data[parent]
    if "IsPresent" in rule:
        return (name in data) is rule["IsPresent"]
    value = data[name]  # a path that is absent fails a real execution, and this one
    if "StringEquals" in rule:
        return bool(value == rule["StringEquals"])
    return fnmatch.fnmatchcase(value, rule["StringMatches"])


def _choose(state: str, data: dict[str, Any]) -> str:
    matching = [rule["Next"] for rule in STATES[state]["Choices"] if _holds(rule, data)]
    return str(matching[0] if matching else STATES[state]["Default"])


def _transitions(state: dict[str, Any]) -> list[str]:
    targets = [state[key] for key in ("Next", "Default") if key in state]
    return targets + [branch["Next"] for key in ("Choices", "Catch") for branch in state.get(key, [])]


def test_every_transition_leads_to_a_state_and_every_state_is_reached() -> None:
    reached, waiting = set(), [DEFINITION["StartAt"]]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += _transitions(STATES[name])
    assert reached == set(STATES)


def test_only_succeed_and_fail_states_end_an_execution() -> None:
    final = {name for name, state in STATES.items() if not _transitions(state)}
    assert {(name, STATES[name]["Type"]) for name in final} == {
        ("TrainingSucceeded", "Succeed"),
        ("TrainingFailed", "Fail"),
    }
    assert not any("End" in state for state in STATES.values())


def test_every_choice_has_a_default_and_every_task_catches_all_errors() -> None:
    assert all("Default" in state for state in STATES.values() if state["Type"] == "Choice")
    tasks = [state for state in STATES.values() if state["Type"] == "Task"]
    assert len(tasks) == 3 * 3
    assert all(task["Catch"][-1]["ErrorEquals"] == ["States.ALL"] for task in tasks)


@pytest.mark.parametrize(
    ("status", "secondary_status", "reason", "following"),
    [
        ("Completed", "Completed", None, "TrainingSucceeded"),
        ("Stopped", "MaxWaitTimeExceeded", None, "NameJob2"),
        ("Stopped", "MaxRuntimeExceeded", None, "JobStopped"),
        ("Stopped", "Stopped", None, "JobStopped"),
        ("Failed", "Failed", NO_CAPACITY, "NameJob2"),
        ("Failed", "Failed", SCRIPT_FAILED, "JobFailed"),
    ],
)
def test_a_job_that_ended_is_judged_by_its_status_and_reason(
    status: str, secondary_status: str, reason: str | None, following: str
) -> None:
    job = {"TrainingJobName": "j", "TrainingJobStatus": status, "SecondaryStatus": secondary_status}
    assert _choose("JobEnded1", job | ({"FailureReason": reason} if reason else {})) == following


@pytest.mark.parametrize(
    ("error", "cause", "following"),
    [
        ("States.TaskFailed", '{"TrainingJobName": "j"}', "ReadJob1"),
        ("States.Timeout", None, "StopJob1"),
        ("SageMaker.ResourceLimitExceededException", "The service limit is 0 Instances", "NameJob2"),
        ("SageMaker.ResourceInUseException", "Training job names must be unique", "StopStray1"),
        ("SageMaker.AmazonSageMakerException", NO_CAPACITY, "NameJob2"),
        ("SageMaker.AmazonSageMakerException", "Could not assume role", "TrainingFailed"),
        ("States.Runtime", "{", "TrainingFailed"),
    ],
)
def test_a_task_that_failed_is_judged_by_its_error_and_cause(
    error: str, cause: str | None, following: str
) -> None:
    failure = {"Error": error} | ({"Cause": cause} if cause else {})
    assert _choose("TaskFailed1", {"Failure": failure}) == following


def test_after_the_last_attempt_the_types_that_were_tried_are_named() -> None:
    stopped = {"TrainingJobStatus": "Stopped", "SecondaryStatus": "MaxWaitTimeExceeded"}
    assert _choose("JobEnded3", stopped) == STATES["StopJob3"]["Next"] == "CapacityExhausted"
    tried = "ml.g5.2xlarge Spot, ml.p3.2xlarge on demand, ml.p4d.24xlarge on demand"
    assert STATES["CapacityExhausted"]["Result"]["Cause"].endswith(tried)


def test_what_cannot_be_stopped_does_not_hide_the_outcome() -> None:
    for name in ("StopJob1", "StopStray1"):
        assert STATES[name]["Catch"][0]["Next"] == STATES[name]["Next"]


@pytest.mark.parametrize("name", ["JobFailed", "JobStopped", "CapacityExhausted"])
def test_what_went_wrong_is_the_cause_of_the_execution(name: str) -> None:
    assert STATES[name]["Next"] == "TrainingFailed"
    assert STATES["TrainingFailed"]["CausePath"] == "States.JsonToString($)"


def test_a_training_task_waits_for_its_job_and_a_little_longer() -> None:
    limits_s = [STATES[f"Train{number}"]["TimeoutSeconds"] for number in (1, 2, 3)]
    assert limits_s == [14400 + TASK_GRACE_S, 7200 + TASK_GRACE_S, 7200 + TASK_GRACE_S]
    assert DEFINITION["TimeoutSeconds"] == sum(limits_s) + EXECUTION_GRACE_S


def test_throttling_is_retried_but_a_failed_job_is_not_started_again() -> None:
    (retry,) = STATES["Train1"]["Retry"]
    assert retry["ErrorEquals"] == ["ThrottlingException", "SageMaker.AmazonSageMakerException"]


def test_another_partition_has_its_own_integrations() -> None:
    states = definition(job(), "aws-cn")["States"].values()
    resources = {state["Resource"] for state in states if "Resource" in state}
    assert all(resource.startswith("arn:aws-cn:states:::") for resource in resources)
