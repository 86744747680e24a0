"""What runs of each workload now: on what, in which state, since when, with how many requests, and which alarms fire."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from sizewell.account.after.alarms import ALARM_TYPES, described_alarms
from sizewell.account.after.endpoints import variants_by_name, words_of
from sizewell.account.after.functions import FUNCTION
from sizewell.account.after.notebooks import NOTEBOOK
from sizewell.account.after.services import SERVICE, cluster_and_service
from sizewell.account.after.state_machines import STATE_MACHINE
from sizewell.account.aws_account import AwsAccount
from sizewell.account.deployed import DeployedResource, DeployedStack, deployed_stack
from sizewell.aws_errors import has_no_login
from sizewell.deploy.endpoint_statistics import metric_query
from sizewell.facts.durations import HOUR_S, MINUTE_S
from sizewell.facts.metric_statistics import MetricStatistic
from sizewell.planning.workload_plan import WorkloadPlan

#: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html
_MOST_QUERIES = 500


@dataclass(frozen=True)
class Part:
    """One thing that runs."""

    name: str
    runs_on: str
    state: str
    changed: datetime | None = None

    @property
    def changed_utc(self) -> datetime | None:
        """When it changed last, in UTC."""
        return self.changed and self.changed.astimezone(UTC)


@dataclass(frozen=True)
class WorkloadStatus:
    """What runs of a workload."""

    workload: WorkloadPlan
    parts: tuple[Part, ...]
    firing: tuple[str, ...] | None = ()
    """Alarms in the state ALARM; None where they were not read."""
    requests: float | None = None
    """In the last hour; None where nobody counts them."""
    not_read: str = ""
    """What the account said against being read; empty where all was read."""


def read_status(aws: AwsAccount, workloads: Sequence[WorkloadPlan]) -> tuple[WorkloadStatus, ...]:
    """Return what runs of some workloads of an account and region.

    Raises the errors of botocore where there are no credentials, or no longer; other refusals are said of their workload.
    """
    requests, refusal = {}, ""
    try:
        requests = _requests(aws, workloads)
    except (BotoCoreError, ClientError) as error:
        refusal = _said(error)
    found = []
    for workload in workloads:
        parts: list[Part] = []
        firing: tuple[str, ...] | None = ()
        not_read = refusal if any(True for _ in workload.observed) else ""
        try:
            if stack := deployed_stack(aws, workload.stack_name):
                for part in _parts(aws, stack):
                    parts.append(part)
                firing = _firing(aws, stack)
        except (BotoCoreError, ClientError) as error:
            not_read, firing = _said(error), None
        found.append(WorkloadStatus(workload, tuple(parts), firing, requests.get(workload.name), not_read))
    return tuple(found)


def _said(error: BotoCoreError | ClientError) -> str:
    if has_no_login(error):
        raise error
    return str(error)


def _parts(aws: AwsAccount, stack: DeployedStack) -> Iterator[Part]:
    for resource in stack.resources(*_READERS):
        try:
            yield from _READERS[resource.resource_type](aws, resource)
        except ClientError as error:
            if "Could not find" not in str(error) and "NotFound" not in str(error):
                raise
            yield Part(resource.name, "-", "not there")


def _endpoint(aws: AwsAccount, resource: DeployedResource) -> Iterator[Part]:
    client = aws.client("sagemaker")
    endpoint = client.describe_endpoint(EndpointName=resource.name)
    configured = variants_by_name(
        client.describe_endpoint_config(EndpointConfigName=endpoint["EndpointConfigName"])
    )
    state, changed = endpoint["EndpointStatus"], endpoint.get("LastModifiedTime")
    now = variants_by_name(endpoint)
    if not now:
        yield Part(resource.name, "-", state, changed)
    for name, variant in now.items():
        yield Part(f"{resource.name}/{name}", words_of(variant, configured.get(name, {})), state, changed)


def _component(aws: AwsAccount, resource: DeployedResource) -> Iterator[Part]:
    found = aws.client("sagemaker").describe_inference_component(InferenceComponentName=resource.name)
    copies = found.get("RuntimeConfig", {}).get("CurrentCopyCount", 0)
    yield Part(
        resource.name, f"{copies} copies", found["InferenceComponentStatus"], found.get("LastModifiedTime")
    )


def _service(aws: AwsAccount, resource: DeployedResource) -> Iterator[Part]:
    cluster, name = cluster_and_service(resource)
    for found in aws.client("ecs").describe_services(cluster=cluster, services=[name])["services"]:
        primary: Mapping[str, Any] = next(
            (deployment for deployment in found["deployments"] if deployment["status"] == "PRIMARY"), {}
        )
        yield Part(
            name,
            f"{found['runningCount']} of {found['desiredCount']} tasks",
            primary.get("rolloutState", found["status"]),
            primary.get("updatedAt"),
        )


def _function(aws: AwsAccount, resource: DeployedResource) -> Iterator[Part]:
    found = aws.client("lambda").get_function_configuration(FunctionName=resource.name)
    changed = found.get("LastModified")
    yield Part(
        resource.name,
        f"{found['MemorySize']} MB",
        found.get("State", "Active"),
        datetime.fromisoformat(changed) if changed else None,
    )


def _notebook(aws: AwsAccount, resource: DeployedResource) -> Iterator[Part]:
    found = aws.client("sagemaker").describe_notebook_instance(NotebookInstanceName=resource.name)
    yield Part(
        resource.name, found["InstanceType"], found["NotebookInstanceStatus"], found.get("LastModifiedTime")
    )


def _state_machine(aws: AwsAccount, resource: DeployedResource) -> Iterator[Part]:
    found = aws.client("stepfunctions").list_executions(stateMachineArn=resource.physical_id, maxResults=1)
    runs = found["executions"]
    if runs:
        yield Part(resource.name, "-", runs[0]["status"], runs[0].get("stopDate", runs[0]["startDate"]))
    else:
        yield Part(resource.name, "-", "never ran")


_READERS: Mapping[str, Callable[[AwsAccount, DeployedResource], Iterator[Part]]] = {
    "AWS::SageMaker::Endpoint": _endpoint,
    "AWS::SageMaker::InferenceComponent": _component,
    SERVICE: _service,
    FUNCTION: _function,
    NOTEBOOK: _notebook,
    STATE_MACHINE: _state_machine,
}


def _firing(aws: AwsAccount, stack: DeployedStack) -> tuple[str, ...]:
    names = [alarm.physical_id for alarm in stack.resources(*ALARM_TYPES)]
    found = described_alarms(aws, names)
    return tuple(name for name in names if found.get(name, {}).get("StateValue") == "ALARM")


def _requests(aws: AwsAccount, workloads: Sequence[WorkloadPlan]) -> dict[str, float]:
    """Return the requests of the last hour by workload, of those whose requests CloudWatch counts."""
    wanted = [
        (workload.name, MetricStatistic(*model.counted_by, dimensions, MINUTE_S))
        for workload in workloads
        for model in workload.observed
        for dimensions in model.load
    ]
    totals = dict.fromkeys((name for name, _ in wanted), 0.0)
    end = datetime.now(UTC)
    pages = aws.client("cloudwatch").get_paginator("get_metric_data")
    for first in range(0, len(wanted), _MOST_QUERIES):
        some = wanted[first : first + _MOST_QUERIES]
        queries: list[dict[str, Any]] = [
            metric_query(f"m{index}", statistic) for index, (_, statistic) in enumerate(some)
        ]
        for page in pages.paginate(
            MetricDataQueries=queries, StartTime=end - timedelta(seconds=HOUR_S), EndTime=end
        ):
            for result in page["MetricDataResults"]:
                totals[some[int(result["Id"].removeprefix("m"))][0]] += sum(result["Values"])
    return totals
