from typing import Any

import pytest

from tests.review.cost.plans import (
    amounts,
    compared,
    costs,
    endpoint_template,
    head_of,
    line,
    planned,
    saved_endpoint,
    saved_plan,
    scalable_target,
)

INSTANCES = "ml.g5.xlarge instances"


def planned_line(template_: dict[str, Any], name: str, **given: Any) -> Any:
    side = planned(template_, saved_plan(saved_endpoint(**given)))
    (found,) = (one for one in head_of(compared(side, side)).components if one.name == name)
    return found


def test_instances_run_all_month_at_the_price_of_the_catalog() -> None:
    # us-east-1: 1.41 USD x 2 instances x 730 hours.
    found = line(endpoint_template(), INSTANCES)
    assert amounts(found) == (2058.6, 2058.6, 2058.6)
    assert found.quantity == "2 ml.g5.xlarge instances, 1,460 hours"
    assert found.unit_price == "1.41 USD per hour"
    assert found.basis == "published"


def test_the_plan_of_the_side_says_the_price() -> None:
    # 0.7 USD x 2 x 730 hours.
    found = planned_line(endpoint_template(), INSTANCES, cost={"usd_per_hour": 0.7})
    assert amounts(found) == (1022.0, 1022.0, 1022.0)
    assert found.unit_price == "0.70 USD per hour"
    assert found.price_date == "2026-09-01"


def test_the_catalog_prices_a_type_that_is_not_the_plans() -> None:
    found = planned_line(endpoint_template("ml.g4dn.xlarge"), "ml.g4dn.xlarge instances")
    assert found.unit_price == "0.7364 USD per hour"


def test_a_price_that_the_plan_does_not_know_is_unknown() -> None:
    found = planned_line(endpoint_template(), INSTANCES, cost={"usd_per_hour": None, "basis": "unknown"})
    assert amounts(found) == (None, None, None)
    assert (found.basis, found.unit_price) == ("unknown", "")


def test_a_savings_plan_of_the_policy_lowers_the_price() -> None:
    plan = saved_plan(saved_endpoint())
    config = {"schema_version": 1, "environment": {"policy": {"savings_plan": {"discount_percent": 20.0}}}}
    side = planned(endpoint_template(), plan, config=config)
    found = head_of(compared(side, side)).components[0]
    assert found.unit_price == "0.80 USD per hour, less 20 % of a Savings Plan"
    assert amounts(found) == (1168.0, 1168.0, 1168.0)


@pytest.mark.parametrize(
    "endpoint", ["shop-dev-chat", {"Fn::GetAtt": ["Endpoint", "EndpointName"]}], ids=["name", "reference"]
)
def test_a_scalable_target_gives_the_bounds(endpoint: Any) -> None:
    found = line(endpoint_template(Target=scalable_target(1, 4, endpoint)), INSTANCES)
    assert amounts(found) == (1029.3, 2058.6, 4117.2)


def test_scheduled_actions_widen_the_bounds_and_the_plan_says_the_average_of_a_week() -> None:
    target = scalable_target(2, 4)
    target["Properties"]["ScheduledActions"] = [
        {"ScheduledActionName": "nights", "ScalableTargetAction": {"MinCapacity": 1, "MaxCapacity": 2}},
        {"ScheduledActionName": "fair", "ScalableTargetAction": {"MinCapacity": 2, "MaxCapacity": 6}},
    ]
    found = planned_line(endpoint_template(Target=target), INSTANCES, estimate={"instances_by_schedule": 1.5})
    usd_per_instance = 1.0 * 730
    assert amounts(found) == tuple(usd_per_instance * count for count in (1, 1.5, 6))


def test_a_scalable_target_of_another_endpoint_does_not() -> None:
    found = line(endpoint_template(Target=scalable_target(1, 4, "other")), INSTANCES)
    assert amounts(found) == (2058.6, 2058.6, 2058.6)


def test_a_scalable_target_of_another_dimension_does_not() -> None:
    target = scalable_target(1, 4)
    target["Properties"]["ScalableDimension"] = "sagemaker:variant:DesiredProvisionedConcurrency"
    assert amounts(line(endpoint_template(Target=target), INSTANCES)) == (2058.6, 2058.6, 2058.6)


def test_the_target_gives_the_bounds_and_the_plan_the_average() -> None:
    found = planned_line(endpoint_template(Target=scalable_target(1, 5)), INSTANCES, average=3)
    assert amounts(found) == (730.0, 2190.0, 3650.0)


@pytest.mark.parametrize(
    ("default", "expected"),
    [("on", (1029.3, 2058.6, 4117.2)), ("off", (2058.6, 2058.6, 2058.6))],
)
def test_the_switch_of_our_stacks_decides_whether_the_bounds_count(
    default: str, expected: tuple[float, float, float]
) -> None:
    written = endpoint_template(Target={**scalable_target(1, 4), "Condition": "AutoscalingOn"})
    written["Parameters"] = {"Autoscaling": {"Type": "String", "Default": default}}
    written["Conditions"] = {"AutoscalingOn": {"Fn::Equals": [{"Ref": "Autoscaling"}, "on"]}}
    assert amounts(line(written, INSTANCES)) == expected


