"""A managed node group of Amazon EKS for the pods of one workload, in a cluster that exists.

https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html. The Cluster Autoscaler finds it by tags that EKS sets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from aws_cdk import Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_eks as eks
from constructs import Construct

from constructs_lib.clusters.launch_template import launch_template


@dataclass(frozen=True, kw_only=True)
class NodeGroupProps:
    """The nodes, and between which numbers the Cluster Autoscaler scales them.

    ``name`` must be another one whenever anything is but the release and the numbers: see ``NodeGroup``. ``node_role`` is the
    name of a role that exists, without a path. ``taint`` is the key of what keeps other pods away. ``group_tags`` are read of the
    group itself; instances and volumes have ``instance_tags``.
    """

    name: str
    cluster_name: str
    version: str
    release_version: str
    ami_type: str
    node_role: str
    subnet_ids: Sequence[str]
    instance_types: Sequence[str]
    capacity_type: Literal["SPOT", "ON_DEMAND"]
    volume_size_gib: int
    labels: Mapping[str, str]
    taint: str
    group_tags: Mapping[str, str]
    instance_tags: Mapping[str, str]
    min_nodes: int
    desired_nodes: int
    max_nodes: int
    update_strategy: Literal["DEFAULT", "MINIMAL"]


class NodeGroup(Construct):
    """The launch template and its group.

    EKS refuses to update the launch template, the release or the tags of a group together, and never takes other types. So all
    but the release and the numbers of nodes is told by the name, and a change replaces the group.
    """

    group: eks.CfnNodegroup

    def __init__(self, scope: Construct, construct_id: str, *, props: NodeGroupProps) -> None:
        super().__init__(scope, construct_id)
        stack, properties = Stack.of(self), eks.CfnNodegroup
        tags = [{"key": key, "value": value} for key, value in props.instance_tags.items()]
        # Without security groups: EKS takes that of the cluster
        # (https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html).
        template = launch_template(
            self,
            volume_size_gib=props.volume_size_gib,
            tag_specifications=[
                ec2.CfnLaunchTemplate.TagSpecificationProperty(resource_type=resource_type, tags=tags)
                for resource_type in ("instance", "volume")
            ],
        )
        self.group = eks.CfnNodegroup(
            self,
            "NodeGroup",
            nodegroup_name=props.name,
            cluster_name=props.cluster_name,
            # EKS takes a release of the version of the group alone.
            version=props.version,
            release_version=props.release_version,
            ami_type=props.ami_type,
            node_role=f"arn:{stack.partition}:iam::{stack.account}:role/{props.node_role}",
            subnets=list(props.subnet_ids),
            # On demand, the first one that has capacity is launched
            # (https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html#managed-node-group-capacity-types).
            instance_types=list(props.instance_types),
            capacity_type=props.capacity_type,
            launch_template=properties.LaunchTemplateSpecificationProperty(
                id=template.ref, version=template.attr_latest_version_number
            ),
            labels=dict(props.labels),
            taints=[properties.TaintProperty(key=props.taint, value="true", effect="NO_SCHEDULE")],
            # All or none of these, when it is created (API reference: NodegroupScalingConfig).
            scaling_config=properties.ScalingConfigProperty(
                min_size=props.min_nodes, desired_size=props.desired_nodes, max_size=props.max_nodes
            ),
            update_config=properties.UpdateConfigProperty(
                max_unavailable=1, update_strategy=props.update_strategy
            ),
            tags=dict(props.group_tags),
        )
