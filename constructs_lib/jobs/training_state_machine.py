"""The Step Functions state machine that trains, and its attempts as Amazon States Language."""

from dataclasses import dataclass

from aws_cdk import Fn, RemovalPolicy, Stack
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences, mlflow_arn_of
from constructs_lib.jobs.job_cost import USD, cost_totals
from constructs_lib.jobs.job_kind import TRAINING
from constructs_lib.jobs.job_state_machine import JobStateMachine, JobStateMachineProps
from constructs_lib.jobs.job_state_machine_definition import JobAttempt, job_state_machine_definition
from constructs_lib.jobs.sagemaker_jobs import SageMakerJobs
from constructs_lib.jobs.training_job import TrainingAttempt, TrainingJobProps
from constructs_lib.jobs.training_job_request import (
    HYPERPARAMETERS,
    RESUME,
    TrainingJobResources,
    run_variables,
    training_job_request,
)
from constructs_lib.workflows.state_language import State
from constructs_lib.workflows.workflow_messages import WARNINGS
from sizewell.facts.training_jobs import LOW_GPU_PERCENT, MANY_INTERRUPTIONS


@dataclass(frozen=True, kw_only=True)
class TrainingStateMachineProps:
    """People start the machine by ``state_machine_name``, and hear of it by ``workload_name``; its log is kept
    ``log_retention_days``.

    ``removal_policy`` says what becomes of the log group when the stack goes.
    """

    state_machine_name: str
    workload_name: str
    job: TrainingJobProps
    training_role_arn: str
    log_retention_days: int
    removal_policy: RemovalPolicy
    foundation: FoundationReferences
    report_success: bool = False


#: What a request names before it is deployed.
PLACEHOLDERS = TrainingJobResources(
    training_role_arn="${TrainingRoleArn}",
    subnet_ids=["${SubnetIds}"],
    training_security_group_id="${TrainingSecurityGroupId}",
    data_key_arn="${DataKeyArn}",
    artifact_bucket_name="${ArtifactBucketName}",
    checkpoint_bucket_name="${CheckpointBucketName}",
    mlflow_arn="${MlflowArn}",
)


class TrainingStateMachine(JobStateMachine):
    """Trains on the first instance type that has capacity."""

    def __init__(self, scope: Construct, construct_id: str, *, props: TrainingStateMachineProps) -> None:
        definition = training_state_machine_definition(
            props.job, resources=PLACEHOLDERS, partition=Stack.of(scope).partition
        )
        super().__init__(
            scope,
            construct_id,
            props=JobStateMachineProps(
                state_machine_name=props.state_machine_name,
                workload_name=props.workload_name,
                kind=TRAINING,
                job_name_prefix=props.job.job_name_prefix,
                definition=definition,
                values=placeholder_values(props),
                passed_role_arn=props.training_role_arn,
                log_retention_days=props.log_retention_days,
                removal_policy=props.removal_policy,
                foundation=props.foundation,
                training_plan_arn=props.job.training_plan_arn,
                file_systems=props.job.file_systems,
                report_success=props.report_success,
                reads_metrics=any(attempt.gpu_count for attempt in props.job.attempts),
            ),
        )


def placeholder_values(props: TrainingStateMachineProps) -> dict[str, str]:
    """Return what the placeholders of the definition stand for."""
    foundation = props.foundation
    values = {
        "TrainingRoleArn": props.training_role_arn,
        "TrainingSecurityGroupId": foundation.training_security_group_id,
        "DataKeyArn": foundation.data_key_arn,
        "ArtifactBucketName": foundation.artifact_bucket_name,
    }
    # To read a reference is to add a parameter to the template, which must then be used (cfn-lint: W2001).
    if props.job.subnet_id is None:
        # It stands between the quotes of one list element.
        values["SubnetIds"] = Fn.join('","', foundation.subnet_ids)
    if props.job.checkpoint is not None:
        values["CheckpointBucketName"] = foundation.checkpoint_bucket_name
    if props.job.experiment is not None:
        values["MlflowArn"] = mlflow_arn_of(foundation)
    return values


