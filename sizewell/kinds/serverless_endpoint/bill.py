"""What AWS bills for a serverless endpoint."""

from sizewell.facts.billing import SECONDS_PER_MONTH
from sizewell.facts.scaling import ALARMS_OF_TARGET_TRACKING
from sizewell.kinds.serverless_endpoint.plan_model import ServerlessEndpointPlan
from sizewell.planning.bill_items import BY_USE_OF_LOG_GROUP, SAGEMAKER, alarm_item, bill_line, priced_item
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.endpoint_bill import (
    alarm_items,
    alarm_metrics,
    api_request_items,
    composite_alarm_items,
)
from sizewell.planning.kind import BillKind


def serverless_line(endpoint: ServerlessEndpointPlan, region: str) -> BillLine:
    """Return a month of a serverless endpoint: work, warm workers, data where requests state their size, and alarms."""
    gb, warm = endpoint.memory_mb / 1024, endpoint.provisioned_concurrency is not None
    size = f"{gb:g} GB"
    work = endpoint.requests_per_month * endpoint.gb_seconds_per_request
    price = "serverless_warm_gb_s" if warm else "serverless_gb_s"
    items = [priced_item(region, SAGEMAKER, f"serverless inference, {size}", price, work)]
    if warm:
        gb_seconds = endpoint.average_provisioned_concurrency * gb * SECONDS_PER_MONTH
        name = "provisioned concurrency"
        items.append(priced_item(region, SAGEMAKER, name, "serverless_provisioned_gb_s", gb_seconds))
    by_use: tuple[str, ...] = BY_USE_OF_LOG_GROUP
    if endpoint.data_gb_per_request is None:
        by_use += ("SageMaker serverless data in and out",)
    else:
        data = endpoint.requests_per_month * endpoint.data_gb_per_request
        items.append(priced_item(region, SAGEMAKER, "serverless data in and out", "serverless_data_gb", data))
    items += alarm_items(region, alarm_metrics(endpoint.alarms), ())
    items += composite_alarm_items(region, endpoint.composite_alarm_name)
    if endpoint.scaling is not None:
        items.append(alarm_item(region, "alarm of target tracking", ALARMS_OF_TARGET_TRACKING))
    items += api_request_items(region, endpoint.access)
    return bill_line(endpoint.name, items, by_use)


FACET = BillKind(line=serverless_line)
