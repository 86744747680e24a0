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
    sent: Json = json.loads(evaluated(state["Arguments"]["Message"], state_input=given, context=CONTEXT))
    assert sent.pop("durationInSeconds") > 0
    return sent


def test_a_failure_is_told_with_its_cause_and_stays_the_end() -> None:
    around = states()
    (catch,) = around["Work"]["Catch"]
    assert (catch["ErrorEquals"], catch["Next"]) == (["States.ALL"], "WhoTells")
    assert (around["WhoTells"]["Default"], around["TellFailure"]["Next"]) == ("TellFailure", "Failed")
    failure = {"Error": "TrainingFailed", "Cause": '{"Cause": "no \\"capacity\\""}'}
    assert message(around["TellFailure"], failure) == {
        "training": "weekly",
        "executionArn": ARN,
        "status": "FAILED",
        "error": "TrainingFailed",
        "cause": {"Cause": 'no "capacity"'},
    }
    assert evaluated(around["TellFailure"]["Output"], state_input=failure) == failure
    (unsent,) = around["TellFailure"]["Catch"]
    assert (evaluated(unsent["Output"], state_input=failure), unsent["Next"]) == (failure, "Failed")
    ends = {key: evaluated(around["Failed"][key], state_input=failure) for key in ("Error", "Cause")}
    assert ends == failure


@pytest.mark.parametrize(("cause", "sent"), [({"Cause": "{no JSON"}, "{no JSON"), ({}, None)])
def test_a_cause_may_be_any_text_or_missing(cause: Json, sent: str | None) -> None:
    failure = {"Error": "States.Timeout", **cause}
    assert message(states()["TellFailure"], failure).get("cause") == sent
    assert evaluated(states()["Failed"]["Cause"], state_input=failure) == (sent or "")


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
    assert (sent["status"], sent["output"]) == ("SUCCEEDED", {"UsdOfInstances": 1.5})
