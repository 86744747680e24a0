import json
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from constructs_lib.jobs.training_job import TrainingJobProps
from constructs_lib.jobs.training_state_machine import (
    training_state_machine_definition,
)
from tests.constructs_lib.jobs.jsonata_states import evaluated, following
from tests.constructs_lib.jobs.training import ON_DEMAND, RESOURCES, SPOT, job


def definition(props: TrainingJobProps, partition: str = "aws") -> dict[str, Any]:
    return training_state_machine_definition(props, resources=RESOURCES, partition=partition)


DEFINITION = definition(job())
STATES: dict[str, dict[str, Any]] = DEFINITION["States"]

NO_CAPACITY = "CapacityError: Unable to provision requested ML compute capacity."
SCRIPT_FAILED = "AlgorithmError: ExecuteUserScriptError: CapacityError in line 7"


def _choose(state: str, data: dict[str, Any]) -> str:
    return following(STATES[state], data)[0]


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
    assert len(tasks) == 3 + 2
    assert all(task["Catch"][-1]["ErrorEquals"] == ["States.ALL"] for task in tasks)


@pytest.mark.parametrize(
    ("status", "secondary_status", "reason", "next_state"),
    [
        ("Completed", "Completed", None, "TrainingSucceeded"),
        ("Stopped", "MaxWaitTimeExceeded", None, "NextAttempt"),
        ("Stopped", "MaxRuntimeExceeded", None, "NextAttempt"),
        ("Stopped", "Stopped", None, "JobStopped"),
        ("Failed", "Failed", NO_CAPACITY, "NextAttempt"),
        ("Failed", "Failed", SCRIPT_FAILED, "JobFailed"),
    ],
)
def test_a_job_that_ended_is_judged_by_its_status_and_reason(
    status: str, secondary_status: str, reason: str | None, next_state: str
) -> None:
    job = {"TrainingJobName": "j", "TrainingJobStatus": status, "SecondaryStatus": secondary_status}
    job |= {"FailureReason": reason} if reason else {}
    assert following(STATES["JobEnded"], job, variables={"is_stopped": False, "waited_s": 0})[0] == next_state


@pytest.mark.parametrize(
    ("error", "cause", "next_state"),
    [
        ("States.TaskFailed", '{"TrainingJobName": "j"}', "DescribeJob"),
        ("States.Timeout", None, "StopJob"),
        ("SageMaker.ResourceLimitExceededException", "The service limit is 0 Instances", "NextAttempt"),
        ("SageMaker.ResourceInUseException", "Training job names must be unique", "StopJob"),
        ("SageMaker.AmazonSageMakerException", NO_CAPACITY, "NextAttempt"),
        ("SageMaker.AmazonSageMakerException", "Could not assume role", "TrainingFailed"),
        ("States.Runtime", "{", "TrainingFailed"),
    ],
)
def test_a_task_that_failed_is_judged_by_its_error_and_cause(
    error: str, cause: str | None, next_state: str
) -> None:
    failure = {"Error": error} | ({"Cause": cause} if cause else {})
    assert _choose("TaskFailed", failure) == next_state


def test_what_a_failed_job_says_is_read_from_the_cause() -> None:
    job = {"TrainingJobName": "j", "FailureReason": "two\nlines"}
    failure = {"Error": "States.TaskFailed", "Cause": json.dumps(job)}
    assert following(STATES["TaskFailed"], failure) == ("DescribeJob", job)


def test_a_stray_job_is_stopped_and_its_attempt_made_anew() -> None:
    (stray,) = (
        choice for choice in STATES["TaskFailed"]["Choices"] if "ResourceInUse" in choice["Condition"]
    )
    assert evaluated(stray["Assign"], variables={"attempt": 2}) == {"attempt": 1, "is_stopped": True}


def test_after_the_last_attempt_the_types_that_were_tried_are_named() -> None:
    tried = "ml.g5.2xlarge Spot, ml.p3.2xlarge on demand, ml.p4d.24xlarge on demand"
    assert STATES["CapacityExhausted"]["Output"]["Cause"].endswith(tried)


