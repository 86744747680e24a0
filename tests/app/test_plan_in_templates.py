"""What a swapped argument of a stack would change without any fault: the templates of production against its plan."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning import load_plan
from tests.synthesis import PROJECT_ROOT, templates

pytestmark = pytest.mark.cdk

PLAN = load_plan(PROJECT_ROOT / "config", "prod")
CREATE_JOB = "arn:aws:states:::sagemaker:createTrainingJob.sync"


def of_type(template: dict[str, Any], resource_type: str) -> Iterator[dict[str, Any]]:
    return (found["Properties"] for found in template["Resources"].values() if found["Type"] == resource_type)


def test_an_endpoint_has_what_the_plan_says(assemblies: Callable[[str], Path]) -> None:
    found: dict[str, Any] = templates(assemblies("prod"))
    for plan in PLAN.endpoints:
        template = found[plan.stack_name]
        (model,) = of_type(template, "AWS::SageMaker::Model")
        assert model["EnableNetworkIsolation"] is plan.network_isolation
        assert model["VpcConfig"]["SecurityGroupIds"] == [{"Ref": "FoundationEndpointSecurityGroupId"}]
        assert model["PrimaryContainer"].get("Environment", {}) == plan.environment
        (endpoint,) = of_type(template, "AWS::SageMaker::Endpoint")
        assert endpoint["RetainAllVariantProperties"] is (plan.scaling is not None)


def test_a_job_asks_for_what_the_plan_says(assemblies: Callable[[str], Path]) -> None:
    found: dict[str, Any] = templates(assemblies("prod"))
    for plan in PLAN.of(TrainingJobPlan):
        (machine,) = of_type(found[plan.stack_name], "AWS::StepFunctions::StateMachine")
        text = machine["DefinitionString"]
        whole = text if isinstance(text, str) else "".join(map(str, text["Fn::Join"][1]))
        (branch,) = json.loads(whole)["States"]["Work"]["Branches"]
        requests = [
            state["Arguments"] for state in branch["States"].values() if state.get("Resource") == CREATE_JOB
        ]
        assert len(requests) == len(plan.attempts)
        channels = {name: f"/{prefix}/" for name, prefix in plan.channels.items()}
        if plan.code is not None:
            channels["code"] = f"/{plan.code.prefix}/"
        for request in requests:
            assert request["EnableNetworkIsolation"] is plan.network_isolation
            uris = {
                channel["ChannelName"]: channel["DataSource"]["S3DataSource"]["S3Uri"]
                for channel in request["InputDataConfig"]
            }
            assert uris.keys() == channels.keys()
            assert [name for name, uri in uris.items() if not uri.endswith(channels[name])] == []
