"""The Amazon States Language of a workflow of jobs: attempts in turn, each on the next-best instance type.

    ReadInput   ─► NameJob1; refused ─► InputRefused
    NameJobN    ─► TrainN
    TrainN      ─► DescribeJob; error ─► TaskFailed
    TaskFailed  ─ the job failed ────────────► DescribeJob
                ─ timed out, or name taken ──► StopJob ─► WaitForEnd ─► DescribeJob
                ─ no quota, or no capacity ──► NextAttempt
    DescribeJob ─► JobEnded
    JobEnded    ─ completed ─────────────────► TrainingSucceeded
                ─ no capacity, or no time ───► NextAttempt
                ─ not ended ─────────────────► StopJob or WaitForEnd; after half an hour JobNotStopped
                ─ any other end ─────────────► JobFailed or JobStopped
    NextAttempt ─► the next NameJobN that has time; CapacityExhausted; DeadlineExceeded

The states from TrainN to JobEnded are those of the service that runs the jobs: SageMaker (``sagemaker_jobs``, as above) or AWS
Batch (``batch_jobs``). What ends badly, and any other error, leads to TrainingFailed. One clock runs for all attempts, from the
start of the execution: an attempt has what is left until its end, and none starts that has too little. No attempt starts before
the job of the last one has been seen to end: both write to the same checkpoints.

JSONata is used throughout (https://docs.aws.amazon.com/step-functions/latest/dg/transforming-data.html): it can tell how much
time is left. An expression that comes to nothing fails the execution, hence ``$exists`` for members that may be missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from constructs_lib.jobs.job_kind import JobKind
from constructs_lib.workflows.state_language import STARTED_BY, State, unknown_keys
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

#: What a request that only asks or tells may take.
API_TIMEOUT_S = 60

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


class JobService(Protocol):
    """What runs the jobs: how it is asked for one, for its description and to stop it, and how it tells of its end."""

    @property
    def kind(self) -> JobKind:
        """What it calls its jobs."""

    @property
    def why_failed(self) -> str:
        """Why a job failed, in JSONata over ``$states.input``, its description."""

    @property
    def why_stopped(self) -> str:
        """Why a job was stopped that no execution had stopped, likewise."""

    def run(self, attempt: JobAttempt) -> State:
        """Return the state that runs the job ``$job_name`` and goes on with DescribeJob, or with TaskFailed."""

    def states(self, totals: Mapping[str, str], succeeded: str) -> dict[str, State]:
        """Return the states from TaskFailed to JobEnded, which adds up ``totals``; one that succeeded leads to ``succeeded``."""


def job_state_machine_definition(
    service: JobService,
    attempts: tuple[JobAttempt, ...],
    *,
    job_name_prefix: str,
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
    kind = service.kind
    ends_after_s = [attempt.ends_after_s for attempt in attempts]
    begun = {**(variables or {}), **dict.fromkeys(totals, 0), "ends_after_s": ends_after_s, "attempt": 1}
    unknown = unknown_keys(
        ("", (*input_keys, STARTED_BY)), *((f".{key}", below) for key, below in (keys_below or {}).items())
    )
    succeeded = f"{kind.noun}Succeeded" if look_back is None else "LookBack"
    states: dict[str, State] = {
        "ReadInput": {
            "Type": "Choice",
            "Choices": [when(f"$count({unknown}) > 0", INPUT_REFUSED)],
            "Default": "NameJob1",
            "Assign": begun,
        }
    }
    for number, attempt in enumerate(attempts, start=1):
        # A name can never be used again. It is made before the job, so that a job can be stopped that only timed out.
        states[f"NameJob{number}"] = {
            "Type": "Pass",
            "Assign": {
                "job_name": expression(f"'{job_name_prefix}-' & {kind.unique_part}"),
                "left_s": expression(_left_s("$attempt - 1")),
                "job_usd_per_hour": attempt.usd_per_hour or 0,
                "is_stopped": False,
                "waited_s": 0,
                **attempt.variables,
            },
            "Next": f"{kind.verb}{number}",
        }
        states[f"{kind.verb}{number}"] = service.run(attempt)
    states |= {
        **service.states(totals, succeeded),
        NEXT_ATTEMPT: _next_attempt(len(attempts)),
    }
    if look_back is not None:
        states["LookBack"] = _look_back(look_back, f"{kind.noun}Succeeded")
    states |= _endings(service, attempts, report, spent, input_keys, unknown)
    return {
        "Comment": f"{kind.verb}s {job_name_prefix} on the first instance type that has capacity",
        "QueryLanguage": "JSONata",
        "StartAt": "ReadInput",
        "TimeoutSeconds": ends_after_s[-1] + kind.task_grace_s + EXECUTION_GRACE_S,
        "States": states,
    }


def wait_for_end() -> State:
    """Return the state that gives a job time to end before it is looked at again."""
    return {
        "Type": "Wait",
        "Seconds": STOP_POLL_S,
        "Assign": {"waited_s": expression(f"$waited_s + {STOP_POLL_S}")},
        "Next": "DescribeJob",
    }


def _left_s(index: int | str) -> str:
    return f"$ends_after_s[{index}] - {_ELAPSED_S}"


def _next_attempt(count: int) -> State:
    """Go on to the first attempt of those to come that has time; the last one ends at the deadline."""

    def has_time(number: int) -> str:
        return f"{_left_s(number - 1)} >= {SHORTEST_ATTEMPT_S}"

    return {
        "Type": "Choice",
        "Choices": [
            *(
                {
                    **when(f"$attempt < {number} and {has_time(number)}", f"NameJob{number}"),
                    "Assign": {"attempt": number},
                }
                for number in range(1, count + 1)
            ),
            when(has_time(count), CAPACITY_EXHAUSTED),
        ],
        "Default": DEADLINE_EXCEEDED,
    }


def _look_back(look_back: State, following: str) -> State:
    passed_on = "{% $states.input %}"
    return {
        "Type": "Task",
        **look_back,
        "TimeoutSeconds": API_TIMEOUT_S,
        "Catch": [{"ErrorEquals": ["States.ALL"], "Output": passed_on, "Next": following}],
        "Output": passed_on,
        "Next": following,
    }


def _endings(
    service: JobService,
    attempts: tuple[JobAttempt, ...],
    report: Mapping[str, str] | None,
    spent: Mapping[str, str],
    input_keys: Sequence[str],
    unknown: str,
) -> dict[str, State]:
    """Return the states that all attempts share; ``{"Error", "Cause"}`` of the failing ones is the cause of the execution."""
    tried = ", ".join(attempt.tried for attempt in attempts)
    kind = service.kind
    failed, name = failed_state(kind), {kind.name_member: "{% $job_name %}"}
    expressions = {member: expression(value) for member, value in spent.items()}
    members = ", ".join(f"'{member}': {value}" for member, value in spent.items())
    allowed = f"may be started with {', '.join(input_keys)}" if input_keys else "takes no input"

    def ends(output: Mapping[str, str], totals: Mapping[str, str] = expressions) -> State:
        return {"Type": "Pass", "Output": {**output, **totals}, "Next": failed}

    return {
        f"{kind.noun}Succeeded": {
            "Type": "Succeed",
            "Output": expression(f"$merge([$states.input, {{{members}}}])")
            if report is None
            else {**report, **expressions},
        },
        JOB_FAILED: ends({"Error": f"{kind.noun}JobFailed", "Cause": expression(service.why_failed), **name}),
        JOB_STOPPED: ends(
            {"Error": f"{kind.noun}JobStopped", "Cause": expression(service.why_stopped), **name}
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
                "Cause": expression(f"'This workflow {allowed}, not with ' & $join({unknown}, ', ')"),
            },
            totals={},
        ),
        failed: {"Type": "Fail", "Error": failed, "Cause": "{% $string($states.input) %}"},
    }


def when(condition: str, following: str) -> State:
    """Return a choice by a condition in JSONata."""
    return {"Condition": expression(condition), "Next": following}


def failed_state(kind: JobKind) -> str:
    """Return the name of the state in which an execution fails."""
    return f"{kind.noun}Failed"


def expression(jsonata: str) -> str:
    """Return JSONata as the member of a state."""
    return f"{{% {jsonata} %}}"
