"""What AWS bills for the foundation and for each workload, from the plan alone.

A review prices the templates; a test holds both to the same names and amounts. Only a review knows what an app adds itself.
"""

from collections.abc import Iterator, Sequence

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.facts.scaling import ALARMS_OF_TARGET_TRACKING
from sizewell.facts.service_prices import service_price
from sizewell.facts.state_machines import FAILURE_METRICS
from sizewell.instance_selection.catalog import PriceBasis
from sizewell.instance_selection.results import Cost
from sizewell.planning.bill_plan import BillItem, BillLine
from sizewell.planning.component_plan_model import ComponentEndpointPlan
from sizewell.planning.endpoint_plan_model import EndpointPlan, VariantPlan
from sizewell.planning.foundation_plan_model import FoundationPlan, NewNetworkPlan
from sizewell.planning.lambda_plan_model import LambdaFunctionPlan
from sizewell.planning.notebook_plan_model import NotebookPlan
from sizewell.planning.pipeline_plan_model import PipelinePlan
from sizewell.planning.plan import JobPlan
from sizewell.planning.processing_plan_model import ProcessingJobPlan
from sizewell.planning.scaling_policies import ScalingPolicyPlan, TargetTrackingPlan, metric_count
from sizewell.planning.serverless_plan_model import ServerlessEndpointPlan
from sizewell.planning.training_plan_model import TrainedModelPlan, TrainingJobPlan
from sizewell.planning.transform_plan_model import BatchTransformPlan
from sizewell.planning.workload_plan import AccessPlan

SAGEMAKER = "SageMaker"
LAMBDA = "Lambda"
API_GATEWAY = "API Gateway"
_BY_USE_OF_LOG_GROUP = ("CloudWatch log ingestion", "CloudWatch log storage")
_BY_USE_OF_KEYS = ("KMS requests",)
_BY_USE_OF_BUCKETS = ("S3 GET requests", "S3 PUT and LIST requests", "S3 storage")
_BY_USE_OF_TOPIC = ("SNS requests",)
_BY_USE_OF_NEW_NETWORK = (
    *_BY_USE_OF_LOG_GROUP,
    "CloudWatch flow logs",
    "Lambda duration, arm64",
    "Lambda requests",
)
_BY_USE_OF_INTERFACE_ENDPOINTS = ("VPC data through VPC interface endpoints",)
_BY_USE_OF_ENDPOINT = (*_BY_USE_OF_LOG_GROUP, "SageMaker data in and out")
#: By the GB of OpenTelemetry data (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/metrics-otel-pricing.html): how
#: many an instance sends stands on no page.
_BY_USE_OF_DETAILED_METRICS = ("CloudWatch detailed metrics",)
_BY_USE_OF_JOB = (*_BY_USE_OF_LOG_GROUP, "Step Functions state transitions")
_BY_USE_OF_SCHEDULE = ("EventBridge schedules", "SQS requests")
_BY_USE_OF_NOTEBOOK = ("EventBridge schedules",)


def foundation_line(foundation: FoundationPlan) -> BillLine:
    """Return what all workloads share, as far as it is made: the interface endpoints of a VPC of our own, and keys."""
    network, existing, region = foundation.network, foundation.existing, foundation.region
    items: list[BillItem] = []
    paid_by_use: tuple[str, ...] = ()
    if key_count := (existing.data_key_arn, existing.operations_key_arn).count(None):
        items.append(_item(region, "KMS", "customer-managed key", "key", key_count, is_fixed=True))
        paid_by_use += _BY_USE_OF_KEYS
    if None in (existing.artifact_bucket_name, existing.checkpoint_bucket_name):
        paid_by_use += _BY_USE_OF_BUCKETS
    if existing.alarm_topic_arn is None:
        paid_by_use += _BY_USE_OF_TOPIC
    if isinstance(network, NewNetworkPlan):
        paid_by_use += _BY_USE_OF_NEW_NETWORK
        zones, services = network.availability_zones, len(network.interface_endpoints)
        if services:
            paid_by_use += _BY_USE_OF_INTERFACE_ENDPOINTS
            name = f"VPC interface endpoint x {zones} zone{'' if zones == 1 else 's'}"
            hours = services * zones * HOURS_PER_MONTH
            items.insert(0, _item(region, "VPC", name, "interface_endpoint_hour", hours, is_fixed=True))
    return _line(foundation.name, items, paid_by_use)


