"""The question to Step Functions: only its result counts, and who may not ask deploys all the same."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from sizewell.cli.deploy_command import _validated
from sizewell.deploy.assembly import AssemblyStack
from sizewell.deploy.cloudformation import CloudFormationError
from sizewell.deploy.step_functions import NotValidatedError, StepFunctions
from sizewell.templates.template import Stack

WARNING = {"severity": "WARNING", "code": "W", "message": "Slow"}
ERROR = {"severity": "ERROR", "code": "E", "message": "Wrong"}
MACHINE = {"Type": "AWS::StepFunctions::StateMachine", "Properties": {"DefinitionString": "{}"}}
STACK = AssemblyStack(
    "train",
    Stack("train", "111122223333", "eu-west-1", {"Resources": {"A": MACHINE, "B": MACHINE}}),
    None,
    frozenset(),
)


class Service:
    """Answers all calls in the same way, and keeps them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answer: dict[str, Any] | Exception = {"result": "OK", "diagnostics": [WARNING]}
        self.calls: list[tuple[str, str, dict[str, Any]]] = []
        service = self

        def call(client: Any, operation: str, given: dict[str, Any]) -> dict[str, Any]:
            service.calls.append((operation, client.meta.region_name, given))
            if isinstance(service.answer, Exception):
                raise service.answer
            return service.answer

        monkeypatch.setattr("botocore.client.BaseClient._make_api_call", call)

    def refuse(self) -> None:
        """Let the caller lack the right to ask."""
        error = {"Code": "AccessDeniedException", "Message": "no"}
        self.answer = ClientError({"Error": error}, "ValidateStateMachineDefinition")


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Service:
    return Service(monkeypatch)


def test_warnings_of_a_definition_that_is_taken_are_no_faults(service: Service) -> None:
    assert StepFunctions("eu-west-1", None).faults("{}", "EXPRESS") == ()
    assert service.calls == [
        ("ValidateStateMachineDefinition", "eu-west-1", {"definition": "{}", "type": "EXPRESS"})
    ]


@pytest.mark.parametrize("told", [[ERROR], []])
def test_a_definition_that_is_refused_has_a_fault(service: Service, told: list[dict[str, str]]) -> None:
    service.answer = {"result": "FAIL", "diagnostics": told}
    faults = StepFunctions("eu-west-1", None).faults("{}", "STANDARD")
    assert [fault["code"] for fault in faults] == ([fault["code"] for fault in told] or ["FAIL"])


def test_who_may_not_ask_is_told_and_deploys(service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    service.refuse()
    with pytest.raises(NotValidatedError, match="AccessDeniedException"):
        StepFunctions("eu-west-1", None).faults("{}", "STANDARD")
    service.calls.clear()
    assert _validated((STACK,), None) is False
    assert "Step Functions was not asked about the state machines: " in " ".join(
        capsys.readouterr().err.split()
    )
    assert len(service.calls) == 1, "the second machine is not asked about, either"


def test_both_machines_are_taken(service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    assert _validated((STACK,), None) is True
    assert capsys.readouterr().err == "Step Functions takes the definitions of 2 state machines\n"


def test_without_a_profile_of_that_name_nothing_is_asked(service: Service) -> None:
    with pytest.raises(CloudFormationError, match="Log in, or name a profile"):
        StepFunctions("eu-west-1", "nobody")
    assert service.calls == []
