"""AWS Batch in state machines: ``submitJob.sync`` and the SDK integration, with members in Pascal case.

https://docs.aws.amazon.com/step-functions/latest/dg/connect-batch.html; errors and the cause of a failed job as they were seen:
https://github.com/ASFHyP3/hyp3/issues/805 and https://github.com/saebyn/glowing-telegram/pull/564.
"""

import json
from typing import Any

from ministack.services import stepfunctions

from sizewell_localcloud.emulator import clock, state_language
from sizewell_localcloud.emulator.batch import store
from sizewell_localcloud.emulator.batch.jobs import TERMINAL
from sizewell_localcloud.emulator.batch.service import BATCH
from sizewell_localcloud.emulator.errors import AwsError
from sizewell_localcloud.emulator.shapes import spelled

_MODELED = ("ClientException", "ServerException")


def called(operation: str, request: dict[str, Any], *, unmodeled: str) -> Any:
    """Return the answer to a request in Pascal case, in Pascal case. Raises the error of a task."""
    model = BATCH.model.operation_model(operation)
    try:
        answer = BATCH.call(operation, spelled(request, model.input_shape))
    except AwsError as error:
        name = f"Batch.{error.code}" if error.code in _MODELED else unmodeled
        raise stepfunctions._ExecutionError(name, error.message) from error
    return _capitalized(answer, model.output_shape)


def sdk(resource: str, request: dict[str, Any]) -> Any:
    """Return what ``aws-sdk:batch:ACTION`` does."""
    action = resource.split(":")[7]
    return called(f"{action[:1].upper()}{action[1:]}", request, unmodeled="Batch.BatchException")


def submit_job(resource: str, request: dict[str, Any], *, task: Any) -> Any:
    """Submit a job, and with ``.sync`` wait for its end. ``task`` knows of the execution."""
    task.require_running()
    unmodeled = "Batch.AWSBatchException"
    answer = called("SubmitJob", request, unmodeled=unmodeled)
    if not resource.endswith(".sync"):
        return answer
    job = store.jobs[answer["JobId"]]
    while job["status"] not in TERMINAL:
        timeout_s, waits_s = task.timeout_s(), job.get("_waits_s")
        if job.get("_hangs") and timeout_s is not None:
            # The job never ends, so the task's time runs out: that it does so at once only spares hours.
            task.skip(timeout_s)
            raise stepfunctions._ExecutionError(state_language.TIMEOUT, None)
        if waits_s is not None and "_cancelled" not in job:
            is_over = timeout_s is not None and timeout_s < waits_s
            task.skip(timeout_s if is_over else waits_s)
            if is_over:
                raise stepfunctions._ExecutionError(state_language.TIMEOUT, None)
            job["_cancelled"] = True
        try:
            task.require_running()
        except stepfunctions._ExecutionError:
            # The guide has the permission to terminate jobs for this.
            reason = {"JobId": answer["JobId"], "Reason": "The execution was aborted"}
            called("TerminateJob", reason, unmodeled=unmodeled)
            raise
        clock.pause(10)
    (described,) = called("DescribeJobs", {"Jobs": [answer["JobId"]]}, unmodeled=unmodeled)["Jobs"]
    if described["Status"] == "FAILED":
        raise stepfunctions._ExecutionError("States.TaskFailed", json.dumps(described))
    return described


def _capitalized(value: Any, shape: Any) -> Any:
    kind = getattr(shape, "type_name", None)
    if kind == "structure" and isinstance(value, dict):
        return {
            f"{key[:1].upper()}{key[1:]}": _capitalized(item, shape.members[key])
            for key, item in value.items()
        }
    if kind == "list" and isinstance(value, list):
        return [_capitalized(item, shape.member) for item in value]
    return value
