import fnmatch
import json
from typing import Any

import pytest

from constructs_lib.training_job import TrainingAttempt, TrainingCheckpoint, TrainingJobProps
from constructs_lib.training_job_request import TrainingJobResources
from constructs_lib.training_state_machine_definition import (
    EXECUTION_GRACE_S,
    TASK_GRACE_S,
    training_state_machine_definition,
)

RESOURCES = TrainingJobResources(
    training_role_arn="arn:aws:iam::111122223333:role/training",
    subnet_ids=["subnet-a", "subnet-b"],
    first_subnet_id="subnet-a",
    training_security_group_id="sg-training",
    data_key_arn="arn:aws:kms:us-east-1:111122223333:key/data",
    artifact_bucket_name="artifacts",
    checkpoint_bucket_name="checkpoints",
    alarm_topic_arn="arn:aws:sns:us-east-1:111122223333:alarms",
)
JOB = TrainingJobProps(
    job_name_prefix="demo-dev-weekly",
    image_uri="763104351884.dkr.ecr.us-east-1.amazonaws.com/pytorch-training:2.5",
    attempts=(
        TrainingAttempt(instance_type="ml.g5.2xlarge", use_managed_spot=True),
        TrainingAttempt(instance_type="ml.g5.4xlarge", use_managed_spot=True),
        TrainingAttempt(instance_type="ml.g5.2xlarge"),
    ),
    output_key_prefix="weekly/output",
    max_runtime_s=7200,
    max_wait_s=14400,
    checkpoint=TrainingCheckpoint(key_prefix="weekly", interval_minutes=10),
)
DEFINITION: dict[str, Any] = training_state_machine_definition(JOB, resources=RESOURCES, partition="aws")
STATES: dict[str, dict[str, Any]] = DEFINITION["States"]

COMPLETED = {"TrainingJobName": "j", "TrainingJobStatus": "Completed", "SecondaryStatus": "Completed"}
WAITED_IN_VAIN = {
    "TrainingJobName": "j",
    "TrainingJobStatus": "Stopped",
    "SecondaryStatus": "MaxWaitTimeExceeded",
}
RAN_TOO_LONG = WAITED_IN_VAIN | {"SecondaryStatus": "MaxRuntimeExceeded"}
NO_CAPACITY = {
    "TrainingJobName": "j",
    "TrainingJobStatus": "Failed",
    "SecondaryStatus": "Failed",
    "FailureReason": "CapacityError: Unable to provision requested ML compute capacity.",
}
SCRIPT_FAILED = NO_CAPACITY | {
    "FailureReason": "AlgorithmError: ExecuteUserScriptError: CapacityError in line 7",
    "SecondaryStatusTransitions": [
        {"StatusMessage": "Insufficient capacity error from EC2 while launching instances, retrying!"}
    ],
}
NAME_TAKEN = ("SageMaker.ResourceInUseException", "Training job names must be unique")
QUOTA = ("SageMaker.ResourceLimitExceededException", "The account-level service limit is 0 Instances")
TIMEOUT = ("States.Timeout", None)

Outcome = dict[str, Any] | tuple[str, str | None]


def task_failed(job: dict[str, Any]) -> Outcome:
    return ("States.TaskFailed", json.dumps(job))


def transitions(state: dict[str, Any]) -> list[str]:
    targets = [state[key] for key in ("Next", "Default") if key in state]
    return targets + [branch["Next"] for key in ("Choices", "Catch") for branch in state.get(key, [])]


def holds(rule: dict[str, Any], data: dict[str, Any]) -> bool:
    if "And" in rule:
        return all(holds(part, data) for part in rule["And"])
    if "Or" in rule:
        return any(holds(part, data) for part in rule["Or"])
    *parents, name = rule["Variable"].removeprefix("$.").split(".")
    for parent in parents:
        data = data[parent]
    if "IsPresent" in rule:
        return (name in data) is rule["IsPresent"]
    value = data[name]  # a path that is absent fails a real execution, and this one
    if "StringEquals" in rule:
        return bool(value == rule["StringEquals"])
    return fnmatch.fnmatchcase(value, rule["StringMatches"])


