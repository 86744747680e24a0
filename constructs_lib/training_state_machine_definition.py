"""The Amazon States Language of a training workflow: attempts in turn, each on the next-best instance type.

    NameJobN ─► TrainN ─ ended ──► JobEndedN ─ Completed ────► TrainingSucceeded
                 │                 ▲      ├── no capacity ───► NameJob(N+1) … CapacityExhausted ─┐
                 └─ error ─► TaskFailedN  └── any other end ──► JobFailed / JobStopped ──────────┤
                                   ├── quota exceeded ───────► NameJob(N+1) …                    │
                                   ├── timed out ► StopJobN ─► NameJob(N+1) …                    │
                                   ├── name taken ► StopStrayN ► NameJobN …                      │
                                   └── any other error ────────────────────────► TrainingFailed ◄┘

The CDK task for training jobs has no managed Spot, checkpoint or retry strategy, hence this hand-written definition.
JSONPath is used throughout; the state data is only ever a job description or an error, never the execution's input.
"""

from constructs_lib.training_job import TrainingAttempt, TrainingJobProps
from constructs_lib.training_job_request import TrainingJobResources, training_job_request

State = dict[str, object]

# The last of the five groups of a random UUID.
_UNIQUE_PART = "States.ArrayGetItem(States.StringSplit(States.UUID(), '-'), 4)"

# Time a task may take beyond the job's own limit: two hours to be given on-demand capacity (the service's shortest
# MaxPendingTimeInSeconds) and one to start and to upload the model. A running job is bounded by its stopping
# condition; the task's limit ends a job that stays pending, or the waiting for a completion event that got lost.
TASK_GRACE_S = 3 * 3600

# Time of an execution beyond its tasks: to stop jobs, and to repeat throttled requests.
EXECUTION_GRACE_S = 3600

# How a capacity failure begins in a job's FailureReason, for example "CapacityError: Unable to provision requested ML
# compute capacity". Only the beginning counts: a failing script may print anything.
CAPACITY_FAILURE_PATTERNS = ("CapacityError*", "InsufficientCapacityError*", "Insufficient capacity*")

# A quota of zero is reported when the job is created, as SageMaker.ResourceLimitExceededException.
QUOTA_ERROR_PATTERN = "*ResourceLimitExceeded*"

# The name of a job is made for one attempt, so only a first request whose answer got lost can have taken it: the retry is
# refused, and a job runs that nobody waits for. It has just begun, so it is stopped, and the attempt made anew.
NAME_TAKEN_ERROR_PATTERN = "*ResourceInUse*"

SUCCEEDED = "TrainingSucceeded"
FAILED = "TrainingFailed"
JOB_FAILED = "JobFailed"
JOB_STOPPED = "JobStopped"
CAPACITY_EXHAUSTED = "CapacityExhausted"


def attempt_timeout_s(props: TrainingJobProps, attempt: TrainingAttempt) -> int:
    """Return how long the task of one attempt may last, in seconds."""
    job_limit_s = props.max_wait_s if attempt.use_managed_spot else props.max_runtime_s
    return (job_limit_s or props.max_runtime_s) + TASK_GRACE_S


def execution_timeout_s(props: TrainingJobProps) -> int:
    """Return how long an execution may last, in seconds: every attempt to its limit."""
    return sum(attempt_timeout_s(props, attempt) for attempt in props.attempts) + EXECUTION_GRACE_S


def training_state_machine_definition(
    props: TrainingJobProps, *, resources: TrainingJobResources, partition: str
) -> State:
    """Return the state machine definition as plain data."""
    states: dict[str, State] = {}
    for number, attempt in enumerate(props.attempts, start=1):
        following = f"NameJob{number + 1}" if number < len(props.attempts) else CAPACITY_EXHAUSTED
        # A name can never be used again. It is made before the job, so that a job can be stopped that only timed out.
        states[f"NameJob{number}"] = {
            "Type": "Pass",
            "Parameters": {
                "TrainingJobName.$": f"States.Format('{props.job_name_prefix}-{{}}', {_UNIQUE_PART})"
            },
            "Next": f"Train{number}",
        }
        states[f"Train{number}"] = _train(props, attempt, number, resources=resources, partition=partition)
        states[f"TaskFailed{number}"] = _task_failed(number, following)
        # StringToJson fails the execution on anything but JSON, so TaskFailed lets only an object come here.
        states[f"ReadJob{number}"] = {
            "Type": "Pass",
            "Parameters": {"Job.$": "States.StringToJson($.Failure.Cause)"},
            "OutputPath": "$.Job",
            "Next": f"JobEnded{number}",
        }
        states[f"StopJob{number}"] = _stop_job(following, partition=partition)
        states[f"StopStray{number}"] = _stop_job(f"NameJob{number}", partition=partition)
        states[f"JobEnded{number}"] = _job_ended(following)
    states |= _endings(props)
    return {
        "Comment": f"Trains {props.job_name_prefix} on the first instance type that has capacity",
        "StartAt": "NameJob1",
        "TimeoutSeconds": execution_timeout_s(props),
        "States": states,
    }


