"""CloudFormation, Lambda and EventBridge around the function: one stack with rule, release, endpoint and scaling."""

from dataclasses import dataclass, field
from typing import Any, Literal

from constructs_lib.scaling_handover_function.index import Aws, handle
from tests.constructs_lib.scaling_handover_function.world import (
    FUNCTION_S,
    NAME,
    Autoscaling,
    Killed,
    SageMaker,
    Spec,
    World,
    as_cloudformation_sends_it,
)

Order = Literal["forward", "reverse"]
Step = Literal["rule", "release", "endpoint", "scaling"]
STEPS: tuple[Step, ...] = ("rule", "release", "endpoint", "scaling")


class StepFailedError(Exception):
    """A resource could not be updated."""


def connect(world: World) -> Aws:
    end_s = world.clock_s + FUNCTION_S
    return Aws(
        sagemaker=SageMaker(world),
        autoscaling=Autoscaling(world),
        sleep=world.pass_time,
        remaining_s=lambda: end_s - world.clock_s,
    )


def request(kind: str, request_type: str, properties: Spec) -> dict[str, Any]:
    """Return what CloudFormation sends for one of the two resources."""
    event = {
        "RequestType": request_type,
        "ResourceType": {"release": "Custom::ScalingRelease", "scaling": "Custom::EndpointScaling"}[kind],
        "ResponseURL": "https://cloudformation.example/answer?signature=secret",
        "StackId": "stack",
        "RequestId": "request",
        "LogicalResourceId": kind,
        "ResourceProperties": {
            "ServiceToken": "arn",
            "ServiceTimeout": "1080",
            **as_cloudformation_sends_it(properties),
        },
    }
    return event if request_type == "Create" else {**event, "PhysicalResourceId": f"{NAME}/{kind}"}


@dataclass
class CloudFormation:
    """``lambda_repeats`` is whether Lambda calls again after a death, or CloudFormation waits in vain."""

    world: World
    deployed: Spec
    lambda_repeats: bool = True
    rollbacks: int = 0
    rule: Spec | None = None
    answers: list[dict[str, Any]] = field(default_factory=list)

    def deploy(self, new: Spec, *, fails_after: Step | None = None, order: Order = "forward") -> bool:
        """Deploy a template; a neighbour of the resources may fail after a step. Return whether the new one is there."""
        old, reached = self.deployed, []
        try:
            for step in STEPS:
                reached.append(step)
                self._update(step, new)
                if step == fails_after:
                    raise StepFailedError("a neighbour")
        except StepFailedError:
            self._roll_back(old, reached, order)
            if old["EndpointConfigName"] != new["EndpointConfigName"]:
                del self.world.configs[new["EndpointConfigName"]]
            self._tell_the_rule()
            return False
        if old["EndpointConfigName"] != new["EndpointConfigName"]:
            del self.world.configs[old["EndpointConfigName"]]
        self.deployed = new
        self._tell_the_rule()
        return True

    def _roll_back(self, old: Spec, reached: list[Step], order: Order) -> None:
        """Bring back what was touched; when a step fails, people continue the rollback from there."""
        left = list(reached) if order == "forward" else list(reversed(reached))
        while left:
            self.rollbacks += 1
            assert self.rollbacks < 10
            try:
                while left:
                    self._update(left[0], old)
                    left.pop(0)
            except StepFailedError:
                continue

    def _update(self, step: Step, to: Spec) -> None:
        match step:
            case "rule":
                self.rule = to
            case "endpoint":
                if self.world.config != to["EndpointConfigName"]:
                    self.world.update_endpoint(to["EndpointConfigName"])
                    self.world.pass_time(600.0)
            case "release" | "scaling":
                self._call(request(step, "Update", to))

    def _call(self, event: dict[str, Any]) -> None:
        for _ in range(3 if self.lambda_repeats else 1):
            try:
                answer = handle(event, connect(self.world), lambda _url, a: self.answers.append(a))
            except Killed:
                continue
            if answer["Status"] == "FAILED":
                raise StepFailedError(answer["Reason"])
            return
        raise StepFailedError("no answer")

    def _tell_the_rule(self) -> None:
        """Call with the input of the rule; Lambda repeats such a call twice."""
        for _ in range(3):
            try:
                handle(self.rule or self.deployed, connect(self.world), _nobody_is_asked)
                return
            except Killed:
                continue
        raise AssertionError("nobody dies three times here")


def _nobody_is_asked(_url: str, _answer: dict[str, Any]) -> None:
    raise AssertionError("an event wants no answer")
