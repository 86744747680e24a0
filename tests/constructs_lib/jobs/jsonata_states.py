"""What Step Functions makes of the expressions of a state, by the JSONata of another project."""

import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest

jsonata = pytest.importorskip("jsonata")

#: When every expression is evaluated.
NOW_MS = 1_767_268_800_000


def execution(elapsed_s: float, **more: Any) -> dict[str, Any]:
    """Return the context of an execution that began so long ago."""
    started = datetime.fromtimestamp(NOW_MS / 1000 - elapsed_s, UTC).isoformat(timespec="milliseconds")
    return {"Execution": {"StartTime": started.replace("+00:00", "Z"), **more}}


def evaluated(
    value: Any,
    *,
    state_input: Any = None,
    result: Any = None,
    context: dict[str, Any] | None = None,
    variables: dict[str, Any] | None = None,
) -> Any:
    """Return a member of a state as Step Functions hands it on; an expression that comes to nothing is an error."""
    match value:
        case dict():
            parts: dict[str, Any] = {
                "state_input": state_input,
                "result": result,
                "context": context,
                "variables": variables,
            }
            return {key: evaluated(item, **parts) for key, item in value.items()}
        case list():
            return [
                evaluated(item, state_input=state_input, result=result, context=context, variables=variables)
                for item in value
            ]
        case str() if value.startswith("{%"):
            assert value.endswith("%}")
            expression = jsonata.Jsonata.jsonata(value[2:-2])
            expression.register_lambda("parse", lambda text: json.loads(text))
            expression.register_lambda("hash", lambda text, _: sha256(text.encode()).hexdigest())
            expression.register_lambda("millis", lambda: NOW_MS)
            states = {"input": state_input, "result": result, "context": context}
            found = expression.evaluate(None, {**(variables or {}), "states": states})
            assert found is not None, value
            return found
    return value


def following(state: dict[str, Any], state_input: Any, **parts: Any) -> tuple[str, Any]:
    """Return where a choice leads, and with what output."""
    for choice in state["Choices"]:
        if evaluated(choice["Condition"], state_input=state_input, **parts):
            output = choice.get("Output")
            return choice["Next"], (
                evaluated(output, state_input=state_input, **parts) if output else state_input
            )
    return state["Default"], state_input
