"""The jobs of AWS Batch in a state machine: what runs, finds, describes and stops one, and how its end is judged.

    TrainN     ─► DescribeJob; error ─► TaskFailed
    TaskFailed ─ the job failed ───────────► DescribeJob, or FindJob where its description is cut off
               ─ timed out, or answer lost ► FindJob ─► JobFound ─► StopJob ─► WaitForEnd ─► DescribeJob
               ─ refused ──────────────────► TrainingFailed
    JobFound   ─ not there yet ────────────► WaitToFind ─► FindJob; after two minutes NextAttempt or JobNotStopped

Batch takes any number of jobs of one name, and SubmitJob has no token that would make a second request harmless. So no request is
repeated whose answer was lost: the job is looked for by its name, which is made for one attempt, and stopped.
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
    LEFT_S,
    NEXT_ATTEMPT,
    TIMEOUT_PLACEHOLDER,
    JobAttempt,
    expression,
    failed_state,
    wait_for_end,
    when,
)
from constructs_lib.workflows.state_language import State, is_json_object, retry
from sizewell.facts.batch import ENDED, HOST_LOST, NO_CAPACITY, TERMINATED_EXIT_CODE
from sizewell.facts.state_machines import STOP_LIMIT_S, STOP_POLL_S

#: What messages, outputs and states call a training, whichever service runs its jobs.
TRAINING_BY_BATCH = JobKind(workflow="training", noun="Training", verb="Train")
_RAN = "$job.Attempts[$exists(StartedAt) and $exists(StoppedAt)].(StoppedAt - StartedAt)"
#: For how long the container of ``$job`` ran. AWS bills a little more, for the start of instances and until Batch ends them.
RAN_S = f"$round($sum($append(0, {_RAN})) / 1000)"
#: The variable of an attempt that holds the queue of its jobs.
QUEUE = "job_queue"
#: Ours: how long a job is looked for by its name.
_FIND_LIMIT_S = 4 * STOP_POLL_S
# The SDK for Java models two errors of Batch; all others, throttling among them, arrive as that of the service, such as
# Batch.AWSBatchException, seen with HTTP 500 (https://github.com/ASFHyP3/hyp3/issues/911). They leave open whether a job exists.
_ANSWER_LOST = r"/^Batch\.(Server|AWSBatch|Batch|TooManyRequests)Exception/"
_STATUS, _REASON = "$states.input.Status", "$states.input.StatusReason"
#: Of the last attempt: in which order a description lists them, no page says.
_LAST = "$states.input.Container"
#: An array does not say which of its jobs failed, nor why.
_OF_ARRAY = (
    "$exists($states.input.ArrayProperties.Size) ? 'aws batch list-jobs --array-job-id ' & $states.input.JobId & "
    "' --job-status FAILED lists the jobs that failed'"
)
_STOPPED_BY_US = "The time of this attempt is over"


@dataclass(frozen=True)
class BatchJobs:
    """The jobs of one queue each (``JobService``): each attempt has the variable ``QUEUE``."""

    kind: JobKind
    partition: str
    why_failed = (
        f"$join([{_REASON}, {_LAST}.Reason, $exists({_LAST}.ExitCode) ? 'exit code ' & $string({_LAST}.ExitCode), "
        f"$exists({_LAST}.LogStreamName) ? 'log stream ' & {_LAST}.LogStreamName, {_OF_ARRAY}], '; ')"
    )
    why_stopped = _REASON

    def run(self, attempt: JobAttempt) -> State:
        """Return the state of an attempt: Batch itself ends a job that outlives its execution."""
        return {
            "Type": "Task",
            "Comment": attempt.tried,
            "Resource": f"arn:{self.partition}:states:::batch:submitJob.sync",
            "Arguments": {
                "JobName": "{% $job_name %}",
                "JobQueue": f"{{% ${QUEUE} %}}",
                "Timeout": {"AttemptDurationSeconds": LEFT_S},
                **attempt.request,
            },
            "TimeoutSeconds": f"${{{TIMEOUT_PLACEHOLDER}}}",
            "Assign": {"job_id": "{% $states.result.JobId %}"},
            "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "TaskFailed"}],
            "Next": "DescribeJob",
        }

    def states(self, totals: Mapping[str, str], succeeded: str) -> dict[str, State]:
        """Return the states from TaskFailed to JobEnded."""
        return {
            "TaskFailed": _task_failed(self.kind),
            "FindJob": self._call(
                "listJobs",
                {
                    "JobQueue": f"{{% ${QUEUE} %}}",
                    "Filters": [{"Name": "JOB_NAME", "Values": ["{% $job_name %}"]}],
                },
                {
                    "Assign": {
                        "job_id": expression(
                            "( $found := $states.result.JobSummaryList[0]; $exists($found) ? $found.JobId : '' )"
                        )
                    },
                    "Retry": [_RETRY],
                },
                following="JobFound",
            ),
            "JobFound": _job_found(),
            "WaitToFind": {**wait_for_end(), "Next": "FindJob"},
            # A job that has not begun is cancelled, any other is sent SIGTERM (API reference, TerminateJob); what came of it, its
            # description tells: one that still runs is stopped again.
            "StopJob": self._call(
                "terminateJob",
                {"JobId": "{% $job_id %}", "Reason": _STOPPED_BY_US},
                {},
                following="WaitForEnd",
            ),
            "WaitForEnd": wait_for_end(),
            "DescribeJob": self._describe_job(totals),
            "JobEnded": _job_ended(succeeded),
        }

    def _call(self, action: str, arguments: State, more: State, *, following: str) -> State:
        return {
            "Type": "Task",
            "Resource": f"arn:{self.partition}:states:::aws-sdk:batch:{action}",
            "Arguments": arguments,
            "TimeoutSeconds": API_TIMEOUT_S,
            **more,
            "Catch": [{"ErrorEquals": ["States.ALL"], "Next": following}],
            "Next": following,
        }

    def _describe_job(self, totals: Mapping[str, str]) -> State:
        """Describe a job, and add up what it came to once it has ended; without a description, the cost is unknown."""
        running = f"$not($job.Status in {list(ENDED)})"
        described = self._call("describeJobs", {"Jobs": ["{% $job_id %}"]}, {}, following="JobEnded")
        return {
            **described,
            "Assign": {
                name: expression(
                    f"( $job := $states.result.Jobs[0]; {running} ? ${name} : ${name} + ({added}) )"
                )
                for name, added in totals.items()
            },
            "Output": "{% $states.result.Jobs[0] %}",
            "Retry": [_RETRY],
            "Catch": [
                {
                    "ErrorEquals": ["States.ALL"],
                    "Assign": {UNPRICED: 1},
                    "Output": "{% $states.input %}",
                    "Next": "JobEnded",
                }
            ],
        }


_RETRY = retry("Batch.ServerException", "Batch.BatchException")


def _task_failed(kind: JobKind) -> State:
    """Tell a job that ended badly (the cause is its description as JSON) from a request that was refused, or never answered.

    A cause has 32,768 characters at most (Step Functions API reference, TaskFailedEventDetails): of a description that is longer,
    none can be read, and the job is looked for.
    """
    cause, error = "$states.input.Cause", "$states.input.Error"
    stop: State = {"is_stopped": True}
    return {
        "Type": "Choice",
        "Choices": [
            {
                "Condition": expression(is_json_object(cause)),
                "Output": expression(f"$parse({cause})"),
                "Assign": {"job_id": expression(f"$parse({cause}).JobId")},
                "Next": "DescribeJob",
            },
            when(f"{error} = 'States.TaskFailed'", "FindJob"),
            {**when(f"{error} = 'States.Timeout'", "FindJob"), "Assign": stop},
            {
                **when(f"$contains({error}, {_ANSWER_LOST})", "FindJob"),
                "Assign": {**stop, "is_lost": True, "attempt": "{% $attempt - 1 %}"},
            },
        ],
        "Default": failed_state(kind),
    }


def _job_found() -> State:
    return {
        "Type": "Choice",
        "Choices": [
            when("$job_id != ''", "StopJob"),
            when(f"$waited_s < {_FIND_LIMIT_S}", "WaitToFind"),
            when("$is_lost", NEXT_ATTEMPT),
        ],
        "Default": JOB_NOT_STOPPED,
    }


def _job_ended(succeeded: str) -> State:
    """Judge a job description: succeeded, without capacity or host in time, stopped, or failed.

    A job whose hosts were lost more often than Batch tries again ends with the loss of the last one. The system of a host that is
    taken away may end the container first, with SIGTERM: the program around the script then exits with a code of its own.
    """
    running = f"$not({_STATUS} in {list(ENDED)})"
    waits = f"{running} and $exists({_STATUS}) and $waited_s < {STOP_LIMIT_S}"
    return {
        "Type": "Choice",
        "Choices": [
            when(f"{_STATUS} = 'SUCCEEDED'", succeeded),
            when(f"$is_stopped and {waits}", "StopJob"),
            when(waits, "WaitForEnd"),
            when(running, JOB_NOT_STOPPED),
            when("$is_stopped", NEXT_ATTEMPT),
            when(f"$exists({_REASON}) and $contains({_REASON}, {NO_CAPACITY})", NEXT_ATTEMPT),
            when(f"$exists({_REASON}) and $contains({_REASON}, {HOST_LOST})", NEXT_ATTEMPT),
            when(f"{_LAST}.ExitCode = {TERMINATED_EXIT_CODE}", NEXT_ATTEMPT),
            when("$states.input.IsTerminated = true or $states.input.IsCancelled = true", JOB_STOPPED),
        ],
        "Default": JOB_FAILED,
    }
