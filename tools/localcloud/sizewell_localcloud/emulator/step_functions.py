"""SageMaker in state machines: ``createTrainingJob.sync`` and the SDK integration, with time-outs that come true; what pipelines
do besides: ``startExecution.sync:2`` and ``aws-sdk:s3:getObject``.

Names of errors: https://docs.aws.amazon.com/step-functions/latest/dg/connect-sagemaker.html and the exceptions that the
Java SDK models; what it does not model arrives as ``SageMaker.AmazonSageMakerException`` (optimized integration) or
``SageMaker.SageMakerException`` (SDK integration).
"""

import contextlib
import json
import time
from contextvars import ContextVar
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from http import HTTPStatus
from typing import Any

from ministack.services import s3, stepfunctions

from sizewell_localcloud.emulator import clock, state_definitions, state_language
from sizewell_localcloud.emulator.batch import state_machines as batch
from sizewell_localcloud.emulator.errors import AwsError
from sizewell_localcloud.emulator.sagemaker.job_kinds import KINDS
from sizewell_localcloud.emulator.sagemaker.jobs import TERMINAL, JobKind
from sizewell_localcloud.emulator.sagemaker.service import SAGEMAKER

_MODELED = {"ResourceLimitExceeded", "ResourceInUse", "ResourceNotFound", "ConflictException"}

_execution_arn: ContextVar[str | None] = ContextVar("execution_arn", default=None)
_task_timeout_s: ContextVar[float | None] = ContextVar("task_timeout_s", default=None)

#: Seconds that an execution has spent at once, on a job that used up its time, by the ARN of the execution.
_skipped_s: dict[str, float] = {}

#: AWS does not say whether a stopped job fails its ``.sync`` task; a test may try both.
stopped_job_fails_task = True


def install() -> None:
    """Add the integrations to ministack's interpreter, and make it stricter."""
    state_language.install()
    state_definitions.install()
    for kind in KINDS:
        action = f"create{kind.prefix}"
        stepfunctions._SERVICE_DISPATCH[f"arn:aws:states:::sagemaker:{action}"] = _optimized(kind)
    stepfunctions._SERVICE_DISPATCH["arn:aws:states:::batch:submitJob"] = partial(
        batch.submit_job, task=_TASK
    )
    stepfunctions._invoke_nested_start_execution_sync = _run_machine
    # By its protocol of queries, numbers would come back as texts.
    stepfunctions._AWS_SDK_SERVICE_MAP["cloudwatch"] = {
        "protocol": "json",
        "target_prefix": "GraniteServiceVersion20100801",
        "service_key": "monitoring",
    }
    original_sdk = stepfunctions._invoke_aws_sdk_integration

    def sdk(resource: str, request: dict[str, Any]) -> Any:
        parts = resource.split(":")
        if parts[6:] == ["s3", "getObject"]:
            return _object(request["Bucket"], request["Key"])
        if parts[6] == "batch":
            return batch.sdk(resource, request)
        if parts[6] != "sagemaker":
            return original_sdk(resource, request)
        operation = parts[7][:1].upper() + parts[7][1:]
        answer = _called(operation, request, unmodeled="SageMaker.SageMakerException")
        return _with_texts_for_times(answer, SAGEMAKER.model.operation_model(operation).output_shape)

    stepfunctions._invoke_aws_sdk_integration = sdk
    _run_one_clock()
    original_run = stepfunctions._run_execution

    def run(execution_arn: str) -> None:
        _execution_arn.set(execution_arn)
        # It has its own, whatever branch it was started from.
        state_language.failures_beside.set(())
        original_run(execution_arn)

    stepfunctions._run_execution = run
    original_timeout = stepfunctions._invoke_resource_with_timeout

    def with_timeout(resource: str, request: Any, timeout_s: float) -> Any:
        _task_timeout_s.set(float(timeout_s))
        try:
            return original_timeout(resource, request, timeout_s)
        except stepfunctions._ExecutionError as error:
            if error.error == state_language.TIMEOUT:
                error.cause = None
            raise
        finally:
            _task_timeout_s.set(None)

    stepfunctions._invoke_resource_with_timeout = with_timeout


def _run_one_clock() -> None:
    """Let waits take as long as jobs do here, and ``$millis`` see the time that was spent at once."""
    original_sleep, original_register = (
        stepfunctions._scaled_sleep,
        stepfunctions._register_sfn_jsonata_functions,
    )

    def sleep(seconds: float) -> None:
        original_sleep(seconds)
        time.sleep(clock.scaled(seconds))

    def register(expression: Any) -> None:
        original_register(expression)
        skipped_s = _skipped_s.get(_execution_arn.get() or "", 0.0)
        expression.register_lambda("millis", lambda: round(1000 * (clock.now() + skipped_s)))

    stepfunctions._scaled_sleep = sleep
    stepfunctions._register_sfn_jsonata_functions = register


def _skip(seconds: float) -> None:
    arn = _execution_arn.get() or ""
    _skipped_s[arn] = _skipped_s.get(arn, 0.0) + seconds


