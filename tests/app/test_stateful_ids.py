"""Logical ids of resources whose replacement loses data or breaks what others hold on to.

A custom resource keeps the function that it was made with: CloudFormation refuses to change a service token. And the
deletion of an ``EndpointScaling`` under its old id would end the scaling that the new one began.

A change of a line here is a migration: it deletes the old resource in every environment that is deployed.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sizewell.planning import DeploymentPlan, load_plan
from tests.synthesis import ENVIRONMENTS, PROJECT_ROOT, templates

pytestmark = pytest.mark.cdk

FOUNDATION = {
    "BucketsAccessLogBucket9E980A7C": "AWS::S3::Bucket",
    "BucketsArtifactBucketC280E8FD": "AWS::S3::Bucket",
    "BucketsCheckpointBucketB035B749": "AWS::S3::Bucket",
    "KeysDataKeyAlias758166BA": "AWS::KMS::Alias",
    "KeysDataKeyB0283748": "AWS::KMS::Key",
    "KeysOperationsKey5A964E61": "AWS::KMS::Key",
    "KeysOperationsKeyAlias26B5B70E": "AWS::KMS::Alias",
    "NetworkCloseDefaultSecurityGroupLogGroup022D8CE5": "AWS::Logs::LogGroup",
    "NetworkCloseDefaultSecurityGroupE900A977": "AWS::Lambda::Function",
    "NetworkFlowLogGroup1F868030": "AWS::Logs::LogGroup",
    "NetworkVpcFAC8F4A5": "AWS::EC2::VPC",
    "ScalingHandoverFunction553D0C00": "AWS::Lambda::Function",
    "ScalingHandoverLogGroup9A0954B8": "AWS::Logs::LogGroup",
    "TopicsAlarmTopic39D0815D": "AWS::SNS::Topic",
}
SUBNETS = ("NetworkPrivateSubnet1E8491189", "NetworkPrivateSubnet26BD46F8C", "NetworkPrivateSubnet32969D732")
ENDPOINT = {
    "Endpoint8024A810": "AWS::SageMaker::Endpoint",
    "EndpointLogGroupF0503913": "AWS::Logs::LogGroup",
    "Scaling313D8C28": "Custom::EndpointScaling",
    "ScalingReleaseE84C11AF": "Custom::ScalingRelease",
}
TRAINING = {
    "TrainingWorkflowLogGroupC7AE6968": "AWS::Logs::LogGroup",
    "TrainingWorkflowStateMachineECD03D2F": "AWS::StepFunctions::StateMachine",
}
SCHEDULE = {"TrainingScheduleDeadLetterQueue163675C9": "AWS::SQS::Queue"}

STATEFUL_TYPES = {
    "AWS::EC2::Subnet",
    *(t for ids in (FOUNDATION, ENDPOINT, TRAINING, SCHEDULE) for t in ids.values()),
}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_ids_of_stateful_resources_are_pinned(environment: str, assemblies: Callable[[str], Path]) -> None:
    plan = load_plan(PROJECT_ROOT / "config", environment)
    found = {stack: _stateful(template) for stack, template in templates(assemblies(environment)).items()}
    assert found == _pinned(plan)


def _pinned(plan: DeploymentPlan) -> dict[str, dict[str, str]]:
    assert plan.foundation.network.mode == "new"
    subnets = dict.fromkeys(SUBNETS[: plan.foundation.network.availability_zones], "AWS::EC2::Subnet")
    return {
        plan.foundation.stack_name: {**FOUNDATION, **subnets},
        **{endpoint.stack_name: ENDPOINT for endpoint in plan.endpoints},
        **{job.stack_name: {**TRAINING, **(SCHEDULE if job.schedule else {})} for job in plan.training_jobs},
    }


def _stateful(template: dict[str, Any]) -> dict[str, str]:
    return {
        logical_id: resource["Type"]
        for logical_id, resource in template["Resources"].items()
        if resource["Type"] in STATEFUL_TYPES
    }