def endpoint_line(endpoint: EndpointPlan, region: str) -> BillLine:
    """Return a month of an endpoint at average load: instances, their volumes, alarms, and those of autoscaling."""
    variants = endpoint.variants
    policies = [policy for one in variants if one.scaling for policy in one.scaling.policies]
    items = [
        *_fleets(region, *variants),
        *_alarms_of(region, sum(len(one.alarms) + len(one.rollback_alarms) for one in variants), policies),
    ]
    made = endpoint.asynchronous is not None and None in (
        endpoint.asynchronous.success_topic_arn,
        endpoint.asynchronous.error_topic_arn,
    )
    items += _api_requests(region, endpoint.access)
    captured = ("S3 captured data",) if endpoint.data_capture else ()
    by_use = (*_by_use_of(endpoint), *captured, *(_BY_USE_OF_TOPIC if made else ()))
    return _line(endpoint.name, items, by_use)


def component_line(endpoint: ComponentEndpointPlan, region: str) -> BillLine:
    """Return a month of an endpoint of inference components at average load; the components themselves cost nothing."""
    components = endpoint.components.values()
    policies = [policy for one in components if one.scaling for policy in one.scaling.policies]
    alarms = len(endpoint.alarms) + sum(len(one.alarms) for one in components)
    alarms += sum(len(one.rollout.alarms) for one in components if one.rollout)
    items = [*_fleets(region, endpoint), *_alarms_of(region, alarms, policies)]
    return _line(endpoint.name, items, _by_use_of(endpoint))


def _by_use_of(endpoint: EndpointPlan | ComponentEndpointPlan) -> tuple[str, ...]:
    return (*_BY_USE_OF_ENDPOINT, *(_BY_USE_OF_DETAILED_METRICS if endpoint.detailed_metrics else ()))


def _fleets(region: str, *fleets: VariantPlan | ComponentEndpointPlan) -> Iterator[BillItem]:
    yield from (_instances(f"{one.instance_type} instances", one.selection.chosen.cost) for one in fleets)
    gb_months = [
        one.selection.chosen.estimate.instances_paid * one.volume_size_gib
        for one in fleets
        if one.volume_size_gib is not None
    ]
    if gb_months:
        yield _item(region, SAGEMAKER, "endpoint volumes", "endpoint_volume_gb_month", sum(gb_months))


def _alarms_of(region: str, count: int, policies: Sequence[ScalingPolicyPlan]) -> Iterator[BillItem]:
    """Yield the alarms that are stated, and those of policies."""
    tracked = sum(metric_count(one) for one in policies if isinstance(one, TargetTrackingPlan))
    # A step policy acts on an alarm of ours, of one metric or of several that an expression joins.
    steps = [metric_count(one) for one in policies if not isinstance(one, TargetTrackingPlan)]
    yield _alarms(region, "alarm", count + steps.count(1))
    if joined := sum(count for count in steps if count > 1):
        yield _alarms(region, "alarm metric", joined)
    if tracked:
        yield _alarms(region, "alarm of target tracking", tracked * ALARMS_OF_TARGET_TRACKING)


