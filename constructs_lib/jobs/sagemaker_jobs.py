"""SageMaker's jobs in a state machine: what runs, describes and stops one, and how its end is judged.

The CDK tasks for such jobs have no managed Spot, checkpoint, retry strategy or filters, hence these hand-written states.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from constructs_lib.jobs.job_cost import UNPRICED
from constructs_lib.jobs.job_kind import JobKind
from constructs_lib.jobs.job_state_machine_definition import (
    API_TIMEOUT_S,
    JOB_FAILED,
    JOB_NOT_STOPPED,
    JOB_STOPPED,
    NEXT_ATTEMPT,
    TIMEOUT_PLACEHOLDER,
    JobAttempt,
    expression,
    failed_state,
    wait_for_end,
    when,
)
from constructs_lib.workflows.state_language import State, is_json_object, retry
from sizewell.facts.state_machines import STOP_LIMIT_S

# How a capacity failure begins in a job's FailureReason, for example "CapacityError: Unable to provision requested ML
# compute capacity". Only the beginning counts: a failing script may print anything.
_NO_CAPACITY = "/^(CapacityError|InsufficientCapacityError|Insufficient capacity)/"


@dataclass(frozen=True)
class SageMakerJobs:
    """The jobs of one kind (``JobService``)."""

    kind: JobKind
    partition: str
    why_failed = "$states.input.FailureReason"

    @property
    def why_stopped(self) -> str:
        """The status that says most."""
        return f"$states.input.{'SecondaryStatus' if self.kind.has_secondary_status else self.kind.status}"

    def run(self, attempt: JobAttempt) -> State:
        """Return the state of an attempt."""
        kind = self.kind
        return {
            "Type": "Task",
            "Comment": f"{attempt.instance_count} x {attempt.tried}",
            "Resource": f"arn:{self.partition}:states:::sagemaker:create{kind.noun}Job.sync",
            "Arguments": {kind.name_member: "{% $job_name %}", **attempt.request},
            "TimeoutSeconds": f"${{{TIMEOUT_PLACEHOLDER}}}",
            "Retry": [retry("ThrottlingException", "SageMaker.AmazonSageMakerException")],
            "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "TaskFailed"}],
            "Next": "DescribeJob",
        }

    def states(self, totals: Mapping[str, str], succeeded: str) -> dict[str, State]:
        """Return the states from TaskFailed to JobEnded."""
        return {
            "TaskFailed": _task_failed(self.kind),
            "StopJob": _stop_job(self.kind, partition=self.partition),
            "WaitForEnd": wait_for_end(),
            "DescribeJob": _describe_job(self.kind, totals, partition=self.partition),
            "JobEnded": _job_ended(self.kind, succeeded),
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
                "Condition": expression(is_json_object(cause)),
                "Output": expression(f"$parse({cause})"),
                "Next": "DescribeJob",
            },
            {**when("$states.input.Error = 'States.Timeout'", "StopJob"), "Assign": stop},
            # A quota of zero is reported when the job is created, as SageMaker.ResourceLimitExceededException.
            when("$contains($states.input.Error, 'ResourceLimitExceeded')", NEXT_ATTEMPT),
            # The name of a job is made for one attempt, so only a first request whose answer got lost can have taken it: the
            # retry is refused, and a job runs that nobody waits for. It has just begun, so it is stopped, and the attempt made
            # anew.
            {
                **when("$contains($states.input.Error, 'ResourceInUse')", "StopJob"),
                "Assign": {**stop, "attempt": "{% $attempt - 1 %}"},
            },
            when(f"$exists({cause}) and $contains({cause}, {_NO_CAPACITY})", NEXT_ATTEMPT),
        ],
        "Default": failed_state(kind),
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
        "TimeoutSeconds": API_TIMEOUT_S,
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
        "TimeoutSeconds": API_TIMEOUT_S,
        "Assign": {
            name: expression(f"( $job := $states.result; {running} ? ${name} : ${name} + ({added}) )")
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
        when(f"{status} = 'Completed'", succeeded),
        when(f"$is_stopped and {status} = 'InProgress' and $waited_s < {STOP_LIMIT_S}", "StopJob"),
        when(f"{_not_ended(status)} and $waited_s < {STOP_LIMIT_S}", "WaitForEnd"),
        # Of a stopped job that cannot be described, nothing is known either.
        when(f"{_not_ended(status)} or $not($exists({status}))", JOB_NOT_STOPPED),
        when(f"$is_stopped and {status} = 'Stopped'", NEXT_ATTEMPT),
    ]
    if kind.has_secondary_status:
        # SageMaker names whichever limit it looked at first; on demand, no attempt has time after it.
        over = "['MaxWaitTimeExceeded', 'MaxRuntimeExceeded']"
        choices.append(when(f"$states.input.SecondaryStatus in {over}", NEXT_ATTEMPT))
    choices += [
        when(f"$exists({reason}) and $contains({reason}, {_NO_CAPACITY})", NEXT_ATTEMPT),
        when(f"$exists({reason})", JOB_FAILED),
    ]
    return {"Type": "Choice", "Choices": choices, "Default": JOB_STOPPED}
