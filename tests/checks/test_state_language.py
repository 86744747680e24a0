"""A definition is found wherever a template may hold it."""

import json
from typing import Any

import pytest

from sizewell.checks import check_template
from tests.checks.builders import Json, machine, resource, states, template

DANGLING = states(First={"Type": "Pass", "Next": "Gone"})
TEXT = json.dumps(DANGLING)
BEFORE, AFTER = TEXT.split("Pass")


def definition_string(value: Any, **substitutions: Any) -> Json:
    return resource(
        "StepFunctions::StateMachine", DefinitionString=value, DefinitionSubstitutions=substitutions
    )


@pytest.mark.parametrize(
    ("written", "path"),
    [
        (definition_string(TEXT), "DefinitionString"),
        (definition_string({"Fn::Sub": TEXT}), "DefinitionString"),
        (
            definition_string({"Fn::Sub": [TEXT.replace("Gone", "${Where}"), {"Where": "Gone"}]}),
            "DefinitionString",
        ),
        (definition_string({"Fn::Join": ["Pass", [BEFORE, AFTER]]}), "DefinitionString"),
        (
            definition_string(
                {"Fn::Join": ["", [TEXT[:-1], ', "Comment": "', {"Fn::GetAtt": ["Role", "Arn"]}, '"}']]}
            ),
            "DefinitionString",
        ),
        (definition_string(TEXT.replace("Gone", "${Where}"), Where="Gone"), "DefinitionString"),
        (resource("StepFunctions::StateMachine", Definition=DANGLING), "Definition"),
    ],
)
def test_dangling_next_is_found(written: Json, path: str) -> None:
    (finding,) = check_template(template(Machine=written))
    assert finding.rule_id == "states-next"
    assert finding.property_path == f"Properties.{path}.States.First.Next"


@pytest.mark.parametrize(
    "written",
    [
        definition_string(TEXT.replace("Gone", "${Where}")),
        definition_string(TEXT.replace("Gone", "${Where}"), Where={"Ref": "Where"}),
        definition_string('{"StartAt": "First", "States": ${States}}'),
        definition_string({"Fn::If": ["Wanted", TEXT, TEXT]}),
        definition_string({"Ref": "Definition"}),
        resource("StepFunctions::StateMachine", DefinitionS3Location={"Bucket": "b", "Key": "k"}),
    ],
)
def test_what_depends_on_a_placeholder_is_not_judged(written: Json) -> None:
    assert check_template(template(Machine=written)) == ()


def test_training_request_is_found_in_the_depth() -> None:
    request = {
        "Type": "Task",
        "Resource": "arn:aws:states:::aws-sdk:sagemaker:createTrainingJob",
        "Arguments": {"EnableManagedSpotTraining": True, "StoppingCondition": {"MaxWaitTimeInSeconds": 1}},
        "End": True,
    }
    inner = states("Train", Train=request)
    each = {"Type": "Parallel", "Branches": [inner], "End": True}
    outer = states("All", All={"Type": "Map", "ItemProcessor": states("Each", Each=each), "End": True})
    (finding,) = check_template(template(Machine=machine(outer)))
    assert finding.rule_id == "training-spot-checkpoint"
    assert finding.property_path == (
        "Properties.DefinitionString.States.All.ItemProcessor.States.Each.Branches.0.States.Train"
        ".Arguments.CheckpointConfig"
    )
