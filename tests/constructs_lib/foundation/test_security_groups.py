"""What training jobs may talk to: each other, on every protocol, and the file systems that they mount."""

from typing import Any

import pytest
from aws_cdk import Stack

from constructs_lib.foundation.existing import ExistingResources
from constructs_lib.foundation.security_groups import MountedGroup, WorkloadSecurityGroups
from tests.constructs_lib.resources import Resources

pytestmark = pytest.mark.cdk

FILES = "sg-0123456789abcdef0"
LUSTRE = MountedGroup(type="FSxLustre", security_group_id=FILES)
EFS = MountedGroup(type="EFS", security_group_id=FILES)


def rules(
    stack: Stack, resources: Resources, *mounted: MountedGroup, existing: str | None = None
) -> set[tuple[str, str, str, Any, Any]]:
    """Return the direction, the group, the other group and the ports of each rule that stands alone."""
    groups = WorkloadSecurityGroups(
        stack,
        "Groups",
        vpc_id="vpc-1",
        existing=ExistingResources(training_security_group_id=existing),
        mounted_groups=mounted,
    )
    name = {str(stack.resolve(groups.training_security_group_id)): "training", FILES: "files"}
    return {
        (
            direction,
            name[str(rule["GroupId"])],
            name[str(rule[f"{other}SecurityGroupId"])],
            rule["IpProtocol"],
            (rule.get("FromPort"), rule.get("ToPort")),
        )
        for direction, other in (("Ingress", "Source"), ("Egress", "Destination"))
        for rule in resources(f"AWS::EC2::SecurityGroup{direction}").values()
    }


#: EFA is admitted by nothing less than all protocols, both ways.
AMONG_NODES = {
    ("Ingress", "training", "training", "-1", (None, None)),
    ("Egress", "training", "training", "-1", (None, None)),
}


def test_the_instances_of_a_job_admit_each_other_both_ways(stack: Stack, resources: Resources) -> None:
    assert rules(stack, resources) == AMONG_NODES


def test_training_reaches_efs_and_nothing_calls_back(stack: Stack, resources: Resources) -> None:
    assert rules(stack, resources, EFS) == AMONG_NODES | {
        ("Egress", "training", "files", "tcp", (2049, 2049)),
        ("Ingress", "files", "training", "tcp", (2049, 2049)),
    }


def test_training_and_lustre_reach_each_other(stack: Stack, resources: Resources) -> None:
    assert rules(stack, resources, LUSTRE) == AMONG_NODES | {
        rule
        for ports in ((988, 988), (1018, 1023))
        for source, target in (("training", "files"), ("files", "training"))
        for rule in (("Egress", source, target, "tcp", ports), ("Ingress", target, source, "tcp", ports))
    }


def test_a_group_of_training_that_exists_is_left_alone(stack: Stack, resources: Resources) -> None:
    assert rules(stack, resources, LUSTRE, EFS, existing="sg-0000000000000000f") == set()
