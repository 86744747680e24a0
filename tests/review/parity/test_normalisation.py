"""What two environments always differ in is taken out, and nothing else."""

import pytest

from sizewell.review.parity.normalisation import EnvironmentNormaliser, StackNormaliser
from tests.review.builders import ACCOUNT, assembly, resource, stack, template


def normaliser() -> StackNormaliser:
    one = stack(
        template(
            Vpc=resource("AWS::EC2::VPC", {"CidrBlock": "10.40.0.0/16"}),
            Subnet1=resource("AWS::EC2::Subnet"),
            Subnet2=resource("AWS::EC2::Subnet"),
            Topic1=resource("AWS::SNS::Topic"),
        )
    )
    return StackNormaliser(EnvironmentNormaliser(assembly(one, environment="dev")), one)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("demo-dev-bert", "demo-<environment>-bert"),
        ("DEV", "<environment>"),
        ("device", "device"),
        (f"arn:aws:iam::{ACCOUNT}:role/x", "arn:aws:iam::<account>:role/x"),
        ("arn:aws:iam::999999999999:role/x", "arn:aws:iam::999999999999:role/x"),
        ("us-east-1", "<region>"),
        ("us-east-1a", "<region>"),
        ("us-east-2", "us-east-2"),
        ("763104351884.dkr.ecr.us-west-2.amazonaws.com/image:1", "<registry>/image:1"),
        ("subnet-0a1b2c3d4e5f60718", "<subnet>"),
        ("subnet-blue", "subnet-blue"),
        ("10.40.0.0/16", "<network>"),
        ("0.0.0.0/0", "0.0.0.0/0"),
        ("${Subnet1},${Subnet2}", "${Subnet#}"),
        ("${Subnet2.Arn}", "${Subnet#.Arn}"),
        ("${Topic1}", "${Topic1}"),
        ("none of ml.g5.xlarge, ml.g6.xlarge", "none of <instance type>, <instance type>"),
        ("ml.g5.xlarge", "ml.g5.xlarge"),
    ],
)
def test_a_text(text: str, expected: str) -> None:
    assert normaliser().normalise(text) == expected
