"""Where the states of a state machine lead.

https://states-language.net/spec.html: every transition names a state of the same scope, names are unique in the whole
machine, and an execution must be able to end. CreateStateMachine refuses the rest, and states that cannot be reached as well:
https://github.com/localstack/localstack/issues/11978.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from sizewell.checks.rule import Finding, Rule
from sizewell.checks.state_language import Definition, Scope, definitions
from sizewell.templates.template import Resource, Template
from sizewell.templates.values import is_intrinsic, is_open, maps, text

JSON, START, NEXT, END, UNREACHABLE, NAMES = (
    "states-json",
    "states-start",
    "states-next",
    "states-end",
    "states-unreachable",
    "states-names",
)
RULES: tuple[Rule, ...] = (
    Rule(
        JSON,
        "a definition that is no JSON",
        "[Amazon States Language](https://states-language.net/spec.html)",
    ),
    Rule(
        START,
        "`StartAt` missing or leading nowhere",
        "[Amazon States Language](https://states-language.net/spec.html)",
    ),
    Rule(
        NEXT,
        "`Next`, `Default`, or the `Next` of a choice or `Catch`, to no state of the same scope",
        "[Amazon States Language](https://states-language.net/spec.html)",
    ),
    Rule(
        END,
        "a state with neither `Next` nor `End`, or both; a scope that no state ends",
        "[Amazon States Language](https://states-language.net/spec.html)",
    ),
    Rule(
        UNREACHABLE,
        "a state that nothing leads to",
        "[Amazon States Language](https://states-language.net/spec.html)",
    ),
    Rule(
        NAMES,
        "two states of one name, inside `Parallel` and `Map` as well",
        "[Amazon States Language](https://states-language.net/spec.html)",
    ),
)

_FINAL_TYPES = ("Succeed", "Fail")
_LINKED_TYPES = ("Task", "Pass", "Wait", "Parallel", "Map")


def check(template: Template) -> Iterator[Finding]:
    """Yield the faults of every state machine."""
    for definition in definitions(template):
        if definition.body is None:
            message, remedy = "the definition is no JSON object", "mend the text: nothing else was looked at"
            yield Finding(JSON, definition.machine.logical_id, definition.path, message, remedy)
        yield from _duplicates(definition)
        for scope in definition.scopes():
            yield from _scope(definition.machine, scope)


def _duplicates(definition: Definition) -> Iterator[Finding]:
    counts = Counter(name for scope in definition.scopes() for name in scope.states)
    for name, count in counts.items():
        if count > 1:
            yield Finding(
                NAMES,
                definition.machine.logical_id,
                definition.path,
                f"{count} states are called {name}",
                "give every state its own name, inside Parallel and Map as well",
            )


def _scope(machine: Resource, scope: Scope) -> Iterator[Finding]:
    if is_intrinsic(scope.body.get("States")):
        return
    states = scope.states
    links = {name: tuple(_links(state)) for name, state in states.items()}
    start = text(scope.body.get("StartAt"))
    if start is None and not is_intrinsic(scope.body.get("StartAt")):
        yield _at(START, machine, f"{scope.path}.StartAt", "StartAt is missing", "name the first state")
    elif start is not None and not _leads_somewhere(start, states):
        yield _at(
            START,
            machine,
            f"{scope.path}.StartAt",
            f"there is no state {start} in this scope",
            _one_of(states),
        )
    for name, state in states.items():
        yield from _ends(machine, f"{scope.path}.States.{name}", state)
        for path, target in links[name]:
            if isinstance(target, str) and not _leads_somewhere(target, states):
                path = f"{scope.path}.States.{name}.{path}"
                message = f"there is no state {target} in this scope"
                yield _at(NEXT, machine, path, message, _one_of(states))
    yield from _reach(machine, scope, start, links)


def _links(state: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the transitions of a state: their path, and the name they lead to."""
    for key in ("Next", "Default"):
        if key in state:
            yield key, state[key]
    for key in ("Choices", "Catch"):
        for index, rule in maps(state.get(key)):
            if "Next" in rule:
                yield f"{key}.{index}.Next", rule["Next"]


def _ends(machine: Resource, path: str, state: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge whether a state says where it goes, once."""
    if state.get("Type") not in _LINKED_TYPES or is_intrinsic(state.get("End")):
        return
    leads_on, ends = "Next" in state, state.get("End") is True
    if leads_on == ends:
        message = "the state has both Next and End" if ends else "the state has neither Next nor End"
        yield _at(END, machine, path, message, 'give either Next or "End": true')


def _reach(
    machine: Resource, scope: Scope, start: str | None, links: Mapping[str, tuple[tuple[str, Any], ...]]
) -> Iterator[Finding]:
    """Follow the transitions from the start; where one of them is unknown or dangling, anything may be reached."""
    targets = {
        name: {target for _, target in found if isinstance(target, str)} for name, found in links.items()
    }
    known = {start, *(target for found in targets.values() for target in found)}
    whole = all(isinstance(target, str) for found in links.values() for _, target in found)
    if start is None or not whole or not known <= links.keys():
        return
    reached, waiting = {start}, [start]
    while waiting:
        for target in targets[waiting.pop()] - reached:
            reached.add(target)
            waiting.append(target)
    for name in links:
        if name not in reached:
            path = f"{scope.path}.States.{name}"
            yield _at(UNREACHABLE, machine, path, "no state leads here", "lead to it, or remove it")
    states = scope.states
    if not any(_is_final(states[name]) for name in reached):
        message, remedy = (
            "no state ends this scope",
            'let one of its states have "End": true, or be Succeed or Fail',
        )
        yield _at(END, machine, f"{scope.path}.States", message, remedy)


def _is_final(state: Mapping[str, Any]) -> bool:
    end, kind = state.get("End"), state.get("Type")
    return end is True or is_intrinsic(end) or kind in _FINAL_TYPES or not isinstance(kind, str)


def _leads_somewhere(target: str, states: Mapping[str, Any]) -> bool:
    return target in states or is_open(target) or any(is_open(name) for name in states)


def _one_of(states: Mapping[str, Any]) -> str:
    return f"name one of {', '.join(states)}" if states else "add the states"


def _at(rule_id: str, machine: Resource, path: str, message: str, what_to_do: str) -> Finding:
    return Finding(rule_id, machine.logical_id, path, message, what_to_do)
