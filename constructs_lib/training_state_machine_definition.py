"""The attempts of a training workflow as Amazon States Language."""

from constructs_lib.job_state_machine_definition import (
    ELAPSED_S,
    TRAINING,
    JobAttempt,
    State,
    job_state_machine_definition,
)
from constructs_lib.training_job import TrainingAttempt, TrainingJobProps
from constructs_lib.training_job_request import (
    HYPERPARAMETERS,
    RESUME,
    TrainingJobResources,
    training_job_request,
)

# Time a task may take beyond the job's own limit: two hours to be given on-demand capacity (the service's shortest
# MaxPendingTimeInSeconds) and one to start and to upload the model. A running job is bounded by its stopping
# condition; the task's limit ends a job that stays pending, or the waiting for a completion event that got lost.
TASK_GRACE_S = 3 * 3600
# What an attempt has at least, where those before it took longer than they may.
_SHORTEST_ATTEMPT_S = 60
# A job on Spot that has used up its time goes on from its checkpoint; SageMaker names whichever limit it looked at first.
_SPOT_IS_OVER = ("MaxWaitTimeExceeded", "MaxRuntimeExceeded")


def attempt_timeout_s(attempt: TrainingAttempt) -> int:
    """Return how long the task of one attempt may last, in seconds."""
    return attempt.ends_after_s + TASK_GRACE_S


def training_state_machine_definition(
    props: TrainingJobProps, *, resources: TrainingJobResources, partition: str
) -> State:
    """Return the state machine definition as plain data.

    The output of an execution says what it cost: BillableTimeInSeconds times the instances is what SageMaker bills at the
    price on demand, and what it falls short of TrainingTimeInSeconds is what Spot saved (API reference,
    DescribeTrainingJob). Attempts that were cut short are paid as well, so they count.
    """
    attempts = tuple(_attempt(props, attempt, resources) for attempt in props.attempts)
    return job_state_machine_definition(
        TRAINING,
        attempts,
        job_name_prefix=props.job_name_prefix,
        partition=partition,
        time_limit_s=props.attempts[-1].ends_after_s + len(attempts) * TASK_GRACE_S,
        report=_report(attempts),
        input_keys=(HYPERPARAMETERS, RESUME) if props.checkpoint else (HYPERPARAMETERS,),
    )


def _attempt(
    props: TrainingJobProps, attempt: TrainingAttempt, resources: TrainingJobResources
) -> JobAttempt:
    billable_s = "$exists($job.BillableTimeInSeconds) ? $job.BillableTimeInSeconds : 0"
    training_s = "$exists($job.TrainingTimeInSeconds) ? $job.TrainingTimeInSeconds : 0"
    totals = {"billable_s": billable_s, "training_s": training_s}
    if attempt.usd_per_hour is None:
        totals["unpriced_s"] = billable_s
    else:
        totals["usd"] = f"({billable_s}) * {attempt.instance_count} * {attempt.usd_per_hour} / 3600"
    return JobAttempt(
        request=training_job_request(props, attempt, resources=resources),
        timeout_s=attempt_timeout_s(attempt),
        instance_count=attempt.instance_count,
        tried=f"{attempt.instance_type} {'Spot' if attempt.use_managed_spot else 'on demand'}",
        variables={"limit_s": f"$max([{_SHORTEST_ATTEMPT_S}, {attempt.ends_after_s} - {ELAPSED_S}])"},
        out_of_time=_SPOT_IS_OVER if attempt.use_managed_spot else (),
        totals=totals,
    )


def _report(attempts: tuple[JobAttempt, ...]) -> dict[str, str]:
    """Return the output of an execution; its cost is unknown when an attempt was paid whose price nobody knows."""
    totals = {name for attempt in attempts for name in attempt.totals}
    usd = "$round($usd, 2)" if "usd" in totals else "'unknown'"
    if "unpriced_s" in totals:
        usd = f"$unpriced_s > 0 ? 'unknown' : {usd}"
    job = "$states.input"
    return {
        "TrainingJobName": f"{{% {job}.TrainingJobName %}}",
        "InstanceType": f"{{% {job}.ResourceConfig.InstanceType %}}",
        "InstanceCount": f"{{% {job}.ResourceConfig.InstanceCount %}}",
        "ManagedSpot": f"{{% {job}.EnableManagedSpotTraining %}}",
        "ModelArtifacts": f"{{% {job}.ModelArtifacts.S3ModelArtifacts %}}",
        "TrainingTimeInSeconds": "{% $training_s %}",
        "BillableTimeInSeconds": "{% $billable_s %}",
        "SpotSavingsPercent": "{% $training_s > 0 ? $round(100 * (1 - $billable_s / $training_s)) : 0 %}",
        "UsdOfInstances": f"{{% {usd} %}}",
    }
