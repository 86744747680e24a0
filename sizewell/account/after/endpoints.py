"""The endpoints of SageMaker: in service, on the instance types and between the counts of the plan.

Every field: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DescribeEndpoint.html and
https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DescribeEndpointConfig.html
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, Check, Place, fails, passes, warns
from sizewell.planning.planned_variant import PlannedVariant

#: An endpoint that answers requests while it changes.
_CHANGING = ("Updating", "SystemUpdating", "RollingBack")
_VARIANTS = ("ProductionVariants", "ShadowProductionVariants")


@dataclass(frozen=True)
class _Planned:
    name: str
    environment: str
    variants: tuple[PlannedVariant, ...]


def _subjects(place: Place) -> Iterator[_Planned]:
    planned = [variant for workload in place.workloads for variant in workload.planned_variants]
    for name, variants in groupby(planned, lambda variant: variant.endpoint_name):
        yield _Planned(name, place.plan.environment, tuple(variants))


def _ask(aws: AwsAccount, planned: _Planned) -> Iterator[Answer]:
    name, deploy = planned.name, f"sizewell deploy --env {planned.environment}"
    sagemaker = aws.client("sagemaker")
    try:
        endpoint = sagemaker.describe_endpoint(EndpointName=name)
    except ClientError as error:
        if "Could not find" not in str(error):
            raise
        yield fails(name, "there is no such endpoint", deploy)
        return
    status, reason = endpoint["EndpointStatus"], endpoint.get("FailureReason")
    if status in _CHANGING:
        yield warns(name, f"{status}: it answers, and what answers is changing", "verify again later")
        return
    if status != "InService":
        yield fails(name, f"{status}: {reason}" if reason else status, deploy)
        return
    if reason:
        yield fails(name, f"InService, but its last update failed: {reason}", f"mend that; then {deploy}")
    if pending := endpoint.get("PendingDeploymentSummary"):
        yield warns(name, f"a deployment of {pending['EndpointConfigName']} goes on", "verify again later")
    configured = sagemaker.describe_endpoint_config(EndpointConfigName=endpoint["EndpointConfigName"])
    now, stated = variants_by_name(endpoint), variants_by_name(configured)
    for variant in planned.variants:
        subject = f"{name}/{variant.variant_name}"
        if variant.variant_name not in now or variant.variant_name not in stated:
            yield fails(subject, "the endpoint has no such variant", deploy)
            continue
        of_variant = now[variant.variant_name]
        configuration = stated[variant.variant_name]
        runs_on = words_of(of_variant, configuration)
        if other := _other_hardware(variant, of_variant, configuration):
            yield fails(subject, other, deploy)
        elif other := _other_count(variant, of_variant):
            # Endpoints of ours retain the counts of their variants, so no deployment changes them.
            yield fails(
                subject,
                other,
                "Application Auto Scaling brings it back where the check of scaling passes; else: "
                f"aws sagemaker update-endpoint-weights-and-capacities --endpoint-name {name} --region {aws.region}",
            )
        else:
            yield passes(subject, f"InService: {runs_on}")
        weight = of_variant.get("CurrentWeight")
        if variant.weight is not None and weight is not None and weight != variant.weight:
            yield warns(
                subject,
                f"weight {weight:g}, planned {variant.weight:g}: somebody changed it, and an update keeps it",
                f"aws sagemaker update-endpoint-weights-and-capacities --endpoint-name {name} --region {aws.region}",
            )
    for unplanned in sorted(now.keys() - {variant.variant_name for variant in planned.variants}):
        yield fails(f"{name}/{unplanned}", "the plan has no such variant", deploy)


def variants_by_name(described: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the variants of an endpoint or its configuration, shadows as well."""
    return {variant["VariantName"]: variant for key in _VARIANTS for variant in described.get(key, ())}


def words_of(now: Mapping[str, Any], stated: Mapping[str, Any]) -> str:
    """Return what a variant runs on, of DescribeEndpoint and DescribeEndpointConfig."""
    if serverless := _serverless(now, stated):
        return f"{serverless[0]} MB, {serverless[1]} at a time"
    return f"{now.get('CurrentInstanceCount', 0)} x {' or '.join(_types(stated))}"


def _serverless(now: Mapping[str, Any], stated: Mapping[str, Any]) -> tuple[int, int] | None:
    config = now.get("CurrentServerlessConfig") or stated.get("ServerlessConfig")
    return (config["MemorySizeInMB"], config["MaxConcurrency"]) if config else None


def _types(stated: Mapping[str, Any]) -> tuple[str, ...]:
    pools = tuple(pool["InstanceType"] for pool in stated.get("InstancePools", ()))
    return pools or (stated.get("InstanceType", "no instance"),)


def _other_hardware(planned: PlannedVariant, now: Mapping[str, Any], stated: Mapping[str, Any]) -> str:
    if planned.memory_mb is not None:
        if _serverless(now, stated) == (planned.memory_mb, planned.max_concurrency):
            return ""
        return f"{words_of(now, stated)}; planned {planned.memory_mb} MB, {planned.max_concurrency} at a time"
    types = _types(stated)
    if sorted(types) == sorted(planned.instance_types):
        return ""
    return f"runs on {' or '.join(types)}, planned {' or '.join(planned.instance_types)}"


def _other_count(planned: PlannedVariant, now: Mapping[str, Any]) -> str:
    count, least, most = now.get("CurrentInstanceCount", 0), planned.fewest_instances, planned.most_instances
    if planned.memory_mb is not None or least <= count <= most:
        return ""
    return f"{count} instances, planned {least if least == most else f'{least} to {most}'}"


ENDPOINTS = Check(
    name="endpoints",
    actions=("sagemaker:DescribeEndpoint", "sagemaker:DescribeEndpointConfig"),
    subjects=_subjects,
    ask=_ask,
    named=lambda planned: planned.name,
)
