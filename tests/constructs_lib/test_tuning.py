"""A tuning job: its request as the API has it, its roles, and what is refused before anything is built."""

from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk.assertions import Match, Template

from constructs_lib.references import FoundationReferences
from constructs_lib.training_job import TrainingAttempt, TrainingCode, TrainingJobProps
from constructs_lib.tuning_search import (
    CategoricalRange,
    IntervalRange,
    TuningJobError,
    TuningObjective,
    TuningSearch,
    WarmStart,
)
from constructs_lib.tuning_state_machine import tuning_job_request, tuning_state_machine_definition
from constructs_lib.tuning_workflow import TuningWorkflow, TuningWorkflowProps
from tests.constructs_lib.test_batch_transform import statements_of
from tests.constructs_lib.test_training_job_request import faults_of
from tests.constructs_lib.training import RESOURCES
from tests.constructs_lib.training import job as training_job

Json = dict[str, Any]
NAME, HERE = "demo-dev-tune", "us-east-1:111122223333"
RATE = IntervalRange(
    name="rate", kind="Continuous", min_value="1e-05", max_value="0.1", scaling_type="Logarithmic"
)
LAYERS = IntervalRange(name="layers", kind="Integer", min_value="2", max_value="8")
SHAPE = CategoricalRange(name="shape", values=("wide", "deep"))
KEYED = TrainingAttempt(instance_type="ml.p3.2xlarge", use_managed_spot=True)
TWO_NODES = replace(KEYED, instance_type="ml.p3.16xlarge", instance_count=2)
ON_DISKS = replace(KEYED, instance_type="ml.g5.2xlarge")
SEARCH = TuningSearch(
    strategy="Bayesian",
    objective=TuningObjective(metric_name="loss", goal="Minimize", regex="loss=([0-9.]+)"),
    ranges=(RATE, LAYERS, SHAPE),
    max_jobs=20,
    max_parallel_jobs=4,
    max_runtime_s=86_400,
    early_stopping=True,
    warm_start=WarmStart(parents=("demo-dev-tune-0a1b2c3d",), warm_start_type="TransferLearning"),
)


def job(**changes: Any) -> TrainingJobProps:
    code = TrainingCode(key_prefix="code/tune", command=("python", "train.py"))
    return training_job(**{"job_name_prefix": NAME, "attempts": (KEYED, TWO_NODES), "code": code, **changes})


def request(search: TuningSearch = SEARCH, **changes: Any) -> Json:
    return tuning_job_request(job(**changes), search, resources=RESOURCES)


@pytest.mark.parametrize(
    ("search", "changes"),
    [
        (SEARCH, {}),
        (replace(SEARCH, warm_start=None, ranges=(SHAPE,), strategy="Grid", early_stopping=False), {}),
        (
            replace(
                SEARCH,
                warm_start=None,
                strategy="Hyperband",
                early_stopping=False,
                hyperband_max_resource=9,
            ),
            {"attempts": (ON_DISKS,), "code": None, "job_tags": {}},
        ),
    ],
)
def test_the_request_has_the_form_of_the_api(search: TuningSearch, changes: Json) -> None:
    assert faults_of(request(search, **changes), "CreateHyperParameterTuningJob") == ""