def serverless_line(endpoint: ServerlessEndpointPlan, region: str) -> BillLine:
    """Return a month of a serverless endpoint: work, warm workers, data where requests state their size, and alarms."""
    gb, warm = endpoint.memory_mb / 1024, endpoint.provisioned_concurrency is not None
    size = f"{gb:g} GB"
    work = endpoint.requests_per_month * endpoint.gb_seconds_per_request
    price = "serverless_warm_gb_s" if warm else "serverless_gb_s"
    items = [_item(region, SAGEMAKER, f"serverless inference, {size}", price, work)]
    if warm:
        gb_seconds = endpoint.average_provisioned_concurrency * gb * HOURS_PER_MONTH * 3600
        name = "provisioned concurrency"
        items.append(_item(region, SAGEMAKER, name, "serverless_provisioned_gb_s", gb_seconds))
    by_use: tuple[str, ...] = _BY_USE_OF_LOG_GROUP
    if endpoint.data_gb_per_request is None:
        by_use += ("SageMaker serverless data in and out",)
    else:
        data = endpoint.requests_per_month * endpoint.data_gb_per_request
        items.append(_item(region, SAGEMAKER, "serverless data in and out", "serverless_data_gb", data))
    items.append(_alarms(region, "alarm", len(endpoint.alarms)))
    if endpoint.scaling is not None:
        items.append(_alarms(region, "alarm of target tracking", ALARMS_OF_TARGET_TRACKING))
    items += _api_requests(region, endpoint.access)
    return _line(endpoint.name, items, by_use)


def _api_requests(region: str, access: AccessPlan | None) -> Iterator[BillItem]:
    """Yield what all requests cost through the API before an endpoint."""
    if access is not None and (api := access.api_gateway) is not None:
        yield _item(region, API_GATEWAY, "requests", "rest_request", api.requests_per_month)


def lambda_line(function: LambdaFunctionPlan, region: str) -> BillLine:
    """Return a month of a function: requests, work, warm workers, /tmp beyond what is free, and alarms."""
    requests, warm = function.requests_per_month, function.provisioned_concurrency is not None
    cpu = function.architecture.removesuffix("_64")
    work = requests * function.gb_seconds_per_request
    duration = f"{cpu}_warm_gb_s" if warm else f"{cpu}_gb_s"
    items = [
        _item(region, LAMBDA, f"duration, {cpu}", duration, work),
        _item(region, LAMBDA, "requests", "request", requests),
    ]
    if warm:
        gb = function.memory_mb / 1024
        gb_seconds = function.average_provisioned_concurrency * gb * HOURS_PER_MONTH * 3600
        items.append(_item(region, LAMBDA, "provisioned concurrency", f"{cpu}_provisioned_gb_s", gb_seconds))
    if storage := requests * function.paid_storage_gb_seconds_per_request:
        items.append(_item(region, LAMBDA, "ephemeral storage", "storage_gb_s", storage))
    alarms = [*function.alarms, *(function.rollout.alarms if function.rollout else ())]
    if error_rates := alarms.count("error_rate"):
        # Of two metrics, and each is paid.
        items.append(_alarms(region, "alarm metric", 2 * error_rates))
    items.append(_alarms(region, "alarm", len(alarms) - error_rates))
    if function.scaling is not None:
        items.append(_alarms(region, "alarm of target tracking", ALARMS_OF_TARGET_TRACKING))
    return _line(function.name, items, _BY_USE_OF_LOG_GROUP)


def training_line(job: TrainedModelPlan, region: str) -> BillLine:
    """Return a month of a training or tuning job: its runs, their volumes, and the alarms of its machine."""
    capacity = " on Spot" if job.spot else ""
    items = [
        _instances(f"{job.attempts[0].instance_type} training{capacity}", job.selection.chosen.cost),
        _item(region, SAGEMAKER, "training volumes", "training_volume_gb_month", _volume_gb_months(job)),
        *_warm_pool(job),
    ]
    return _line(job.name, [*items, _alarms_of_machine(job, region)], _paid_by_use(job))


def transform_line(transform: BatchTransformPlan, region: str) -> BillLine:
    """Return a month of a batch transform: its runs, and the alarms of its machine."""
    chosen = transform.selection.chosen
    items = [_instances(f"{chosen.instance_type} transform", chosen.cost)]
    return _line(transform.name, [*items, _alarms_of_machine(transform, region)], _paid_by_use(transform))


def notebook_line(notebook: NotebookPlan, region: str) -> BillLine:
    """Return a month of a notebook: its hours of use, and its volume, which is there all the time."""
    items = [
        _instances(f"{notebook.instance_type} notebook", notebook.selection.chosen.cost),
        _item(
            region,
            SAGEMAKER,
            "notebook volumes",
            "notebook_volume_gb_month",
            notebook.volume_size_gib,
            is_fixed=True,
        ),
    ]
    return _line(notebook.name, items, _BY_USE_OF_NOTEBOOK)