def run(*outcomes: Outcome, notification_fails: bool = False) -> tuple[list[str], dict[str, Any]]:
    """Execute the definition: each outcome is what one training task gives, a job description or an error."""
    remaining = list(outcomes)
    data: dict[str, Any] = {"ignored": "input of the execution"}
    name, path = DEFINITION["StartAt"], []
    while True:
        path.append(name)
        state = STATES[name]
        match state["Type"]:
            case "Succeed" | "Fail":
                assert remaining == []
                return path, data
            case "Choice":
                matching = [rule["Next"] for rule in state["Choices"] if holds(rule, data)]
                name = matching[0] if matching else state["Default"]
            case "Pass":
                if "Result" in state:
                    data = state["Result"]
                elif "OutputPath" in state:
                    data = json.loads(data["Failure"]["Cause"])
                elif name.startswith("NameJob"):
                    data = {"TrainingJobName": f"job-{name.removeprefix('NameJob')}"}
                else:
                    data = {
                        key.removesuffix(".$"): data[value.removeprefix("$.")]
                        if key.endswith(".$")
                        else value
                        for key, value in state["Parameters"].items()
                    }
                name = state["Next"]
            case "Task" if name == "NotifyFailure":
                assert state["ResultPath"] is None
                name = state["Catch"][0]["Next"] if notification_fails else state["Next"]
            case "Task" if name.startswith("Stop"):
                assert data["TrainingJobName"] == f"job-{name[-1]}"
                assert state["Catch"][0]["Next"] == state["Next"]
                name = state["Next"]
            case _:
                outcome = remaining.pop(0)
                if isinstance(outcome, dict):
                    data, name = outcome, state["Next"]
                else:
                    error, cause = outcome
                    assert state["Catch"][0]["ResultPath"] == "$.Failure"
                    data["Failure"] = {"Error": error} if cause is None else {"Error": error, "Cause": cause}
                    name = state["Catch"][0]["Next"]


def test_every_transition_leads_to_a_state_and_every_state_is_reached() -> None:
    reached, waiting = set(), [DEFINITION["StartAt"]]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += transitions(STATES[name])
    assert reached == set(STATES)


def test_only_succeed_and_fail_states_end_an_execution() -> None:
    final = {name for name, state in STATES.items() if not transitions(state)}
    assert {(name, STATES[name]["Type"]) for name in final} == {
        ("TrainingSucceeded", "Succeed"),
        ("TrainingFailed", "Fail"),
    }
    assert not any("End" in state for state in STATES.values())


def test_every_choice_has_a_default() -> None:
    assert all("Default" in state for state in STATES.values() if state["Type"] == "Choice")


def test_a_job_that_a_lost_request_has_started_is_stopped_and_made_anew() -> None:
    path, data = run(NAME_TAKEN, COMPLETED)
    assert path == [
        *("NameJob1", "Train1", "TaskFailed1", "StopStray1"),
        *("NameJob1", "Train1", "JobEnded1", "TrainingSucceeded"),
    ]
    assert data == COMPLETED


def test_the_first_attempt_that_completes_is_the_last() -> None:
    path, data = run(COMPLETED)
    assert path == ["NameJob1", "Train1", "JobEnded1", "TrainingSucceeded"]
    assert data == COMPLETED


@pytest.mark.parametrize("no_luck", [task_failed(NO_CAPACITY), NO_CAPACITY, QUOTA, WAITED_IN_VAIN, TIMEOUT])
def test_lack_of_capacity_quota_or_time_moves_on_to_the_next_attempt(no_luck: Outcome) -> None:
    path, _ = run(no_luck, no_luck, COMPLETED)
    assert [name for name in path if name.startswith("Train")] == [
        "Train1",
        "Train2",
        "Train3",
        "TrainingSucceeded",
    ]


def test_a_spot_job_that_waited_in_vain_is_recognized_however_it_is_reported() -> None:
    assert "Train2" in run(WAITED_IN_VAIN, COMPLETED)[0]
    assert "Train2" in run(task_failed(WAITED_IN_VAIN), COMPLETED)[0]


def test_an_exhausted_ladder_names_the_types_that_were_tried() -> None:
    path, data = run(WAITED_IN_VAIN, QUOTA, task_failed(NO_CAPACITY))
    assert path[-3:] == ["CapacityExhausted", "NotifyFailure", "TrainingFailed"]
    assert data["Error"] == "CapacityExhausted"
    assert data["Cause"].endswith("ml.g5.2xlarge Spot, ml.g5.4xlarge Spot, ml.g5.2xlarge on demand")


def test_a_job_that_stays_pending_is_stopped_before_the_next_attempt() -> None:
    assert run(TIMEOUT, COMPLETED)[0] == [
        *("NameJob1", "Train1", "TaskFailed1", "StopJob1"),
        *("NameJob2", "Train2", "JobEnded2", "TrainingSucceeded"),
    ]
    stop = STATES["StopJob1"]
    assert stop["Resource"] == "arn:aws:states:::aws-sdk:sagemaker:stopTrainingJob"
    assert stop["Parameters"] == {"TrainingJobName.$": "$.TrainingJobName"}