def test_the_search_is_written_in_the_words_of_the_api() -> None:
    body = request()
    assert body["HyperParameterTuningJobConfig"] == {
        "Strategy": "Bayesian",
        "HyperParameterTuningJobObjective": {"Type": "Minimize", "MetricName": "loss"},
        "ResourceLimits": {
            "MaxNumberOfTrainingJobs": 20,
            "MaxParallelTrainingJobs": 4,
            "MaxRuntimeInSeconds": 86_400,
        },
        "ParameterRanges": {
            "ContinuousParameterRanges": [
                {"Name": "rate", "MinValue": "1e-05", "MaxValue": "0.1", "ScalingType": "Logarithmic"}
            ],
            "IntegerParameterRanges": [
                {"Name": "layers", "MinValue": "2", "MaxValue": "8", "ScalingType": "Auto"}
            ],
            "CategoricalParameterRanges": [{"Name": "shape", "Values": ["wide", "deep"]}],
        },
        "TrainingJobEarlyStoppingType": "Auto",
    }
    assert body["TrainingJobDefinition"]["AlgorithmSpecification"] == {
        "TrainingImage": job().image_uri,
        "TrainingInputMode": "FastFile",
        "MetricDefinitions": [{"Name": "loss", "Regex": "loss=([0-9.]+)"}],
    }
    assert body["WarmStartConfig"]["ParentHyperParameterTuningJobs"] == [
        {"HyperParameterTuningJobName": "demo-dev-tune-0a1b2c3d"}
    ]


def test_the_toolkit_is_told_which_script_it_starts() -> None:
    definition = request()["TrainingJobDefinition"]
    assert definition["StaticHyperParameters"] == {
        "epochs": "3",
        "lr": "0.1",
        "sagemaker_program": "train.py",
        "sagemaker_submit_directory": "/opt/ml/input/data/code",
    }
    assert [channel["ChannelName"] for channel in definition["InputDataConfig"]] == ["training", "code"]
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
    # Whichever type it gets, the nodes of one training share a zone, and hide what they tell each other.
    assert definition["VpcConfig"]["Subnets"] == ["subnet-a"]
    assert definition["EnableInterContainerTrafficEncryption"] is True
    alone = request(attempts=(ON_DISKS,))["TrainingJobDefinition"]["HyperParameterTuningResourceConfig"]
    assert alone == {"InstanceType": "ml.g5.2xlarge", "InstanceCount": 1, "VolumeSizeInGB": 30}


def test_spot_and_checkpoints_are_those_of_each_training() -> None:
    definition = request()["TrainingJobDefinition"]
    assert definition["EnableManagedSpotTraining"] is True
    assert definition["StoppingCondition"] == {"MaxRuntimeInSeconds": 7200, "MaxWaitTimeInSeconds": 14400}
    assert definition["CheckpointConfig"]["S3Uri.$"] == (
        "States.Format('s3://checkpoints/weekly/{}/', $$.Execution.Name)"
    )
    assert definition["RetryStrategy"] == {"MaximumRetryAttempts": 2}


def test_there_is_one_attempt_with_a_short_name() -> None:
    definition = tuning_state_machine_definition(job(), SEARCH, resources=RESOURCES, partition="aws-cn")
    states: Json = definition["States"]  # type: ignore[assignment]
    assert [name for name in states if name.startswith("Tune")] == ["Tune1"]
    assert states["Tune1"]["Resource"] == "arn:aws-cn:states:::sagemaker:createHyperParameterTuningJob.sync"
    assert states["Tune1"]["TimeoutSeconds"] == 86_400 + 3 * 3600
    assert states["NameJob1"]["Parameters"] == {
        "HyperParameterTuningJobName.$": (
            f"States.Format('{NAME}-{{}}', States.ArrayGetItem(States.StringSplit(States.UUID(), '-'), 0))"
        )
    }
    assert states["StopJob1"]["Resource"].endswith("aws-sdk:sagemaker:stopHyperParameterTuningJob")


