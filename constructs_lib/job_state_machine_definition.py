"""The Amazon States Language of a workflow of SageMaker jobs: attempts in turn, each on the next-best instance type.

    NameJobN ─► TrainN ─ ended ──► JobEndedN ─ Completed ────► TrainingSucceeded
                 │                 ▲      ├── no capacity ───► NameJob(N+1) … CapacityExhausted ─┐
                 └─ error ─► TaskFailedN  └── any other end ──► JobFailed / JobStopped ──────────┤
                                   ├── quota exceeded ───────► NameJob(N+1) …                    │
                                   ├── timed out ► StopJobN ─► NameJob(N+1) …                    │
                                   ├── name taken ► StopStrayN ► NameJobN …                      │
                                   └── any other error ────────────────────────► TrainingFailed ◄┘

A transform or tuning job that timed out has missed its deadline: StopJobN goes to DeadlineExceeded, as no later attempt could
keep it.

The CDK tasks for such jobs have no managed Spot, checkpoint, retry strategy or filters, hence this hand-written definition.
JSONPath is used throughout; the state data is only ever a job description or an error, never the execution's input.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

State = dict[str, object]

# One of the five groups of a random UUID.
_UNIQUE_PART = "States.ArrayGetItem(States.StringSplit(States.UUID(), '-'), {})"

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

JOB_FAILED = "JobFailed"
JOB_STOPPED = "JobStopped"
CAPACITY_EXHAUSTED = "CapacityExhausted"
DEADLINE_EXCEEDED = "DeadlineExceeded"


@dataclass(frozen=True, kw_only=True)
class JobKind:
    """What the API and the states call a kind of job.

    ``noun`` is that of members and actions (Training of TrainingJobName and createTrainingJob), ``verb`` begins the name of
    the state that runs a job. Only a job with a secondary status can tell that it waited too long for Spot capacity.
    ``tries_on_after_timeout`` False ends the execution when an attempt took too long. ``unique_group`` is the group of a UUID
    that ends the name of a job: the last has twelve digits, the first eight. ``sync_noun`` is that of the rule by which Step
    Functions learns of the end; None is ``noun``.
    """

    noun: str
    verb: str
    has_secondary_status: bool
    tries_on_after_timeout: bool
    unique_group: int = 4
    sync_noun: str | None = None

    @property
    def name_member(self) -> str:
        """The member that holds the name of a job."""
        return f"{self.noun}JobName"

    @property
    def words(self) -> str:
        """What sentences call it: hyper parameter tuning."""
        return self.arn_noun.removesuffix("-job").replace("-", " ")

    @property
    def arn_noun(self) -> str:
        """What the ARN of a job calls it."""
        return f"{re.sub(r'(?<!^)(?=[A-Z])', '-', self.noun).lower()}-job"


TRAINING = JobKind(noun="Training", verb="Train", has_secondary_status=True, tries_on_after_timeout=True)
TRANSFORM = JobKind(
    noun="Transform", verb="Transform", has_secondary_status=False, tries_on_after_timeout=False
)
# The name of a tuning job has 32 characters, half of what others have.
TUNING = JobKind(
    noun="HyperParameterTuning",
    verb="Tune",
    has_secondary_status=False,
    tries_on_after_timeout=False,
    unique_group=0,
    sync_noun="Tuning",
)


@dataclass(frozen=True, kw_only=True)
class JobAttempt:
    """One attempt: the request of its job, how long the task may last, and in a few words what it runs on."""

    request: Mapping[str, object]
    timeout_s: int
    instance_count: int
    tried: str


def job_state_machine_definition(
    kind: JobKind, attempts: tuple[JobAttempt, ...], *, job_name_prefix: str, partition: str
) -> State:
    """Return the state machine definition as plain data; requests read the name of their job from the state data."""
    states: dict[str, State] = {}
    for number, attempt in enumerate(attempts, start=1):
        following = f"NameJob{number + 1}" if number < len(attempts) else CAPACITY_EXHAUSTED
        # A name can never be used again. It is made before the job, so that a job can be stopped that only timed out.
        states[f"NameJob{number}"] = {
            "Type": "Pass",
            "Parameters": {
                f"{kind.name_member}.$": f"States.Format('{job_name_prefix}-{{}}', {_UNIQUE_PART.format(kind.unique_group)})"
            },
            "Next": f"{kind.verb}{number}",
        }
        states[f"{kind.verb}{number}"] = _run(kind, attempt, number, partition=partition)
        states[f"TaskFailed{number}"] = _task_failed(kind, number, following)
        # StringToJson fails the execution on anything but JSON, so TaskFailed lets only an object come here.
        states[f"ReadJob{number}"] = {
            "Type": "Pass",
            "Parameters": {"Job.$": "States.StringToJson($.Failure.Cause)"},
            "OutputPath": "$.Job",
            "Next": f"JobEnded{number}",
        }
        after_timeout = following if kind.tries_on_after_timeout else DEADLINE_EXCEEDED
        states[f"StopJob{number}"] = _stop_job(kind, after_timeout, partition=partition)
        states[f"StopStray{number}"] = _stop_job(kind, f"NameJob{number}", partition=partition)
        states[f"JobEnded{number}"] = _job_ended(kind, following)
    states |= _endings(kind, attempts)
    return {
        "Comment": f"{kind.verb}s {job_name_prefix} on the first instance type that has capacity",
        "StartAt": "NameJob1",
        "TimeoutSeconds": sum(attempt.timeout_s for attempt in attempts) + EXECUTION_GRACE_S,
        "States": states,
    }


def _run(kind: JobKind, attempt: JobAttempt, number: int, *, partition: str) -> State:
    return {
        "Type": "Task",
        "Comment": f"{attempt.instance_count} x {attempt.tried}",
        "Resource": f"arn:{partition}:states:::sagemaker:create{kind.noun}Job.sync",
        "Parameters": dict(attempt.request),
        "TimeoutSeconds": attempt.timeout_s,
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


def _task_failed(kind: JobKind, number: int, following: str) -> State:
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
        "Default": _failed(kind),
    }


def _stop_job(kind: JobKind, following: str, *, partition: str) -> State:
    """Stop a job that no task waits for any more, so that it does not write beside the next job.

    Step Functions promises to cancel the job of an aborted task, not of one that timed out:
    https://docs.aws.amazon.com/step-functions/latest/dg/connect-to-resource.html. A job that cannot be stopped has
    ended, so an error moves on as well.
    """
    return {
        "Type": "Task",
        "Resource": f"arn:{partition}:states:::aws-sdk:sagemaker:stop{kind.noun}Job",
        "Parameters": {f"{kind.name_member}.$": f"$.{kind.name_member}"},
        "TimeoutSeconds": 60,
        "ResultPath": None,
        "Catch": [{"ErrorEquals": ["States.ALL"], "Next": following}],
        "Next": following,
    }


def _job_ended(kind: JobKind, following: str) -> State:
    """Judge a job description: completed, without capacity in time, or failed.

    A Spot job that found no capacity within its wait limit is not Failed but Stopped, with the secondary status
    ``MaxWaitTimeExceeded``: a Stopped job is never a success. The failure reason is read, not the whole description:
    ``SecondaryStatusTransitions`` mentions insufficient capacity even for jobs that got capacity on a second try.
    https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DescribeTrainingJob.html
    """
    waited = {"Variable": "$.SecondaryStatus", "StringEquals": "MaxWaitTimeExceeded", "Next": following}
    return {
        "Type": "Choice",
        "Choices": [
            {
                "Variable": f"$.{kind.noun}JobStatus",
                "StringEquals": "Completed",
                "Next": f"{kind.noun}Succeeded",
            },
            *([waited] if kind.has_secondary_status else []),
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


def _endings(kind: JobKind, attempts: tuple[JobAttempt, ...]) -> dict[str, State]:
    """Return the states that all attempts share; ``{"Error", "Cause"}`` of the failing ones is the cause of the execution."""
    tried = ", ".join(attempt.tried for attempt in attempts)
    failed, name = _failed(kind), {f"{kind.name_member}.$": f"$.{kind.name_member}"}
    status = "SecondaryStatus" if kind.has_secondary_status else f"{kind.noun}JobStatus"
    endings: dict[str, State] = {
        f"{kind.noun}Succeeded": {"Type": "Succeed"},
        JOB_FAILED: {
            "Type": "Pass",
            "Parameters": {"Error": f"{kind.noun}JobFailed", "Cause.$": "$.FailureReason", **name},
            "Next": failed,
        },
        JOB_STOPPED: {
            "Type": "Pass",
            "Parameters": {"Error": f"{kind.noun}JobStopped", "Cause.$": f"$.{status}", **name},
            "Next": failed,
        },
        CAPACITY_EXHAUSTED: {
            "Type": "Pass",
            "Result": {
                "Error": CAPACITY_EXHAUSTED,
                "Cause": f"No capacity in time or no quota for any instance type tried: {tried}",
            },
            "Next": failed,
        },
        failed: {"Type": "Fail", "Error": failed, "CausePath": "States.JsonToString($)"},
    }
    if not kind.tries_on_after_timeout:
        endings[DEADLINE_EXCEEDED] = {
            "Type": "Pass",
            "Parameters": {
                "Error": DEADLINE_EXCEEDED,
                "Cause": "The job was stopped: it had not ended when its deadline passed",
                **name,
            },
            "Next": failed,
        }
    return endings


def _failed(kind: JobKind) -> str:
    return f"{kind.noun}Failed"


def _matches_any(variable: str, patterns: tuple[str, ...]) -> State:
    return {"Or": [{"Variable": variable, "StringMatches": pattern} for pattern in patterns]}
