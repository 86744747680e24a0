"""A pipeline: what its states hand on and refuse, what its role may do, and who hears of what."""

import json

import pytest
from aws_cdk import Stack
from aws_cdk.assertions import Template

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.pipeline import Pipeline, PipelineProps
from constructs_lib.jobs.pipeline_definition import (
    Outcome,
    QualityGate,
    RegisterStep,
    RunStep,
    pipeline_definition,
)
from tests.constructs_lib.jobs.jsonata_states import evaluated, following
from tests.constructs_lib.judges import lint_matches, open_findings
from tests.constructs_lib.resources import Json, statements_by_action, statements_of

HERE = "us-east-1:111122223333"
CLEAN = RunStep(name="clean", state_machine_name="demo-clean", time_limit_s=100)
TRAIN = RunStep(
    name="train",
    state_machine_name="demo-train",
    time_limit_s=200,
    outcome=Outcome.TRAINING,
    takes_hyperparameters=True,
    gates=(QualityGate(metric="val:auc", at_least=0.8, at_most=1),),
)
EVALUATE = RunStep(
    name="evaluate",
    state_machine_name="demo-evaluate",
    time_limit_s=300,
    reads={"model": "train"},
    gates=(QualityGate(metric="a.b-c", file_key="reports/e.json", at_most=12.5),),
)
REGISTER = RegisterStep(name="register", trained_by="train", group_name="orders", image_uri="image")
LEVELS = ((CLEAN, TRAIN), (EVALUATE,), (REGISTER,))
ARNS = {name: f"arn:{name}" for name in ("demo-clean", "demo-train", "demo-evaluate")}
STATES: Json = pipeline_definition(LEVELS, time_limit_s=999, partition="aws-cn", machine_arns=ARNS)["States"]  # type: ignore[assignment]
CONTEXT = {"Execution": {"Id": "arn:run", "StartTime": "2026-11-23T12:00:05.700Z", "Input": {}}}
MODEL = "s3://bucket/output/train/job-1/output/"
CAME = {
    "train": {
        "TrainingJobName": "job-1",
        "ModelArtifacts": f"{MODEL}model.tar.gz",
        "Metrics": {"val:auc": 0.9},
    }
}


def test_a_level_of_several_steps_runs_them_side_by_side_and_joins_what_comes_of_them() -> None:
    level = STATES["Level 1"]
    assert [branch["StartAt"] for branch in level["Branches"]] == ["Run clean", "Run train"]
    assert evaluated(level["Output"], result=[{"clean": 1}, {"train": 2}]) == {"clean": 1, "train": 2}
    assert level["Next"] == "Run evaluate"
    run = level["Branches"][1]["States"]["Run train"]
    assert run["Resource"] == "arn:aws-cn:states:::states:startExecution.sync:2"
    assert (run["Arguments"]["StateMachineArn"], run["TimeoutSeconds"]) == ("arn:demo-train", 500)
    assert STATES["Register register"]["End"] is True


def test_a_step_hands_on_what_it_was_given_under_a_name_that_no_retry_changes() -> None:
    context = {
        "Execution": {
            **CONTEXT["Execution"],
            "Input": {"steps": {"train": {"hyperparameters": {"eta": "1"}}}},
        }
    }
    arguments = STATES["Level 1"]["Branches"][1]["States"]["Run train"]["Arguments"]
    first, again = (evaluated(arguments, state_input={}, context=context) for _ in range(2))
    assert first == again
    assert first["Name"].startswith("step-train-")
    assert first["Input"] == {
        "AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID": "arn:run",
        "hyperparameters": {"eta": "1"},
    }
    other = {"Execution": {**CONTEXT["Execution"], "RedriveCount": 1}}
    assert evaluated(arguments["Name"], context=other) != first["Name"]
    read = evaluated(STATES["Run evaluate"]["Arguments"], state_input=CAME, context=CONTEXT)
    assert read["Input"]["inputs"] == {"model": MODEL}


def test_of_a_tuning_the_report_of_the_best_training_is_kept() -> None:
    output = {
        "BestTrainingJob": {
            "TrainingJobName": "best",
            "FinalHyperParameterTuningJobObjectiveMetric": {"MetricName": "val_loss", "Value": 0.2},
        },
        "TrainingJobDefinition": {"OutputDataConfig": {"S3OutputPath": "s3://bucket/output/tune/"}},
    }
    assert evaluated(f"{{% ( $output := $states.result; {Outcome.TUNING} ) %}}", result=output) == {
        "TrainingJobName": "best",
        "ModelArtifacts": "s3://bucket/output/tune/best/output/model.tar.gz",
        "Metrics": {"val_loss": 0.2},
    }