@pytest.mark.parametrize(
    "changes",
    [
        {"max_jobs": 751},
        {"max_parallel_jobs": 21},
        {"max_jobs": 200, "max_parallel_jobs": 101},
        {"max_runtime_s": 119},
        {"ranges": ()},
        {"ranges": (RATE, RATE)},
        {"strategy": "Grid"},
        {"strategy": "Hyperband", "early_stopping": False},
        {"strategy": "Hyperband", "hyperband_max_resource": 9},
        {"hyperband_max_resource": 9},
    ],
)
def test_a_search_that_sagemaker_would_refuse_is_refused(changes: Json) -> None:
    with pytest.raises(TuningJobError):
        replace(SEARCH, **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"job_name_prefix": "a" * 24},
        {"attempts": (KEYED, ON_DISKS)},
        {"attempts": (KEYED, replace(KEYED, use_managed_spot=False))},
        {"code": TrainingCode(key_prefix="code", command=("torchrun", "train.py"))},
        {"hyperparameters": {"rate": "0.1"}},
    ],
)
def test_a_training_that_cannot_be_repeated_is_refused(
    foundation: FoundationReferences, changes: Json
) -> None:
    def props(**changed: Any) -> TuningWorkflowProps:
        return TuningWorkflowProps(
            workload_name="tune",
            state_machine_name=NAME,
            job=job(**changed),
            search=SEARCH,
            foundation=foundation,
        )

    assert props()
    with pytest.raises(TuningJobError):
        props(**changes)


@pytest.fixture
def template(stack: Stack, foundation: FoundationReferences) -> Template:
    props = TuningWorkflowProps(
        workload_name="tune", state_machine_name=NAME, job=job(), search=SEARCH, foundation=foundation
    )
    TuningWorkflow(stack, "Tuning", props=props)
    return Template.from_stack(stack)


@pytest.mark.cdk
def test_the_machine_may_run_its_own_tunings(template: Template) -> None:
    statements = statements_of(template, "states.amazonaws.com")
    (jobs,) = (s for s in statements if "sagemaker:CreateHyperParameterTuningJob" in s["Action"])
    assert jobs == {
        "Effect": "Allow",
        "Action": [
            "sagemaker:AddTags",
            "sagemaker:CreateHyperParameterTuningJob",
            "sagemaker:DescribeHyperParameterTuningJob",
            "sagemaker:ListTags",
            "sagemaker:StopHyperParameterTuningJob",
        ],
        "Resource": f"arn:aws:sagemaker:{HERE}:hyper-parameter-tuning-job/{NAME}-*",
    }
    (rule,) = (s["Resource"] for s in statements if "events:PutRule" in s["Action"])
    assert rule == f"arn:aws:events:{HERE}:rule/StepFunctionsGetEventsForSageMakerTuningJobsRule"
    (passed,) = (s for s in statements if "iam:PassRole" in s["Action"])
    assert passed["Condition"] == {"StringEquals": {"iam:PassedToService": "sagemaker.amazonaws.com"}}


@pytest.mark.cdk
def test_trainings_have_the_role_of_training_jobs(
    template: Template, foundation: FoundationReferences
) -> None:
    by_action = {tuple(s["Action"]): s for s in statements_of(template, "sagemaker.amazonaws.com")}
    artifacts = f"arn:aws:s3:::{foundation.artifact_bucket_name}"
    assert by_action[("s3:GetObject",)]["Resource"] == [
        f"{artifacts}/datasets/weekly/*",
        f"{artifacts}/code/tune/*",
    ]
    write = ("s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject")
    assert by_action[write]["Resource"] == [
        f"{artifacts}/weekly/output/*",
        f"arn:aws:s3:::{foundation.checkpoint_bucket_name}/weekly/*",
    ]
    logs = by_action[("logs:PutLogEvents",)]["Resource"]
    assert logs == f"arn:aws:logs:{HERE}:log-group:/aws/sagemaker/TrainingJobs:log-stream:{NAME}-*"


@pytest.mark.cdk
def test_people_hear_of_bad_ends(template: Template) -> None:
    text = Match.string_like_regexp('^{"tuning": "tune", ')
    template.has_resource_properties(
        "AWS::Events::Rule",
        {
            "EventPattern": {
                "source": ["aws.states"],
                "detail": {"status": ["FAILED", "TIMED_OUT", "ABORTED"]},
            },
            "Targets": [{"InputTransformer": {"InputTemplate": text}}],
        },
    )
