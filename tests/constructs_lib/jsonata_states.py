"""What Step Functions makes of the expressions of a state, by the JSONata of another project."""

import json
from hashlib import sha256
from typing import Any

import pytest

jsonata = pytest.importorskip("jsonata")


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
            parts = {
                "state_input": state_input,
                "result": result,
                "context": context,
                "variables": variables,
            }
            return {key: evaluated(item, **parts) for key, item in value.items()}  # type: ignore[arg-type]
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