@pytest.mark.parametrize(
    "name",
    ["JobFailed", "JobStopped", "JobNotStopped", "CapacityExhausted", "DeadlineExceeded", "InputRefused"],
)
def test_what_went_wrong_is_the_cause_of_the_execution(name: str) -> None:
    assert STATES[name]["Next"] == "TrainingFailed"
    failure = {"Error": "E", "Cause": 'it\'s "bad"'}
    assert json.loads(evaluated(STATES["TrainingFailed"]["Cause"], state_input=failure)) == failure


def test_each_attempt_knows_its_end_and_its_price_and_the_execution_its_hyperparameters() -> None:
    assert STATES["ReadInput"]["Assign"] == {
        "hyperparameters": {
            "epochs": "3",
            "lr": "0.1",
            "sagemaker_program": "launch.sh",
            "sagemaker_submit_directory": "/opt/ml/input/data/code",
        },
        "gpu_percent": -1,
        "attempt": 1,
        "ends_after_s": [7200, 14400, 14400],
        **NOTHING_PAID,
    }
    names = [STATES[f"NameJob{number}"]["Assign"] for number in (1, 2, 3)]
    assert [name.pop("job_name") for name in deepcopy(names)] == [
        "{% 'demo-dev-weekly-' & $substring($uuid(), 24) %}"
    ] * 3
    prices = [(state["instance_count"], state["usd_per_hour"], state["job_usd_per_hour"]) for state in names]
    assert prices == [(1, 1.5, 1.5), (1, 4.0, 4.0), (2, 25.0, 50.0)]


@pytest.mark.parametrize(
    ("given", "next_state"),
    [
        ({}, "NameJob1"),
        ({"hyperparameters": {"epochs": "1"}}, "NameJob1"),
        ({"resume": "run-3", "hyperparameters": {}}, "NameJob1"),
        ({"hyperparamters": {"epochs": "1"}}, "InputRefused"),
        ({"resume": "run-3", "Comment": ""}, "InputRefused"),
    ],
)
def test_an_execution_is_refused_with_input_that_nothing_reads(
    given: dict[str, Any], next_state: str
) -> None:
    assert _choose("ReadInput", given) == next_state
    if next_state == "InputRefused":
        cause = evaluated(STATES["InputRefused"]["Output"]["Cause"], state_input=given)
        assert cause.startswith("This workflow may be started with hyperparameters, resume, not with ")


NOTHING_PAID = dict.fromkeys(("billable_s", "training_s", "usd", "unpriced_s", "interruptions"), 0)


def paid(job: dict[str, Any], totals: dict[str, Any], attempt: int) -> Any:
    """Return the totals after a job has ended."""
    known = totals | STATES[f"NameJob{attempt}"]["Assign"]
    return evaluated(STATES["DescribeJob"]["Assign"], result=job, variables=known)


def test_what_is_paid_is_the_sum_of_all_attempts() -> None:
    spot = {"BillableTimeInSeconds": 360, "TrainingTimeInSeconds": 1200}
    totals = paid(spot, NOTHING_PAID, 1)
    assert totals == NOTHING_PAID | {
        "billable_s": 360,
        "training_s": 1200,
        "usd": pytest.approx(360 * 1.5 / 3600),
    }
    totals = paid({"BillableTimeInSeconds": 3600, "TrainingTimeInSeconds": 3600}, totals, 3)
    description = {
        "TrainingJobName": "demo-1",
        "ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 2},
        "EnableManagedSpotTraining": False,
        "ModelArtifacts": {"S3ModelArtifacts": "s3://models/1"},
        "FinalMetricDataList": [
            {"MetricName": "train_loss", "Value": 0.25},
            {"MetricName": "acc", "Value": 1},
        ],
    }
    report = evaluated(
        STATES["TrainingSucceeded"]["Output"],
        state_input=description,
        variables=totals | {"gpu_percent": -1},
    )
    assert report == {
        "TrainingJobName": "demo-1",
        "InstanceType": "ml.p4d.24xlarge",
        "InstanceCount": 2,
        "ManagedSpot": False,
        "ModelArtifacts": "s3://models/1",
        "TrainingTimeInSeconds": 4800,
        "BillableTimeInSeconds": 3960,
        "SpotSavingsPercent": 18,
        "Metrics": {"train_loss": 0.25, "acc": 1},
        "GpuUtilizationPercent": "unknown",
        "Interruptions": 0,
        "Warnings": [],
        "UsdOfInstances": pytest.approx(50.15),
    }


