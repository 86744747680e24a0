"""The Amazon States Language of a workflow of SageMaker jobs: attempts in turn, each on the next-best instance type.

    ReadInput   ─► NameJob1; refused ─► InputRefused
    NameJobN    ─► TrainN
    TrainN      ─► DescribeJob; error ─► TaskFailed
    TaskFailed  ─ the job failed ────────────► DescribeJob
                ─ timed out, or name taken ──► StopJob ─► WaitForEnd ─► DescribeJob
                ─ no quota, or no capacity ──► NextAttempt
    DescribeJob ─► JobEnded
    JobEnded    ─ Completed ─────────────────► TrainingSucceeded
                ─ no capacity, or no time ───► NextAttempt
                ─ not ended ─────────────────► StopJob or WaitForEnd; after half an hour JobNotStopped
                ─ any other end ─────────────► JobFailed or JobStopped
    NextAttempt ─► the next NameJobN that has time; CapacityExhausted; DeadlineExceeded

What ends badly, and any other error, leads to TrainingFailed. One clock runs for all attempts, from the start of the execution:
an attempt has what is left until its end, and none starts that has too little. No attempt starts before the job of the last one
has been seen to end: both write to the same checkpoints.

The CDK tasks for such jobs have no managed Spot, checkpoint, retry strategy or filters, hence this hand-written definition.
JSONata is used throughout (https://docs.aws.amazon.com/step-functions/latest/dg/transforming-data.html): it can tell how much
time is left. An expression that comes to nothing fails the execution, hence ``$exists`` for members that may be missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from constructs_lib.jobs.job_cost import UNPRICED
from constructs_lib.jobs.job_kind import JobKind
from constructs_lib.workflows.state_language import STARTED_BY, State, is_json_object, retry, unknown_keys
from sizewell.facts.state_machines import (
    EXECUTION_GRACE_S,
    SHORTEST_ATTEMPT_S,
    STOP_LIMIT_S,
    STOP_POLL_S,
)

#: What an attempt has left until its end, in seconds, when its job is named: what a request may take.
LEFT_S = "{% $left_s %}"
#: What stands for ``task_timeout`` until the machine is deployed: TimeoutSeconds may be an expression
#: (https://states-language.net/spec.html, "JSONata Runtime Errors"), but cfn-lint 1.58 knows numbers only.
TIMEOUT_PLACEHOLDER = "TaskTimeout"
_ELAPSED_S = "$floor(($millis() - $toMillis($states.context.Execution.StartTime)) / 1000)"
#: The folder of an execution below a prefix: the next execution leaves it alone.
EXECUTION_NAME = "$states.context.Execution.Name"

_API_TIMEOUT_S = 60

# How a capacity failure begins in a job's FailureReason, for example "CapacityError: Unable to provision requested ML
# compute capacity". Only the beginning counts: a failing script may print anything.
_NO_CAPACITY = "/^(CapacityError|InsufficientCapacityError|Insufficient capacity)/"

JOB_FAILED = "JobFailed"
JOB_STOPPED = "JobStopped"
CAPACITY_EXHAUSTED = "CapacityExhausted"
DEADLINE_EXCEEDED = "DeadlineExceeded"
JOB_NOT_STOPPED = "JobNotStopped"
NEXT_ATTEMPT = "NextAttempt"
INPUT_REFUSED = "InputRefused"


@dataclass(frozen=True, kw_only=True)
class JobAttempt:
    """One attempt: the request of its job without the name, and in a few words what it runs on.

    ``ends_after_s`` counts from the start of the execution. ``usd_per_hour`` is what all instances of the job cost together; None
    is unknown. ``variables`` are set before the request is made, which may name them.
    """

    request: Mapping[str, object]
    ends_after_s: int
    instance_count: int
    tried: str
    usd_per_hour: float | None = None
    variables: Mapping[str, object] = field(default_factory=dict)


def job_state_machine_definition(
    kind: JobKind,
    attempts: tuple[JobAttempt, ...],
    *,
    job_name_prefix: str,
    partition: str,
    totals: Mapping[str, str],
    spent: Mapping[str, str],
    variables: Mapping[str, object] | None = None,
    report: Mapping[str, str] | None = None,
    look_back: State | None = None,
    input_keys: Sequence[str] = (),
    keys_below: Mapping[str, Sequence[str]] | None = None,
) -> State:
    """Return the state machine definition as plain data, with a placeholder for the time-out of its tasks.

    ``variables`` are set when an execution begins. ``totals`` are variables and what the description of each ended job, ``$job``,
    adds to them. ``spent`` is what they come to, which every end reports. ``look_back`` are the resource, arguments and assigned
    variables of a task that looks at what a job has left behind when it has succeeded; it may fail. ``report`` is the rest of the
    output of an execution that succeeds, where ``$states.input`` is the description of its job; None is the whole description.
    An execution may be started with ``input_keys``, some of which hold only ``keys_below``, and is refused with any other.
    """
    ends_after_s = [attempt.ends_after_s for attempt in attempts]
    begun = {**(variables or {}), **dict.fromkeys(totals, 0), "ends_after_s": ends_after_s, "attempt": 1}
    unknown = unknown_keys(
        ("", (*input_keys, STARTED_BY)), *((f".{key}", below) for key, below in (keys_below or {}).items())
    )
    succeeded = f"{kind.noun}Succeeded" if look_back is None else "LookBack"
    states: dict[str, State] = {
        "ReadInput": {
            "Type": "Choice",
            "Choices": [_when(f"$count({unknown}) > 0", INPUT_REFUSED)],
            "Default": "NameJob1",
            "Assign": begun,
        }
    }
    for number, attempt in enumerate(attempts, start=1):
        # A name can never be used again. It is made before the job, so that a job can be stopped that only timed out.
        states[f"NameJob{number}"] = {
            "Type": "Pass",
            "Assign": {
                "job_name": _expression(f"'{job_name_prefix}-' & {kind.unique_part}"),
                "left_s": _expression(_left_s("$attempt - 1")),
                "job_usd_per_hour": attempt.usd_per_hour or 0,
                "is_stopped": False,
                "waited_s": 0,
                **attempt.variables,
            },
            "Next": f"{kind.verb}{number}",
        }
        states[f"{kind.verb}{number}"] = _run(kind, attempt, partition=partition)
    states |= {
        "TaskFailed": _task_failed(kind),
        "StopJob": _stop_job(kind, partition=partition),
        "WaitForEnd": {
            "Type": "Wait",
            "Seconds": STOP_POLL_S,
            "Assign": {"waited_s": _expression(f"$waited_s + {STOP_POLL_S}")},
            "Next": "DescribeJob",
        },
        "DescribeJob": _describe_job(kind, totals, partition=partition),
        "JobEnded": _job_ended(kind, succeeded),
        NEXT_ATTEMPT: _next_attempt(len(attempts)),
    }
    if look_back is not None:
        states["LookBack"] = _look_back(look_back, f"{kind.noun}Succeeded")
    states |= _endings(kind, attempts, report, spent, input_keys, unknown)
    return {
        "Comment": f"{kind.verb}s {job_name_prefix} on the first instance type that has capacity",
        "QueryLanguage": "JSONata",
        "StartAt": "ReadInput",
        "TimeoutSeconds": ends_after_s[-1] + kind.task_grace_s + EXECUTION_GRACE_S,
        "States": states,
    }


def _left_s(index: int | str) -> str:
    return f"$ends_after_s[{index}] - {_ELAPSED_S}"


def _run(kind: JobKind, attempt: JobAttempt, *, partition: str) -> State:
    return {
        "Type": "Task",
        "Comment": f"{attempt.instance_count} x {attempt.tried}",
        "Resource": f"arn:{partition}:states:::sagemaker:create{kind.noun}Job.sync",
        "Arguments": {kind.name_member: "{% $job_name %}", **attempt.request},
        "TimeoutSeconds": f"${{{TIMEOUT_PLACEHOLDER}}}",
        "Retry": [retry("ThrottlingException", "SageMaker.AmazonSageMakerException")],
        "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "TaskFailed"}],
        "Next": "DescribeJob",
    }


def _task_failed(kind: JobKind) -> State:
    """Tell a job that ended badly (the cause is its description as JSON) from a request that was refused.

    A timed-out task has no ``Cause`` at all.
    """
    cause = "$states.input.Cause"
    stop: State = {"is_stopped": True}
    return {
        "Type": "Choice",
        "Choices": [
            {
                "Condition": _expression(is_json_object(cause)),
                "Output": _expression(f"$parse({cause})"),
                "Next": "DescribeJob",
            },
            {**_when("$states.input.Error = 'States.Timeout'", "StopJob"), "Assign": stop},
            # A quota of zero is reported when the job is created, as SageMaker.ResourceLimitExceededException.
            _when("$contains($states.input.Error, 'ResourceLimitExceeded')", NEXT_ATTEMPT),
            # The name of a job is made for one attempt, so only a first request whose answer got lost can have taken it: the
            # retry is refused, and a job runs that nobody waits for. It has just begun, so it is stopped, and the attempt made
            # anew.
            {
                **_when("$contains($states.input.Error, 'ResourceInUse')", "StopJob"),
                "Assign": {**stop, "attempt": "{% $attempt - 1 %}"},
            },
            _when(f"$exists({cause}) and $contains({cause}, {_NO_CAPACITY})", NEXT_ATTEMPT),
        ],
        "Default": _failed(kind),
    }


def _stop_job(kind: JobKind, *, partition: str) -> State:
    """Stop a job that no task waits for any more, so that it does not write beside the next job.

    Step Functions promises to cancel the job of an aborted task, not of one that timed out:
    https://docs.aws.amazon.com/step-functions/latest/dg/connect-to-resource.html. The request only begins the stop (API
    reference, StopTrainingJob), and a job that has ended refuses it. What came of it, the description of the job tells: one that
    still runs is stopped again.
    """
    return {
        "Type": "Task",
        "Resource": f"arn:{partition}:states:::aws-sdk:sagemaker:stop{kind.noun}Job",
        "Arguments": {kind.name_member: "{% $job_name %}"},
        "TimeoutSeconds": _API_TIMEOUT_S,
        "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "WaitForEnd"}],
        "Next": "WaitForEnd",
    }


def _describe_job(kind: JobKind, totals: Mapping[str, str], *, partition: str) -> State:
    """Describe a job, and add up what it came to once it has ended.

    Where the description fails, the execution goes on with what the task knew of its job; the cost is unknown.
    """
    running = _not_ended(f"$job.{kind.status}")
    return {
        "Type": "Task",
        "Resource": f"arn:{partition}:states:::aws-sdk:sagemaker:describe{kind.noun}Job",
        "Arguments": {kind.name_member: "{% $job_name %}"},
        "TimeoutSeconds": _API_TIMEOUT_S,
        "Assign": {
            name: _expression(f"( $job := $states.result; {running} ? ${name} : ${name} + ({added}) )")
            for name, added in totals.items()
        },
        "Retry": [retry("ThrottlingException", "SageMaker.SageMakerException")],
        "Catch": [
            {
                "ErrorEquals": ["States.ALL"],
                "Assign": {UNPRICED: 1},
                "Output": "{% $states.input %}",
                "Next": "JobEnded",
            }
        ],
        "Next": "JobEnded",
    }


def _not_ended(status: str) -> str:
    return f"{status} in ['InProgress', 'Stopping']"


def _job_ended(kind: JobKind, succeeded: str) -> State:
    """Judge a job description: completed, without capacity in time, or failed.

    A Spot job that found no capacity within its wait limit is not Failed but Stopped, with the secondary status
    ``MaxWaitTimeExceeded``: a Stopped job is never a success. The failure reason is read, not the whole description:
    ``SecondaryStatusTransitions`` mentions insufficient capacity even for jobs that got capacity on a second try.
    https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DescribeTrainingJob.html
    """
    status, reason = f"$states.input.{kind.status}", "$states.input.FailureReason"
    choices = [
        _when(f"{status} = 'Completed'", succeeded),
        _when(f"$is_stopped and {status} = 'InProgress' and $waited_s < {STOP_LIMIT_S}", "StopJob"),
        _when(f"{_not_ended(status)} and $waited_s < {STOP_LIMIT_S}", "WaitForEnd"),
        # Of a stopped job that cannot be described, nothing is known either.
        _when(f"{_not_ended(status)} or $not($exists({status}))", JOB_NOT_STOPPED),
        _when(f"$is_stopped and {status} = 'Stopped'", NEXT_ATTEMPT),
    ]
    if kind.has_secondary_status:
        # SageMaker names whichever limit it looked at first; on demand, no attempt has time after it.
        over = "['MaxWaitTimeExceeded', 'MaxRuntimeExceeded']"
        choices.append(_when(f"$states.input.SecondaryStatus in {over}", NEXT_ATTEMPT))
    choices += [
        _when(f"$exists({reason}) and $contains({reason}, {_NO_CAPACITY})", NEXT_ATTEMPT),
        _when(f"$exists({reason})", JOB_FAILED),
    ]
    return {"Type": "Choice", "Choices": choices, "Default": JOB_STOPPED}


def _next_attempt(count: int) -> State:
    """Go on to the first attempt of those to come that has time; the last one ends at the deadline."""

    def has_time(number: int) -> str:
        return f"{_left_s(number - 1)} >= {SHORTEST_ATTEMPT_S}"

    return {
        "Type": "Choice",
        "Choices": [
            *(
                {
                    **_when(f"$attempt < {number} and {has_time(number)}", f"NameJob{number}"),
                    "Assign": {"attempt": number},
                }
                for number in range(1, count + 1)
            ),
            _when(has_time(count), CAPACITY_EXHAUSTED),
        ],
        "Default": DEADLINE_EXCEEDED,
    }


def _look_back(look_back: State, following: str) -> State:
    passed_on = "{% $states.input %}"
    return {
        "Type": "Task",
        **look_back,
        "TimeoutSeconds": _API_TIMEOUT_S,
        "Catch": [{"ErrorEquals": ["States.ALL"], "Output": passed_on, "Next": following}],
        "Output": passed_on,
        "Next": following,
    }


def _endings(
    kind: JobKind,
    attempts: tuple[JobAttempt, ...],
    report: Mapping[str, str] | None,
    spent: Mapping[str, str],
    input_keys: Sequence[str],
    unknown: str,
) -> dict[str, State]:
    """Return the states that all attempts share; ``{"Error", "Cause"}`` of the failing ones is the cause of the execution."""
    tried = ", ".join(attempt.tried for attempt in attempts)
    failed, name = _failed(kind), {kind.name_member: "{% $job_name %}"}
    status = "SecondaryStatus" if kind.has_secondary_status else kind.status
    expressions = {member: _expression(value) for member, value in spent.items()}
    members = ", ".join(f"'{member}': {value}" for member, value in spent.items())
    allowed = f"may be started with {', '.join(input_keys)}" if input_keys else "takes no input"

    def ends(output: Mapping[str, str], totals: Mapping[str, str] = expressions) -> State:
        return {"Type": "Pass", "Output": {**output, **totals}, "Next": failed}

    return {
        f"{kind.noun}Succeeded": {
            "Type": "Succeed",
            "Output": _expression(f"$merge([$states.input, {{{members}}}])")
            if report is None
            else {**report, **expressions},
        },
        JOB_FAILED: ends(
            {"Error": f"{kind.noun}JobFailed", "Cause": "{% $states.input.FailureReason %}", **name}
        ),
        JOB_STOPPED: ends(
            {"Error": f"{kind.noun}JobStopped", "Cause": f"{{% $states.input.{status} %}}", **name}
        ),
        JOB_NOT_STOPPED: ends(
            {
                "Error": JOB_NOT_STOPPED,
                "Cause": f"The job has not been seen to end within {STOP_LIMIT_S // 60} minutes: it may still run, write and "
                "cost, which is not in these figures. No other was started beside it. Look at it, and stop it",
                **name,
            }
        ),
        CAPACITY_EXHAUSTED: ends(
            {
                "Error": CAPACITY_EXHAUSTED,
                "Cause": f"No capacity in time or no quota for any instance type tried: {tried}",
            }
        ),
        DEADLINE_EXCEEDED: ends(
            {
                "Error": DEADLINE_EXCEEDED,
                "Cause": "The last job had not ended when its deadline passed, and was stopped, or too little time was left "
                "before the deadline to start another",
                **name,
            }
        ),
        INPUT_REFUSED: ends(
            {
                "Error": INPUT_REFUSED,
                "Cause": _expression(f"'This workflow {allowed}, not with ' & $join({unknown}, ', ')"),
            },
            totals={},
        ),
        failed: {"Type": "Fail", "Error": failed, "Cause": "{% $string($states.input) %}"},
    }


def _when(condition: str, following: str) -> State:
    return {"Condition": _expression(condition), "Next": following}


def _failed(kind: JobKind) -> str:
    return f"{kind.noun}Failed"


def _expression(jsonata: str) -> str:
    return f"{{% {jsonata} %}}"
