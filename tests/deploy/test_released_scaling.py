"""Stacks that a function of release 0.1 scales: they leave its hands before anything else is deployed."""

from copy import deepcopy
from typing import Any

from sizewell.deploy.autoscaling_steps import DeployedStack
from sizewell.deploy.released_scaling import is_released_scaling, without_released_scaling
from tests.deploy.test_steps import deploy
from tests.deploy.world import LARGE, Account, Template, endpoint

SPEC = {"EndpointName": "chat", "Variants": [{"VariantName": "primary"}]}


def released() -> Template:
    template = deepcopy(endpoint(scaled=False))
    template["Resources"] |= {
        "Release": {"Type": "Custom::ScalingRelease", "DeletionPolicy": "Delete", "Properties": dict(SPEC)},
        "Scaling": {"Type": "Custom::EndpointScaling", "DeletionPolicy": "Delete", "Properties": dict(SPEC)},
        "Deployed": {"Type": "AWS::Events::Rule", "Properties": {"Name": "chat-deployed"}},
        "Nightly": {"Type": "AWS::Events::Rule", "Properties": {"Name": "chat-nightly"}},
    }
    return template


def released_foundation() -> Template:
    template = deepcopy(endpoint("f", scaled=False))
    name = "/demo/prod/foundation/scaling-handover-function-arn"
    template["Resources"]["Function"] = {"Type": "AWS::SSM::Parameter", "Properties": {"Name": name}}
    return template


def account() -> Account:
    one = Account()
    one.stacks["foundation"] = DeployedStack("foundation", "UPDATE_COMPLETE", released_foundation(), {})
    one.stacks["chat"] = DeployedStack("chat", "UPDATE_COMPLETE", released(), {})
    return one


TEMPLATES = {"foundation": endpoint("f", scaled=False), "chat": endpoint(instance_type=LARGE)}
ABOVE = {"chat": ["foundation"]}


def test_nothing_is_scaled_kept_or_called_any_more() -> None:
    resources: dict[str, Any] = without_released_scaling(released())["Resources"]
    for name in ("Release", "Scaling"):
        assert resources[name]["Properties"]["Variants"] == []
        assert (resources[name]["DeletionPolicy"], resources[name]["UpdateReplacePolicy"]) == (
            "Retain",
            "Retain",
        )
    assert resources["Deployed"]["Properties"]["State"] == "DISABLED"
    assert "State" not in resources["Nightly"]["Properties"]
    assert is_released_scaling(released())
    assert not is_released_scaling({"Resources": resources})


def test_that_comes_before_the_foundation_which_deletes_the_function() -> None:
    one = account()
    code, _ = deploy(one, TEMPLATES, dependencies=ABOVE)
    assert code == 0
    assert one.calls == ["chat: update", "foundation: cdk", "chat: cdk off", "chat: update on"]
    assert one.registered("chat") == {"primary"}


def test_the_foundation_alone_is_refused_and_nothing_is_touched() -> None:
    one = account()
    code, said = deploy(one, TEMPLATES, "foundation", dependencies=ABOVE)
    assert (code, one.calls) == (1, [])
    assert "chat: still scaled by the function of release 0.1, which this deployment deletes" in said.said[0]


def test_a_foundation_without_the_function_may_be_deployed_alone_without_a_look_at_the_others() -> None:
    one = account()
    deploy(one, TEMPLATES, dependencies=ABOVE)
    one.stacks["chat"] = DeployedStack("chat", "UPDATE_COMPLETE", released(), {})
    one.reads = []
    code, _ = deploy(one, TEMPLATES, "foundation", dependencies=ABOVE)
    assert (code, one.calls, one.reads) == (0, ["foundation: cdk"], ["foundation"])
