"""Everything that one tuning workload needs, in one construct, with the body of its tuning requests.

CloudFormation has no tuning-job resource, so the request is embedded in a Step Functions task. Members:
https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateHyperParameterTuningJob.html
"""

from dataclasses import dataclass

from aws_cdk import Stack
from constructs import Construct

from constructs_lib.jobs.job_cost import USD, cost_totals, seconds_between
from constructs_lib.jobs.job_kind import TUNING
from constructs_lib.jobs.job_state_machine import JobStateMachine, JobStateMachineProps
from constructs_lib.jobs.job_state_machine_definition import JobAttempt, job_state_machine_definition
from constructs_lib.jobs.sagemaker_jobs import SageMakerJobs
from constructs_lib.jobs.training_job import TrainingAttempt, TrainingJobProps
from constructs_lib.jobs.training_job_request import (
    TrainingJobResources,
    metric_definitions,
    run_variables,
    training_job_request,
)
from constructs_lib.jobs.training_state_machine import (
    PLACEHOLDERS,
    TrainingStateMachineProps,
    placeholder_values,
)
from constructs_lib.jobs.training_workflow import TrainingWorkflow, TrainingWorkflowProps
from constructs_lib.jobs.tuning_search import SearchedRange, TuningSearch, check_training_of
from constructs_lib.workflows.state_language import State


@dataclass(frozen=True, kw_only=True)
class TuningWorkflowProps(TrainingWorkflowProps):
    """A training workload whose ``job`` is repeated with other hyperparameters; its attempts are the types of each training.

    Raises ``TuningJobError`` for a job that a tuning cannot repeat.
    """

    search: TuningSearch

    def __post_init__(self) -> None:
        """Check the job against the search."""
        check_training_of(self.search, self.job)


class TuningWorkflow(TrainingWorkflow):
    """Execution role, state machine, schedule and alarms of one tuning workload."""

    kind = TUNING

    def _add_machine(
        self, workflow: TrainingWorkflowProps, props: TrainingStateMachineProps
    ) -> JobStateMachine:
        assert isinstance(workflow, TuningWorkflowProps)
        return TuningStateMachine(self, "Workflow", props=props, search=workflow.search)


# What HyperParameterTrainingJobDefinition has of CreateTrainingJob, under the same names.
_SHARED_MEMBERS = (
    "RoleArn",
    "InputDataConfig",
    "OutputDataConfig",
    "VpcConfig",
    "EnableNetworkIsolation",
    "EnableInterContainerTrafficEncryption",
    "EnableManagedSpotTraining",
    "CheckpointConfig",
    "Environment",
)

_DURATION_S = seconds_between("CreationTime", "HyperParameterTuningEndTime")


class TuningStateMachine(JobStateMachine):
    """Trains with other hyperparameters until the best are found."""

    def __init__(
        self, scope: Construct, construct_id: str, *, props: TrainingStateMachineProps, search: TuningSearch
    ) -> None:
        super().__init__(
            scope,
            construct_id,
            props=JobStateMachineProps(
                state_machine_name=props.state_machine_name,
                workload_name=props.workload_name,
                kind=TUNING,
                job_name_prefix=props.job.job_name_prefix,
                definition=tuning_state_machine_definition(
                    props.job, search, resources=PLACEHOLDERS, partition=Stack.of(scope).partition
                ),
                values=placeholder_values(props),
                passed_role_arn=props.training_role_arn,
                log_retention_days=props.log_retention_days,
                removal_policy=props.removal_policy,
                foundation=props.foundation,
                report_success=props.report_success,
                file_systems=props.job.file_systems,
            ),
        )


def tuning_state_machine_definition(
    job: TrainingJobProps, search: TuningSearch, *, resources: TrainingJobResources, partition: str
) -> State:
    """Return the state machine definition as plain data.

    There is one attempt: SageMaker itself takes the next instance type when there is no capacity for one. The time limit of its
    task is that of the search: ``ResourceLimits.MaxRuntimeInSeconds`` is sent by nobody who says that Step Functions took it.
    """
    types = " or ".join(attempt.instance_type for attempt in job.attempts)
    attempt = JobAttempt(
        request=tuning_job_request(job, search, resources=resources),
        ends_after_s=search.max_runtime_s,
        instance_count=job.attempts[0].instance_count,
        tried=f"{types} {'Spot' if job.uses_managed_spot else 'on demand'}",
        usd_per_hour=_most_usd_per_hour(job, search),
        variables=run_variables(job.attempts[0]) if job.experiment and len(job.attempts) == 1 else {},
    )
    return job_state_machine_definition(
        SageMakerJobs(TUNING, partition),
        (attempt,),
        job_name_prefix=job.job_name_prefix,
        totals={"tuning_s": _DURATION_S, **cost_totals(_DURATION_S)},
        spent={"HyperParameterTuningTimeInSeconds": "$tuning_s", "UsdOfInstancesAtMost": USD},
    )


