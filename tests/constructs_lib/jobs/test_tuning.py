"""A tuning job: its request as the API has it, its roles, and what is refused before anything is built."""

from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk.assertions import Match, Template

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.training_job import TrainingAttempt, TrainingCode, TrainingJobProps
from constructs_lib.jobs.tuning_search import SearchedRange, TuningJobError, TuningSearch
from constructs_lib.jobs.tuning_workflow import (
    TuningWorkflow,
    TuningWorkflowProps,
    tuning_job_request,
    tuning_state_machine_definition,
)
from tests.constructs_lib.jobs.test_training_job_request import faults_of, made
from tests.constructs_lib.jobs.training import IMAGE, RESOURCES
from tests.constructs_lib.jobs.training import job as training_job
from tests.constructs_lib.resources import Json, statements_by_action

NAME, HERE = "demo-dev-tune", "us-east-1:111122223333"
RATE = SearchedRange(name="rate", kind="Continuous", values=("1e-05", "0.1"), scaling_type="Logarithmic")
SHAPE = SearchedRange(name="shape", kind="Categorical", values=("wide", "deep"))
KEYED = TrainingAttempt(
    instance_type="ml.p3.2xlarge",
    image_uri=IMAGE,
    ends_after_s=7200,
    use_managed_spot=True,
    hardware="cuda",
    usd_per_hour=4.0,
)
TWO_NODES = replace(KEYED, instance_type="ml.p3.16xlarge", instance_count=2, usd_per_hour=25.0)
ON_DISKS = replace(KEYED, instance_type="ml.g5.2xlarge")
SEARCH = TuningSearch(
    strategy="Bayesian",
    metric_name="loss",
    metric_goal="Minimize",
    metric_regex="loss=([0-9.]+)",
    ranges=(RATE, SHAPE),
    max_jobs=20,
    max_parallel_jobs=4,
    max_runtime_s=86_400,
    early_stopping=True,
    warm_start_parents=("demo-dev-tune-0a1b2c3d",),
)
COLD: dict[str, Any] = {"warm_start_parents": (), "early_stopping": False}
GRID = replace(SEARCH, strategy="Grid", ranges=(SHAPE,), **COLD)
HYPERBAND = replace(SEARCH, strategy="Hyperband", hyperband_max_resource=9, **COLD)


def job(**changes: Any) -> TrainingJobProps:
    code = TrainingCode(key_prefix="code/tune", command=("python", "train.py"))
    return training_job(**{"job_name_prefix": NAME, "attempts": (KEYED, TWO_NODES), "code": code, **changes})


def request(search: TuningSearch = SEARCH, **changes: Any) -> Json:
    return tuning_job_request(job(**changes), search, resources=RESOURCES)


@pytest.mark.parametrize(
    ("search", "changes"),
    [(SEARCH, {}), (GRID, {}), (HYPERBAND, {"attempts": (ON_DISKS,), "code": None, "job_tags": {}})],
)
def test_the_request_has_the_form_of_the_api(search: TuningSearch, changes: Json) -> None:
    assert faults_of(request(search, **changes), "CreateHyperParameterTuningJob") == ""


def test_the_search_and_the_script_are_told() -> None:
    body = request()
    assert body["HyperParameterTuningJobConfig"] == {
        "Strategy": "Bayesian",
        "HyperParameterTuningJobObjective": {"Type": "Minimize", "MetricName": "loss"},
        "ResourceLimits": {"MaxNumberOfTrainingJobs": 20, "MaxParallelTrainingJobs": 4},
        "ParameterRanges": {
            "ContinuousParameterRanges": [
                {"Name": "rate", "MinValue": "1e-05", "MaxValue": "0.1", "ScalingType": "Logarithmic"}
            ],
            "CategoricalParameterRanges": [{"Name": "shape", "Values": ["wide", "deep"]}],
        },
        "TrainingJobEarlyStoppingType": "Auto",
    }
    definition = body["TrainingJobDefinition"]
    assert definition["AlgorithmSpecification"]["MetricDefinitions"] == [
        {"Name": "loss", "Regex": "loss=([0-9.]+)"}
    ]
    assert definition["StaticHyperParameters"] == {
        "epochs": "3",
        "lr": "0.1",
        "sagemaker_program": "train.py",
        "sagemaker_submit_directory": "/opt/ml/input/data/code",
    }
    assert "sagemaker_program" not in request(code=None)["TrainingJobDefinition"]["StaticHyperParameters"]


def test_types_follow_each_other_and_one_key_is_for_all() -> None:
    definition = request()["TrainingJobDefinition"]
    assert definition["HyperParameterTuningResourceConfig"] == {
        "AllocationStrategy": "Prioritized",
        "InstanceConfigs": [
            {"InstanceType": "ml.p3.2xlarge", "InstanceCount": 1, "VolumeSizeInGB": 30},
            {"InstanceType": "ml.p3.16xlarge", "InstanceCount": 2, "VolumeSizeInGB": 30},
        ],
        "VolumeKmsKeyId": RESOURCES.data_key_arn,
    }
    # Whichever type it gets, the nodes of one training hide what they tell each other.
    assert definition["EnableInterContainerTrafficEncryption"] is True
    assert definition["EnableManagedSpotTraining"] is True
    assert "ResourceConfig" not in definition


