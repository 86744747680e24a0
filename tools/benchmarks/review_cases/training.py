"""Changes of a training job's state machine."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from tools.benchmarks.review_cases.case import Output, TemplateCase, changed

TRAIN = "plant-id-train"
STACK = "demo-prod-plant-id-train"
MACHINE = "TrainingWorkflowStateMachineECD03D2F"
SCHEDULE = "TrainingSchedule42D85A11"
_CHANGED = f"changed: {STACK}/{MACHINE}"


def _states(definition: dict[str, Any]) -> dict[str, Any]:
    """Return the states of the work; those around it tell of its end."""
    states: dict[str, Any] = definition["States"]["Work"]["Branches"][0]["States"]
    return states


def _requests(change: Callable[[dict[str, Any]], Any]) -> Callable[[Output], None]:
    """Change every request for a training job."""

    def apply(output: Output) -> None:
        with output.properties(TRAIN, MACHINE) as properties:
            definition = json.loads(properties["DefinitionString"])
            for state in _states(definition).values():
                if "createTrainingJob" in state.get("Resource", ""):
                    change(state["Arguments"])
            properties["DefinitionString"] = json.dumps(definition)

    return apply


def _without_checkpoint(request: dict[str, Any]) -> None:
    del request["CheckpointConfig"]


def _without_volume_key(request: dict[str, Any]) -> None:
    del request["OutputDataConfig"]["KmsKeyId"]


def _other_epochs(output: Output) -> None:
    with output.properties(TRAIN, MACHINE) as properties:
        definition = json.loads(properties["DefinitionString"])
        _states(definition)["ReadInput"]["Assign"]["hyperparameters"]["epochs"] = "100"
        properties["DefinitionString"] = json.dumps(definition)


_schedule = partial(changed, TRAIN, SCHEDULE)

CASES = (
    TemplateCase(
        "Spot without checkpoint",
        _requests(_without_checkpoint),
        frozenset({_CHANGED, f"warning spot-without-checkpoint: {STACK} {MACHINE}"}),
    ),
    TemplateCase(
        "output without a key",
        _requests(_without_volume_key),
        frozenset({_CHANGED, f"weaker encryption-lost: {STACK} {MACHINE}"}),
    ),
    TemplateCase(
        "training that reaches the internet",
        _requests(lambda request: request.update(EnableNetworkIsolation=False)),
        frozenset({_CHANGED, f"warning less-secure: {STACK} {MACHINE}"}),
    ),
    TemplateCase(
        "another hyperparameter",
        _other_epochs,
        frozenset({_CHANGED, f"warning costs-more: {STACK} {MACHINE}"}),
    ),
    TemplateCase(
        "a schedule switched off",
        _schedule(State="DISABLED"),
        frozenset({f"changed: {STACK}/{SCHEDULE}", f"warning schedule-changed: {STACK} {SCHEDULE}"}),
    ),
    TemplateCase(
        "a schedule on another day",
        _schedule(ScheduleExpression="cron(0 2 ? * SUN *)"),
        frozenset({f"changed: {STACK}/{SCHEDULE}", f"notice schedule-changed: {STACK} {SCHEDULE}"}),
    ),
)
