"""Faults of state machines."""

from typing import Any

from tests.checks.builders import Json, machine, states, template
from tests.checks.fault_collection import fault

SUCCEED = {"Type": "Succeed"}


def states_fault(name: str, definition: Any, rule_id: str, path: str, message: str, what_to_do: str) -> None:
    path = f"DefinitionString.{path}".rstrip(".")
    fault(name, template(Machine=machine(definition)), rule_id, "Machine", path, message, what_to_do)


def task(**links: Any) -> Json:
    return {"Type": "Task", "Resource": "arn:aws:states:::sns:publish", **links}


NEXT_OR_END = 'give either Next or "End": true'
states_fault(
    "a definition that is no JSON",
    '{"StartAt": ',
    "states-json",
    "",
    "the definition is no JSON object",
    "mend the text: nothing else was looked at",
)
states_fault(
    "a dangling StartAt",
    states("Frist", First=SUCCEED),
    "states-start",
    "StartAt",
    "there is no state Frist in this scope",
    "name one of First",
)
states_fault(
    "no StartAt",
    {"States": {"First": SUCCEED}},
    "states-start",
    "StartAt",
    "StartAt is missing",
    "name the first state",
)
DANGLING = "there is no state Gone in this scope"
states_fault(
    "a dangling Next",
    states(First=task(Next="Gone"), Last=SUCCEED),
    "states-next",
    "States.First.Next",
    DANGLING,
    "name one of First, Last",
)
states_fault(
    "a dangling Default",
    states(First={"Type": "Choice", "Choices": [{"Next": "Last"}], "Default": "Gone"}, Last=SUCCEED),
    "states-next",
    "States.First.Default",
    DANGLING,
    "name one of First, Last",
)
states_fault(
    "a dangling choice",
    states(First={"Type": "Choice", "Choices": [{"Next": "Last"}, {"Next": "Gone"}]}, Last=SUCCEED),
    "states-next",
    "States.First.Choices.1.Next",
    DANGLING,
    "name one of First, Last",
)
states_fault(
    "a dangling Catch",
    states(First=task(End=True, Catch=[{"ErrorEquals": ["States.ALL"], "Next": "Gone"}])),
    "states-next",
    "States.First.Catch.0.Next",
    DANGLING,
    "name one of First",
)
for name, path, state in (
    (
        "Parallel",
        "States.Outer.Branches.0.States.Inner.Next",
        {"Type": "Parallel", "Branches": [states("Inner", Inner=task(Next="Outer"))], "End": True},
    ),
    (
        "Map",
        "States.Outer.ItemProcessor.States.Inner.Next",
        {"Type": "Map", "ItemProcessor": states("Inner", Inner=task(Next="Outer")), "End": True},
    ),
):
    states_fault(
        f"a Next that leaves its {name}",
        states("Outer", Outer=state),
        "states-next",
        path,
        "there is no state Outer in this scope",
        "name one of Inner",
    )
states_fault(
    "neither Next nor End",
    states(
        First={"Type": "Choice", "Choices": [{"Next": "Middle"}], "Default": "Last"},
        Middle=task(),
        Last=SUCCEED,
    ),
    "states-end",
    "States.Middle",
    "the state has neither Next nor End",
    NEXT_OR_END,
)
states_fault(
    "both Next and End",
    states(First=task(Next="Last", End=True), Last=SUCCEED),
    "states-end",
    "States.First",
    "the state has both Next and End",
    NEXT_OR_END,
)
states_fault(
    "a circle without an end",
    states(First=task(Next="Second"), Second=task(Next="First")),
    "states-end",
    "States",
    "no state ends this scope",
    'let one of its states have "End": true, or be Succeed or Fail',
)
states_fault(
    "a state that is never reached",
    states(First=task(End=True), Second=SUCCEED),
    "states-unreachable",
    "States.Second",
    "no state leads here",
    "lead to it, or remove it",
)
states_fault(
    "one name for two states",
    states(First={"Type": "Map", "ItemProcessor": states(First=SUCCEED), "End": True}),
    "states-names",
    "",
    "2 states are called First",
    "give every state its own name, inside Parallel and Map as well",
)
