"""The Elastic Fabric Adapters of a node, by which the hosts of a training exchange what each has computed."""

from sizewell.instance_selection.catalog import InstanceType

#: As its device plugin calls it. Karpenter and EKS Auto Mode attach as many to an instance as its pods ask for:
#: https://docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html
EFA = "vpc.amazonaws.com/efa"
#: Types with several (aws/karpenter-provider-aws, website/content/en/docs/reference/instance-types.md @0c5e7d8112409aff, read
#: 2026-11-28).
_SEVERAL = {
    "g6e.24xlarge": 2,
    "g6e.48xlarge": 4,
    "p4d.24xlarge": 4,
    "p4de.24xlarge": 4,
    "p5.48xlarge": 32,
    "p5e.48xlarge": 32,
    "p5en.48xlarge": 16,
    "p6-b200.48xlarge": 8,
    "trn1.32xlarge": 8,
    "trn1n.32xlarge": 16,
    "trn2.48xlarge": 16,
}
#: Of the types with one, none in that table has more.
_GBPS_OF_ONE = 100


def efa_interfaces(instance_type: InstanceType) -> int:
    """Return how many adapters a type of EC2 has; 0 without any, or where nobody says how many make its network."""
    if not instance_type.efa_supported:
        return 0
    is_one = (instance_type.network_baseline_gbps or 0) <= _GBPS_OF_ONE
    return _SEVERAL.get(instance_type.name, int(is_one))


def efa_of(instance_type: InstanceType) -> dict[str, int]:
    """Return what a pod asks for to have all adapters, by the name of the resource."""
    count = efa_interfaces(instance_type)
    return {EFA: count} if count else {}
