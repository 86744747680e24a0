"""What AWS bills for a Lambda function."""

from sizewell.facts.billing import SECONDS_PER_MONTH
from sizewell.facts.scaling import ALARMS_OF_TARGET_TRACKING
from sizewell.kinds.lambda_function.plan_model import LambdaFunctionPlan
from sizewell.planning.bill_items import BY_USE_OF_LOG_GROUP, alarm_item, bill_line, priced_item
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.endpoint_bill import alarm_items, alarm_metrics, composite_alarm_items
from sizewell.planning.kind import BillKind

LAMBDA = "Lambda"


def lambda_line(function: LambdaFunctionPlan, region: str) -> BillLine:
    """Return a month of a function: requests, work, warm workers, /tmp beyond what is free, and alarms."""
    requests, warm = function.requests_per_month, function.provisioned_concurrency is not None
    cpu = function.architecture.removesuffix("_64")
    work = requests * function.gb_seconds_per_request
    duration = f"{cpu}_warm_gb_s" if warm else f"{cpu}_gb_s"
    items = [
        priced_item(region, LAMBDA, f"duration, {cpu}", duration, work),
        priced_item(region, LAMBDA, "requests", "request", requests),
    ]
    if warm:
        gb = function.memory_mb / 1024
        gb_seconds = function.average_provisioned_concurrency * gb * SECONDS_PER_MONTH
        items.append(
            priced_item(region, LAMBDA, "provisioned concurrency", f"{cpu}_provisioned_gb_s", gb_seconds)
        )
    if storage := requests * function.paid_storage_gb_seconds_per_request:
        items.append(priced_item(region, LAMBDA, "ephemeral storage", "storage_gb_s", storage))
    of_rollout = function.rollout.alarms if function.rollout else ()
    items += alarm_items(region, alarm_metrics(function.alarms, of_rollout), ())
    items += composite_alarm_items(region, function.composite_alarm_name)
    if function.scaling is not None:
        items.append(alarm_item(region, "alarm of target tracking", ALARMS_OF_TARGET_TRACKING))
    return bill_line(function.name, items, BY_USE_OF_LOG_GROUP)


FACET = BillKind(line=lambda_line)
