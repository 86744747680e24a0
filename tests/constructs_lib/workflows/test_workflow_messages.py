"""What surrounds the states of a workflow: who hears of its end, and what."""

import json

import pytest

from constructs_lib.workflows.workflow_messages import STEP_NAME_PREFIX, with_messages
from tests.constructs_lib.jobs.jsonata_states import evaluated, following
from tests.constructs_lib.resources import Json

WORK: Json = {
    "QueryLanguage": "JSONata",
    "TimeoutSeconds": 60,
    "StartAt": "Done",
    "States": {"Done": {"Type": "Succeed"}},
}
ARN = "arn:aws:states:us-east-1:111122223333:execution:weekly:run-1"
CONTEXT = {"Execution": {"Id": ARN, "Name": "run-1", "StartTime": "2020-01-01T00:00:00.000Z"}}


def states(*, report_success: bool = False) -> Json:
    definition = with_messages(
        WORK, noun="training", workload_name="weekly", partition="aws", report_success=report_success
    )
    assert definition["StartAt"] == "Work"
    assert definition["TimeoutSeconds"] == 60
    found: Json = definition["States"]  # type: ignore[assignment]
    return found


def message(state: Json, given: Json) -> Json:
    """Return the message, which is of the shape that a chat channel shows."""
    sent: Json = json.loads(evaluated(state["Arguments"]["Message"], state_input=given, context=CONTEXT))
    assert (sent["version"], sent["source"], sent["content"]["textType"]) == (
        "1.0",
        "custom",
        "client-markdown",
    )
    assert all(isinstance(text, str) for text in sent["metadata"]["additionalContext"].values())
    return sent


def context(sent: Json) -> Json:
    found: Json = sent["metadata"]["additionalContext"]
    assert int(found.pop("durationInSeconds")) > 0
    return found


def test_a_failure_is_told_with_its_cause_and_stays_the_end() -> None:
    around = states()
    (catch,) = around["Work"]["Catch"]
    assert (catch["ErrorEquals"], catch["Next"]) == (["States.ALL"], "WhoTells")
    assert (around["WhoTells"]["Default"], around["TellFailure"]["Next"]) == ("TellFailure", "Failed")
    failure = {"Error": "TrainingFailed", "Cause": '{"Cause": "no \\"capacity\\""}'}
    sent = message(around["TellFailure"], failure)
    assert context(sent) == {
        "kind": "training",
        "workload": "weekly",
        "executionArn": ARN,
        "status": "FAILED",
        "error": "TrainingFailed",
        "cause": failure["Cause"],
    }
    assert sent["content"] == {
        "textType": "client-markdown",
        "title": "Training weekly: FAILED",
        "description": 'TrainingFailed: no "capacity"',
        "nextSteps": [
            f"Read its history: aws stepfunctions get-execution-history --execution-arn {ARN}",
        ],
    }
    assert evaluated(around["TellFailure"]["Output"], state_input=failure) == failure
    (unsent,) = around["TellFailure"]["Catch"]
    assert (evaluated(unsent["Output"], state_input=failure), unsent["Next"]) == (failure, "Failed")
    ends = {key: evaluated(around["Failed"][key], state_input=failure) for key in ("Error", "Cause")}
    assert ends == failure


@pytest.mark.parametrize(
    ("cause", "told", "described"),
    [
        ({"Cause": "{no JSON"}, "{no JSON", "States.Timeout: {no JSON"),
        ({}, None, "States.Timeout"),
        (
            {"Cause": '{"Step": "train", "Cause": {"Cause": "out of memory"}}'},
            '{"Step": "train", "Cause": {"Cause": "out of memory"}}',
            "States.Timeout of train: out of memory",
        ),
    ],
)
def test_a_cause_may_be_any_text_or_missing(cause: Json, told: str | None, described: str) -> None:
    failure = {"Error": "States.Timeout", **cause}
    sent = message(states()["TellFailure"], failure)
    assert (context(sent).get("cause"), sent["content"]["description"]) == (told, described)
    assert evaluated(states()["Failed"]["Cause"], state_input=failure) == (told or "")


@pytest.mark.parametrize(
    ("name", "leads_to"), [(f"{STEP_NAME_PREFIX}train-1", "Failed"), ("my-step-1", "TellFailure")]
)
def test_of_a_step_its_pipeline_tells(name: str, leads_to: str) -> None:
    assert following(states()["WhoTells"], {}, context={"Execution": {"Name": name}})[0] == leads_to


def test_success_is_told_where_people_ask_or_something_is_worth_it() -> None:
    assert states()["Work"]["Next"] == "WorthTelling"
    assert following(states()["WorthTelling"], {"UsdOfInstances": 1.5})[0] == "Succeeded"
    assert following(states()["WorthTelling"], {"Warnings": []})[0] == "Succeeded"
    assert following(states()["WorthTelling"], {"Warnings": ["look"]})[0] == "TellSuccess"
    around = states(report_success=True)
    assert (around["Work"]["Next"], around["TellSuccess"]["Next"]) == ("TellSuccess", "Succeeded")
    sent = message(around["TellSuccess"], {"UsdOfInstances": 1.5})
    assert (sent["content"]["title"], json.loads(context(sent)["output"])) == (
        "Training weekly: SUCCEEDED",
        {"UsdOfInstances": 1.5},
    )
    warned = message(around["TellSuccess"], {"Warnings": ["The GPUs were idle", "Spot was taken back"]})
    assert warned["content"]["description"] == "The GPUs were idle. Spot was taken back"
