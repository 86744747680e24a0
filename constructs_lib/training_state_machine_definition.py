"""The attempts of a training workflow as Amazon States Language."""

from constructs_lib.job_state_machine_definition import (
    TRAINING,
    JobAttempt,
    State,
    job_state_machine_definition,
)
from constructs_lib.training_job import TrainingAttempt, TrainingJobProps
from constructs_lib.training_job_request import TrainingJobResources, training_job_request

# Time a task may take beyond the job's own limit: two hours to be given on-demand capacity (the service's shortest
# MaxPendingTimeInSeconds) and one to start and to upload the model. A running job is bounded by its stopping
# condition; the task's limit ends a job that stays pending, or the waiting for a completion event that got lost.
TASK_GRACE_S = 3 * 3600


def attempt_timeout_s(props: TrainingJobProps, attempt: TrainingAttempt) -> int:
    """Return how long the task of one attempt may last, in seconds."""
    job_limit_s = props.max_wait_s if attempt.use_managed_spot else props.max_runtime_s
    return (job_limit_s or props.max_runtime_s) + TASK_GRACE_S


def training_state_machine_definition(
    props: TrainingJobProps, *, resources: TrainingJobResources, partition: str
) -> State:
    """Return the state machine definition as plain data."""
    attempts = tuple(
        JobAttempt(
            request=training_job_request(props, attempt, resources=resources),
            timeout_s=attempt_timeout_s(props, attempt),
            instance_count=attempt.instance_count,
            tried=f"{attempt.instance_type} {'Spot' if attempt.use_managed_spot else 'on demand'}",
        )
        for attempt in props.attempts
    )
    return job_state_machine_definition(
        TRAINING, attempts, job_name_prefix=props.job_name_prefix, partition=partition
    )
