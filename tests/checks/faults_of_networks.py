"""Faults of the network that an endpoint is given."""

from tests.checks.builders import config, get_att, resource, template, variant
from tests.checks.fault_collection import fault

SERVED = config(variant(ModelName=get_att("Model", "ModelName")))
MESSAGE = (
    "there is 1 subnet, and an endpoint needs two in different availability zones, even with one instance"
)
INSTEAD = "give subnets in at least 2 availability zones"

for words, subnet in (
    ("a subnet", "subnet-1"),
    ("the first subnet", {"Fn::Select": [0, {"Ref": "Subnets"}]}),
):
    fault(
        f"a model in {words} only",
        template(Config=SERVED, Model=resource("SageMaker::Model", VpcConfig={"Subnets": [subnet]})),
        "endpoint-subnets",
        "Model",
        "VpcConfig.Subnets",
        MESSAGE,
        INSTEAD,
    )
fault(
    "a model in one subnet, the other taken away",
    template(
        Config=SERVED,
        Model=resource("SageMaker::Model", VpcConfig={"Subnets": ["subnet-1", {"Ref": "AWS::NoValue"}]}),
    ),
    "endpoint-subnets",
    "Model",
    "VpcConfig.Subnets",
    MESSAGE,
    INSTEAD,
)
fault(
    "inference components in one subnet",
    template(Config=config(VpcConfig={"Subnets": ["subnet-1"]})),
    "endpoint-subnets",
    "Config",
    "VpcConfig.Subnets",
    MESSAGE,
    INSTEAD,
)