def test_the_plan_gives_bounds_that_the_template_leaves_out() -> None:
    scaling = {
        "min_instance_count": 1,
        "max_instance_count": 2,
    }
    found = planned_line(endpoint_template(), INSTANCES, scaling=scaling, average=9)
    assert amounts(found) == (730.0, 1460.0, 1460.0)


def test_managed_instance_scaling_may_go_down_to_zero() -> None:
    managed = {"Status": "ENABLED", "MinInstanceCount": 0, "MaxInstanceCount": 3}
    found = line(endpoint_template(variant={"ManagedInstanceScaling": managed}), INSTANCES)
    assert amounts(found) == (0.0, 2058.6, 3087.9)


def test_instance_pools_range_from_the_cheapest_to_the_dearest() -> None:
    # ml.g4dn.xlarge 0.7364, ml.g5.xlarge 1.41: the one with the first priority is expected.
    pools = [
        {"InstanceType": "ml.g4dn.xlarge", "Priority": 2},
        {"InstanceType": "ml.g5.xlarge", "Priority": 1},
    ]
    written = endpoint_template(variant={"InstancePools": pools})
    del written["Resources"]["Config"]["Properties"]["ProductionVariants"][0]["InstanceType"]
    assert amounts(line(written, INSTANCES)) == (1075.144, 2058.6, 2058.6)


def test_volumes_are_paid_for_every_instance() -> None:
    # 2 x 50 GB x 0.112 USD.
    found = line(endpoint_template(variant={"VolumeSizeInGB": 50}), "endpoint volumes")
    assert amounts(found) == (11.2, 11.2, 11.2)
    assert found.quantity == "2 volumes of 50 GB, 100 GB-month"


def test_a_count_that_the_deployment_decides_is_unknown() -> None:
    found = line(endpoint_template(count={"Ref": "Count"}), "endpoint instances")
    assert (amounts(found), found.basis) == ((None, None, None), "unknown")


@pytest.mark.parametrize(
    "name", [{"Fn::ImportValue": "config"}, {"Fn::If": ["C", {"Ref": "Config"}, {"Ref": "Other"}]}]
)
def test_a_configuration_that_the_template_does_not_say_is_unknown(name: Any) -> None:
    written = endpoint_template(endpoint={"EndpointConfigName": name})
    assert line(written, "endpoint instances").basis == "unknown"


def test_a_configuration_that_nobody_runs_costs_nothing() -> None:
    written = endpoint_template()
    del written["Resources"]["Endpoint"]
    cost = costs(written, written)
    assert amounts(head_of(cost)) == (0.0, 0.0, 0.0)
    assert cost.not_priced == ()


def test_serverless_is_paid_by_use_and_its_provisioned_concurrency_all_month() -> None:
    serverless = {"MemorySizeInMB": 2048, "MaxConcurrency": 5, "ProvisionedConcurrency": 2}
    written = endpoint_template(variant={"ServerlessConfig": serverless})
    components = {one.name: one for one in head_of(costs(written, written)).components}
    inference = components["serverless inference, 2 GB"]
    assert (inference.basis, inference.unit_price) == ("usage", "0.0000115 USD per GB-second")
    # Two units of 2 GB.
    month = 2 * 2 * 730 * 3600 * 0.000005
    assert amounts(components["provisioned concurrency"]) == pytest.approx((month, month, month))
    assert amounts(inference) == (None, None, None)


def test_each_of_several_variants_has_its_own_instances() -> None:
    written = endpoint_template(
        config={"ShadowProductionVariants": [{"VariantName": "shadow", "InstanceType": "ml.g5.xlarge"}]}
    )
    written["Resources"]["Config"]["Properties"]["ShadowProductionVariants"][0]["InitialInstanceCount"] = 1
    assert head_of(costs(written, written)).usd_per_month.expected == 3087.9


def test_captured_data_is_stored_in_s3() -> None:
    found = line(endpoint_template(config={"DataCaptureConfig": {"EnableCapture": True}}), "captured data")
    assert (found.service, found.basis) == ("S3", "usage")


def test_usd_per_1000_requests_at_the_average_traffic() -> None:
    # 1460 USD / (2 requests/s x 730 h x 3600 s / 1000).
    side = planned(endpoint_template(), saved_plan(saved_endpoint(average_requests_per_second=2.0)))
    assert head_of(compared(side, side)).usd_per_1000_requests == 0.277778


def test_without_traffic_in_the_plan_there_is_no_price_per_request() -> None:
    side = planned(endpoint_template(), saved_plan(saved_endpoint()))
    assert head_of(compared(side, side)).usd_per_1000_requests is None
