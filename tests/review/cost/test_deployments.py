from typing import Any

from sizewell.review.saved.output import Assembly
from tests.review.builders import assembly, resource, stack, template
from tests.review.cost.plans import amounts, compared, costs, endpoint_template, only


def once(base: dict[str, Any], head: dict[str, Any]) -> list[tuple[str, str, tuple[float | None, ...]]]:
    return [(one.name, one.quantity, amounts(one)) for one in only(costs(base, head)).once]


def test_blue_green_runs_a_second_fleet_for_an_assumed_hour() -> None:
    assert once(endpoint_template("ml.g4dn.xlarge", 2), endpoint_template("ml.g5.xlarge", 3)) == [
        (
            "second fleet: ml.g5.xlarge instances",
            "3 ml.g5.xlarge instances for an hour, which is assumed",
            (4.23, 4.23, 4.23),
        )
    ]


def test_another_model_makes_another_configuration() -> None:
    head = endpoint_template()
    head["Resources"]["Model"] = resource("AWS::SageMaker::Model", {"PrimaryContainer": {"Image": "image:2"}})
    assert [name for name, *_ in once(endpoint_template(), head)] == ["second fleet: ml.g5.xlarge instances"]


def test_a_rolling_update_has_one_batch_more() -> None:
    def rolling(kind: str, value: int) -> dict[str, Any]:
        batch = {"MaximumBatchSize": {"Type": kind, "Value": value}}
        return endpoint_template(
            "ml.g5.xlarge", 3, endpoint={"DeploymentConfig": {"RollingUpdatePolicy": batch}}
        )

    base = endpoint_template("ml.g4dn.xlarge", 3)
    name = "one batch more: ml.g5.xlarge instances"
    assert once(base, rolling("INSTANCE_COUNT", 1)) == [
        (name, "1 ml.g5.xlarge instance for an hour, which is assumed", (1.41, 1.41, 1.41))
    ]
    # Half of three, rounded up.
    assert once(base, rolling("CAPACITY_PERCENT", 50))[0][2] == (2.82, 2.82, 2.82)


def test_tags_and_alarms_move_no_fleet() -> None:
    tagged = endpoint_template(config={"Tags": [{"Key": "a", "Value": "b"}]})
    assert once(endpoint_template(), tagged) == []
    assert once(endpoint_template(), endpoint_template(Alarm=resource("AWS::CloudWatch::Alarm"))) == []


def test_what_another_stack_replaces_makes_another_configuration() -> None:
    def side(subnets: str) -> Assembly:
        shared = template(Subnets=resource("AWS::SSM::Parameter", {"Name": "/subnets", "Value": subnets}))
        written = endpoint_template()
        written["Parameters"] = {
            "Subnets": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/subnets"}
        }
        written["Resources"]["Model"]["Properties"]["VpcConfig"] = {"Subnets": [{"Ref": "Subnets"}]}
        return assembly(stack(shared, "shared"), stack(written))

    def once(base: str, head: str) -> dict[str, int]:
        return {one.workload: len(one.once) for one in compared(side(base), side(head)).workloads}

    assert once("a", "b") == {"app-stack": 1, "shared": 0}
    assert once("a", "a") == {"app-stack": 0, "shared": 0}


def test_a_new_endpoint_has_no_fleet_to_replace() -> None:
    base = endpoint_template("ml.g4dn.xlarge")
    head = endpoint_template("ml.g5.xlarge")
    head["Resources"]["Other"] = head["Resources"].pop("Endpoint")
    assert once(base, head) == []


def test_a_fleet_without_a_price_is_unknown() -> None:
    (found,) = once(endpoint_template(), endpoint_template("ml.made-up.xlarge"))
    assert found[2] == (None, None, None)
