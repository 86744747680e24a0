"""Requests that state machines send to SageMaker: no resource of a template says what those jobs may do."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sizewell.review.model import SecurityChange
from sizewell.review.security.rule import StackChange, stack_rule
from sizewell.review.security.rules.isolation import REQUEST_ISOLATION
from sizewell.review.security.rules.resource_settings import compare_setting
from sizewell.templates.template import Resource

STATE_MACHINE = "AWS::StepFunctions::StateMachine"
_TASK = re.compile(
    r".*:states:::(aws-sdk:)?sagemaker:"
    r"create(TrainingJob|ProcessingJob|HyperParameterTuningJob|AutoMLJob(V2)?|Model)(\.sync)?"
)


@stack_rule
def request_isolation(stack: StackChange) -> Iterator[SecurityChange]:
    """Yield the jobs that are less, or more, cut off from networks than they were."""
    for pair in stack.changed_of(STATE_MACHINE):
        if pair.base is None or pair.head is None:
            continue
        before, after = _requests(pair.base), _requests(pair.head)
        for state in sorted(before.keys() & after.keys()):
            for setting in REQUEST_ISOLATION:
                yield from compare_setting(
                    stack, setting, pair.head.logical_id, before[state], after[state], f"{state}: "
                )


def _requests(machine: Resource) -> Mapping[str, Mapping[str, Any]]:
    """Return the bodies of the requests by the name of their state."""
    found: dict[str, Mapping[str, Any]] = {}
    for key in ("Definition", "DefinitionString"):
        for name, state in _states(machine.properties.get(key)):
            body = state.get("Parameters", state.get("Arguments"))
            if _TASK.fullmatch(str(state.get("Resource"))) and isinstance(body, Mapping):
                found[name] = body
    return found


def _states(value: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(value, Mapping):
        states = value.get("States")
        for name, state in states.items() if isinstance(states, Mapping) else ():
            if isinstance(state, Mapping):
                yield str(name), state
                yield from _states(state.get("ItemProcessor"))
                yield from _states(state.get("Iterator"))
                yield from _states(state.get("Branches"))
    elif isinstance(value, list):
        for item in value:
            yield from _states(item)