def test_a_last_job_that_stays_pending_exhausts_the_ladder() -> None:
    path, data = run(TIMEOUT, TIMEOUT, TIMEOUT)
    assert path[-4:] == ["StopJob3", "CapacityExhausted", "NotifyFailure", "TrainingFailed"]
    assert data["Error"] == "CapacityExhausted"


def test_every_attempt_has_a_new_job_name() -> None:
    for number in (1, 2, 3):
        assert STATES[f"NameJob{number}"]["Parameters"]["TrainingJobName.$"] == (
            "States.Format('demo-dev-weekly-{}', States.ArrayGetItem(States.StringSplit(States.UUID(), '-'), 4))"
        )


@pytest.mark.parametrize("outcome", [task_failed(SCRIPT_FAILED), SCRIPT_FAILED])
def test_a_failing_script_fails_the_workflow_even_if_it_speaks_of_capacity(outcome: Outcome) -> None:
    path, data = run(outcome)
    assert path[-3:] == ["JobFailed", "NotifyFailure", "TrainingFailed"]
    assert data == {
        "Error": "TrainingJobFailed",
        "Cause": SCRIPT_FAILED["FailureReason"],
        "TrainingJobName": "j",
    }


@pytest.mark.parametrize("outcome", [task_failed(RAN_TOO_LONG), RAN_TOO_LONG])
def test_a_stopped_job_is_never_a_success(outcome: Outcome) -> None:
    path, data = run(outcome)
    assert path[-3:] == ["JobStopped", "NotifyFailure", "TrainingFailed"]
    assert data["Cause"] == "MaxRuntimeExceeded"


@pytest.mark.parametrize(
    "outcome",
    [("SageMaker.AmazonSageMakerException", "Could not assume role"), ("States.Runtime", "{")],
)
def test_any_other_error_fails_the_workflow_with_a_notification(outcome: Outcome) -> None:
    path, data = run(outcome)
    assert path == ["NameJob1", "Train1", "TaskFailed1", "NotifyFailure", "TrainingFailed"]
    assert data["Failure"]["Error"] == outcome[0]


def test_a_notification_that_cannot_be_sent_does_not_hide_the_failure() -> None:
    refused = ("SageMaker.AmazonSageMakerException", "Could not assume role")
    assert run(refused, notification_fails=True)[0][-1] == "TrainingFailed"


def test_a_training_task_waits_for_its_job_and_a_little_longer() -> None:
    train = STATES["Train1"]
    assert train["Resource"] == "arn:aws:states:::sagemaker:createTrainingJob.sync"
    assert train["TimeoutSeconds"] == 14400 + TASK_GRACE_S
    assert STATES["Train3"]["TimeoutSeconds"] == 7200 + TASK_GRACE_S
    tasks_s = sum(STATES[f"Train{number}"]["TimeoutSeconds"] for number in (1, 2, 3))
    assert tasks_s == 2 * 14400 + 7200 + 3 * TASK_GRACE_S
    assert DEFINITION["TimeoutSeconds"] == tasks_s + EXECUTION_GRACE_S


def test_throttling_is_retried_but_a_failed_job_is_not_started_again() -> None:
    (retry,) = STATES["Train1"]["Retry"]
    assert retry["ErrorEquals"] == ["ThrottlingException", "SageMaker.AmazonSageMakerException"]


def test_each_attempt_asks_for_its_own_instances() -> None:
    types = [STATES[f"Train{number}"]["Parameters"]["ResourceConfig"]["InstanceType"] for number in (1, 2, 3)]
    assert types == ["ml.g5.2xlarge", "ml.g5.4xlarge", "ml.g5.2xlarge"]
    assert STATES["Train3"]["Comment"] == "1 x ml.g5.2xlarge on demand"


def test_the_notification_says_which_workload_which_execution_and_why() -> None:
    parameters = STATES["NotifyFailure"]["Parameters"]
    assert parameters["TopicArn"] == RESOURCES.alarm_topic_arn
    assert parameters["Message.$"] == (
        "States.Format('Training workload demo-dev-weekly failed. Execution: {}. Failure: {}', "
        "$$.Execution.Id, States.JsonToString($))"
    )
    assert len(parameters["Subject"]) <= 100


def test_another_partition_has_its_own_integrations() -> None:
    china: dict[str, Any] = training_state_machine_definition(JOB, resources=RESOURCES, partition="aws-cn")
    assert china["States"]["Train1"]["Resource"].startswith("arn:aws-cn:states:::")
    assert china["States"]["NotifyFailure"]["Resource"] == "arn:aws-cn:states:::sns:publish"
