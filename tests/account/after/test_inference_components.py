"""The inference components of a plan, as SageMaker describes them."""

from types import SimpleNamespace
from typing import Any

import pytest

from sizewell.account.after.inference_components import INFERENCE_COMPONENTS
from sizewell.planning.planned_variant import PlannedComponent
from tests.account.after.deployed import DEPLOYED_PLAN
from tests.account.builders import Refusal, ScriptedAccount, findings

COMPONENT = PlannedComponent(component_name="chat", fewest_copies=2, most_copies=4)
WORKLOAD = SimpleNamespace(place=None, planned_components=(COMPONENT,))
PLAN = DEPLOYED_PLAN.model_copy(update={"workloads": (WORKLOAD,)})


def component(copies: int, status: str = "InService", **more: Any) -> Any:
    return {
        "InferenceComponentName": "chat",
        "InferenceComponentArn": "arn:aws:sagemaker:us-east-1:111122223333:inference-component/chat",
        "EndpointName": "desk",
        "EndpointArn": "arn:aws:sagemaker:us-east-1:111122223333:endpoint/desk",
        "CreationTime": 0,
        "LastModifiedTime": 0,
        "InferenceComponentStatus": status,
        "RuntimeConfig": {"DesiredCopyCount": copies, "CurrentCopyCount": copies},
        **more,
    }


@pytest.mark.parametrize(
    ("answer", "outcome", "says"),
    [
        (component(3), "pass", "InService: 3 copies"),
        (component(1), "fail", "1 copies, planned 2 to 4"),
        (component(2, "Failed", FailureReason="no memory"), "fail", "Failed: no memory"),
        (component(2, FailureReason="alarm went off"), "fail", "InService: alarm went off"),
        (component(2, "Updating"), "warn", "Updating: 2 copies now"),
        (
            Refusal("ValidationException", 'Could not find inference component "chat".'),
            "fail",
            "there is no such inference component",
        ),
    ],
)
def test_a_component_has_its_copies(answer: Any, outcome: str, says: str) -> None:
    aws = ScriptedAccount({"sagemaker": [("describe_inference_component", answer)]})

    (finding,) = findings(INFERENCE_COMPONENTS, PLAN, aws)
    assert (finding.outcome.value, finding.says) == (outcome, says)
