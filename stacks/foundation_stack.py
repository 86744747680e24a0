"""The stack that all workloads of an environment share."""

from typing import Any

from aws_cdk import Stack
from constructs import Construct

from constructs_lib.foundation.existing import ExistingResources
from constructs_lib.foundation.foundation import FoundationParts, FoundationProps, add_foundation
from constructs_lib.foundation.foundation_parameters import read_foundation_references
from constructs_lib.foundation.network import ExistingNetworkProps, NewNetworkProps
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.foundation.security_groups import MountedGroup
from sizewell.planning.foundation_plan_model import ExistingNetworkPlan, FoundationPlan
from sizewell.stacks.removal import removal_policy


class FoundationStack(Stack):
    """Keys, network, buckets and alarm topic, and their identifiers for workload stacks."""

    parts: FoundationParts
    """Its constructs: keys, network, buckets and topics."""

    def __init__(self, scope: Construct, construct_id: str, *, plan: FoundationPlan, **kwargs: Any) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.parts = add_foundation(
            self,
            FoundationProps(
                name_prefix=plan.name_prefix,
                network=_network(plan),
                alarm_email_addresses=plan.alarm_emails,
                checkpoint_expiry_days=plan.checkpoint_expiry_days,
                noncurrent_version_expiry_days=plan.noncurrent_version_expiry_days,
                inference_data_expiry_days=plan.inference_data_expiry_days,
                artifact_events=plan.artifact_events,
                log_retention_days=plan.log_retention_days,
                removal_policy=removal_policy(plan),
                artifact_bucket_name=plan.artifact_bucket_name,
                checkpoint_bucket_name=plan.checkpoint_bucket_name,
                access_log_bucket_name=plan.access_log_bucket_name,
                alarm_topic_name=plan.alarm_topic_name,
                key_alias_prefix=plan.key_alias_prefix,
                parameter_prefix=plan.parameter_prefix,
                mlflow_app_name=plan.mlflow_app_name,
                endpoint_name_wildcard=plan.name_wildcards.workload,
                existing=ExistingResources(**plan.existing.model_dump()),
            ),
        )
        self._plan = plan

    def read_references(self, scope: Construct) -> FoundationReferences:
        """Return what this stack publishes, read anew at every deployment of the stack of ``scope``; call it once there."""
        return read_foundation_references(Stack.of(scope), self._plan.parameter_prefix)


def _network(plan: FoundationPlan) -> NewNetworkProps | ExistingNetworkProps:
    network = plan.network
    if isinstance(network, ExistingNetworkPlan):
        return ExistingNetworkProps(
            vpc_id=network.vpc_id,
            subnet_ids=network.subnet_ids,
            proxy_port=network.proxy_port,
            mounted_groups=tuple(MountedGroup(**dict(one)) for one in network.mounted_groups),
        )
    return NewNetworkProps(
        cidr=network.cidr,
        availability_zone_count=network.availability_zones,
        availability_zone_ids=network.availability_zone_ids,
        interface_endpoint_services=tuple(one.service for one in network.interface_endpoints),
        proxy_port=network.proxy_port,
        readable_bucket_names=network.readable_bucket_names,
        s3_prefix_list_id=network.s3_prefix_list_id,
    )
