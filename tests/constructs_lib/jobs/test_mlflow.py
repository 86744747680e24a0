"""An MLflow App in the foundation, and trainings that record their runs: requests, roles and tags of a run."""

import json
from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk.assertions import Match, Template

from constructs_lib.foundation.existing import ExistingResources
from constructs_lib.foundation.foundation import Foundation, FoundationProps
from constructs_lib.foundation.network import NewNetworkProps
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.training_job import RequestMemberError, TrainingExperiment
from constructs_lib.jobs.training_state_machine import training_state_machine_definition
from constructs_lib.jobs.tuning_workflow import tuning_state_machine_definition
from tests.constructs_lib.jobs.jsonata_states import evaluated
from tests.constructs_lib.jobs.test_training_workflow import add_workflow
from tests.constructs_lib.jobs.test_tuning import SEARCH
from tests.constructs_lib.jobs.test_tuning import job as tuned_job
from tests.constructs_lib.jobs.training import ON_DEMAND_ALONE, RESOURCES, SPOT, TWO_NODES, job
from tests.constructs_lib.judges import lint_matches, open_findings

IN_APP = TrainingExperiment(name="churn", is_app=True, artifact_prefix="mlflow")
IN_SERVER = TrainingExperiment(name="churn", is_app=False)
SERVER_ARN = "arn:aws:sagemaker:us-east-1:111122223333:mlflow-tracking-server/company"
RECORDED: dict[str, Any] = {"experiment": IN_APP, "enable_network_isolation": False}


EXECUTION = "arn:aws:states:us-east-1:111122223333:execution:demo-dev-weekly:run-7"


def tags_of(definition: dict[str, Any], number: int, *members: str) -> dict[str, str]:
    """Return the tags of the run of an attempt; ``members`` lead to its request."""
    states: Any = definition["States"]
    job = states[f"{'Tune' if members else 'Train'}{number}"]["Arguments"]
    for member in members:
        job = job[member]
    text = evaluated(
        job["Environment"]["MLFLOW_TAGS"],
        context={"Execution": {"Id": EXECUTION}},
        variables={
            key: value for key, value in states[f"NameJob{number}"]["Assign"].items() if key != "job_name"
        },
    )
    assert len(text) <= 512
    tags: dict[str, str] = json.loads(text)
    return tags


def test_a_run_is_told_where_it_runs_and_for_how_much() -> None:
    unpriced = replace(SPOT, usd_per_hour=None)
    recorded = job(**RECORDED, attempts=(SPOT, unpriced, TWO_NODES))
    definition = training_state_machine_definition(recorded, resources=RESOURCES, partition="aws")
    names = ("instance_type", "instance_count", "managed_spot", "usd_per_hour_on_demand")
    for number, expected in (
        (1, ("ml.g5.2xlarge", "1", "true", "1.5")),
        (2, ("ml.g5.2xlarge", "1", "true")),
        (3, ("ml.p4d.24xlarge", "2", "false", "50")),
    ):
        assert tags_of(definition, number) == {
            "execution": EXECUTION,
            **dict(zip(names, expected, strict=False)),
        }
    environment = definition["States"]["Train1"]["Arguments"]["Environment"]  # type: ignore[index]
    assert environment["MLFLOW_TRACKING_URI"] == RESOURCES.mlflow_arn
    assert environment["MLFLOW_EXPERIMENT_NAME"] == "churn"


@pytest.mark.parametrize(("count", "instance_type"), [(1, "ml.p3.2xlarge"), (2, None)])
def test_trainings_of_a_tuning_are_told_their_type_where_there_is_one_only(
    count: int, instance_type: str | None
) -> None:
    recorded = tuned_job(**RECORDED)
    recorded = replace(recorded, attempts=recorded.attempts[:count])
    definition = tuning_state_machine_definition(recorded, SEARCH, resources=RESOURCES, partition="aws")
    tags = tags_of(definition, 1, "TrainingJobDefinition")
    assert tags["execution"] == EXECUTION
    assert tags.get("instance_type") == instance_type


@pytest.mark.parametrize(
    "changes",
    [
        {**RECORDED, "enable_network_isolation": True},
        {**RECORDED, "environment_variables": {"MLFLOW_TRACKING_URI": "x"}},
    ],
)
def test_what_cannot_record_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(RequestMemberError):
        job(**changes)


