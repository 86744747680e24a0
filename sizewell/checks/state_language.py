"""Definitions of state machines, read from wherever a template holds them.

https://docs.aws.amazon.com/step-functions/latest/dg/concepts-amazon-states-language.html. A definition is a map, or text:
plain, from ``Fn::Sub`` or from ``Fn::Join``. Placeholders stay as they are, and what depends on one is not judged.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sizewell.templates.template import Resource, Template
from sizewell.templates.values import is_intrinsic, is_open, mapping, maps, text, with_placeholders

STATE_MACHINE = "AWS::StepFunctions::StateMachine"


@dataclass(frozen=True, slots=True)
class Scope:
    """States that may lead to each other: those of the machine, of a branch, or of the processor of a map."""

    path: str
    body: Mapping[str, Any]

    @property
    def states(self) -> dict[str, Mapping[str, Any]]:
        """The states by name."""
        return {str(name): mapping(state) for name, state in mapping(self.body.get("States")).items()}

    def inner_scopes(self) -> Iterator["Scope"]:
        """Yield the scopes inside the states of this one."""
        for name, state in self.states.items():
            path = f"{self.path}.States.{name}"
            for index, branch in maps(state.get("Branches")):
                yield Scope(f"{path}.Branches.{index}", branch)
            for key in ("ItemProcessor", "Iterator"):
                if processor := mapping(state.get(key)):
                    yield Scope(f"{path}.{key}", processor)


@dataclass(frozen=True, slots=True)
class Definition:
    """The definition of a state machine; ``body`` is None where it is text that is no JSON."""

    machine: Resource
    path: str
    body: Mapping[str, Any] | None

    def scopes(self) -> Iterator[Scope]:
        """Yield all scopes, the outer ones first."""
        waiting = [Scope(self.path, self.body)] if self.body is not None else []
        while waiting:
            scope = waiting.pop(0)
            yield scope
            waiting.extend(scope.inner_scopes())


def definitions(template: Template) -> Iterator[Definition]:
    """Yield the definitions of a template; what cannot be read because of a placeholder is left out."""
    for machine in template.of_type(STATE_MACHINE):
        whole = machine.written.get("Definition")
        if isinstance(whole, Mapping) and not is_intrinsic(whole):
            yield Definition(machine, "Properties.Definition", whole)
        written = with_placeholders(machine.written.get("DefinitionString"))
        if written is not None:
            yield from _from_text(machine, written)


def _from_text(machine: Resource, written: str) -> Iterator[Definition]:
    for name, value in mapping(machine.written.get("DefinitionSubstitutions")).items():
        if (known := text(value)) is not None:
            written = written.replace(f"${{{name}}}", known)
    path = "Properties.DefinitionString"
    try:
        body = json.loads(written)
    except (ValueError, RecursionError):
        # A placeholder without quotes stands for a number or a list: no JSON yet, and no fault.
        if not is_open(written):
            yield Definition(machine, path, None)
        return
    yield Definition(machine, path, body if isinstance(body, Mapping) else None)
