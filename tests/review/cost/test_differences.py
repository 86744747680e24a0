from typing import Any

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.cost import compare_costs
from tests.review.builders import assembly, pair, resource, stack, template
from tests.review.cost.plans import (
    compared,
    costs,
    endpoint_template,
    only,
    planned,
    saved_endpoint,
    saved_plan,
    saved_training_job,
    scalable_target,
)


def alarms(count: int, **more: Any) -> dict[str, Any]:
    return template(
        **{f"Alarm{i}": resource("AWS::CloudWatch::Alarm", {"Period": 60}) for i in range(count)}, **more
    )


def test_nothing_changed() -> None:
    written = endpoint_template(Alarm=resource("AWS::CloudWatch::Alarm", {"Period": 60}))
    cost = costs(written, dict(written))
    assert cost.difference.expected == cost.difference.minimum == cost.difference.maximum == 0.0
    assert cost.difference_percent == 0.0
    assert only(cost).causes == ()
    assert only(cost).once == ()
    assert only(cost).base == only(cost).head


def test_alarms_that_are_added() -> None:
    cost = costs(alarms(2), alarms(5))
    assert cost.difference.expected == 0.3
    assert cost.difference_percent == 150.0
    assert only(cost).causes == ("3 alarms added",)


def test_endpoints_of_a_vpc_that_are_removed() -> None:
    subnets = [{"Ref": name} for name in ("A", "B", "C")]
    given = {"VpcEndpointType": "Interface", "SubnetIds": subnets}
    one, two = (resource("AWS::EC2::VPCEndpoint", given) for _ in range(2))
    cost = costs(template(One=one, Two=two), template())
    assert cost.difference.expected == -43.8
    assert only(cost).causes == (
        "2 VPC interface endpoints x 3 zones removed",
        "data through VPC interface endpoints removed, paid by use",
    )


def test_another_type_and_other_bounds() -> None:
    def written(instance_type: str, minimum: int) -> dict[str, Any]:
        return endpoint_template(instance_type, Target=scalable_target(minimum, 3))

    change = only(costs(written("ml.g4dn.xlarge", 2), written("ml.g5.xlarge", 1)))
    assert change.causes == ("instance type ml.g4dn.xlarge → ml.g5.xlarge", "instances 2-3 → 1-3")
    # 1 x 1.41 - 2 x 0.7364, 2 x (1.41 - 0.7364), 3 x (1.41 - 0.7364), for 730 hours.
    difference = change.difference
    assert (difference.minimum, difference.expected, difference.maximum) == (-45.844, 983.456, 1475.184)


def test_another_price_of_the_same_type() -> None:
    base = planned(endpoint_template(), saved_plan(saved_endpoint(cost={"usd_per_hour": 0.7})))
    head = planned(endpoint_template(), saved_plan(saved_endpoint(cost={"usd_per_hour": 0.74})))
    cost = compared(base, head)
    assert only(cost).causes == ("price of ml.g5.xlarge 0.70 → 0.74 USD per hour (catalog)",)
    assert cost.difference.expected == 58.4
    assert only(cost).workload == "chat"


def test_another_average_within_the_same_bounds() -> None:
    scaling = {
        "min_instance_count": 1,
        "max_instance_count": 4,
    }
    base, head = (
        planned(endpoint_template(), saved_plan(saved_endpoint(scaling=scaling, average=n))) for n in (1, 3)
    )
    assert only(compared(base, head)).causes == ("average instances 1 → 3",)


def test_an_unknown_side_is_left_out_of_the_difference() -> None:
    change = only(costs(endpoint_template(count=2), endpoint_template(count={"Ref": "Count"})))
    assert change.difference.expected is None
    assert change.causes == ("amount of endpoint instances unknown now",)


def test_what_is_known_does_not_hide_a_capacity_that_is_not() -> None:
    alarm = resource("AWS::CloudWatch::Alarm", {"Period": 60})
    cost = costs(endpoint_template(), endpoint_template(count={"Ref": "Count"}, Alarm=alarm))
    change = only(cost)
    assert change.difference.expected is None
    assert (cost.difference.expected, cost.difference_percent) == (None, None)
    assert cost.unknown_changes == ("app-stack: endpoint instances",)
    assert "1 alarm added" in change.causes