def _most_usd_per_hour(job: TrainingJobProps, search: TuningSearch) -> float | None:
    """Return what as many trainings cost as may run at a time, each on the dearest type and on demand; None is unknown.

    A description of a tuning job says how long it took, not what each training ran on and was billed for.
    """
    prices = [attempt.instance_count * (attempt.usd_per_hour or 0) for attempt in job.attempts]
    return search.max_parallel_jobs * max(prices) if all(prices) else None


def tuning_job_request(
    job: TrainingJobProps, search: TuningSearch, *, resources: TrainingJobResources
) -> dict[str, object]:
    """Return the ``CreateHyperParameterTuningJob`` body, without its name.

    Its trainings are requests of training jobs, as far as there are members for them. All of them share one location of
    checkpoints, that of the execution.
    """
    # Several nodes encrypt their traffic, whichever type they get.
    widest = max(job.attempts, key=lambda attempt: attempt.instance_count)
    training = training_job_request(job, widest, resources=resources, is_typed=len(job.attempts) == 1)
    request: dict[str, object] = {
        "HyperParameterTuningJobConfig": _config(search),
        "TrainingJobDefinition": {
            "StaticHyperParameters": job.all_hyperparameters,
            "AlgorithmSpecification": {
                "TrainingImage": widest.image_uri,
                "TrainingInputMode": "FastFile",
                "MetricDefinitions": metric_definitions(
                    {**job.metrics, search.metric_name: search.metric_regex}
                ),
            },
            **_resources(job, volume_key_arn=resources.data_key_arn),
            "StoppingCondition": _stopping_condition(widest),
            **{key: training[key] for key in _SHARED_MEMBERS if key in training},
        },
    }
    if search.warm_start_parents:
        request["WarmStartConfig"] = {
            "ParentHyperParameterTuningJobs": [
                {"HyperParameterTuningJobName": parent} for parent in search.warm_start_parents
            ],
            "WarmStartType": search.warm_start_type,
        }
    if "Tags" in training:
        request["Tags"] = training["Tags"]
    return request


def _config(search: TuningSearch) -> dict[str, object]:
    config: dict[str, object] = {
        "Strategy": search.strategy,
        "HyperParameterTuningJobObjective": {"Type": search.metric_goal, "MetricName": search.metric_name},
        "ResourceLimits": {
            "MaxNumberOfTrainingJobs": search.max_jobs,
            "MaxParallelTrainingJobs": search.max_parallel_jobs,
        },
        "ParameterRanges": {
            f"{kind}ParameterRanges": [
                _range(searched) for searched in search.ranges if searched.kind == kind
            ]
            for kind in sorted({searched.kind for searched in search.ranges})
        },
        "TrainingJobEarlyStoppingType": "Auto" if search.early_stopping else "Off",
    }
    if search.hyperband_max_resource is not None:
        config["StrategyConfig"] = {"HyperbandStrategyConfig": {"MaxResource": search.hyperband_max_resource}}
    return config


def _range(searched: SearchedRange) -> dict[str, object]:
    if searched.kind == "Categorical":
        return {"Name": searched.name, "Values": list(searched.values)}
    low, high = searched.values
    return {"Name": searched.name, "MinValue": low, "MaxValue": high, "ScalingType": searched.scaling_type}


def _stopping_condition(attempt: TrainingAttempt) -> dict[str, object]:
    """Return what each training may take: when it starts depends on those before it, so it has no end that is known."""
    limits = ("MaxRuntimeInSeconds", *(["MaxWaitTimeInSeconds"] if attempt.use_managed_spot else []))
    return dict.fromkeys(limits, attempt.ends_after_s)


def _resources(job: TrainingJobProps, *, volume_key_arn: str) -> dict[str, object]:
    """Return the instance types in their order.

    Only the member for several of them is unproven: AWS's own examples of Step Functions send ``ResourceConfig``
    (https://github.com/awsdocs/aws-step-functions-developer-guide, ``doc_source/sample-hyper-tuning.md``).
    """
    configs: list[dict[str, object]] = [
        {
            "InstanceType": attempt.instance_type,
            "InstanceCount": attempt.instance_count,
            "VolumeSizeInGB": attempt.volume_size_gib,
        }
        for attempt in job.attempts
    ]
    key = {"VolumeKmsKeyId": volume_key_arn} if job.attempts[0].volume_takes_key else {}
    if len(configs) == 1:
        return {"ResourceConfig": configs[0] | key}
    several = {"AllocationStrategy": "Prioritized", "InstanceConfigs": configs}
    return {"HyperParameterTuningResourceConfig": several | key}
