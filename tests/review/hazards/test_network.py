from typing import Any

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.model import Hazard
from tests.review.builders import assembly, resource, stack, template
from tests.review.hazards.apps import change, hazards_of

SUBNET = resource("AWS::EC2::Subnet", {"CidrBlock": "10.0.0.0/24"})


def environment(model: dict[str, Any], *subnets: str) -> EnvironmentPair:
    workload = stack(template(Model=resource("AWS::SageMaker::Model", model)), "bert")
    base = stack(template(A=SUBNET, B=SUBNET), "net")
    head = stack(template(**dict.fromkeys(subnets, SUBNET)), "net")
    return EnvironmentPair("dev", assembly(base, workload), assembly(head, workload))


def removed(logical_id: str) -> Any:
    return change(logical_id, "AWS::EC2::Subnet", "removed", stack="net")


def test_a_subnet_cannot_go_while_endpoints_stand_in_it() -> None:
    found = hazards_of(environment({"VpcConfig": {"Subnets": ["${Subnets}"]}}, "A"), removed("B"))
    assert found == (
        Hazard(
            rule="network-in-use",
            severity="warning",
            environment="dev",
            stack="net",
            logical_id="B",
            subject="network of stack net",
            cause="1 subnet, security group or VPC removed or replaced: B",
            consequence=(
                "Until each endpoint that runs there has been updated, SageMaker's network interfaces hold the old "
                "ones: CloudFormation cannot delete them, gives up, and leaves them outside of any stack."
            ),
            what_to_do="Deploy all workloads right after this stack, then delete what it left behind.",
        ),
    )


def test_two_are_told_together() -> None:
    (found,) = hazards_of(environment({"VpcConfig": {}}), removed("A"), removed("B"))
    assert (found.logical_id, found.cause) == (
        None,
        "2 subnets, security groups or VPCs removed or replaced: A and B",
    )


def test_without_models_in_the_network_nothing_holds_it() -> None:
    assert hazards_of(environment({}, "A"), removed("B")) == ()


def test_what_stays_is_no_hazard() -> None:
    update = change("A", "AWS::EC2::Subnet", "changed", stack="net")
    assert hazards_of(environment({"VpcConfig": {}}, "A", "B"), update) == ()
