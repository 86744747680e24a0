"""The launch template of instances with one volume, of system, images and data."""

from typing import Any

from aws_cdk import aws_ec2 as ec2
from constructs import Construct

#: The root device of the machine images of AWS for containers on Amazon Linux 2023.
_ROOT_DEVICE = "/dev/xvda"


def launch_template(scope: Construct, *, volume_size_gib: int, **data: Any) -> ec2.CfnLaunchTemplate:
    """Add the launch template, with what else is in its ``data``. Containers reach no role of the instance."""
    properties = ec2.CfnLaunchTemplate
    return ec2.CfnLaunchTemplate(
        scope,
        "LaunchTemplate",
        launch_template_data=properties.LaunchTemplateDataProperty(
            block_device_mappings=[
                properties.BlockDeviceMappingProperty(
                    device_name=_ROOT_DEVICE,
                    ebs=properties.EbsProperty(
                        # With the key of the account for EBS: EC2 Auto Scaling, which launches the instances, can use no other
                        # one unless the policy of that key names its role.
                        # https://docs.aws.amazon.com/autoscaling/ec2/userguide/key-policy-requirements-EBS-encryption.html
                        encrypted=True,
                        volume_type="gp3",
                        volume_size=volume_size_gib,
                        delete_on_termination=True,
                    ),
                )
            ],
            metadata_options=properties.MetadataOptionsProperty(
                http_tokens="required", http_put_response_hop_limit=1
            ),
            **data,
        ),
    )
