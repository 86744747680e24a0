"""Amazon States Language where ministack's interpreter lets pass what Step Functions does not.

- ``*`` in ``StringMatches`` stands for any characters, line ends as well.
- A path that leads nowhere fails the execution; ministack reads null. ``IsPresent`` asks whether it leads somewhere.
- ``States.Runtime`` can be neither retried nor caught: https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html
- A task that timed out has no ``Cause``, and its event is ``TaskTimedOut``.
- ``TimeoutSeconds`` of a task may be an expression: https://states-language.net/spec.html, "JSONata Runtime Errors".
- A Succeed state may have an ``Output``, in JSONata.
- An aborted execution stays aborted, and its history ends there.
- A Parallel state may have an ``Output`` in JSONata, and the history tells of the states of its branches. When one branch fails,
  the others are stopped, and the error is its own.
- What a customer-managed key encrypts is in no event: https://docs.aws.amazon.com/step-functions/latest/dg/encryption-at-rest.html
"""

import json
import re
from contextvars import ContextVar
from typing import Any

from ministack.services import stepfunctions

RUNTIME_ERROR = "States.Runtime"
TIMEOUT = "States.Timeout"

#: The error of the first branch that failed, for each Parallel state that a branch is in; empty as long as none did.
failures_beside: ContextVar[tuple[list[Exception], ...]] = ContextVar("failures_beside", default=())


def require_no_failure_beside() -> None:
    """Leave a branch when another one has failed: an error that no state catches."""
    if any(failures_beside.get()):
        raise stepfunctions._ExecutionError(RUNTIME_ERROR, "Another branch has failed")


def install() -> None:
    """Make the interpreter stricter."""
    _fail_on_missing_paths()
    _leave_runtime_errors_uncaught()
    _omit_missing_causes()
    _evaluate_timeouts()
    _succeed_with_an_output()
    _end_with_the_abort()
    _run_branches()
    _keep_what_is_encrypted()


def _fail_on_missing_paths() -> None:
    resolve, evaluate = stepfunctions._resolve_path, stepfunctions._evaluate_rule

    def resolve_strictly(path: str, data: Any) -> Any:
        value = resolve(path, data)
        if value is None and not _leads_somewhere(path, data):
            raise stepfunctions._ExecutionError(
                RUNTIME_ERROR, f"The path '{path}' could not be found in the input"
            )
        return value

    def evaluate_rule(rule: dict[str, Any], data: Any, ctx: Any = None) -> bool:
        if "StringMatches" in rule:
            value = stepfunctions._resolve_path_or_ctx(rule["Variable"], data, ctx)
            return isinstance(value, str) and _matches(rule["StringMatches"], value)
        if "IsPresent" not in rule:
            return bool(evaluate(rule, data, ctx))
        path = rule["Variable"]
        found = (
            _leads_somewhere(path[1:], ctx or {}) if path.startswith("$$.") else _leads_somewhere(path, data)
        )
        return found == bool(rule["IsPresent"])

    stepfunctions._resolve_path = resolve_strictly
    stepfunctions._evaluate_rule = evaluate_rule


def _matches(pattern: str, value: str) -> bool:
    """Say whether a text matches; two backslashes in JSON take the meaning from an asterisk."""
    parts = re.split(r"(\\.|\*)", pattern)
    expression = "".join(".*" if part == "*" else re.escape(re.sub(r"\\(.)", r"\1", part)) for part in parts)
    return re.fullmatch(expression, value, re.DOTALL) is not None


def _leads_somewhere(path: str, data: Any) -> bool:
    if path == "$":
        return True
    tokens = stepfunctions._parse_jsonpath_tokens(path)
    if tokens is None:
        return False
    for kind, value in tokens:
        if kind == "wildcard":
            return True
        is_field = kind == "field" and isinstance(data, dict) and value in data
        is_item = kind == "index" and isinstance(data, list) and value < len(data)
        if not (is_field or is_item):
            return False
        data = data[value]
    return True


def _leave_runtime_errors_uncaught() -> None:
    matches = stepfunctions._error_matches

    def matches_unless_runtime(error_equals: list[str], error: str) -> bool:
        return error != RUNTIME_ERROR and bool(matches(error_equals, error))

    stepfunctions._error_matches = matches_unless_runtime


def _omit_missing_causes() -> None:
    apply = stepfunctions._apply_catcher

    def apply_without_null(
        catcher: dict[str, Any], raw_input: Any, ctx: Any, language: str, error_output: dict[str, Any]
    ) -> Any:
        known = {key: value for key, value in error_output.items() if value is not None}
        return apply(catcher, raw_input, ctx, language, known)

    stepfunctions._apply_catcher = apply_without_null


