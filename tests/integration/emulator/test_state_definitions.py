"""Definitions that Step Functions refuses: as a question that creates nothing, and when a machine is created."""

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.integration.emulator.lab import Lab

PASS, DONE = {"Type": "Pass", "Next": "Done"}, {"Type": "Succeed"}


def machine(**states: Any) -> str:
    return json.dumps({"QueryLanguage": "JSONata", "StartAt": "First", "States": {"Done": DONE, **states}})


REFUSED = {
    "no JSON": ("{", "INVALID_JSON_DESCRIPTION", None),
    "a state that is not there": (
        machine(
            First={"Type": "Choice", "Choices": [{"Condition": True, "Next": "Nope"}], "Default": "Done"}
        ),
        "MISSING_TRANSITION_TARGET",
        "/States/First/Choices[0]/Next",
    ),
    "a state that nothing leads to": (
        machine(First=PASS, Alone={"Type": "Pass", "Next": "Alone"}),
        "MISSING_TRANSITION_TARGET",
        "/States/Alone",
    ),
    "a field of another type": (
        machine(First={**PASS, "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "Done"}]}),
        "SCHEMA_VALIDATION_FAILED",
        "/States/First",
    ),
    "an expression that is none": (
        machine(First={**PASS, "Output": "{% $states. %}"}),
        "INVALID_JSONATA_EXPRESSION",
        "/States/First/Output",
    ),
    "in a branch": (
        machine(
            First={
                "Type": "Parallel",
                "Branches": [{"StartAt": "A", "States": {"A": DONE, "B": DONE}}],
                "Next": "Done",
            }
        ),
        "MISSING_TRANSITION_TARGET",
        "/States/First/Branches[0]/States/B",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_refused_twice(lab: Lab, name: str) -> None:
    definition, code, location = REFUSED[name]
    states = lab("stepfunctions")
    answer = states.validate_state_machine_definition(definition=definition)
    assert answer["result"] == "FAIL"
    assert [(one["code"], one.get("location")) for one in answer["diagnostics"]] == [(code, location)]
    with pytest.raises(ClientError, match=f"InvalidDefinition.*{code}"):
        states.create_state_machine(
            name=lab.name("machine"), definition=definition, roleArn=lab.role_of_lambda
        )


def test_a_question_creates_nothing(lab: Lab) -> None:
    states = lab("stepfunctions")
    before = states.list_state_machines()["stateMachines"]
    answer = states.validate_state_machine_definition(definition=machine(First=PASS))
    assert (answer["result"], answer["diagnostics"]) == ("OK", [])
    assert states.list_state_machines()["stateMachines"] == before
