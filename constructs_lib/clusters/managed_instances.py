"""A capacity provider of ECS Managed Instances for one workload, with the roles that it needs.

https://docs.aws.amazon.com/AmazonECS/latest/developerguide/managed-instances-capacity-providers-concept.html. No association with
the cluster: the provider names its cluster, and the list of associations would replace that of whoever made the cluster
(https://github.com/aws/aws-cdk/pull/35783).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from aws_cdk import Stack, Token
from aws_cdk import aws_ecs as ecs
from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.policies.acknowledgements import acknowledge
from constructs_lib.policies.statements import allow, policy_document, service_trust

#: https://docs.aws.amazon.com/AmazonECS/latest/developerguide/infrastructure_IAM_role.html
_INFRASTRUCTURE_POLICY = "AmazonECSInfrastructureRolePolicyForManagedInstances"
#: https://docs.aws.amazon.com/AmazonECS/latest/developerguide/managed-instances-instance-profile.html
_INSTANCE_POLICY = "AmazonECSInstanceRolePolicyForManagedInstances"
#: The price of a type with an accelerator is far above that of any without: a limit would leave it out, and the list of types
#: is the limit here (API reference: InstanceRequirementsRequest, onDemandMaxPricePercentageOverLowestPrice).
_NO_PRICE_LIMIT = 999_999
_MANUFACTURERS = {"cuda": "nvidia", "neuron": "amazon-web-services"}


@dataclass(frozen=True, kw_only=True)
class ManagedInstancesProps:
    """The cluster, the types that may be launched, and the least that each of them has.

    ``volume_size_gib`` is of the volume of images and models. ``accelerator`` is None for types without one.
    """

    cluster_name: str
    instance_types: Sequence[str]
    vcpus: int
    memory_mib: int
    accelerator: Literal["cuda", "neuron"] | None
    volume_size_gib: int
    foundation: FoundationReferences


class ManagedInstances(Construct):
    """What launches the instances of one workload, and nobody else's."""

    provider: ecs.CfnCapacityProvider

    def __init__(self, scope: Construct, construct_id: str, *, props: ManagedInstancesProps) -> None:
        super().__init__(scope, construct_id)
        instance_role = _role(self, "InstanceRole", "ec2.amazonaws.com", _INSTANCE_POLICY)
        profile = iam.CfnInstanceProfile(self, "InstanceProfile", roles=[instance_role.ref])
        # The managed policy of AWS passes roles alone whose names begin with ecsInstanceRole.
        pass_role = iam.CfnManagedPolicy(
            self,
            "PassInstanceRole",
            policy_document=policy_document(
                [
                    allow(
                        ("iam:PassRole",),
                        instance_role.attr_arn,
                        {"StringEquals": {"iam:PassedToService": {"Fn::Sub": "ec2.${AWS::URLSuffix}"}}},
                    )
                ]
            ),
        )
        infrastructure_role = _role(
            self, "InfrastructureRole", "ecs.amazonaws.com", _INFRASTRUCTURE_POLICY, pass_role
        )
        properties = ecs.CfnCapacityProvider
        self.provider = ecs.CfnCapacityProvider(
            self,
            "CapacityProvider",
            cluster_name=props.cluster_name,
            managed_instances_provider=properties.ManagedInstancesProviderProperty(
                infrastructure_role_arn=infrastructure_role.attr_arn,
                propagate_tags="CAPACITY_PROVIDER",
                instance_launch_template=properties.InstanceLaunchTemplateProperty(
                    ec2_instance_profile_arn=profile.attr_arn,
                    # Instance metadata refuses keys of tags with a slash, and the instance would not start.
                    instance_metadata_tags_propagation=False,
                    network_configuration=properties.ManagedInstancesNetworkConfigurationProperty(
                        subnets=props.foundation.subnet_ids,
                        security_groups=[props.foundation.endpoint_security_group_id],
                    ),
                    storage_configuration=properties.ManagedInstancesStorageConfigurationProperty(
                        storage_size_gib=props.volume_size_gib
                    ),
                    instance_requirements=_requirements(props),
                ),
            ),
        )


def _requirements(
    props: ManagedInstancesProps,
) -> ecs.CfnCapacityProvider.InstanceRequirementsRequestProperty:
    properties = ecs.CfnCapacityProvider
    accelerator = props.accelerator
    return properties.InstanceRequirementsRequestProperty(
        allowed_instance_types=list(props.instance_types),
        v_cpu_count=properties.VCpuCountRangeRequestProperty(min=props.vcpus),
        memory_mib=properties.MemoryMiBRequestProperty(min=props.memory_mib),
        burstable_performance="included",
        on_demand_max_price_percentage_over_lowest_price=_NO_PRICE_LIMIT,
        accelerator_manufacturers=[_MANUFACTURERS[accelerator]] if accelerator else None,
        # Which of the types the accelerators of AWS are, no page says.
        accelerator_types=["gpu"] if accelerator == "cuda" else None,
    )


def _role(
    scope: Construct, construct_id: str, service: str, policy_name: str, *policies: iam.CfnManagedPolicy
) -> iam.CfnRole:
    partition = Stack.of(scope).partition
    role = iam.CfnRole(
        scope,
        construct_id,
        assume_role_policy_document=service_trust(service),
        managed_policy_arns=[
            f"arn:{partition}:iam::aws:policy/{policy_name}",
            *(policy.ref for policy in policies),
        ],
    )
    partition_of_finding = "<AWS::Partition>" if Token.is_unresolved(partition) else partition
    acknowledge(
        role,
        f"AwsSolutions-IAM4[Policy::arn:{partition_of_finding}:iam::aws:policy/{policy_name}]",
        "AWS keeps the policy in step with what ECS Managed Instances does, and ECS alone assumes the role, or its agent.",
    )
    return role
