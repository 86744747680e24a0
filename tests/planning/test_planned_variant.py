"""What the plans of the examples say of variants and components, in the terms of SageMaker."""

from collections.abc import Iterator
from typing import Any

import pytest

from sizewell.kinds.inference_component_endpoint.plan_model import ComponentEndpointPlan
from sizewell.planning import load_plan
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.planned_variant import PlannedComponent, PlannedVariant
from tests.synthesis import PROJECT_ROOT


def planned(example: str, of: str) -> Iterator[Any]:
    plan = load_plan(PROJECT_ROOT / "examples" / example / "config", "prod")
    for workload in plan.workloads:
        yield from getattr(workload, of)


def test_components_have_the_bounds_of_their_copies_and_share_a_fleet() -> None:
    assert list(planned("inference-component-endpoint", "planned_components")) == [
        PlannedComponent(component_name="assist-prod-desk--chat", fewest_copies=2, most_copies=3),
        PlannedComponent(component_name="assist-prod-desk--guard", fewest_copies=2, most_copies=3),
    ]
    (fleet,) = planned("inference-component-endpoint", "planned_variants")
    assert (fleet.endpoint_name, fleet.instance_types) == ("assist-prod-desk", ("ml.g5.2xlarge",))
    assert 0 < fleet.fewest_instances <= fleet.most_instances


def test_nights_off_allow_no_copy() -> None:
    plan = load_plan(PROJECT_ROOT / "examples/inference-component-endpoint/config", "prod")
    (workload,) = (one for one in plan.of(ComponentEndpointPlan) if list(one.planned_components))
    component = workload.components["chat"]
    assert component.scaling is not None
    night = {
        "name": "nights",
        "schedule": "cron(0 20 * * ? *)",
        "time_zone": "UTC",
        "min_copy_count": 0,
        "max_copy_count": 0,
    }
    scaling = component.scaling.model_validate(
        {**component.scaling.model_dump(), "scheduled_actions": [night]}
    )
    resting = workload.model_copy(
        update={"components": {"chat": component.model_copy(update={"scaling": scaling})}}
    )

    (found,) = resting.planned_components
    assert (found.fewest_copies, found.most_copies) == (0, 3)


def test_a_serverless_variant_has_memory_and_concurrency_and_no_instances() -> None:
    variants = list(planned("serverless-endpoint", "planned_variants"))
    assert variants
    for variant in variants:
        assert variant.memory_mb > 0
        assert variant.max_concurrency > 0
        assert variant.instance_types == ()


@pytest.mark.parametrize("count", [1, 2])
def test_pools_are_planned_types(count: int) -> None:
    plan = load_plan(PROJECT_ROOT / "config", "prod")
    endpoint = plan.of(EndpointPlan)[0]
    pools = {"instance_types": ("ml.a", "ml.b")[:count], "provision_timeout_s": 600}
    changed = EndpointPlan.model_validate({**endpoint.model_dump(), "provisioned_pools": pools})

    (variant,) = changed.planned_variants
    assert variant == PlannedVariant(
        endpoint_name=endpoint.endpoint_name,
        variant_name="primary",
        instance_types=("ml.a", "ml.b")[:count],
        fewest_instances=endpoint.fewest_instances,
        most_instances=endpoint.most_instances,
    )