class _Task:
    """What a task knows of its execution."""

    def timeout_s(self) -> float | None:
        """Return how long it may take; None is for ever."""
        return _task_timeout_s.get()

    def skip(self, seconds: float) -> None:
        """Let the clock of its execution go on by so much at once."""
        _skip(seconds)

    def require_running(self) -> None:
        """Leave a task whose execution was aborted."""
        _require_running()


_TASK = _Task()


def _with_texts_for_times(value: Any, shape: Any) -> Any:
    """Return an answer as the SDK integration has it: https://docs.aws.amazon.com/step-functions/latest/dg/supported-services-awssdk.html."""
    match shape and shape.type_name:
        case "structure":
            return {name: _with_texts_for_times(item, shape.members[name]) for name, item in value.items()}
        case "list":
            return [_with_texts_for_times(item, shape.member) for item in value]
        case "timestamp":
            return (
                datetime.fromtimestamp(value, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            )
    return value


def _optimized(kind: JobKind) -> Any:
    def handle(resource: str, request: dict[str, Any]) -> dict[str, Any]:
        _require_running()
        answer = _called(f"Create{kind.prefix}", request, unmodeled="SageMaker.AmazonSageMakerException")
        return _await_job(kind, request[kind.name_member]) if resource.endswith(".sync") else answer

    return handle


def _require_running() -> None:
    """Leave the task of an execution that was aborted, or of a branch beside one that failed: an error that no state catches."""
    state_language.require_no_failure_beside()
    execution = stepfunctions._executions.get(_execution_arn.get() or "")
    if execution is not None and execution["status"] != "RUNNING":
        raise stepfunctions._ExecutionError(state_language.RUNTIME_ERROR, "The execution was aborted")


def _await_job(kind: JobKind, name: str) -> dict[str, Any]:
    while True:
        job = _called(
            f"Describe{kind.prefix}", {kind.name_member: name}, unmodeled="SageMaker.AmazonSageMakerException"
        )
        status = job[kind.status_member]
        if status in TERMINAL:
            break
        timeout_s = _task_timeout_s.get()
        if kind.found(name).get("_hangs") and timeout_s is not None and status == "InProgress":
            # The job never ends, so the task's time runs out: that it does so at once only spares hours.
            _skip(timeout_s)
            raise stepfunctions._ExecutionError(state_language.TIMEOUT, None)
        try:
            _require_running()
        except stepfunctions._ExecutionError:
            # AWS stops the job of an aborted task: https://docs.aws.amazon.com/step-functions/latest/dg/connect-sagemaker.html
            with contextlib.suppress(AwsError):  # it had ended
                kind.stop({kind.name_member: name})
            raise
        clock.pause(10)
    if job.get("SecondaryStatus") in ("MaxWaitTimeExceeded", "MaxRuntimeExceeded"):
        _skip(job["StoppingCondition"]["MaxRuntimeInSeconds"])
    if status == "Failed" or (status == "Stopped" and stopped_job_fails_task):
        raise stepfunctions._ExecutionError("States.TaskFailed", json.dumps(job))
    return job


def _run_machine(resource: str, request: dict[str, Any]) -> dict[str, Any]:
    """Start an execution and wait for its end: https://docs.aws.amazon.com/step-functions/latest/dg/connect-stepfunctions.html.

    Its description is the answer, or the cause; with its task, it is stopped.
    """
    _require_running()
    arn = stepfunctions._invoke_nested_start_execution(resource, request)["ExecutionArn"]
    execution = stepfunctions._executions[arn]
    while execution["status"] == "RUNNING":
        try:
            _require_running()
        except stepfunctions._ExecutionError:
            stepfunctions._stop_execution({"executionArn": arn})
            raise
        clock.pause(10)
    described = {
        f"{name[:1].upper()}{name[1:]}": execution[name]
        for name in ("executionArn", "stateMachineArn", "name", "status", "input", "error", "cause")
        if execution.get(name) is not None
    }
    if execution["status"] != "SUCCEEDED":
        raise stepfunctions._ExecutionError("States.TaskFailed", json.dumps(described))
    return {**described, "Output": json.loads(execution["output"])}


def _object(bucket: str, key: str) -> dict[str, Any]:
    """Return an object of S3 as the SDK for Java has it: https://docs.aws.amazon.com/step-functions/latest/dg/supported-services-awssdk.html."""
    status, headers, body = s3._get_object(bucket, key, {}, {})
    if status != HTTPStatus.OK:
        raise stepfunctions._ExecutionError("S3.NoSuchKeyException", "The specified key does not exist.")
    modified = parsedate_to_datetime(headers["Last-Modified"]).astimezone(UTC)
    return {"Body": body.decode(), "LastModified": modified.strftime("%Y-%m-%dT%H:%M:%SZ")}


def _called(operation: str, request: dict[str, Any], *, unmodeled: str) -> dict[str, Any]:
    try:
        return SAGEMAKER.call(operation, request)
    except AwsError as error:
        name = f"SageMaker.{error.code}Exception" if error.code in _MODELED else unmodeled
        raise stepfunctions._ExecutionError(
            name.replace("ExceptionException", "Exception"), error.message
        ) from error
