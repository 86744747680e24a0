"""Faults on order strike when they shall, and once."""

import io
import json
import zipfile

import pytest

from tests.integration.emulator.lab import IMAGE, Lab, refusal
from tests.integration.harness import Admin

pytestmark = pytest.mark.usefixtures("admin")


def test_a_fault_strikes_before_or_after_a_call_takes_effect(lab: Lab, admin: Admin) -> None:
    sagemaker = lab("sagemaker")
    for moment, takes_effect in (("before", False), ("after", True)):
        name = lab.name("model")
        admin.fault("sagemaker", "CreateModel", moment, "error", nth=2)
        lab.model()
        said = refusal(sagemaker.create_model, ModelName=name, PrimaryContainer={"Image": IMAGE})
        assert said == "ValidationException: A fault that a test ordered"
        assert (name in json.dumps(sagemaker.list_models(MaxResults=100), default=str)) == takes_effect
        lab.model()


def test_faults_are_used_in_their_order_and_once(lab: Lab, admin: Admin) -> None:
    describe = lab("sagemaker").describe_endpoint_config
    config = lab.config()
    for _ in range(2):
        admin.fault("sagemaker", "DescribeEndpointConfig", "before", "error")
    for _ in range(2):
        assert "A fault that a test ordered" in refusal(describe, EndpointConfigName=config)
    assert describe(EndpointConfigName=config)["EndpointConfigName"] == config


@pytest.mark.parametrize(("moment", "made"), [("before", []), ("after", ["first"])])
def test_a_killed_worker_runs_no_further(lab: Lab, admin: Admin, moment: str, made: list[str]) -> None:
    function = lab.name("function")
    code = (
        "import boto3\n"
        "def handler(event, context):\n"
        "    for name in ('first', 'second'):\n"
        f"        boto3.client('sagemaker').create_model(ModelName=f'{function}-{{name}}', "
        f"PrimaryContainer={{'Image': '{IMAGE}'}})\n"
        "    return 'done'\n"
    )
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("index.py", code)
    lab("lambda").create_function(
        FunctionName=function,
        Runtime="python3.11",
        Role=lab.role_of_lambda,
        Handler="index.handler",
        Code={"ZipFile": archive.getvalue()},
        Timeout=30,
    )
    admin.fault("sagemaker", "CreateModel", moment, "kill")
    answer = lab("lambda").invoke(FunctionName=function, Payload=b"{}")
    assert "FunctionError" in answer
    models = [model["ModelName"] for model in lab("sagemaker").list_models(MaxResults=100)["Models"]]
    assert [m.removeprefix(f"{function}-") for m in models if m.startswith(function)] == made
    # The next call starts a new worker.
    assert (
        b"first" in lab("lambda").invoke(FunctionName=function, Payload=b"{}")["Payload"].read() or not made
    )