def test_a_type_without_a_price_is_no_zero() -> None:
    alarm = resource("AWS::CloudWatch::Alarm", {"Period": 60})
    database = {"Engine": "postgres", "DBInstanceClass": "db.t4g.small"}

    def app(**properties: Any) -> dict[str, Any]:
        return template(Alarm=alarm, Database=resource("AWS::RDS::DBInstance", database | properties))

    for base, head in (
        (app(), app(DBInstanceClass="db.r8g.48xlarge")),
        (template(Alarm=alarm), app()),
        (app(), template(Alarm=alarm)),
    ):
        cost = costs(base, head)
        assert (cost.difference.expected, cost.difference_percent) == (None, None)
        assert cost.unknown_changes == ("app-stack: AWS::RDS::DBInstance",)
    for head in (app(), app(Tags=[{"Key": "team", "Value": "search"}])):
        assert (costs(app(), head).difference.expected, costs(app(), head).unknown_changes) == (0.0, ())


def test_a_resource_that_is_paid_by_use_is_no_zero_and_no_type_without_a_price() -> None:
    alarm, queue = resource("AWS::CloudWatch::Alarm", {"Period": 60}), resource("AWS::SQS::Queue")
    cost = costs(template(Alarm=alarm), template(Alarm=alarm, Queue=queue))
    assert (cost.difference.expected, cost.unknown_changes) == (None, ())


def serverless(**given: Any) -> dict[str, Any]:
    written = endpoint_template(variant={"ServerlessConfig": {"MemorySizeInMB": 2048, **given}})
    variant = written["Resources"]["Config"]["Properties"]["ProductionVariants"][0]
    del variant["InstanceType"], variant["InitialInstanceCount"]
    return written


def test_what_is_paid_by_use_instead_is_no_saving() -> None:
    base = endpoint_template(variant={"VolumeSizeInGB": 30})
    for before, after in ((base, serverless()), (serverless(), base)):
        assert costs(before, after).difference.expected is None
        assert costs(before, after).difference_percent is None
    assert only(costs(base, serverless())).causes == (
        "2 ml.g5.xlarge instances removed",
        "serverless inference, 2 GB added, paid by use",
        "2 volumes of 30 GB removed",
        "detailed metrics removed, paid by use",
        "data in and out removed, paid by use",
        "serverless data in and out added, paid by use",
    )


def test_variants_that_only_the_deployment_knows_are_no_saving() -> None:
    head = endpoint_template()
    config = head["Resources"]["Config"]["Properties"]
    config["ProductionVariants"] = {"Fn::If": ["C", config["ProductionVariants"], []]}
    for base in (endpoint_template(), serverless(), endpoint_template(variant={"VolumeSizeInGB": 30})):
        assert costs(base, head).difference.expected is None
        assert costs(head, base).difference.expected is None


def test_training_without_a_plan_is_unknown_and_not_gone() -> None:
    written = template(Machine=resource("AWS::StepFunctions::StateMachine"))
    plan = saved_plan(saved_training_job())
    with_plan, without = planned(written, plan), assembly(stack(written, plan.workloads[0].stack_name))
    for base, head in ((with_plan, without), (without, with_plan)):
        cost = compared(base, head)
        assert cost.difference.expected is None
        assert cost.difference_percent is None
        assert len(only(cost).causes) == 1
    assert "SageMaker training of tune: no price or no amount known" in compared(with_plan, without).unknown
    other = saved_plan(saved_endpoint(), saved_training_job(name="x", stack_name="x"))
    gone = compared(with_plan, assembly(stack(written, plan.workloads[0].stack_name), plan=other))
    assert gone.difference.expected is not None
    assert gone.difference.expected < 0


def test_training_that_is_deployed_and_stays_as_it_is_costs_what_the_plan_of_head_says() -> None:
    written, plan = (
        template(Machine=resource("AWS::StepFunctions::StateMachine")),
        saved_plan(saved_training_job()),
    )
    name = plan.workloads[0].stack_name
    deployed = assembly(stack({**written, "Description": "before"}, name), config=None, is_deployed=True)
    same = compared(deployed, planned(written, plan))
    assert (same.base, same.difference.expected, only(same).causes) == (same.head, 0, ())
    changed = template(Machine=resource("AWS::StepFunctions::StateMachine", {"DefinitionString": "{}"}))
    assert compared(deployed, planned(changed, plan)).difference.expected is None