@pytest.mark.parametrize(
    ("given", "unknown"),
    [
        ({}, None),
        ({"steps": {"train": {"hyperparameters": {"eta": "1"}}}}, None),
        ({"step": {}}, "step"),
        ({"steps": {"clean": {"hyperparameters": {}}}}, "clean"),
        ({"steps": {"train": {"eta": 1}}}, "eta"),
    ],
)
def test_an_input_that_no_step_takes_is_refused(given: Json, unknown: str | None) -> None:
    came_to, _ = following(STATES["ReadInput"], given)
    if unknown is None:
        assert came_to == "Level 1"
    else:
        assert came_to == "Refuse"
        assert evaluated(STATES["Refuse"]["Cause"], state_input=given).endswith(
            f"for train, not with {unknown}"
        )


@pytest.mark.parametrize(
    ("body", "modified", "observed"),
    [
        ({"a": {"b-c": 12.5}}, "2026-11-23T12:00:05Z", None),
        ({"a": {"b-c": 12.6}}, "2026-11-23T12:00:06Z", "is 12.6; it must be at most 12.5"),
        ({"a": {"b-c": "1"}}, "2026-11-23T12:00:06Z", "is 1; it must be at most 12.5"),
        ({"a": {}}, "2026-11-23T12:00:06Z", "is missing; it must be at most 12.5"),
        ({"a": {"b-c": 1}}, "2026-11-23T12:00:04Z", "is that of an earlier run; it must be at most 12.5"),
    ],
)
def test_a_gate_looks_at_a_number_that_this_run_wrote(
    body: Json, modified: str, observed: str | None
) -> None:
    result = {"Body": json.dumps(body), "LastModified": modified}
    came = evaluated(
        STATES["Read evaluate 1"]["Output"],
        state_input={**CAME, "evaluate": {}},
        result=result,
        context=CONTEXT,
    )
    judged, _ = following(STATES["Judge evaluate"], came)
    assert judged == ("Passed evaluate" if observed is None else "Gate evaluate 1")
    if observed is None:
        request = evaluated(STATES["Register register"]["Arguments"], state_input=came, context=CONTEXT)
        assert request["CustomerMetadataProperties"] == {
            "ExecutionArn": "arn:run",
            "TrainingJobName": "job-1",
            "train/val:auc": "0.9",
            "evaluate/a.b-c": "12.5",
        }
    else:
        assert (
            evaluated(STATES["Gate evaluate 1"]["Cause"], state_input=came) == f"a.b-c of evaluate {observed}"
        )


def test_a_step_that_fails_tells_its_own_cause() -> None:
    cause = json.dumps(
        {"Error": "TrainingFailed", "Status": "FAILED", "ExecutionArn": "arn:e", "Cause": '{"Cause": "why"}'}
    )
    next_state = evaluated(STATES["Run evaluate"]["Catch"][0]["Next"])
    assert next_state == "Fail evaluate"
    failed = STATES["Fail evaluate"]
    assert json.loads(
        evaluated(failed["Cause"], state_input={"Error": "States.TaskFailed", "Cause": cause})
    ) == {
        "Step": "evaluate",
        "Error": "TrainingFailed",
        "Status": "FAILED",
        "ExecutionArn": "arn:e",
        "Cause": {"Cause": "why"},
    }
    refused = evaluated(failed["Cause"], state_input={"Error": "States.Timeout"})
    assert json.loads(refused) == {"Step": "evaluate", "Error": "States.Timeout"}


def _template(
    stack: Stack, foundation: FoundationReferences, *levels: tuple[RunStep | RegisterStep, ...]
) -> Template:
    """Return the template of a pipeline of these levels."""
    props = PipelineProps(
        workload_name="learn",
        state_machine_name="demo-learn",
        levels=levels,
        time_limit_s=999,
        foundation=foundation,
    )
    Pipeline(stack, "Pipeline", props=props)
    return Template.from_stack(stack)


@pytest.fixture
def template(stack: Stack, foundation: FoundationReferences) -> Template:
    return _template(stack, foundation, *LEVELS)