_BILLABLE_S = "$exists($job.BillableTimeInSeconds) ? $job.BillableTimeInSeconds : 0"
_TRAINING = "$job.TrainingTimeInSeconds"
_JOB = "$states.input"
_REPORT = {
    "TrainingJobName": f"{{% {_JOB}.TrainingJobName %}}",
    "InstanceType": f"{{% {_JOB}.ResourceConfig.InstanceType %}}",
    "InstanceCount": f"{{% {_JOB}.ResourceConfig.InstanceCount %}}",
    "ManagedSpot": f"{{% {_JOB}.EnableManagedSpotTraining %}}",
    "ModelArtifacts": f"{{% {_JOB}.ModelArtifacts.S3ModelArtifacts %}}",
    # The last value of each; none where no metric is defined.
    "Metrics": f"{{% $merge([{{}}, {_JOB}.FinalMetricDataList.{{MetricName: Value}}]) %}}",
    "GpuUtilizationPercent": "{% $gpu_percent < 0 ? 'unknown' : $gpu_percent %}",
    "Interruptions": "{% $interruptions %}",
    WARNINGS: (
        f"{{% [$gpu_percent >= 0 and $gpu_percent < {LOW_GPU_PERCENT} ? 'The GPUs were used to ' & $gpu_percent & ' % on "
        "average: look for what they wait for, such as data, or take a smaller instance type', "
        f"$interruptions >= {MANY_INTERRUPTIONS} ? 'SageMaker took Spot instances back ' & $interruptions & ' times: "
        "another instance type or region may be calmer, and a lower spot.max_wait_hours goes on on demand earlier'] %}"
    ),
}
# What CloudWatch has of the first instance of a job, from its start: a GPU that is used to 30 % adds 30 to the metric of its
# instance (https://docs.aws.amazon.com/sagemaker/latest/dg/monitoring-cloudwatch.html, "Processing Job, Training Job, ...").
_GPU_METRIC = {
    "Namespace": "/aws/sagemaker/TrainingJobs",
    "MetricName": "GPUUtilization",
    "Dimensions": [{"Name": "Host", "Value": "{% $job_name & '/algo-1' %}"}],
    "StartTime": "{% $states.context.Execution.StartTime %}",
    "EndTime": "{% $now() %}",
    "Period": 3600,
    "Statistics": ["Average", "SampleCount"],
}
_GPU_PERCENT = (
    "( $found := $states.result.Datapoints; $minutes := $sum($found.SampleCount); "
    "$minutes > 0 and $gpu_count > 0 ? $round($sum($found.(Average * SampleCount)) / $minutes / $gpu_count) : -1 )"
)
# Attempts that were cut short are paid as well, so they count.
_SPENT = {
    "TrainingTimeInSeconds": "$training_s",
    "BillableTimeInSeconds": "$billable_s",
    "SpotSavingsPercent": "$training_s > 0 ? $round(100 * (1 - $billable_s / $training_s)) : 0",
    "UsdOfInstances": USD,
}


def training_state_machine_definition(
    props: TrainingJobProps, *, resources: TrainingJobResources, partition: str
) -> State:
    """Return the state machine definition as plain data.

    The end of an execution says what it cost: BillableTimeInSeconds times the instances is what SageMaker bills at the
    price on demand, and what it falls short of TrainingTimeInSeconds is what Spot saved (API reference,
    DescribeTrainingJob).
    """
    attempts = tuple(_attempt(props, attempt, resources) for attempt in props.attempts)
    has_gpus = any(attempt.gpu_count for attempt in props.attempts)
    look_back: State = {
        "Resource": f"arn:{partition}:states:::aws-sdk:cloudwatch:getMetricStatistics",
        "Arguments": _GPU_METRIC,
        "Assign": {"gpu_percent": f"{{% {_GPU_PERCENT} %}}"},
    }
    return job_state_machine_definition(
        SageMakerJobs(TRAINING, partition),
        attempts,
        job_name_prefix=props.job_name_prefix,
        variables={
            HYPERPARAMETERS: props.all_hyperparameters,
            "gpu_percent": -1,
        },
        totals={
            "billable_s": _BILLABLE_S,
            "training_s": f"$exists({_TRAINING}) ? {_TRAINING} : 0",
            **cost_totals(_BILLABLE_S),
            "interruptions": "$count($job.SecondaryStatusTransitions[Status = 'Interrupted'])",
        },
        report=_REPORT,
        look_back=look_back if has_gpus else None,
        spent=_SPENT,
        input_keys=(HYPERPARAMETERS, RESUME) if props.checkpoint else (HYPERPARAMETERS,),
    )


def _attempt(
    props: TrainingJobProps, attempt: TrainingAttempt, resources: TrainingJobResources
) -> JobAttempt:
    return JobAttempt(
        request=training_job_request(props, attempt, resources=resources),
        ends_after_s=attempt.ends_after_s,
        instance_count=attempt.instance_count,
        tried=f"{attempt.instance_type} {'Spot' if attempt.use_managed_spot else 'on demand'}",
        usd_per_hour=attempt.usd_per_hour and attempt.instance_count * attempt.usd_per_hour,
        variables={"gpu_count": attempt.gpu_count, **run_variables(attempt)},
    )
