"""The stack that all workloads of an environment share."""

from typing import Any

from aws_cdk import RemovalPolicy, Stack
from constructs import Construct

from constructs_lib.buckets import Buckets, BucketsProps
from constructs_lib.encryption_keys import EncryptionKeys, EncryptionKeysProps
from constructs_lib.foundation_parameters import FoundationParameters, FoundationParametersProps
from constructs_lib.network import ExistingNetwork, ExistingNetworkProps, Network, NetworkProps
from constructs_lib.references import FoundationReferences
from constructs_lib.scaling_handover import ScalingHandover, ScalingHandoverProps
from constructs_lib.topics import Topics, TopicsProps
from sizewell.planning.plan import ExistingNetworkPlan, FoundationPlan
from sizewell.stacks.removal import removal_policy


class FoundationStack(Stack):
    """Keys, network, buckets, alarm topic and scaling function, and their identifiers for workload stacks."""

    keys: EncryptionKeys
    network: Network | ExistingNetwork
    buckets: Buckets
    topics: Topics
    scaling_handover: ScalingHandover

    def __init__(self, scope: Construct, construct_id: str, *, plan: FoundationPlan, **kwargs: Any) -> None:
        super().__init__(scope, construct_id, **kwargs)
        removal = removal_policy(plan)
        self.keys = EncryptionKeys(
            self,
            "Keys",
            props=EncryptionKeysProps(alias_prefix=plan.key_alias_prefix, removal_policy=removal),
        )
        self.network = self._network(plan, self.keys.operations_key_arn, removal)
        self.buckets = Buckets(
            self,
            "Buckets",
            props=BucketsProps(
                artifact_bucket_name=plan.artifact_bucket_name,
                checkpoint_bucket_name=plan.checkpoint_bucket_name,
                access_log_bucket_name=plan.access_log_bucket_name,
                data_key_arn=self.keys.data_key_arn,
                checkpoint_expiry_days=plan.checkpoint_expiry_days,
                noncurrent_version_expiry_days=plan.noncurrent_version_expiry_days,
                removal_policy=removal,
            ),
        )
        self.topics = Topics(
            self,
            "Topics",
            props=TopicsProps(
                alarm_topic_name=plan.alarm_topic_name,
                operations_key_arn=self.keys.operations_key_arn,
                email_addresses=plan.alarm_emails,
            ),
        )
        self.scaling_handover = ScalingHandover(
            self,
            "ScalingHandover",
            props=ScalingHandoverProps(
                name_prefix=plan.name_prefix,
                operations_key_arn=self.keys.operations_key_arn,
                alarm_topic_arn=self.topics.alarm_topic_arn,
                log_retention_days=plan.log_retention_days,
                removal_policy=removal,
            ),
        )
        FoundationParameters(
            self,
            "Parameters",
            props=FoundationParametersProps(
                parameter_prefix=plan.parameter_prefix,
                references=FoundationReferences(
                    subnet_ids=self.network.subnet_ids,
                    endpoint_security_group_id=self.network.endpoint_security_group.attr_group_id,
                    training_security_group_id=self.network.training_security_group.attr_group_id,
                    data_key_arn=self.keys.data_key_arn,
                    operations_key_arn=self.keys.operations_key_arn,
                    artifact_bucket_name=plan.artifact_bucket_name,
                    checkpoint_bucket_name=plan.checkpoint_bucket_name,
                    alarm_topic_arn=self.topics.alarm_topic_arn,
                    scaling_handover_function_arn=self.scaling_handover.function_arn,
                ),
            ),
        )

    def _network(
        self, plan: FoundationPlan, operations_key_arn: str, removal: RemovalPolicy
    ) -> Network | ExistingNetwork:
        if isinstance(plan.network, ExistingNetworkPlan):
            return ExistingNetwork(
                self,
                "Network",
                props=ExistingNetworkProps(vpc_id=plan.network.vpc_id, subnet_ids=plan.network.subnet_ids),
            )
        return Network(
            self,
            "Network",
            props=NetworkProps(
                cidr=plan.network.cidr,
                availability_zone_count=plan.network.availability_zones,
                operations_key_arn=operations_key_arn,
                log_retention_days=plan.log_retention_days,
                removal_policy=removal,
                interface_endpoint_services=plan.network.interface_endpoints,
            ),
        )