@pytest.mark.cdk
def test_the_role_starts_and_stops_the_machines_of_its_steps_and_no_others(
    template: Template, foundation: FoundationReferences
) -> None:
    by_action = statements_by_action(template.to_json(), "states.amazonaws.com")
    machines = [f"arn:aws:states:{HERE}:stateMachine:{name}" for name in ARNS]
    assert by_action[("states:StartExecution",)]["Resource"] == machines
    assert by_action[("states:DescribeExecution", "states:StopExecution")]["Resource"] == [
        f"arn:aws:states:{HERE}:execution:{name}:*" for name in ARNS
    ]
    rule = by_action[("events:DescribeRule", "events:PutRule", "events:PutTargets")]["Resource"]
    assert rule == f"arn:aws:events:{HERE}:rule/StepFunctionsGetEventsForStepFunctionsExecutionRule"
    file = f"arn:aws:s3:::{foundation.artifact_bucket_name}/reports/e.json"
    assert by_action[("s3:GetObject",)]["Resource"] == file
    assert by_action[("kms:Decrypt",)]["Condition"] == {
        "StringEquals": {"kms:ViaService": "s3.us-east-1.amazonaws.com"}
    }
    assert by_action[("sagemaker:CreateModelPackage",)]["Resource"] == [
        f"arn:aws:sagemaker:{HERE}:model-package-group/orders",
        f"arn:aws:sagemaker:{HERE}:model-package/orders/*",
    ]
    keys = [
        statement
        for statement in statements_of(template.to_json(), "states.amazonaws.com")
        if "kms:GenerateDataKey" in statement["Action"]
    ]
    assert {"StringEquals": {"kms:EncryptionContext:aws:states:stateMachineArn": machines}} in [
        statement["Condition"] for statement in keys
    ]


@pytest.mark.cdk
def test_versions_are_encrypted_with_the_data_key(
    template: Template, foundation: FoundationReferences
) -> None:
    (machine,) = template.find_resources("AWS::StepFunctions::StateMachine").values()
    text = machine["Properties"]["DefinitionString"]
    assert '"SecurityConfig": {"KmsKeyId": "${DataKeyArn}"}' in text
    assert machine["Properties"]["DefinitionSubstitutions"]["DataKeyArn"] == foundation.data_key_arn
    by_action = statements_by_action(template.to_json(), "states.amazonaws.com")
    rights = by_action[("kms:CreateGrant", "kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKey")]
    assert rights["Resource"] == foundation.data_key_arn
    assert rights["Condition"] == {"StringEquals": {"kms:ViaService": "sagemaker.us-east-1.amazonaws.com"}}


@pytest.mark.cdk
def test_a_bad_end_raises_an_alarm(template: Template) -> None:
    found = template.find_resources("AWS::CloudWatch::Alarm").values()
    metrics = {alarm["Properties"]["MetricName"] for alarm in found}
    assert metrics >= {"ExecutionsFailed", "ExecutionsTimedOut", "ExecutionsAborted"}


@pytest.mark.cdk
def test_the_group_stays_and_people_hear_of_approvals(
    template: Template, stack: Stack, foundation: FoundationReferences
) -> None:
    template.has_resource(
        "AWS::SageMaker::ModelPackageGroup",
        {
            "Properties": {"ModelPackageGroupName": "orders"},
            "DeletionPolicy": "RetainExceptOnCreate",
            "UpdateReplacePolicy": "Retain",
        },
    )
    template.has_resource_properties(
        "AWS::Events::Rule",
        {
            "EventPattern": {
                "source": ["aws.sagemaker"],
                "detail-type": ["SageMaker Model Package State Change"],
                "detail": {"ModelPackageGroupName": ["orders"], "ModelApprovalStatus": ["Approved"]},
            },
            "Targets": [{"Arn": foundation.alarm_topic_arn}],
        },
    )
    assert open_findings(stack) == set()
    # It looks at all regions, and some have no model registry.
    assert [match for match in lint_matches(template.to_json()) if "E3006" not in match] == []


@pytest.mark.cdk
def test_the_construct_of_a_group_keeps_its_id_in_every_environment(
    stack: Stack, foundation: FoundationReferences
) -> None:
    register = RegisterStep(
        name="r", trained_by="train", group="orders", group_name="ACME-dev-orders", image_uri="image"
    )
    made = _template(stack, foundation, (TRAIN,), (register,))
    ((logical_id, group),) = made.find_resources("AWS::SageMaker::ModelPackageGroup").items()
    assert logical_id.startswith("PipelineGroupsorders")
    assert group["Properties"]["ModelPackageGroupName"] == "ACME-dev-orders"
    by_action = statements_by_action(made.to_json(), "states.amazonaws.com")
    # In its ARN the name is in lower case.
    assert by_action[("sagemaker:CreateModelPackage",)]["Resource"] == [
        f"arn:aws:sagemaker:{HERE}:model-package-group/acme-dev-orders",
        f"arn:aws:sagemaker:{HERE}:model-package/acme-dev-orders/*",
    ]


@pytest.mark.cdk
def test_nobody_hears_of_versions_that_nobody_has_to_approve(
    stack: Stack, foundation: FoundationReferences
) -> None:
    register = RegisterStep(
        name="r", trained_by="train", group_name="orders", image_uri="image", is_approved=True
    )
    made = _template(stack, foundation, (TRAIN,), (register,))
    rules = made.find_resources("AWS::Events::Rule").values()
    assert all(rule["Properties"]["EventPattern"]["source"] == ["aws.states"] for rule in rules)
