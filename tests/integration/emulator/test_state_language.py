"""State machines: what the language of states itself refuses."""

import json
from datetime import UTC, datetime
from functools import partial

import pytest

from tests.integration.emulator.job_requests import training_request
from tests.integration.emulator.lab import Json, Lab
from tests.integration.harness import Admin
from tests.localcloud.processes import until

pytestmark = pytest.mark.usefixtures("admin")


def run_machine(lab: Lab, first: Json, sent: Json | None = None) -> Json:
    """Run a machine of one state, followed by a success, and return how the execution ended."""
    states = lab("stepfunctions")
    definition = {"StartAt": "First", "States": {"First": first, "Done": {"Type": "Succeed"}}}
    machine = states.create_state_machine(
        name=lab.name("machine"), definition=json.dumps(definition), roleArn=lab.role_of_lambda
    )
    arn = states.start_execution(stateMachineArn=machine["stateMachineArn"], input=json.dumps(sent or {}))[
        "executionArn"
    ]
    found: Json = until(
        lambda: states.describe_execution(executionArn=arn), lambda found: bool(found["status"] != "RUNNING")
    )
    return found


CATCH_ALL = [{"ErrorEquals": ["States.ALL"], "Next": "Done"}]
MISSING = {
    "Type": "Choice",
    "Choices": [{"Variable": "$.missing", "StringEquals": "a", "Next": "Done"}],
    "Default": "Done",
}


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(MISSING, id="choice"),
        pytest.param({"Type": "Pass", "Parameters": {"a.$": "$.missing"}, "Next": "Done"}, id="parameters"),
        pytest.param({"Type": "Pass", "OutputPath": "$.missing", "Next": "Done"}, id="output"),
        pytest.param(
            {
                "Type": "Parallel",
                "Branches": [
                    {
                        "StartAt": "In",
                        "States": {"In": {"Type": "Pass", "InputPath": "$.missing", "End": True}},
                    }
                ],
                "Catch": CATCH_ALL,
                "Next": "Done",
            },
            id="not even caught",
        ),
    ],
)
def test_a_path_that_leads_nowhere_fails_the_execution(lab: Lab, state: Json) -> None:
    execution = run_machine(lab, state)
    assert (execution["status"], execution.get("error")) == ("FAILED", "States.Runtime")
    assert run_machine(lab, state, {"missing": "a"})["status"] == "SUCCEEDED"


def test_presence_is_not_a_value(lab: Lab) -> None:
    asks = {"Type": "Choice", "Choices": [{"Variable": "$.a", "IsPresent": True, "Next": "Done"}]}
    assert run_machine(lab, asks, {"a": None})["status"] == "SUCCEEDED"
    assert run_machine(lab, asks, {"b": 1})["error"] == "States.NoChoiceMatched"


def test_a_task_that_timed_out_has_no_cause(lab: Lab, admin: Admin) -> None:
    request = training_request(lab)
    admin.script("training", request["TrainingJobName"], "hang")
    task = {
        "Type": "Task",
        "Resource": "arn:aws:states:::sagemaker:createTrainingJob.sync",
        "Parameters": request,
        "TimeoutSeconds": 60,
        "Catch": CATCH_ALL,
        "Next": "Done",
    }
    assert json.loads(run_machine(lab, task)["output"]) == {"Error": "States.Timeout"}


def test_a_task_times_out_as_its_expression_says_and_the_clock_of_its_execution_goes_on(
    lab: Lab, admin: Admin
) -> None:
    request = training_request(lab)
    admin.script("training", request["TrainingJobName"], "hang")
    elapsed_s = "$round(($millis() - $toMillis($states.context.Execution.StartTime)) / 1000)"
    task = {
        "Type": "Task",
        "Resource": "arn:aws:states:::sagemaker:createTrainingJob.sync",
        "QueryLanguage": "JSONata",
        "Arguments": request,
        "TimeoutSeconds": "{% 60 * 60 %}",
        "Catch": [{**CATCH_ALL[0], "Output": f"{{% {elapsed_s} %}}"}],
        "Next": "Done",
    }
    assert 3600 <= json.loads(run_machine(lab, task)["output"]) < 3600 + 600


def test_the_sdk_integration_writes_times_as_texts(lab: Lab) -> None:
    request = training_request(lab)
    lab("sagemaker").create_training_job(**request)
    task = {
        "Type": "Task",
        "Resource": "arn:aws:states:::aws-sdk:sagemaker:describeTrainingJob",
        "Parameters": {"TrainingJobName": request["TrainingJobName"]},
        "Next": "Done",
    }
    output = json.loads(run_machine(lab, task)["output"])
    assert datetime.fromisoformat(output["CreationTime"]).tzinfo == UTC
    assert datetime.fromisoformat(output["SecondaryStatusTransitions"][0]["StartTime"]).tzinfo == UTC


@pytest.mark.parametrize(
    ("resource", "message"),
    [
        ("sagemaker:createLabelingJob.sync", "is not yet implemented"),
        (
            "aws-sdk:sagemaker:createFeatureGroup",
            "sagemaker:CreateFeatureGroup is not emulated by the local cloud",
        ),
        ("aws-sdk:rekognition:listCollections", "is not supported"),
    ],
)
def test_an_integration_that_is_not_emulated_fails(lab: Lab, resource: str, message: str) -> None:
    task = {"Type": "Task", "Resource": f"arn:aws:states:::{resource}", "Parameters": {}, "Next": "Done"}
    execution = run_machine(lab, task)
    assert execution["status"] == "FAILED"
    assert message in execution["cause"]


def test_a_branch_that_fails_stops_the_machine_that_another_one_runs(lab: Lab) -> None:
    states = lab("stepfunctions")
    slow = {"StartAt": "Wait", "States": {"Wait": {"Type": "Wait", "Seconds": 3_000_000, "End": True}}}
    machine = states.create_state_machine(
        name=lab.name("machine"), definition=json.dumps(slow), roleArn=lab.role_of_lambda
    )["stateMachineArn"]
    run = {
        "Type": "Task",
        "Resource": "arn:aws:states:::states:startExecution.sync:2",
        "Parameters": {"StateMachineArn": machine, "Input": {}},
        "End": True,
    }
    branches = [
        {"StartAt": "Run", "States": {"Run": run}},
        {"StartAt": "Stop", "States": {"Stop": {"Type": "Fail", "Error": "Enough", "Cause": "of it"}}},
    ]
    execution = run_machine(lab, {"Type": "Parallel", "Branches": branches, "Next": "Done"})
    assert (execution["error"], execution["cause"]) == ("Enough", "of it")
    for started in states.list_executions(stateMachineArn=machine)["executions"]:
        until(
            partial(states.describe_execution, executionArn=started["executionArn"]),
            lambda found: bool(found["status"] == "ABORTED"),
        )