def _train(
    props: TrainingJobProps,
    attempt: TrainingAttempt,
    number: int,
    *,
    resources: TrainingJobResources,
    partition: str,
) -> State:
    return {
        "Type": "Task",
        "Comment": f"{attempt.instance_count} x {attempt.instance_type} {_capacity(attempt)}",
        "Resource": f"arn:{partition}:states:::sagemaker:createTrainingJob.sync",
        "Parameters": training_job_request(props, attempt, resources=resources),
        "TimeoutSeconds": attempt_timeout_s(props, attempt),
        # The integration names API errors SageMaker.<exception>; what has no class of its own, throttling and
        # internal errors among it, arrives as SageMaker.AmazonSageMakerException.
        "Retry": [
            {
                "ErrorEquals": ["ThrottlingException", "SageMaker.AmazonSageMakerException"],
                "IntervalSeconds": 5,
                "MaxAttempts": 5,
                "BackoffRate": 2.0,
                "JitterStrategy": "FULL",
            }
        ],
        "Catch": [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.Failure", "Next": f"TaskFailed{number}"}],
        "Next": f"JobEnded{number}",
    }


def _task_failed(number: int, following: str) -> State:
    """Tell a job that ended badly (the cause is its description as JSON) from a request that was refused.

    A timed-out task has no ``Cause`` at all, hence the presence tests.
    """
    return {
        "Type": "Choice",
        "Choices": [
            {
                "And": [
                    {"Variable": "$.Failure.Cause", "IsPresent": True},
                    {"Variable": "$.Failure.Cause", "StringMatches": "{*}"},
                ],
                "Next": f"ReadJob{number}",
            },
            {
                "Variable": "$.Failure.Error",
                "StringEquals": "States.Timeout",
                "Next": f"StopJob{number}",
            },
            {"Variable": "$.Failure.Error", "StringMatches": QUOTA_ERROR_PATTERN, "Next": following},
            {
                "Variable": "$.Failure.Error",
                "StringMatches": NAME_TAKEN_ERROR_PATTERN,
                "Next": f"StopStray{number}",
            },
            {
                "And": [
                    {"Variable": "$.Failure.Cause", "IsPresent": True},
                    _matches_any("$.Failure.Cause", CAPACITY_FAILURE_PATTERNS),
                ],
                "Next": following,
            },
        ],
        "Default": FAILED,
    }


def _stop_job(following: str, *, partition: str) -> State:
    """Stop a job that no task waits for any more, so that it does not write checkpoints beside the next job.

    Step Functions promises to cancel the job of an aborted task, not of one that timed out:
    https://docs.aws.amazon.com/step-functions/latest/dg/connect-to-resource.html. A job that cannot be stopped has
    ended, so an error moves on as well.
    """
    return {
        "Type": "Task",
        "Resource": f"arn:{partition}:states:::aws-sdk:sagemaker:stopTrainingJob",
        "Parameters": {"TrainingJobName.$": "$.TrainingJobName"},
        "TimeoutSeconds": 60,
        "ResultPath": None,
        "Catch": [{"ErrorEquals": ["States.ALL"], "Next": following}],
        "Next": following,
    }


def _job_ended(following: str) -> State:
    """Judge a job description: completed, without capacity in time, or failed.

    A Spot job that found no capacity within its wait limit is not Failed but Stopped, with the secondary status
    ``MaxWaitTimeExceeded``: a Stopped job is never a success. The failure reason is read, not the whole description:
    ``SecondaryStatusTransitions`` mentions insufficient capacity even for jobs that got capacity on a second try.
    https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DescribeTrainingJob.html
    """
    return {
        "Type": "Choice",
        "Choices": [
            {"Variable": "$.TrainingJobStatus", "StringEquals": "Completed", "Next": SUCCEEDED},
            {"Variable": "$.SecondaryStatus", "StringEquals": "MaxWaitTimeExceeded", "Next": following},
            {
                "And": [
                    {"Variable": "$.FailureReason", "IsPresent": True},
                    _matches_any("$.FailureReason", CAPACITY_FAILURE_PATTERNS),
                ],
                "Next": following,
            },
            {"Variable": "$.FailureReason", "IsPresent": True, "Next": JOB_FAILED},
        ],
        "Default": JOB_STOPPED,
    }


def _endings(props: TrainingJobProps) -> dict[str, State]:
    """Return the states that all attempts share; ``{"Error", "Cause"}`` of the failing ones is the cause of the execution."""
    tried = ", ".join(f"{attempt.instance_type} {_capacity(attempt)}" for attempt in props.attempts)
    return {
        SUCCEEDED: {"Type": "Succeed"},
        JOB_FAILED: {
            "Type": "Pass",
            "Parameters": {
                "Error": "TrainingJobFailed",
                "Cause.$": "$.FailureReason",
                "TrainingJobName.$": "$.TrainingJobName",
            },
            "Next": FAILED,
        },
        JOB_STOPPED: {
            "Type": "Pass",
            "Parameters": {
                "Error": "TrainingJobStopped",
                "Cause.$": "$.SecondaryStatus",
                "TrainingJobName.$": "$.TrainingJobName",
            },
            "Next": FAILED,
        },
        CAPACITY_EXHAUSTED: {
            "Type": "Pass",
            "Result": {
                "Error": "CapacityExhausted",
                "Cause": f"No capacity in time or no quota for any instance type tried: {tried}",
            },
            "Next": FAILED,
        },
        FAILED: {"Type": "Fail", "Error": FAILED, "CausePath": "States.JsonToString($)"},
    }


def _capacity(attempt: TrainingAttempt) -> str:
    return "Spot" if attempt.use_managed_spot else "on demand"


def _matches_any(variable: str, patterns: tuple[str, ...]) -> State:
    return {"Or": [{"Variable": variable, "StringMatches": pattern} for pattern in patterns]}
