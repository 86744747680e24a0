"""What Step Functions is shown of an output before anything is deployed, and what people read of its answer."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from sizewell.deploy.assembly import AssemblyStack
from sizewell.deploy.state_machines import Answer, InvalidStateMachinesError, validate_state_machines
from sizewell.templates.template import Stack

Json = dict[str, Any]
REFUSED: Answer = (
    {
        "code": "SCHEMA_VALIDATION_FAILED",
        "message": "The field 'Foo' is not supported by Step Functions",
        "location": "/States/Train1/Arguments",
    },
)


def output(
    *machines: Json, account: str | None = "111122223333", region: str | None = "eu-west-1"
) -> AssemblyStack:
    """A stack with these properties of state machines, and with a bucket."""
    resources: Json = {
        f"Machine{number}": {"Type": "AWS::StepFunctions::StateMachine", "Properties": properties}
        for number, properties in enumerate(machines)
    }
    resources["Bucket"] = {"Type": "AWS::S3::Bucket"}
    return AssemblyStack(
        "demo-train", Stack("demo-train", account, region, {"Resources": resources}), None, frozenset()
    )


def shown(stack: AssemblyStack) -> list[tuple[str, str]]:
    """Return the definitions that Step Functions gets, with their types."""
    found: list[tuple[str, str]] = []

    def ask(asked: AssemblyStack, definition: str, kind: str) -> Answer:
        assert asked is stack
        found.append((definition, kind))
        return ()

    validate_state_machines((stack,), ask)
    return found


def test_every_definition_is_shown_with_its_placeholders_filled_in() -> None:
    definition = json.dumps(
        {
            "Topic": "${AlarmTopicArn}",
            "Role": "${TrainingRoleArn}",
            "Key": "${DataKeyArn}",
            "Subnets": ["${SubnetIds}"],
            "Bucket": "s3://${Bucket}/data/",
            "Expression": "{% $states.input %}",
        }
    )
    values: Json = {
        "AlarmTopicArn": {"Ref": "FoundationAlarmTopicArn"},
        "TrainingRoleArn": {"Fn::GetAtt": ["Role", "Arn"]},
        "DataKeyArn": {"Ref": "FoundationDataKeyArn"},
        "SubnetIds": {"Fn::Join": ['","', {"Ref": "FoundationSubnetIds"}]},
        "Bucket": "artifacts",
    }
    ((text, kind),) = shown(output({"DefinitionString": definition, "DefinitionSubstitutions": values}))
    assert kind == "STANDARD"
    assert json.loads(text) == {
        "Topic": "arn:aws:sns:eu-west-1:111122223333:placeholder",
        "Role": "arn:aws:iam::111122223333:role/placeholder",
        "Key": "arn:aws:lambda:eu-west-1:111122223333:function:placeholder",
        "Subnets": ["placeholder"],
        "Bucket": "s3://artifacts/data/",
        "Expression": "{% $states.input %}",
    }


def test_definitions_of_ones_own_are_shown_too() -> None:
    joined = {
        "Fn::Join": [
            "",
            ['{"Resource":"', {"Fn::GetAtt": ["Function", "Arn"]}, '","In":"', {"Ref": "AWS::Region"}, '"}'],
        ]
    }
    whole = {"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "${Arn}"}}}
    found = shown(
        output(
            {"DefinitionString": joined, "StateMachineType": "EXPRESS"},
            {"Definition": whole},
            account=None,
            region="cn-north-1",
        )
    )
    assert [(json.loads(text), kind) for text, kind in found] == [
        (
            {
                "Resource": "arn:aws-cn:lambda:cn-north-1:000000000000:function:placeholder",
                "In": "cn-north-1",
            },
            "EXPRESS",
        ),
        (
            {
                "StartAt": "A",
                "States": {
                    "A": {
                        "Type": "Task",
                        "Resource": "arn:aws-cn:lambda:cn-north-1:000000000000:function:placeholder",
                    }
                },
            },
            "STANDARD",
        ),
    ]


def test_what_is_not_in_the_template_is_not_shown() -> None:
    assert (
        shown(
            output(
                {"DefinitionS3Location": {"Bucket": "a", "Key": "b"}}, {"DefinitionString": {"Ref": "Given"}}
            )
        )
        == []
    )


def test_a_refusal_names_stack_machine_and_the_words_of_the_service() -> None:
    machines = (
        {"DefinitionString": "{}", "StateMachineName": "demo-train-weekly"},
        {"DefinitionString": "{}"},
    )
    with pytest.raises(InvalidStateMachinesError) as raised:
        validate_state_machines((output(*machines),), lambda *_: REFUSED)
    words = "  The field 'Foo' is not supported by Step Functions (SCHEMA_VALIDATION_FAILED at /States/Train1/Arguments)"
    assert str(raised.value).splitlines()[:4] == [
        "demo-train: Step Functions refuses the state machine demo-train-weekly:",
        words,
        "demo-train: Step Functions refuses the state machine Machine1:",
        words,
    ]
    assert "nothing was deployed" in str(raised.value)


def test_one_mistake_may_bring_many_faults_and_the_first_are_shown() -> None:
    with pytest.raises(InvalidStateMachinesError) as raised:
        validate_state_machines((output({"DefinitionString": "{}"}),), lambda *_: [*REFUSED] * 7)
    assert str(raised.value).splitlines()[-2] == "  and 2 more"


@pytest.fixture
def ask() -> Callable[..., Answer]:
    return lambda *_: ()


def test_what_was_found_right_is_counted(ask: Callable[..., Answer]) -> None:
    assert validate_state_machines((output({"DefinitionString": "{}"}), output()), ask) == 1