def test_a_job_that_never_began_costs_nothing() -> None:
    assert paid({"TrainingJobName": "demo-1"}, NOTHING_PAID, 1) == NOTHING_PAID


@pytest.mark.parametrize(("billable_s", "usd"), [(0, 0), (60, "unknown")])
def test_the_cost_is_unknown_once_an_attempt_without_a_price_is_paid(
    billable_s: int, usd: float | str
) -> None:
    free = definition(job(attempts=(replace(SPOT, usd_per_hour=None), ON_DEMAND)))["States"]["NameJob1"]
    totals = evaluated(
        STATES["DescribeJob"]["Assign"],
        result={"BillableTimeInSeconds": billable_s},
        variables=NOTHING_PAID | free["Assign"],
    )
    assert totals["unpriced_s"] == billable_s
    assert evaluated(STATES["TrainingSucceeded"]["Output"]["UsdOfInstances"], variables=totals) == usd


def _looked_back(gpu_count: int, datapoints: list[dict[str, float]]) -> tuple[int, dict[str, Any]]:
    """Return the use of GPUs that is found, and the output of the execution."""
    states = definition(job(attempts=(replace(SPOT, gpu_count=8), ON_DEMAND)))["States"]
    assert _transitions(states["LookBack"]) == ["TrainingSucceeded"] * 2
    found = evaluated(
        states["LookBack"]["Assign"]["gpu_percent"],
        result={"Datapoints": datapoints},
        variables={"gpu_count": gpu_count},
    )
    members = ("GpuUtilizationPercent", "Warnings")
    output = {name: states["TrainingSucceeded"]["Output"][name] for name in members}
    return found, evaluated(output, variables={"gpu_percent": found, "interruptions": 0})


def test_little_use_of_gpus_is_worth_a_warning() -> None:
    hours = [{"Average": 160.0, "SampleCount": 60.0}, {"Average": 16.0, "SampleCount": 30.0}]
    found, output = _looked_back(8, hours)
    assert (found, output["GpuUtilizationPercent"]) == (14, 14)
    (warning,) = output["Warnings"]
    assert "used to 14 % on average" in warning
    assert _looked_back(8, [{"Average": 160.0, "SampleCount": 60.0}])[1]["Warnings"] == []


@pytest.mark.parametrize(("gpu_count", "datapoints"), [(8, []), (0, [{"Average": 1.0, "SampleCount": 1.0}])])
def test_where_nothing_is_known_of_gpus_nothing_is_warned_of(
    gpu_count: int, datapoints: list[dict[str, float]]
) -> None:
    assert _looked_back(gpu_count, datapoints)[1] == {"GpuUtilizationPercent": "unknown", "Warnings": []}


def test_many_interruptions_are_worth_a_warning() -> None:
    transitions = [{"Status": status} for status in ("Starting", "Interrupted", "Training", "Interrupted")]
    totals = paid({"SecondaryStatusTransitions": transitions}, NOTHING_PAID, 1)
    assert totals["interruptions"] == 2
    warnings = STATES["TrainingSucceeded"]["Output"]["Warnings"]
    assert evaluated(warnings, variables=totals | {"gpu_percent": -1}) == []
    totals = paid({"SecondaryStatusTransitions": transitions[:2]}, totals, 2)
    (warning,) = evaluated(warnings, variables=totals | {"gpu_percent": -1})
    assert "took Spot instances back 3 times" in warning


def test_throttling_is_retried_but_a_failed_job_is_not_started_again() -> None:
    (retry,) = STATES["Train1"]["Retry"]
    assert retry["ErrorEquals"] == ["ThrottlingException", "SageMaker.AmazonSageMakerException"]


def test_another_partition_has_its_own_integrations() -> None:
    states = definition(job(), "aws-cn")["States"].values()
    resources = {state["Resource"] for state in states if "Resource" in state}
    assert all(resource.startswith("arn:aws-cn:states:::") for resource in resources)
