import json
from typing import Any

import pytest

from sizewell.review.hazards import find_hazards
from tests.review.builders import resource, template
from tests.review.hazards.apps import described, hazards, hazards_of, moving, plan, planned, rules, text

CHECKPOINT = {"S3Uri.$": "$.checkpoint", "LocalPath": "/opt/ml/checkpoints"}


def machine(
    *, spot: Any = True, checkpoint: Any = CHECKPOINT, wait_s: int | None = 7200, as_map: bool = False
) -> dict[str, Any]:
    request = {
        "EnableManagedSpotTraining": spot,
        "CheckpointConfig": checkpoint,
        "StoppingCondition": {"MaxRuntimeInSeconds": 3600, "MaxWaitTimeInSeconds": wait_s},
    }
    state = {
        "Type": "Task",
        "Resource": "arn:aws:states:::sagemaker:createTrainingJob.sync",
        "Parameters": {key: value for key, value in request.items() if value is not None},
        "End": True,
    }
    definition = {"StartAt": "Train", "States": {"Train": state}}
    properties = {"Definition": definition} if as_map else {"DefinitionString": json.dumps(definition)}
    return template(
        Machine=resource("AWS::StepFunctions::StateMachine", properties), Topic=resource("AWS::SNS::Topic")
    )


WITHOUT = template(Topic=resource("AWS::SNS::Topic"))


def test_spot_is_added_without_checkpoint() -> None:
    assert described(hazards(machine(spot=False, checkpoint=None), machine(checkpoint=None))) == text("""
        warning spot-without-checkpoint, dev/app-stack/Machine: training in Machine
        EnableManagedSpotTraining is true without CheckpointConfig, in Train
        If SageMaker takes the Spot instance back, the job starts again from zero. The hours until then are lost,
            and the job may never finish.
        Set CheckpointConfig with an S3 URI and let the script resume from it, or train on demand.
        """)


@pytest.mark.parametrize("as_map", [False, True])
def test_the_checkpoint_is_removed(as_map: bool) -> None:
    (found,) = hazards(machine(as_map=as_map), machine(as_map=as_map, checkpoint=None))
    assert found.cause == "CheckpointConfig is removed while EnableManagedSpotTraining is true, in Train"


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (machine(checkpoint=None), machine()),
        (machine(checkpoint=None), machine(checkpoint=None, wait_s=9000)),
        (machine(), machine(spot=False, checkpoint=None)),
        (machine(), machine(spot={"Ref": "Spot"}, checkpoint=None)),
        (WITHOUT, machine(checkpoint=None)),
    ],
)
def test_on_demand_unchanged_unknown_or_new(base: dict[str, Any], head: dict[str, Any]) -> None:
    assert hazards(base, head) == ()


def test_a_training_that_a_stack_starts_itself_is_judged_as_well() -> None:
    def app(**more: Any) -> dict[str, Any]:
        properties = {"TrainingJobName": "train-7", "EnableManagedSpotTraining": True, **more}
        return template(Job=resource("AWS::SageMaker::TrainingJob", properties))

    found = hazards(app(CheckpointConfig={"S3Uri": "s3://a/"}), app())
    assert "CheckpointConfig is removed while EnableManagedSpotTraining is true, in Properties" in {
        hazard.cause for hazard in found
    }
    # Every change makes a new job, whose name is taken.
    (taken,) = [hazard for hazard in found if hazard.rule != "spot-without-checkpoint"]
    assert "train-7" in f"{taken.cause} {taken.consequence}"


def test_new_in_production_it_counts() -> None:
    assert rules(hazards(WITHOUT, machine(checkpoint=None), environment="prod")) == [
        "spot-without-checkpoint"
    ]


