"""What AWS bills for what all workloads of a place share."""

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.planning.bill_items import (
    BY_USE_OF_LOG_GROUP,
    BY_USE_OF_TOPIC,
    alarm_item,
    bill_line,
    priced_item,
)
from sizewell.planning.bill_plan import BillItem, BillLine
from sizewell.planning.foundation_plan_model import FoundationPlan, NewNetworkPlan

_BY_USE_OF_KEYS = ("KMS requests",)
_BY_USE_OF_BUCKETS = ("S3 GET requests", "S3 PUT and LIST requests", "S3 storage")
_BY_USE_OF_QUEUE = ("SQS requests",)
_BY_USE_OF_NEW_NETWORK = (
    *BY_USE_OF_LOG_GROUP,
    "CloudWatch flow logs",
    "Lambda duration, arm64",
    "Lambda requests",
)
_BY_USE_OF_INTERFACE_ENDPOINTS = ("VPC data through VPC interface endpoints",)


def foundation_line(foundation: FoundationPlan) -> BillLine:
    """Return what all workloads share, as far as it is made: the interface endpoints of a VPC of our own, and keys."""
    network, existing, region = foundation.network, foundation.existing, foundation.region
    items: list[BillItem] = []
    paid_by_use: tuple[str, ...] = _BY_USE_OF_QUEUE
    if key_count := (existing.data_key_arn, existing.operations_key_arn).count(None):
        items.append(priced_item(region, "KMS", "customer-managed key", "key", key_count, is_fixed=True))
        paid_by_use += _BY_USE_OF_KEYS
    if None in (existing.artifact_bucket_name, existing.checkpoint_bucket_name):
        paid_by_use += _BY_USE_OF_BUCKETS
    if foundation.dashboard_name is not None:
        items.append(priced_item(region, "CloudWatch", "dashboard", "dashboard", 1, is_fixed=True))
    # That messages of failed endpoints are lost.
    items.append(alarm_item(region, "alarm", 1))
    if existing.alarm_topic_arn is None:
        paid_by_use += BY_USE_OF_TOPIC
    if isinstance(network, NewNetworkPlan):
        paid_by_use += _BY_USE_OF_NEW_NETWORK
        zones, services = network.availability_zones, len(network.interface_endpoints)
        if services:
            paid_by_use += _BY_USE_OF_INTERFACE_ENDPOINTS
            name = f"VPC interface endpoint x {zones} zone{'' if zones == 1 else 's'}"
            hours = services * zones * HOURS_PER_MONTH
            items.insert(0, priced_item(region, "VPC", name, "interface_endpoint_hour", hours, is_fixed=True))
    return bill_line(foundation.name, items, paid_by_use)
