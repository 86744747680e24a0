"""Faults of names and instance types."""

from tests.checks.builders import config, resource, template, variant
from tests.checks.fault_collection import fault

fault(
    "hosting on a type that is not offered",
    template(Config=config(variant(InstanceType="ml.p3.2xlarge"))),
    "instance-offered",
    "Config",
    "ProductionVariants.0.InstanceType",
    "ml.p3.2xlarge is not offered for hosting in eu-north-1",
    "choose another type or another region",
)
fault(
    "a pool on a type that is not offered",
    template(
        Config=config(
            {
                "VariantName": "v",
                "InstancePools": [{"InstanceType": "ml.g5.xlarge"}, {"InstanceType": "ml.g6.xlarge"}],
            }
        )
    ),
    "instance-offered",
    "Config",
    "ProductionVariants.0.InstancePools.1.InstanceType",
    "ml.g6.xlarge is not offered for hosting in eu-north-1",
    "choose another type or another region",
)
for kind, key, value, shown in (
    ("EndpointConfig", "EndpointConfigName", "demo", "demo"),
    ("Model", "ModelName", {"Fn::Sub": "${AWS::StackName}-model"}, "${AWS::StackName}-model"),
):
    fault(
        f"a named {kind}",
        template(Named=resource(f"SageMaker::{kind}", **{key: value})),
        "fixed-name",
        "Named",
        key,
        f"{key} is {shown}: the next change fails, because the name is still taken",
        f"remove {key}, and CloudFormation makes a new name for each replacement",
    )