@pytest.mark.parametrize(
    ("attempt", "key"), [(ON_DISKS, {}), (KEYED, {"VolumeKmsKeyId": RESOURCES.data_key_arn})]
)
def test_a_single_type_is_asked_for_as_aws_shows_it(attempt: TrainingAttempt, key: Json) -> None:
    definition = request(attempts=(attempt,))["TrainingJobDefinition"]
    alone = {"InstanceType": attempt.instance_type, "InstanceCount": 1, "VolumeSizeInGB": 30}
    assert definition["ResourceConfig"] == alone | key
    assert "HyperParameterTuningResourceConfig" not in definition


def test_each_training_has_all_of_its_time_and_saves_in_the_folder_of_the_execution() -> None:
    definition = made(request())["TrainingJobDefinition"]
    assert definition["StoppingCondition"] == {"MaxRuntimeInSeconds": 7200, "MaxWaitTimeInSeconds": 7200}
    assert definition["CheckpointConfig"]["S3Uri"] == "s3://checkpoints/weekly/run-7/cuda/"
    on_demand = request(attempts=(replace(KEYED, use_managed_spot=False),))["TrainingJobDefinition"]
    assert on_demand["StoppingCondition"] == {"MaxRuntimeInSeconds": 7200}


def test_there_is_one_attempt_with_a_short_name() -> None:
    definition = tuning_state_machine_definition(job(), SEARCH, resources=RESOURCES, partition="aws-cn")
    states: Json = definition["States"]  # type: ignore[assignment]
    assert [name for name in states if name.startswith("Tune")] == ["Tune1"]
    assert states["Tune1"]["Resource"] == "arn:aws-cn:states:::sagemaker:createHyperParameterTuningJob.sync"
    # No member of the request ends the search: the time limit of the task does, and then the job is stopped.
    assert states["ReadInput"]["Assign"]["ends_after_s"] == [86_400]
    assert states["StopJob"]["Resource"].endswith("sagemaker:stopHyperParameterTuningJob")
    assert definition["TimeoutSeconds"] == 86_400 + 3600
    assert states["NameJob1"]["Assign"]["job_name"] == f"{{% '{NAME}-' & $substring($uuid(), 0, 8) %}}"


@pytest.mark.parametrize(
    "changes",
    [
        {"max_jobs": 751},
        {"max_parallel_jobs": 21},
        {"max_jobs": 200, "max_parallel_jobs": 101},
        {"max_runtime_s": 119},
        {"strategy": "Grid"},
        {"strategy": "Hyperband", "early_stopping": False},
        {"strategy": "Hyperband", "hyperband_max_resource": 9},
        {"hyperband_max_resource": 9},
    ],
)
def test_a_search_that_sagemaker_would_refuse_is_refused(changes: Json) -> None:
    with pytest.raises(TuningJobError):
        replace(SEARCH, **changes)


@pytest.fixture
def props(foundation: FoundationReferences) -> TuningWorkflowProps:
    return TuningWorkflowProps(
        workload_name="tune", state_machine_name=NAME, job=job(), search=SEARCH, foundation=foundation
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"job_name_prefix": "a" * 24},
        {"attempts": (KEYED, ON_DISKS)},
        {"attempts": (KEYED, replace(KEYED, use_managed_spot=False))},
        {"attempts": (KEYED, replace(KEYED, image_uri=f"{IMAGE}-cpu"))},
        {"attempts": (KEYED, replace(KEYED, ends_after_s=9000))},
        {"hyperparameters": {"rate": "0.1"}},
    ],
)
def test_a_training_that_cannot_be_repeated_is_refused(props: TuningWorkflowProps, changes: Json) -> None:
    with pytest.raises(TuningJobError):
        replace(props, job=job(**changes))


@pytest.mark.cdk
def test_roles_and_messages(
    stack: Stack, props: TuningWorkflowProps, foundation: FoundationReferences
) -> None:
    TuningWorkflow(stack, "Tuning", props=props)
    template = Template.from_stack(stack)
    of_machine = statements_by_action(template.to_json(), "states.amazonaws.com")
    actions = (
        "sagemaker:AddTags",
        "sagemaker:CreateHyperParameterTuningJob",
        "sagemaker:DescribeHyperParameterTuningJob",
        "sagemaker:ListTags",
        "sagemaker:StopHyperParameterTuningJob",
    )
    tunings = f"arn:aws:sagemaker:{HERE}:hyper-parameter-tuning-job/{NAME}-*"
    assert of_machine[actions]["Resource"] == tunings
    rule = of_machine[("events:DescribeRule", "events:PutRule", "events:PutTargets")]["Resource"]
    assert rule == f"arn:aws:events:{HERE}:rule/StepFunctionsGetEventsForSageMakerTuningJobsRule"
    passed = of_machine[("iam:PassRole",)]["Condition"]
    assert passed == {"StringEquals": {"iam:PassedToService": "sagemaker.amazonaws.com"}}

    of_training = statements_by_action(template.to_json(), "sagemaker.amazonaws.com")
    artifacts = f"arn:aws:s3:::{foundation.artifact_bucket_name}"
    reads = of_training[("s3:GetObject",)]["Resource"]
    assert reads == [f"{artifacts}/datasets/weekly/*", f"{artifacts}/code/tune/*"]
    logs = of_training[("logs:PutLogEvents",)]["Resource"]
    assert logs == f"arn:aws:logs:{HERE}:log-group:/aws/sagemaker/TrainingJobs:log-stream:{NAME}-*"

    text = Match.string_like_regexp('"workload": "tune"')
    template.has_resource_properties(
        "AWS::Events::Rule",
        {
            "EventPattern": {
                "source": ["aws.states"],
                "detail": {"status": ["TIMED_OUT", "ABORTED"]},
            },
            "Targets": [{"InputTransformer": {"InputTemplate": text}}],
        },
    )