def test_a_wait_that_is_shorter_than_the_run() -> None:
    assert described(hazards(machine(), machine(wait_s=1800))) == text("""
        danger max-wait-too-short, dev/app-stack/Machine: state Train of Machine
        MaxWaitTimeInSeconds 1800 is below MaxRuntimeInSeconds 3600
        SageMaker refuses the request with a ValidationException. Each execution fails at this state.
        Raise MaxWaitTimeInSeconds, which covers waiting and running together.
        """)
    assert hazards(machine(wait_s=1800), machine(wait_s=1800, checkpoint={"S3Uri": "s3://a"})) == ()
    assert hazards(machine(), machine(wait_s=3600)) == ()


def job(*, spot: bool = True, checkpoint: bool = True) -> dict[str, Any]:
    cost = {"usd_per_hour": None, "usd_per_month": None, "basis": "unknown", "price_date": None}
    chosen = {"instance_type": "ml.g5.xlarge", "estimate": {"memory": {"usable_gib": 20}}, "cost": cost}
    return {
        "name": "tune",
        "stack_name": "tune-stack",
        "attempts": [
            {"instance_type": "ml.g5.xlarge", "spot": spot, "instance_count": 1, "volume_size_gib": 50}
        ],
        "max_runtime_s": 3600,
        "checkpoint": {"interval_minutes": 15} if checkpoint else None,
        "selection": {"chosen": chosen},
        "needs_digest": "0",
    }


def test_the_plan_says_it_where_no_machine_can_be_read() -> None:
    base, head = plan("dev", jobs=[job()]), plan("dev", jobs=[job(checkpoint=False)])
    assert described(hazards_of(planned(base, head))) == text("""
        warning spot-without-checkpoint, dev/tune-stack/- of tune: training job tune
        the checkpoint is removed while Spot instances are tried
        If SageMaker takes the Spot instance back, the job starts again from zero. The hours until then are lost,
            and the job may never finish.
        Give the workload a checkpoint and let the script resume from it, or train on demand.
        """)
    assert hazards_of(planned(head, base)) == ()
    assert hazards_of(planned(plan("dev"), head)) == ()
    assert rules(hazards_of(planned(None, plan("prod", jobs=[job(checkpoint=False)])))) == [
        "spot-without-checkpoint"
    ]


def test_the_trainings_of_a_tuning_job_are_read_as_well() -> None:
    def tuning(template: dict[str, Any]) -> dict[str, Any]:
        properties = template["Resources"]["Machine"]["Properties"]
        definition = json.loads(properties["DefinitionString"])
        state = definition["States"]["Train"]
        state["Resource"] = "arn:aws:states:::sagemaker:createHyperParameterTuningJob.sync"
        state["Parameters"] = {"TrainingJobDefinition": state["Parameters"]}
        properties["DefinitionString"] = json.dumps(definition)
        return template

    (found,) = hazards(tuning(machine()), tuning(machine(checkpoint=None)))
    assert (found.rule, found.cause) == (
        "spot-without-checkpoint",
        "CheckpointConfig is removed while EnableManagedSpotTraining is true, in Train",
    )


def test_a_job_moves_with_its_state_machine() -> None:
    def calls(service: str) -> dict[str, Any]:
        job = {"Type": "Task", "Resource": f"arn:aws:states:::{service}", "End": True}
        body = {"StartAt": "Train", "States": {"Train": job}}
        return template(
            Machine=resource("AWS::StepFunctions::StateMachine", {"DefinitionString": json.dumps(body)})
        )

    sagemaker, batch = calls("sagemaker:createTrainingJob.sync"), calls("batch:submitJob.sync")
    assert described(hazards_of(moving((sagemaker, "training-job"), (batch, "batch-job")))) == text("""
        warning state-machine-rewritten, prod/app-stack/Machine of chat: state machine of chat
        training-job → batch-job in a cluster of AWS Batch
        The state machine starts jobs of another service, so all its steps are new. An execution that runs goes on with
            the old steps, which the role no longer allows.
        Try it in an environment without users first, and deploy while no execution runs.
        """)
    assert rules(find_hazards(moving((sagemaker, "training-job"), (batch, "batch-job")))) == [
        "state-machine-rewritten"
    ]
    assert rules(find_hazards(moving((sagemaker, "training-job"), (batch, "training-job")))) == [
        "other-results"
    ]
