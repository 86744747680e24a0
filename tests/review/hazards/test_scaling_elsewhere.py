from typing import Any

import pytest

from sizewell.review.comparison import EnvironmentPair
from sizewell.templates.template import Stack
from tests.review.builders import assembly, resource, stack, template
from tests.review.hazards.apps import NAME, endpoint_app, hazards, hazards_of, rules

EXPORT = "app-stack:EndpointName"
PART_OF_ARN = {"Fn::Select": [1, {"Fn::Split": ["/", {"Ref": "Endpoint"}]}]}
RESOURCE_OF_ARN = {"Fn::Select": [5, {"Fn::Split": [":", {"Ref": "Endpoint"}]}]}


def joined(*parts: Any) -> dict[str, Any]:
    return {"Fn::Join": ["", list(parts)]}


def target(resource_id: Any, least: int = 2, most: int = 4) -> dict[str, Any]:
    return resource(
        "AWS::ApplicationAutoScaling::ScalableTarget",
        {"ResourceId": resource_id, "MinCapacity": least, "MaxCapacity": most},
    )


def app(instance_type: str = "ml.g5.xlarge", **more: Any) -> dict[str, Any]:
    written = endpoint_app(instance_type=instance_type, scaling=None, **more)
    output = {"Value": {"Fn::GetAtt": ["Endpoint", "EndpointName"]}, "Export": {"Name": EXPORT}}
    return {**written, "Outputs": {"Name": output}}


def scaling_stack(resource_id: Any, **bounds: int) -> Stack:
    return stack(template(Target=target(resource_id, **bounds)), "scaling")


ELSEWHERE = [
    f"endpoint/{NAME}/variant/primary",
    joined("endpoint/", {"Fn::ImportValue": EXPORT}, "/variant/primary"),
    {"Fn::Sub": ["endpoint/${Name}/variant/primary", {"Name": {"Fn::ImportValue": EXPORT}}]},
]


@pytest.mark.parametrize("resource_id", ELSEWHERE)
def test_a_variant_may_be_scaled_by_another_stack(resource_id: Any) -> None:
    scaling = scaling_stack(resource_id)
    base, head = (
        assembly(stack(app(instance_type)), scaling) for instance_type in ("ml.g5.xlarge", "ml.g6.xlarge")
    )
    (found,) = hazards_of(EnvironmentPair("dev", base, head), theme="endpoint_updates")
    assert (found.rule, found.severity, found.stack) == ("instance-type-changed", "danger", "app-stack")


@pytest.mark.parametrize("resource_id", ELSEWHERE)
def test_bounds_of_another_stack_are_those_of_the_endpoint(resource_id: Any) -> None:
    base = assembly(stack(app()), scaling_stack(resource_id, least=2, most=8), environment="prod")
    head = assembly(stack(app()), scaling_stack(resource_id, least=0, most=1), environment="prod")
    lowered, to_zero = hazards_of(EnvironmentPair("prod", base, head))[::-1]
    assert (to_zero.rule, to_zero.stack, to_zero.cause) == (
        "scale-to-zero",
        "app-stack",
        "least number of instances 2 → 0",
    )
    assert (lowered.rule, lowered.stack, lowered.logical_id) == ("capacity-lowered", "scaling", "Target")


def test_a_target_of_another_endpoint_counts_nothing() -> None:
    for resource_id in ("endpoint/other/variant/primary", joined("endpoint/", {"Ref": "P"}, "/variant/x")):
        scaling = scaling_stack(resource_id)
        base, head = (assembly(stack(app(name)), scaling) for name in ("ml.g5.xlarge", "ml.g6.xlarge"))
        assert rules(hazards_of(EnvironmentPair("dev", base, head))) == ["fleet-doubled"]


@pytest.mark.parametrize(
    "resource_id",
    [
        joined("endpoint/", PART_OF_ARN, "/variant/primary"),
        joined(RESOURCE_OF_ARN, "/variant/primary"),
        {"Fn::Sub": ["endpoint/${Name}/variant/primary", {"Name": PART_OF_ARN}]},
        joined("endpoint/", {"Fn::Select": [1, {"Fn::Split": [",", f"x,{NAME}"]}]}, "/variant/primary"),
    ],
)
def test_the_name_may_be_a_part_of_the_arn(resource_id: Any) -> None:
    base, head = (app(name, Target=target(resource_id)) for name in ("ml.g5.xlarge", "ml.g6.xlarge"))
    assert rules(hazards(base, head)) == ["instance-type-changed", "fleet-doubled"]


@pytest.mark.parametrize(
    "name",
    [{"Fn::If": ["C", NAME, "b"]}, {"Fn::ImportValue": "X"}, {"Fn::Select": [9, {"Fn::Split": ["/", "a"]}]}],
)
def test_a_name_that_only_the_deployment_knows_is_no_crash(name: Any) -> None:
    odd = target(joined("endpoint/", name, "/variant/primary"), least=0)
    base, head = (app(instance_type, Odd=odd) for instance_type in ("ml.g5.xlarge", "ml.g6.xlarge"))
    assert rules(hazards(base, head, environment="prod")) == ["fleet-doubled"]