def _evaluate_timeouts() -> None:
    execute = stepfunctions._execute_task

    def execute_task(state: dict[str, Any], given: Any, execution: dict[str, Any], ctx: Any) -> Any:
        if isinstance(state.get("TimeoutSeconds"), str):
            seconds = stepfunctions._jsonata_state_field(state, "TimeoutSeconds", "number", given, ctx)
            state = {**state, "TimeoutSeconds": seconds}
        return execute(state, given, execution, ctx)

    stepfunctions._execute_task = execute_task


def _succeed_with_an_output() -> None:
    apply = stepfunctions._apply_output_path

    def apply_output(state: dict[str, Any], data: Any, ctx: Any = None) -> Any:
        if state.get("Type") == "Succeed" and "Output" in state:
            return stepfunctions._apply_jsonata_output(state, data, ctx)
        return apply(state, data, ctx)

    stepfunctions._apply_output_path = apply_output


def _end_with_the_abort() -> None:
    add, fail = stepfunctions._add_event, stepfunctions._fail_execution

    def add_event(execution: dict[str, Any], event_type: str, details: dict[str, Any] | None = None) -> Any:
        if execution["status"] == "ABORTED" and event_type != "ExecutionAborted":
            return {}
        failed = (details or {}).get("taskFailedEventDetails")
        if failed is not None and failed["error"] == TIMEOUT:
            event_type, details = "TaskTimedOut", {"taskTimedOutEventDetails": failed}
        return add(execution, event_type, details)

    def fail_unless_aborted(execution: dict[str, Any], error: str, cause: str) -> None:
        if execution["status"] != "ABORTED":
            fail(execution, error, cause)

    stepfunctions._add_event = add_event
    stepfunctions._fail_execution = fail_unless_aborted


def _run_branches() -> None:
    """Replace what runs a branch by what tells of its states, and give a Parallel state an ``Output``."""
    run_parallel = stepfunctions._run_parallel_branches

    def run_branch(
        states: dict[str, Any], first: str, given: Any, execution: dict[str, Any], ctx: Any
    ) -> Any:
        try:
            return run_states(states, first, given, execution, ctx)
        except Exception as error:
            failures_beside.get()[-1].append(error)
            raise

    def run_states(
        states: dict[str, Any], first: str, given: Any, execution: dict[str, Any], ctx: Any
    ) -> Any:
        name: str | None = first
        value = given
        while name:
            require_no_failure_beside()
            state = states[name]
            kind = state["Type"]
            ctx["State"] = {"Name": name, "EnteredTime": stepfunctions.now_iso(), "RetryCount": 0}
            entered = {"name": name, "input": json.dumps(value)}
            stepfunctions._add_event(execution, f"{kind}StateEntered", {"stateEnteredEventDetails": entered})
            if kind == "Fail":
                raise stepfunctions._ExecutionError(*stepfunctions._fail_state_error(state, value, ctx))
            if kind == "Succeed":
                value = stepfunctions._apply_output_path(state, value, ctx)
                following = None
            else:
                handle = getattr(stepfunctions, f"_execute_{kind.lower()}")
                tells = (execution,) if kind in ("Task", "Parallel", "Map") else ()
                value, following = handle(state, value, *tells, ctx)
            exited = {"name": name, "output": json.dumps(value)}
            stepfunctions._add_event(execution, f"{kind}StateExited", {"stateExitedEventDetails": exited})
            name = following
        return value

    def run_all(state: dict[str, Any], given: Any, execution: dict[str, Any], ctx: Any) -> Any:
        failed: list[Exception] = []
        outer = failures_beside.set((*failures_beside.get(), failed))
        try:
            results, following = run_parallel(state, given, execution, ctx)
        except Exception:
            if failed:
                raise failed[0] from None
            raise
        finally:
            failures_beside.reset(outer)
        if stepfunctions._state_query_language(state, ctx) == "JSONata":
            results = stepfunctions._apply_jsonata_output(state, given, ctx, result=results, default=results)
        return results, following

    stepfunctions._run_sub_machine = run_branch
    stepfunctions._run_parallel_branches = run_all


def _keep_what_is_encrypted() -> None:
    emit = stepfunctions._emit_execution_status_event

    def emit_without_data(execution: dict[str, Any]) -> None:
        machine = stepfunctions._state_machines.get(execution["stateMachineArn"]) or {}
        if machine.get("encryptionConfiguration", {}).get("type") == "CUSTOMER_MANAGED_KMS_KEY":
            execution = {**execution, **dict.fromkeys(("input", "output", "error", "cause"))}
        emit(execution)

    stepfunctions._emit_execution_status_event = emit_without_data
