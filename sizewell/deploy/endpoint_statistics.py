"""What CloudWatch and SageMaker of an account and region say of endpoints that are deployed; changes nothing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
from botocore.exceptions import ClientError

from sizewell.deploy.cloudformation import as_our_error
from sizewell.facts.metric_statistics import MetricStatistic, Series

_ALLOW = (
    "Right-sizing needs cloudwatch:GetMetricData, sagemaker:DescribeEndpoint and sagemaker:DescribeEndpointConfig: ask the "
    "administrator of the account for them, or name another profile with --profile"
)


class NotReadError(Exception):
    """The account is another one, or the caller may not read it: the text says what to do."""


@dataclass(frozen=True)
class DeployedVariant:
    """A variant of an endpoint as it is now."""

    instance_type: str | None
    """None where it has none, or several."""
    instance_count: int | None
    """None where it has no instances."""
    age_s: float
    """From the creation of the endpoint to the end of what is read."""


class EndpointStatistics:
    """Read with the rights of the caller.

    Raises CloudFormationError without credentials, and NotReadError where they are of another account than ``account``: there,
    an endpoint that runs would look as if it was not deployed.
    """

    def __init__(self, account: str, region: str, profile: str | None, end: datetime | None = None) -> None:
        """Connect; what is read ends at ``end``, by default with the last full hour."""
        with as_our_error("AWS STS"):
            session = boto3.Session(profile_name=profile, region_name=region)
            identity = session.client("sts").get_caller_identity()
            self._cloudwatch = session.client("cloudwatch")
            self._sagemaker = session.client("sagemaker")
        self._caller: str = identity["Arn"]
        self._end = end or datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
        if identity["Account"] != account:
            raise NotReadError(
                f"the endpoints are of account {account}, but the credentials of {self._caller} are of account "
                f"{identity['Account']}. Log in to {account}, or name a profile of it with --profile"
            )

    def variant(self, endpoint_name: str, variant_name: str) -> DeployedVariant | None:
        """Return a variant; None where no such endpoint is deployed, or it has no such variant."""
        with self._asking("sagemaker:DescribeEndpoint"):
            try:
                endpoint = self._sagemaker.describe_endpoint(EndpointName=endpoint_name)
            except ClientError as error:
                if "Could not find endpoint" in str(error):
                    return None
                raise
        with self._asking("sagemaker:DescribeEndpointConfig"):
            configured = self._sagemaker.describe_endpoint_config(
                EndpointConfigName=endpoint["EndpointConfigName"]
            )
        now, stated = (
            next(
                (
                    variant
                    for variant in described.get("ProductionVariants", ())
                    if variant["VariantName"] == variant_name
                ),
                None,
            )
            for described in (endpoint, configured)
        )
        if now is None or stated is None:
            return None
        return DeployedVariant(
            stated.get("InstanceType"),
            None if "ServerlessConfig" in stated else now.get("CurrentInstanceCount"),
            (self._end - endpoint["CreationTime"]).total_seconds(),
        )

    def read(self, wanted: Sequence[MetricStatistic], days: int) -> dict[MetricStatistic, Series]:
        """Return the values of the last days for up to 500 statistics, which is what one request may ask for.

        A statistic without values has an empty series.
        """
        start = self._end - timedelta(days=days)
        series: dict[MetricStatistic, Series] = {statistic: {} for statistic in wanted}
        with self._asking("cloudwatch:GetMetricData"):
            pages = self._cloudwatch.get_paginator("get_metric_data").paginate(
                MetricDataQueries=[
                    metric_query(f"m{index}", statistic) for index, statistic in enumerate(wanted)
                ],
                StartTime=start,
                EndTime=self._end,
            )
            for result in (result for page in pages for result in page["MetricDataResults"]):
                found = series[wanted[int(result["Id"].removeprefix("m"))]]
                for at, value in zip(result["Timestamps"], result["Values"], strict=True):
                    found[int((at - start).total_seconds())] = value
        return {statistic: dict(sorted(found.items())) for statistic, found in series.items()}

    @contextmanager
    def _asking(self, action: str) -> Iterator[None]:
        """Raise NotReadError where the caller may not do this, and CloudFormationError for all else that AWS says."""
        with as_our_error(action):
            try:
                yield
            except ClientError as error:
                # AccessDenied of CloudWatch, AccessDeniedException of SageMaker.
                if not error.response["Error"]["Code"].startswith("AccessDenied"):
                    raise
                raise NotReadError(f"{self._caller} may not call {action}. {_ALLOW}") from None


def metric_query(query_id: str, statistic: MetricStatistic) -> dict[str, Any]:
    """Return the query of a statistic, as GetMetricData takes it."""
    metric = {
        "Namespace": statistic.namespace,
        "MetricName": statistic.metric,
        "Dimensions": [{"Name": name, "Value": value} for name, value in statistic.dimensions],
    }
    return {
        "Id": query_id,
        "MetricStat": {"Metric": metric, "Period": statistic.period_s, "Stat": statistic.statistic},
    }
