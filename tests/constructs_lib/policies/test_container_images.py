import pytest
from aws_cdk import App, Environment, Stack

from constructs_lib.policies.container_images import image_repository_arn

pytestmark = pytest.mark.cdk


@pytest.mark.parametrize("version", ["", ":1.0-gpu", "@sha256:" + "0" * 64])
def test_the_repository_of_an_image_is_in_its_address(stack: Stack, version: str) -> None:
    uri = f"763104351884.dkr.ecr.us-west-2.amazonaws.com/team/pytorch-inference{version}"
    expected = "arn:aws:ecr:us-west-2:763104351884:repository/team/pytorch-inference"
    assert image_repository_arn(stack, uri) == expected


def test_an_image_in_china_has_its_own_partition(app: App) -> None:
    stack = Stack(app, "China", env=Environment(account="111122223333", region="cn-north-1"))
    uri = "727897471807.dkr.ecr.cn-north-1.amazonaws.com.cn/pytorch-inference:2"
    expected = "arn:aws-cn:ecr:cn-north-1:727897471807:repository/pytorch-inference"
    assert image_repository_arn(stack, uri) == expected


@pytest.mark.parametrize("uri", ["pytorch:2", "docker.io/library/python:3", "${Token[TOKEN.1]}"])
def test_another_address_needs_the_arn_beside_it(stack: Stack, uri: str) -> None:
    with pytest.raises(ValueError, match="image_repository_arn must be given beside it"):
        image_repository_arn(stack, uri)
