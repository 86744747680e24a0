"""The Amazon States Language of a workflow of SageMaker jobs: attempts in turn, each on the next-best instance type.

    ReadInput ─► NameJobN ─► TrainN ─ ended ─► JobEndedN ─ Completed ──► TrainingSucceeded
        │            ▲         │                ▲   ├── to be continued ─► NameJob(N+1) … CapacityExhausted ─┐
        │            │         └─ error ─► TaskFailedN └─ any other end ─► JobFailed / JobStopped ───────────┤
        │            │                          ├── quota exceeded ──────► NameJob(N+1) …                    │
        │            │                          ├── timed out ─► StopJobN ► NameJob(N+1) …                   │
        │            └── StopStrayN ◄─ name taken                                                           │
        └─ refused ─► InputRefused ───────────────── any other error ────────────────────► TrainingFailed ◄──┘

No capacity and, on Spot, no time are to be continued by the next attempt. What misses the deadline goes to DeadlineExceeded.

The CDK tasks for such jobs have no managed Spot, checkpoint, retry strategy or filters, hence this hand-written definition.
JSONata is used throughout (https://docs.aws.amazon.com/step-functions/latest/dg/transforming-data.html): it can tell how much
time is left. An expression that comes to nothing fails the execution, hence ``$exists`` for members that may be missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from constructs_lib.job_kind import JobKind
from constructs_lib.state_language import STARTED_BY, State, is_json_object, retry, unknown_keys
from sizewell.facts.state_machines import EXECUTION_GRACE_S

#: Seconds since the start of the execution, in whole steps of five minutes: the first job may have the time that the plan says,
#: whatever the seconds that it took to get there.
ELAPSED_S = "300 * $floor(($millis() - $toMillis($states.context.Execution.StartTime)) / 300000)"
#: The folder of an execution below a prefix: the next execution leaves it alone.
EXECUTION_NAME = "$states.context.Execution.Name"

# How a capacity failure begins in a job's FailureReason, for example "CapacityError: Unable to provision requested ML
# compute capacity". Only the beginning counts: a failing script may print anything.
_NO_CAPACITY = "/^(CapacityError|InsufficientCapacityError|Insufficient capacity)/"

JOB_FAILED = "JobFailed"
JOB_STOPPED = "JobStopped"
CAPACITY_EXHAUSTED = "CapacityExhausted"
DEADLINE_EXCEEDED = "DeadlineExceeded"
INPUT_REFUSED = "InputRefused"


@dataclass(frozen=True, kw_only=True)
class JobAttempt:
    """One attempt: the request of its job without the name, how long the task may last, and in a few words what it runs on.

    ``variables`` are set before the request is made, which may name them. ``out_of_time`` are the secondary statuses of a
    job that the next attempt continues.
    """

    request: Mapping[str, object]
    timeout_s: int
    instance_count: int
    tried: str
    variables: Mapping[str, object] = field(default_factory=dict)
    out_of_time: Sequence[str] = ()


def job_state_machine_definition(
    kind: JobKind,
    attempts: tuple[JobAttempt, ...],
    *,
    job_name_prefix: str,
    partition: str,
    time_limit_s: int,
    variables: Mapping[str, object] | None = None,
    totals: Mapping[str, str] | None = None,
    report: Mapping[str, str] | None = None,
    spent: Mapping[str, str] | None = None,
    look_back: State | None = None,
    input_keys: Sequence[str] = (),
    keys_below: Mapping[str, Sequence[str]] | None = None,
) -> State:
    """Return the state machine definition as plain data.

    ``time_limit_s`` is that of all tasks together. ``variables`` are set when an execution begins. ``totals`` are variables and
    what the description of each ended job, ``$job``, adds to them. ``spent`` is what they come to, told of every end.
    ``look_back`` are the resource, arguments and assigned variables of a task that looks at what a job has left behind when it
    has succeeded; it may fail. ``report`` is the rest of the output of an execution that succeeds, where ``$states.input`` is the
    description of its job; None is the whole description. An execution may be started with ``input_keys``, some of which hold
    only ``keys_below``, and is refused with any other.
    """
    totals = totals or {}
    begun = {**(variables or {}), **dict.fromkeys(totals, 0)}
    unknown = unknown_keys(
        ("", (*input_keys, STARTED_BY)), *((f".{key}", below) for key, below in (keys_below or {}).items())
    )
    states: dict[str, State] = {"ReadInput": _read_input(unknown, begun)}
    succeeded = f"{kind.noun}Succeeded" if look_back is None else "LookBack"
    for number, attempt in enumerate(attempts, start=1):
        following = f"NameJob{number + 1}" if number < len(attempts) else CAPACITY_EXHAUSTED
        # A name can never be used again. It is made before the job, so that a job can be stopped that only timed out.
        states[f"NameJob{number}"] = {
            "Type": "Pass",
            "Assign": {
                "job_name": _expression(f"'{job_name_prefix}-' & {kind.unique_part}"),
                **attempt.variables,
            },
            "Next": f"{kind.verb}{number}",
        }
        states[f"{kind.verb}{number}"] = _run(kind, attempt, number, totals, partition=partition)
        states[f"TaskFailed{number}"] = _task_failed(kind, totals, number, following)
        after_timeout = following if kind.tries_on_after_timeout else DEADLINE_EXCEEDED
        states[f"StopJob{number}"] = _stop_job(kind, after_timeout, partition=partition)
        states[f"StopStray{number}"] = _stop_job(kind, f"NameJob{number}", partition=partition)
        states[f"JobEnded{number}"] = _job_ended(kind, attempt, following, succeeded)
    if look_back is not None:
        states["LookBack"] = _look_back(look_back, f"{kind.noun}Succeeded")
    states |= _endings(kind, attempts, report, spent or {}, input_keys, unknown)
    return {
        "Comment": f"{kind.verb}s {job_name_prefix} on the first instance type that has capacity",
        "QueryLanguage": "JSONata",
        "StartAt": "ReadInput",
        "TimeoutSeconds": time_limit_s + EXECUTION_GRACE_S,
        "States": states,
    }


def _read_input(unknown: str, variables: Mapping[str, object]) -> State:
    state: State = {
        "Type": "Choice",
        "Choices": [_when(f"$count({unknown}) > 0", INPUT_REFUSED)],
        "Default": "NameJob1",
    }
    if variables:
        state["Assign"] = dict(variables)
    return state


def _run(
    kind: JobKind, attempt: JobAttempt, number: int, totals: Mapping[str, str], *, partition: str
) -> State:
    state: State = {
        "Type": "Task",
        "Comment": f"{attempt.instance_count} x {attempt.tried}",
        "Resource": f"arn:{partition}:states:::sagemaker:create{kind.noun}Job.sync",
        "Arguments": {kind.name_member: "{% $job_name %}", **attempt.request},
        "TimeoutSeconds": attempt.timeout_s,
        "Retry": [retry("ThrottlingException", "SageMaker.AmazonSageMakerException")],
        "Catch": [{"ErrorEquals": ["States.ALL"], "Next": f"TaskFailed{number}"}],
        "Next": f"JobEnded{number}",
    }
    if totals:
        state["Assign"] = _add(totals, "$states.result")
    return state


def _add(totals: Mapping[str, str], job: str) -> dict[str, str]:
    return {name: _expression(f"( $job := {job}; ${name} + ({added}) )") for name, added in totals.items()}


def _task_failed(kind: JobKind, totals: Mapping[str, str], number: int, following: str) -> State:
    """Tell a job that ended badly (the cause is its description as JSON) from a request that was refused.

    A timed-out task has no ``Cause`` at all.
    """
    job = "$parse($states.input.Cause)"
    described: State = {
        "Condition": _expression(is_json_object("$states.input.Cause")),
        "Output": _expression(job),
        "Next": f"JobEnded{number}",
    }
    if totals:
        described["Assign"] = _add(totals, job)
    return {
        "Type": "Choice",
        "Choices": [
            described,
            _when("$states.input.Error = 'States.Timeout'", f"StopJob{number}"),
            # A quota of zero is reported when the job is created, as SageMaker.ResourceLimitExceededException.
            _when("$contains($states.input.Error, 'ResourceLimitExceeded')", following),
            # The name of a job is made for one attempt, so only a first request whose answer got lost can have taken it: the
            # retry is refused, and a job runs that nobody waits for. It has just begun, so it is stopped, and the attempt made
            # anew.
            _when("$contains($states.input.Error, 'ResourceInUse')", f"StopStray{number}"),
            _when(
                f"$exists($states.input.Cause) and $contains($states.input.Cause, {_NO_CAPACITY})", following
            ),
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
        "Arguments": {kind.name_member: "{% $job_name %}"},
        "TimeoutSeconds": 60,
        "Catch": [{"ErrorEquals": ["States.ALL"], "Next": following}],
        "Next": following,
    }


def _job_ended(kind: JobKind, attempt: JobAttempt, following: str, succeeded: str) -> State:
    """Judge a job description: completed, without capacity in time, or failed.

    A Spot job that found no capacity within its wait limit is not Failed but Stopped, with the secondary status
    ``MaxWaitTimeExceeded``: a Stopped job is never a success. The failure reason is read, not the whole description:
    ``SecondaryStatusTransitions`` mentions insufficient capacity even for jobs that got capacity on a second try.
    https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DescribeTrainingJob.html
    """
    choices = [_when(f"$states.input.{kind.noun}JobStatus = 'Completed'", succeeded)]
    if attempt.out_of_time:
        statuses = ", ".join(f"'{status}'" for status in attempt.out_of_time)
        choices.append(_when(f"$states.input.SecondaryStatus in [{statuses}]", following))
    if kind.has_secondary_status:
        choices.append(_when("$states.input.SecondaryStatus = 'MaxRuntimeExceeded'", DEADLINE_EXCEEDED))
    reason = "$states.input.FailureReason"
    choices += [
        _when(f"$exists({reason}) and $contains({reason}, {_NO_CAPACITY})", following),
        _when(f"$exists({reason})", JOB_FAILED),
    ]
    return {"Type": "Choice", "Choices": choices, "Default": JOB_STOPPED}


def _look_back(look_back: State, following: str) -> State:
    passed_on = "{% $states.input %}"
    return {
        "Type": "Task",
        **look_back,
        "TimeoutSeconds": 60,
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
    status = "SecondaryStatus" if kind.has_secondary_status else f"{kind.noun}JobStatus"
    succeeded: State = {"Type": "Succeed"}
    if report is not None:
        succeeded["Output"] = {**report, **spent}
    allowed = f"may be started with {', '.join(input_keys)}" if input_keys else "takes no input"

    def ends(output: Mapping[str, str], spent: Mapping[str, str] = spent) -> State:
        return {"Type": "Pass", "Output": {**output, **spent}, "Next": failed}

    return {
        f"{kind.noun}Succeeded": succeeded,
        JOB_FAILED: ends(
            {"Error": f"{kind.noun}JobFailed", "Cause": "{% $states.input.FailureReason %}", **name}
        ),
        JOB_STOPPED: ends(
            {"Error": f"{kind.noun}JobStopped", "Cause": f"{{% $states.input.{status} %}}", **name}
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
                "Cause": "The job was stopped: it had not ended when its deadline passed",
                **name,
            }
        ),
        INPUT_REFUSED: ends(
            {
                "Error": INPUT_REFUSED,
                "Cause": _expression(f"'This workflow {allowed}, not with ' & $join({unknown}, ', ')"),
            },
            spent={},
        ),
        failed: {"Type": "Fail", "Error": failed, "Cause": "{% $string($states.input) %}"},
    }


def _when(condition: str, following: str) -> State:
    return {"Condition": _expression(condition), "Next": following}


def _failed(kind: JobKind) -> str:
    return f"{kind.noun}Failed"


def _expression(jsonata: str) -> str:
    return f"{{% {jsonata} %}}"
