import json
from typing import Any

import pytest

from sizewell.review.model import SecurityChange
from sizewell.review.security import compare_security
from tests.review.builders import pair, resource, template

REQUEST = {
    "TrainingJobName.$": "$.Name",
    "EnableNetworkIsolation": True,
    "EnableInterContainerTrafficEncryption": True,
    "VpcConfig": {"Subnets": ["subnet-1"], "SecurityGroupIds": ["sg-1"]},
    "OutputDataConfig": {"KmsKeyId": "${DataKey}", "S3OutputPath": "s3://b/"},
    "ResourceConfig": {"InstanceType": "ml.m5.xlarge", "VolumeKmsKeyId": "${DataKey}"},
}


def machine(request: dict[str, Any], *, joined: bool = True, state: str = "Train") -> dict[str, Any]:
    task = {
        "Type": "Task",
        "Resource": "arn:aws:states:::sagemaker:createTrainingJob.sync",
        "Parameters": request,
        "End": True,
    }
    definition = {"StartAt": state, "States": {state: task}}
    text: Any = json.dumps(definition)
    return template(
        M=resource(
            "AWS::StepFunctions::StateMachine",
            {"DefinitionString": {"Fn::Join": ["", [text]]}} if joined else {"Definition": definition},
        )
    )


def changes(request: dict[str, Any], *, joined: bool = True) -> tuple[SecurityChange, ...]:
    return compare_security(pair(machine(REQUEST, joined=joined), machine(request, joined=joined))).others


def without(*keys: str) -> dict[str, Any]:
    request: dict[str, Any] = json.loads(json.dumps(REQUEST))
    inner = request
    for key in keys[:-1]:
        inner = inner[key]
    del inner[keys[-1]]
    return request


@pytest.mark.parametrize("joined", [True, False])
@pytest.mark.parametrize(
    ("keys", "rule"),
    [
        (("EnableInterContainerTrafficEncryption",), "encryption-lost"),
        (("OutputDataConfig", "KmsKeyId"), "encryption-lost"),
        (("ResourceConfig", "VolumeKmsKeyId"), "encryption-lost"),
    ],
)
def test_a_training_job_protects_less(keys: tuple[str, ...], rule: str, joined: bool) -> None:
    (change,) = changes(without(*keys), joined=joined)
    assert (change.rule, change.direction, change.logical_id) == (rule, "weaker", "M")
    assert "Train" in change.base
    assert keys[-1] in change.base
    back = compare_security(pair(machine(without(*keys)), machine(REQUEST))).others
    assert [c.direction for c in back] == ["stronger"]


def test_another_order_is_no_change() -> None:
    assert changes(dict(reversed(REQUEST.items()))) == ()


def test_a_key_that_the_execution_knows_is_a_key() -> None:
    request = {**REQUEST, "OutputDataConfig": {"KmsKeyId.$": "$.Key", "S3OutputPath": "s3://b/"}}
    assert changes(request) == ()


def test_a_type_with_local_disks_takes_no_key() -> None:
    (change,) = changes({**REQUEST, "ResourceConfig": {"InstanceType": "ml.g5.xlarge"}})
    assert (change.rule, change.direction) == ("encryption-by-hardware", "neutral")


def test_a_state_that_is_gone_is_silent() -> None:
    assert compare_security(pair(machine(REQUEST), machine(REQUEST, state="Other"))).others == ()