def test_an_endpoint_that_is_deployed_costs_what_its_template_says_where_it_changes() -> None:
    base, head = (
        endpoint_template(name, Target=scalable_target(2, 6)) for name in ("ml.g5.xlarge", "ml.g5.2xlarge")
    )
    plan = saved_plan(saved_endpoint(instance_type="ml.g5.2xlarge", average=4))
    deployed = assembly(stack(base, "shop-dev-chat"), config=None, is_deployed=True)
    cost = compared(deployed, planned(head, plan)).base
    assert cost is not None
    # us-east-1: 1.41 USD x 2 instances x 730 hours.
    assert cost.expected == 2058.6


def test_an_added_workload_differs_by_all_of_it() -> None:
    cost = compare_costs(pair(None, alarms(3)))
    assert only(cost).base is None
    assert only(cost).causes == ("added",)
    assert cost.difference.expected == 0.3
    assert cost.difference_percent is None


def test_a_removed_workload_differs_by_all_of_it() -> None:
    cost = compare_costs(pair(alarms(3), None))
    assert only(cost).head is None
    assert only(cost).causes == ("removed",)
    assert cost.difference.expected == -0.3


def test_a_new_environment_has_no_base() -> None:
    cost = compare_costs(EnvironmentPair("dev", None, assembly(stack(alarms(1)))))
    assert cost.base is None
    assert cost.head is not None
    assert cost.head.expected == cost.difference.expected == 0.1


def test_stacks_go_to_their_workload_the_foundation_or_themselves() -> None:
    plan = saved_plan(saved_endpoint())
    names = ("shop-dev-chat", "shop-dev-chat/Nested", "shop-dev-foundation", "other-app", "other-app/Nested")
    side = assembly(*(stack(alarms(1), name) for name in names), plan=plan)
    cost = compared(side, side)
    assert {one.workload: one.head.usd_per_month.expected for one in cost.workloads if one.head} == {
        "chat": 0.2,
        "foundation": 0.1,
        "other-app": 0.2,
    }


def test_changed_workloads_come_first_the_largest_difference_first() -> None:
    before = {"a-same": 1, "b-small": 1, "c-large": 1, "d-cheaper": 9}
    after = {"a-same": 1, "b-small": 2, "c-large": 4, "d-cheaper": 2}
    base, head = (assembly(*(stack(alarms(n), name) for name, n in side.items())) for side in (before, after))
    assert [one.workload for one in compared(base, head).workloads] == [
        "d-cheaper",
        "c-large",
        "b-small",
        "a-same",
    ]


def test_coverage_dates_and_budget() -> None:
    plan = saved_plan(saved_endpoint())
    log_group, key = resource("AWS::Logs::LogGroup"), resource("AWS::KMS::Key")
    side = planned(endpoint_template(Logs=log_group, Key=key), plan)
    cost = compared(side, side)
    assert cost.region == "us-east-1"
    assert cost.budget_usd_per_month == 500.0
    assert cost.known_component_count == 2
    assert cost.price_dates == ("2026-03", "2026-09-01")
    assert cost.unknown == (
        "CloudWatch detailed metrics of chat: paid by use",
        "CloudWatch log ingestion of chat: paid by use",
        "CloudWatch log storage of chat: paid by use",
        "KMS requests of chat: paid by use",
        "SageMaker data in and out of chat: paid by use",
    )


def test_a_price_without_a_date_says_so() -> None:
    cost = costs(*[template(Dashboard=resource("AWS::CloudWatch::Dashboard"))] * 2)
    assert cost.price_dates == ("undated",)


def test_what_moved_the_bill_most_is_said_first() -> None:
    alarm = resource("AWS::CloudWatch::Alarm", {"Period": 60})
    base = endpoint_template("ml.g4dn.xlarge", Alarm=alarm, Bell=alarm)
    cost = costs(base, endpoint_template("ml.g5.xlarge"))
    assert only(cost).causes == ("instance type ml.g4dn.xlarge → ml.g5.xlarge", "2 alarms removed")
