"""What follows from the name of a region: its partition, its domain, its zones, the addresses of images in it."""

from collections.abc import Mapping
from types import MappingProxyType

#: Zones of regions that have more than three; every other region has three
#: (https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-availability-zones.html, read 2026-11-22).
_MANY_ZONES = {"us-east-1": 6, "us-west-2": 4, "ap-northeast-1": 4, "ap-northeast-2": 4, "eu-west-2": 4}
_ZONES = 3
MAX_AVAILABILITY_ZONES = max(_MANY_ZONES.values())
#: Zones where AWS offers fewer instance types and services than in the others of their region: EKS, MSK and EFS One Zone leave
#: use1-az3 out (https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html,
#: https://docs.aws.amazon.com/msk/1.0/apireference/clusters.html), and EC2 refuses even t3, m5 and r5 there
#: (https://github.com/magenx/Magento-2-aws-cluster-terraform/issues/16, read 2026-11-24).
_SCARCE_ZONES = {"us-east-1": "use1-az3"}
#: How zone ids abbreviate the words of a region: use1-az1 is in us-east-1, apne2-az3 in ap-northeast-2 (same page).
_ABBREVIATIONS: Mapping[str, str] = MappingProxyType(
    {
        "central": "c",
        "east": "e",
        "gov": "g",
        "north": "n",
        "northeast": "ne",
        "northwest": "nw",
        "south": "s",
        "southeast": "se",
        "west": "w",
    }
)


def partition_of(region: str) -> str:
    """Return the AWS partition of a region."""
    if region.startswith("cn-"):
        return "aws-cn"
    return "aws-us-gov" if region.startswith("us-gov-") else "aws"


def url_suffix_of(region: str) -> str:
    """Return the domain of AWS in a region: what ``AWS::URLSuffix`` stands for."""
    return "amazonaws.com.cn" if partition_of(region) == "aws-cn" else "amazonaws.com"


def zones_of(region: str) -> int:
    """Return how many availability zones a region has; an account may see fewer."""
    return _MANY_ZONES.get(region, _ZONES)


def zone_id_prefix(region: str) -> str | None:
    """Return what the zone ids of a region begin with: ``use1-az`` of us-east-1; None where a word of its name is new."""
    country, *words, number = region.split("-")
    if not all(word in _ABBREVIATIONS for word in words):
        return None
    return f"{country}{''.join(_ABBREVIATIONS[word] for word in words)}{number}-az"


def scarce_zone(region: str) -> str | None:
    """Return the zone of a region that lacks many instance types; None where none is known."""
    return _SCARCE_ZONES.get(region)


def image_uri(account: str, region: str, repository: str, tag: str) -> str:
    """Return the address of an image in Amazon ECR."""
    return f"{account}.dkr.ecr.{region}.{url_suffix_of(region)}/{repository}:{tag}"
