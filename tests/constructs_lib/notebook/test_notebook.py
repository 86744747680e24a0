"""A notebook: how it is closed, who may do what, and what stops it."""

import json
import shutil
import subprocess
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk.assertions import Match, Template

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.notebook.notebook import Notebook, NotebookProps, on_start_script
from constructs_lib.workflows.schedule_expression import TrainingScheduleTiming
from sizewell.facts.notebook_instances import PLATFORM_IDENTIFIER, PYTHONS
from tests.constructs_lib.resources import Json, statements_of

NAME = "demo-dev-explore"
ARN = f"arn:aws:sagemaker:us-east-1:111122223333:notebook-instance/{NAME}"
LOGS = "arn:aws:logs:us-east-1:111122223333:log-group:/aws/sagemaker/NotebookInstances"
EVENINGS = TrainingScheduleTiming(expression="cron(0 0-7,18-23 ? * MON *)", time_zone="Europe/Berlin")


def props(foundation: FoundationReferences, **changes: Any) -> NotebookProps:
    values: Json = {
        "notebook_name": NAME,
        "instance_type": "ml.t3.large",
        "platform_identifier": PLATFORM_IDENTIFIER,
        "volume_size_gib": 50,
        "idle_shutdown_minutes": 45,
        "stops": (EVENINGS,),
        "foundation": foundation,
    }
    return NotebookProps(**(values | changes))


def built(stack: Stack, foundation: FoundationReferences, **changes: Any) -> Template:
    Notebook(stack, "Notebook", props=props(foundation, **changes))
    return Template.from_stack(stack)


@pytest.mark.cdk
def test_it_is_closed(stack: Stack, foundation: FoundationReferences) -> None:
    built(stack, foundation).has_resource(
        "AWS::SageMaker::NotebookInstance",
        {
            "DeletionPolicy": "Delete",
            "Properties": {
                "NotebookInstanceName": NAME,
                "InstanceType": "ml.t3.large",
                "PlatformIdentifier": "notebook-al2023-v1",
                "SubnetId": foundation.subnet_ids[0],
                "SecurityGroupIds": [foundation.endpoint_security_group_id],
                "DirectInternetAccess": "Disabled",
                "RootAccess": "Disabled",
                "KmsKeyId": foundation.data_key_arn,
                "VolumeSizeInGB": 50,
                "InstanceMetadataServiceConfiguration": {"MinimumInstanceMetadataServiceVersion": "2"},
                "LifecycleConfigName": Match.any_value(),
                "RoleArn": Match.any_value(),
            },
        },
    )


@pytest.mark.cdk
def test_its_role_may_do_this_and_nothing_else(stack: Stack, foundation: FoundationReferences) -> None:
    template = built(stack, foundation, read_prefixes=("datasets",), write_prefixes=("notebooks/explore",))
    bucket = f"arn:aws:s3:::{foundation.artifact_bucket_name}"
    statements = statements_of(template.to_json(), "sagemaker.amazonaws.com")
    assert [
        (statement["Action"], statement["Resource"], statement.get("Condition")) for statement in statements
    ] == [
        (
            ["s3:ListBucket"],
            bucket,
            {
                "StringLike": {
                    "s3:prefix": ["datasets", "datasets/*", "notebooks/explore", "notebooks/explore/*"]
                }
            },
        ),
        (["s3:GetObject"], [f"{bucket}/datasets/*"], None),
        (
            ["s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject"],
            [f"{bucket}/notebooks/explore/*"],
            None,
        ),
        (
            ["kms:Decrypt", "kms:GenerateDataKey"],
            foundation.data_key_arn,
            {"StringEquals": {"kms:ViaService": "s3.us-east-1.amazonaws.com"}},
        ),
        (["logs:CreateLogGroup", "logs:DescribeLogStreams"], f"{LOGS}:*", None),
        (["logs:CreateLogStream", "logs:PutLogEvents"], f"{LOGS}:log-stream:{NAME}/*", None),
        (["sagemaker:StopNotebookInstance"], ARN, None),
    ]


@pytest.mark.cdk
def test_the_scheduler_calls_the_api_itself(stack: Stack, foundation: FoundationReferences) -> None:
    template = built(stack, foundation)
    template.has_resource_properties(
        "AWS::Scheduler::Schedule",
        {
            "ScheduleExpression": EVENINGS.expression,
            "ScheduleExpressionTimezone": "Europe/Berlin",
            "State": "ENABLED",
            "FlexibleTimeWindow": {"Mode": "OFF"},
            "Target": {
                "Arn": "arn:aws:scheduler:::aws-sdk:sagemaker:stopNotebookInstance",
                "Input": json.dumps({"NotebookInstanceName": NAME}),
                "RetryPolicy": {"MaximumRetryAttempts": 0},
                "RoleArn": Match.any_value(),
            },
        },
    )
    (allowed,) = statements_of(template.to_json(), "scheduler.amazonaws.com")
    assert (allowed["Action"], allowed["Resource"]) == (["sagemaker:StopNotebookInstance"], ARN)


@pytest.mark.cdk
def test_what_nobody_asks_for_is_not_there(stack: Stack, foundation: FoundationReferences) -> None:
    role = "arn:aws:iam::111122223333:role/company/notebooks"
    template = built(stack, foundation, execution_role_arn=role)
    template.has_resource_properties("AWS::SageMaker::NotebookInstance", {"RoleArn": role})
    # That of the schedule, which may only stop it.
    template.resource_count_is("AWS::IAM::Role", 1)


def test_a_notebook_that_nothing_stops_is_refused(foundation: FoundationReferences) -> None:
    with pytest.raises(ValueError, match="at least one time"):
        props(foundation, stops=())


def test_the_instance_runs_the_watch_as_it_stands_and_bash_can_read_it() -> None:
    script = on_start_script(45)
    assert "stop_when_idle.py 45\n" in script
    assert "def watch(" in script
    # API reference: NotebookInstanceLifecycleHook, Content.
    assert len(b64encode(script.encode())) <= 16384
    bash = shutil.which("bash")
    assert bash is not None
    assert subprocess.run([bash, "-n"], input=script, text=True, check=False).returncode == 0


@pytest.mark.parametrize("able", [*range(len(PYTHONS)), None])
def test_the_first_python_with_boto3_watches_and_without_one_the_instance_does_not_start(
    able: int | None, tmp_path: Path
) -> None:
    """Every path is that of a program which ends well, or does not, when it is asked for boto3."""
    script = on_start_script(45).replace("/usr/local/sbin", str(tmp_path))
    for number, path in enumerate(PYTHONS):
        stub = tmp_path / f"python{number}"
        stub.write_text(f"#!/bin/bash\nexit {0 if able is not None and number >= able else 1}\n", "utf-8")
        stub.chmod(0o755)
        script = script.replace(f"{path} ", f"{stub} ").replace(f"{path};", f"{stub};")
    tells = 'systemd-run() { echo "${@: -3:1}"; }\n'
    bash = shutil.which("bash")
    assert bash is not None
    ended = subprocess.run([bash], input=tells + script, capture_output=True, text=True, check=False)
    assert (ended.returncode == 0, ended.stdout.strip()) == (
        able is not None,
        "" if able is None else f"{tmp_path}/python{able}",
    )
