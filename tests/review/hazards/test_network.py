from typing import Any

from sizewell.review.comparison import EnvironmentPair
from tests.review.builders import assembly, resource, stack, template
from tests.review.hazards.apps import described, hazards_of, text

SUBNET = resource("AWS::EC2::Subnet", {"CidrBlock": "10.0.0.0/24"})


def environment(model: dict[str, Any], **subnets: dict[str, Any]) -> EnvironmentPair:
    """A network of the subnets A and B, which becomes one of those that are given."""
    workload = stack(template(Model=resource("AWS::SageMaker::Model", model)), "bert")
    base, head = (stack(template(**given), "net") for given in ({"A": SUBNET, "B": SUBNET}, subnets))
    return EnvironmentPair("dev", assembly(base, workload), assembly(head, workload))


def test_a_subnet_cannot_go_while_endpoints_stand_in_it() -> None:
    found = hazards_of(environment({"VpcConfig": {"Subnets": ["${Subnets}"]}}, A=SUBNET))
    assert described(found) == text("""
        warning network-in-use, dev/net/B: network of stack net
        1 subnet, security group or VPC removed or replaced: B
        SageMaker's network interfaces use the old ones until each endpoint that runs there is updated.
            CloudFormation cannot delete them, gives up, and leaves them outside of any stack.
        Deploy all workloads right after this stack, then delete what it left behind.
        """)


def test_two_are_told_together() -> None:
    (found,) = hazards_of(environment({"VpcConfig": {}}))
    assert (found.logical_id, found.cause) == (
        None,
        "2 subnets, security groups or VPCs removed or replaced: A and B",
    )


def test_without_models_in_the_network_nothing_holds_it() -> None:
    assert hazards_of(environment({}, A=SUBNET)) == ()


def test_what_stays_is_no_hazard() -> None:
    updated = resource("AWS::EC2::Subnet", {**SUBNET["Properties"], "MapPublicIpOnLaunch": True})
    assert hazards_of(environment({"VpcConfig": {}}, A=updated, B=SUBNET)) == ()


def test_what_does_not_run_yet_holds_no_network() -> None:
    model = stack(template(Model=resource("AWS::SageMaker::Model", {"VpcConfig": {}})), "bert")
    base, head = (stack(template(**given), "net") for given in ({"A": SUBNET, "B": SUBNET}, {"A": SUBNET}))
    assert hazards_of(EnvironmentPair("dev", assembly(base), assembly(head, model))) == ()


def test_a_security_group_of_interface_endpoints_alone_holds_nothing_of_sagemaker() -> None:
    def network(**outputs: dict[str, Any]) -> EnvironmentPair:
        group = resource("AWS::EC2::SecurityGroup")
        interface = resource(
            "AWS::EC2::VPCEndpoint", {"SecurityGroupIds": [{"Fn::GetAtt": ["Group", "GroupId"]}]}
        )
        workload = stack(template(Model=resource("AWS::SageMaker::Model", {"VpcConfig": {}})), "bert")
        base = stack({**template(Group=group, Interface=interface), "Outputs": outputs}, "net")
        return EnvironmentPair(
            "dev", assembly(base, workload), assembly(stack(template(A=SUBNET), "net"), workload)
        )

    assert hazards_of(network(), theme="network") == ()
    (found,) = hazards_of(network(Group={"Value": {"Fn::GetAtt": ["Group", "GroupId"]}}), theme="network")
    assert found.rule == "network-in-use"