@pytest.mark.cdk
@pytest.mark.parametrize(
    ("experiment", "actions"),
    [
        (IN_APP, ["sagemaker:CallMlflowAppApi"]),
        (
            IN_SERVER,
            [
                f"sagemaker-mlflow:{action}"
                for action in (
                    *("CreateExperiment", "CreateRun", "GetExperiment", "GetExperimentByName", "GetRun"),
                    *("LogBatch", "LogInputs", "LogMetric", "LogModel", "LogParam", "SetTag", "UpdateRun"),
                )
            ],
        ),
    ],
)
def test_the_role_calls_that_mlflow_alone_and_writes_artifacts_where_the_app_has_them(
    stack: Stack, foundation: FoundationReferences, experiment: TrainingExperiment, actions: list[str]
) -> None:
    changes = {**ON_DEMAND_ALONE, **RECORDED, "experiment": experiment}
    template = add_workflow(stack, foundation, schedule=None, **changes)
    statements = [
        statement
        for policy in template["Resources"].values()
        if policy["Type"] == "AWS::IAM::ManagedPolicy"
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
    ]
    calls = [statement for statement in statements if "mlflow" in json.dumps(statement["Action"]).lower()]
    assert calls == [{"Effect": "Allow", "Action": actions, "Resource": SERVER_ARN}]
    written = [statement["Resource"] for statement in statements if "s3:PutObject" in statement["Action"]]
    assert ("/mlflow/*" in json.dumps(written)) == experiment.is_app
    assert open_findings(stack) == set()
    assert lint_matches(template) == []


@pytest.mark.cdk
def test_an_experiment_without_an_mlflow_is_refused(stack: Stack, foundation: FoundationReferences) -> None:
    with pytest.raises(ValueError, match="an experiment needs mlflow_arn of the foundation"):
        add_workflow(stack, replace(foundation, mlflow_arn=None), **ON_DEMAND_ALONE, **RECORDED)


@pytest.mark.cdk
def test_the_foundation_makes_an_app_that_keeps_to_its_prefix_and_publishes_it(stack: Stack) -> None:
    Foundation(stack, "Foundation", props=FoundationProps(name_prefix="demo-dev", mlflow_app_name="demo-dev"))
    template = Template.from_stack(stack)
    bucket = "demo-dev-artifacts-111122223333-us-east-1"
    template.has_resource(
        "AWS::SageMaker::MlflowApp",
        {
            "Properties": {
                "Name": "demo-dev",
                "ArtifactStoreUri": f"s3://{bucket}/mlflow",
                "ModelRegistrationMode": "AutoModelRegistrationDisabled",
                "RoleArn": Match.any_value(),
            },
            "DeletionPolicy": "RetainExceptOnCreate",
        },
    )
    (app,) = template.find_resources("AWS::SageMaker::MlflowApp")
    assert app == "FoundationMlflowAppCB92209E"
    template.has_resource_properties(
        "AWS::SSM::Parameter",
        {"Name": "/demo-dev/foundation/mlflow-arn", "Value": {"Fn::GetAtt": [app, "Arn"]}},
    )
    (role,) = template.find_resources(
        "AWS::IAM::ManagedPolicy",
        {
            "Properties": {
                "PolicyDocument": {
                    "Statement": Match.array_with(
                        [Match.object_like({"Action": ["s3:GetBucketLocation", "s3:ListBucket"]})]
                    )
                }
            }
        },
    ).values()
    listing, objects, key = role["Properties"]["PolicyDocument"]["Statement"]
    assert f":s3:::{bucket}" in json.dumps(listing["Resource"])
    assert f":s3:::{bucket}/mlflow/*" in json.dumps(objects["Resource"])
    assert objects["Action"] == ["s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject"]
    assert key["Action"] == ["kms:Decrypt", "kms:GenerateDataKey"]
    assert open_findings(stack) == set()


@pytest.mark.cdk
def test_a_server_that_exists_is_published_and_reached_through_its_endpoint(stack: Stack) -> None:
    Foundation(
        stack,
        "Foundation",
        props=FoundationProps(
            name_prefix="demo-dev",
            network=NewNetworkProps(interface_endpoint_services=("experiments",)),
            existing=ExistingResources(mlflow_arn=SERVER_ARN),
        ),
    )
    template = Template.from_stack(stack)
    template.resource_count_is("AWS::SageMaker::MlflowApp", 0)
    template.has_resource_properties(
        "AWS::SSM::Parameter", {"Name": "/demo-dev/foundation/mlflow-arn", "Value": SERVER_ARN}
    )
    template.has_resource_properties(
        "AWS::EC2::VPCEndpoint",
        {"ServiceName": "aws.sagemaker.us-east-1.experiments", "PrivateDnsEnabled": True},
    )