def processing_line(job: ProcessingJobPlan, region: str) -> BillLine:
    """Return a month of a processing job: its runs, their volumes, and the alarms of its machine."""
    chosen = job.selection.chosen
    items = [
        _instances(f"{chosen.instance_type} processing", chosen.cost),
        _item(region, SAGEMAKER, "processing volumes", "processing_volume_gb_month", _volume_gb_months(job)),
    ]
    return _line(job.name, [*items, _alarms_of_machine(job, region)], _paid_by_use(job))


def _warm_pool(job: TrainedModelPlan) -> Iterator[BillItem]:
    """Yield what the instances cost that wait for the next run: as long as they may, after each."""
    if not isinstance(job, TrainingJobPlan) or job.keep_alive_minutes is None:
        return
    first, cost, usd = job.attempts[0], job.selection.chosen.cost, None
    if cost.usd_per_hour is not None:
        hours = job.keep_alive_minutes / 60 * (job.runs_per_month or 1.0)
        usd = cost.usd_per_hour * first.instance_count * hours
    yield _instances(f"{first.instance_type} warm pool", cost.model_copy(update={"usd_per_month": usd}))


def pipeline_line(pipeline: PipelinePlan, region: str) -> BillLine:
    """Return a month of a pipeline: the alarms of its machine. Its runs are counted where they are paid, by its jobs."""
    return _line(pipeline.name, [_alarms_of_machine(pipeline, region)], _paid_by_use(pipeline))


def _alarms_of_machine(job: JobPlan | TrainedModelPlan | PipelinePlan, region: str) -> BillItem:
    """Return the alarms on bad ends, and those on failed starts: one for a schedule and one for events."""
    starts = (job.schedule is not None) + (job.starts_on is not None)
    return _alarms(region, "alarm", len(FAILURE_METRICS) + starts)


def _paid_by_use(job: JobPlan | TrainedModelPlan | PipelinePlan) -> tuple[str, ...]:
    by_itself = job.schedule is not None or job.starts_on is not None
    return _BY_USE_OF_JOB + (_BY_USE_OF_SCHEDULE if by_itself else ())


def _volume_gb_months(job: TrainedModelPlan | ProcessingJobPlan) -> float | None:
    """Volumes are paid while a job runs; where neither runs nor their price are known, a review knows no number of them."""
    first, estimate = job.attempts[0], job.selection.chosen.estimate
    runs = job.runs_per_month
    if runs is None:
        if estimate.usd_per_run is None:
            return None
        runs = 1.0
    if isinstance(job, TrainedModelPlan):
        runs *= job.trainings_per_run
    hours = estimate.duration_hours * runs
    return first.volume_size_gib * first.instance_count * hours / HOURS_PER_MONTH


def _line(name: str, items: list[BillItem], paid_by_use: tuple[str, ...]) -> BillLine:
    known = [item.usd_per_month for item in items if item.usd_per_month is not None]
    first = items[0] if items else None
    return BillLine(
        workload=name,
        usd_per_month=None if first and first.usd_per_month is None else sum(known, 0.0),
        basis=first.basis if first else PriceBasis.PUBLISHED,
        items=tuple(items),
        paid_by_use=tuple(sorted(paid_by_use)),
    )


def _instances(name: str, cost: Cost) -> BillItem:
    return BillItem(
        service=SAGEMAKER, name=name, usd_per_month=cost.usd_per_month, basis=cost.basis, is_fixed=False
    )


def _alarms(region: str, name: str, count: int) -> BillItem:
    return _item(region, "CloudWatch", name, "alarm", count, is_fixed=True)


def _item(
    region: str, service: str, name: str, price_name: str, quantity: float | None, *, is_fixed: bool = False
) -> BillItem:
    price = service_price(region, service, price_name)
    usd = price.usd * quantity if price and quantity is not None else None
    basis = PriceBasis.UNKNOWN if usd is None else PriceBasis.PUBLISHED
    return BillItem(service=service, name=name, usd_per_month=usd, basis=basis, is_fixed=is_fixed)
