"""The stack of a batch transform that AWS Batch runs: its queue, its role, and what its program is told."""

import json
from typing import Any

import pytest

from sizewell.planning import load_plan
from sizewell.targets.batch.transform_job.plan_model import BatchTransformJobPlan
from tests.targets.batch.test_job_stack import properties
from tests.targets.conftest import Synthesized, configuration_of, resources

pytestmark = pytest.mark.cdk
Template = dict[str, Any]


@pytest.fixture(scope="module")
def template(synthesized: Synthesized) -> Template:
    return resources(synthesized("batch-job", "prod"), "labs-prod-score-customers")


@pytest.fixture(scope="module")
def plan() -> BatchTransformJobPlan:
    (planned,) = load_plan(configuration_of("batch-job"), "prod").of(BatchTransformJobPlan)
    return planned


@pytest.fixture(scope="module")
def container(template: Template) -> Any:
    return properties(template, "AWS::Batch::JobDefinition")["ContainerProperties"]


def test_it_has_one_queue_for_all_its_jobs_on_demand(
    template: Template, plan: BatchTransformJobPlan, container: Any
) -> None:
    assert plan.instance_count > 1
    launched = properties(template, "AWS::Batch::ComputeEnvironment")["ComputeResources"]
    assert (launched["Type"], launched["InstanceTypes"]) == ("EC2", list(plan.instance_pools))
    assert launched["MaxvCpus"] >= plan.instance_count * plan.container.vcpus
    (vcpus,) = (asked["Value"] for asked in container["ResourceRequirements"] if asked["Type"] == "VCPU")
    # No two jobs of an array, whose models have the same port, fit on one instance.
    assert 2 * int(vcpus) > plan.vcpus


def test_it_is_told_what_the_plan_says_and_its_model_is_told_nothing_of_it(
    plan: BatchTransformJobPlan, container: Any
) -> None:
    variables = {variable["Name"]: variable["Value"] for variable in container["Environment"]}
    parts = variables.pop("SIZEWELL_TRANSFORM")["Fn::Join"][1]
    settings = json.loads("".join(part if isinstance(part, str) else "BUCKET" for part in parts))
    assert settings["SHARDS"] == str(plan.instance_count)
    assert settings["DATA_URI"] == "s3://BUCKET/customers/today/"
    assert settings["OUTPUT_URI"] == "s3://BUCKET/transform/score-customers/"
    assert settings["MODEL_URI"] == "s3://BUCKET/models/score-customers/model.tar.gz"
    assert not settings.keys() & variables.keys()
    assert variables["SAGEMAKER_BATCH"] == "true"


def test_it_reads_its_model_and_its_rows_and_writes_its_results_alone(template: Template) -> None:
    statements = properties(template, "AWS::IAM::ManagedPolicy", "JobJobRole")["PolicyDocument"]["Statement"]
    changed = {
        action: json.dumps(statement["Resource"])
        for statement in statements
        for action in statement["Action"]
        if action in ("s3:PutObject", "s3:DeleteObject")
    }
    assert changed.keys() == {"s3:PutObject"}
    assert "transform/score-customers/*" in changed["s3:PutObject"]
    (read,) = (statement["Resource"] for statement in statements if statement["Action"] == ["s3:GetObject"])
    places = ["/customers/today/*", "/models/score-customers/model.tar.gz"]
    assert [place for place in places if f'{place}"' in json.dumps(read)] == places
    assert len(read) == 2


def test_its_job_definition_is_no_longer_than_batch_takes(template: Template) -> None:
    assert len(json.dumps(properties(template, "AWS::Batch::JobDefinition")).encode()) < 24 * 1024
