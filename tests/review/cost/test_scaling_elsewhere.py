from typing import Any

import pytest

from sizewell.review.saved.output import Assembly
from tests.review.builders import assembly, resource, stack, template
from tests.review.cost.plans import compared, endpoint_template

USD = 1.41 * 730
PART_OF_ARN = {"Fn::Select": [1, {"Fn::Split": ["/", {"Ref": "Endpoint"}]}]}


def joined(*parts: Any) -> dict[str, Any]:
    return {"Fn::Join": ["", list(parts)]}


def target(resource_id: Any, least: int = 2, most: int = 8) -> dict[str, Any]:
    return resource(
        "AWS::ApplicationAutoScaling::ScalableTarget",
        {
            "ResourceId": resource_id,
            "MinCapacity": least,
            "MaxCapacity": most,
            "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
        },
    )


def bounds(side: Assembly) -> tuple[float | None, float | None]:
    head = compared(side, side).head
    assert head is not None
    return head.minimum, head.maximum


@pytest.mark.parametrize(
    "resource_id",
    [
        "endpoint/shop-dev-chat/variant/primary",
        joined("endpoint/", PART_OF_ARN, "/variant/primary"),
        {"Fn::Sub": "endpoint/${Endpoint.EndpointName}/variant/primary"},
    ],
)
def test_bounds_by_any_name_in_the_own_template(resource_id: Any) -> None:
    side = assembly(stack(endpoint_template(Target=target(resource_id))))
    assert bounds(side) == pytest.approx((2 * USD, 8 * USD))


def test_bounds_of_another_stack_and_their_change() -> None:
    def side(most: int, name: str = "shop-dev-chat") -> Assembly:
        scaling = template(Target=target(f"endpoint/{name}/variant/primary", most=most))
        return assembly(stack(endpoint_template()), stack(scaling, "scaling"))

    assert bounds(side(8)) == pytest.approx((2 * USD, 8 * USD))
    assert bounds(side(8, "other")) == pytest.approx((2 * USD, 2 * USD))
    assert compared(side(8), side(3)).difference.maximum == pytest.approx(-5 * USD)
    assert compared(side(8), side(8)).difference.maximum == 0.0
