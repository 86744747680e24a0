"""What Step Functions refuses in a definition, in ``ValidateStateMachineDefinition`` and by ``CreateStateMachine``.

A part of it: text that is no JSON, expressions that are no JSONata, states that are missing or cannot be reached, and fields of a
state that its type does not have. Which fields the integrations with other services take, AWS does not publish: an answer of OK
proves nothing of them. Codes, words and places as measured on AWS: https://github.com/floci-io/floci/issues/2735,
https://github.com/localstack/localstack/issues/11978; the code of text that is no JSON is in the API reference,
ValidateStateMachineDefinitionDiagnostic.
"""

import json
from collections.abc import Iterator
from typing import Any

from ministack.core.responses import error_response_json, json_response
from ministack.services import stepfunctions

#: Fields of a state, and the types that have them.
_OF_TYPES = {
    "TimeoutSeconds": ("Task",),
    "Catch": ("Task", "Parallel", "Map"),
    "Retry": ("Task", "Parallel", "Map"),
}
Fault = dict[str, str]


def install() -> None:
    """Replace what answers OK to everything, and refuse in CreateStateMachine what is refused there."""
    create = stepfunctions._create_state_machine

    def create_if_valid(request: dict[str, Any]) -> Any:
        faults = _faults(request.get("definition", "{}"))
        if not faults:
            return create(request)
        messages = ", ".join(
            f"{fault['code']}: {fault['message']} at {fault.get('location', 'null')}" for fault in faults
        )
        return error_response_json(
            "InvalidDefinition", f"Invalid State Machine Definition: '{messages}'", 400
        )

    def validate(request: dict[str, Any]) -> Any:
        faults = _faults(request["definition"])
        return json_response(
            {"result": "FAIL" if faults else "OK", "diagnostics": faults, "truncated": False}
        )

    stepfunctions._create_state_machine = create_if_valid
    stepfunctions._validate_state_machine_definition = validate


def _faults(definition: str) -> list[Fault]:
    try:
        machine = json.loads(definition)
    except ValueError as error:
        return [_fault("INVALID_JSON_DESCRIPTION", str(error))]
    found = list(_of_scope(machine, ""))
    if refusal := stepfunctions._validate_definition_jsonata(definition):
        code, _, message = refusal.partition(": ")
        found.append(_fault(code, *message.split("\n  at ")))
    return found


def _fault(code: str, message: str, location: str = "") -> Fault:
    place = {"location": location} if location else {}
    return {"severity": "ERROR", "code": code, "message": message, **place}


def _of_scope(scope: dict[str, Any], path: str) -> Iterator[Fault]:
    states: dict[str, Any] = scope["States"]
    following: dict[str, set[str]] = {}
    for name, state in states.items():
        place = f"{path}/States/{name}"
        for field, types in _OF_TYPES.items():
            if field in state and state["Type"] not in types:
                yield _fault("SCHEMA_VALIDATION_FAILED", f"Field '{field}' is not supported", place)
        for where, target in _targets(state):
            if target not in states:
                yield _fault(
                    "MISSING_TRANSITION_TARGET", f"Missing 'Next' target: {target}", f"{place}/{where}"
                )
            following.setdefault(name, set()).add(target)
        inner = [(f"Branches[{number}]", branch) for number, branch in enumerate(state.get("Branches", ()))]
        inner += [(key, state[key]) for key in ("ItemProcessor", "Iterator") if key in state]
        for key, below in inner:
            yield from _of_scope(below, f"{place}/{key}")
    reached, waiting = set(), [scope["StartAt"]]
    while waiting:
        reached.add(name := waiting.pop())
        waiting += following.get(name, set()) - reached
    for name in states:
        if name not in reached:
            yield _fault(
                "MISSING_TRANSITION_TARGET", f'State "{name}" is not reachable.', f"{path}/States/{name}"
            )


def _targets(state: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key in ("Next", "Default"):
        if key in state:
            yield key, state[key]
    for key in ("Choices", "Catch"):
        for number, rule in enumerate(state.get(key, ())):
            yield f"{key}[{number}]/Next", rule["Next"]
