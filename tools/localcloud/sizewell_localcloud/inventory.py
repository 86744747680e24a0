"""Reads through boto3 what is deployed in an account: the emulator's, or a real one where no endpoint is set."""

from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

import boto3  # type: ignore[import-untyped,unused-ignore]
from botocore.exceptions import ClientError  # type: ignore[import-untyped,unused-ignore]

#: What the bootstrap of the CDK makes, which belongs to no environment.
BOOTSTRAP = ("cdk-hnb659fds-", "CDKToolkit")


def pages(client: Any, operation: str, key: str, **arguments: Any) -> Iterator[Any]:
    """Yield the items of every page of a list."""
    if client.can_paginate(operation):
        for page in client.get_paginator(operation).paginate(**arguments):
            yield from page.get(key, [])
    else:
        yield from getattr(client, operation)(**arguments).get(key, [])


class Scaling:
    """What Application Auto Scaling does for the resources of a service."""

    def __init__(self, service: str) -> None:
        api = boto3.client("application-autoscaling")
        found = pages(api, "describe_scalable_targets", "ScalableTargets", ServiceNamespace=service)
        self._targets = {target["ResourceId"]: target for target in found}
        self._tracked: dict[str, list[str]] = {}
        for policy in pages(api, "describe_scaling_policies", "ScalingPolicies", ServiceNamespace=service):
            if tracking := policy.get("TargetTrackingScalingPolicyConfiguration"):
                self._tracked.setdefault(policy["ResourceId"], []).append(f"{tracking['TargetValue']:g}")

    def of(self, resource_id: str) -> dict[str, str]:
        """Return the bounds of a resource, and the targets that it follows."""
        target = self._targets.get(resource_id)
        return {
            "scaling": f"{target['MinCapacity']}-{target['MaxCapacity']}" if target else "none",
            "target": ", ".join(self._tracked.get(resource_id, ["-"])),
        }


def endpoints(wildcard: str) -> list[dict[str, str]]:
    """Return every variant of every endpoint whose name matches, with its scaling."""
    sagemaker, scaling = boto3.client("sagemaker"), Scaling("sagemaker")
    rows = []
    for summary in pages(sagemaker, "list_endpoints", "Endpoints"):
        name = summary["EndpointName"]
        if not fnmatchcase(name, wildcard):
            continue
        endpoint = sagemaker.describe_endpoint(EndpointName=name)
        configured = sagemaker.describe_endpoint_config(EndpointConfigName=endpoint["EndpointConfigName"])
        types = {
            v["VariantName"]: v.get("InstanceType", "serverless") for v in configured["ProductionVariants"]
        }
        for variant in endpoint.get("ProductionVariants", []):
            current = variant.get("CurrentInstanceCount")
            rows.append(
                {
                    "endpoint": name,
                    "status": endpoint["EndpointStatus"],
                    "variant": variant["VariantName"],
                    "type": types.get(variant["VariantName"], "?"),
                    "instances": "-"
                    if current is None
                    else f"{current} of {variant['DesiredInstanceCount']}",
                    **scaling.of(f"endpoint/{name}/variant/{variant['VariantName']}"),
                }
            )
    return sorted(rows, key=lambda row: (row["endpoint"], row["variant"]))


def inference_components(wildcard: str) -> list[dict[str, str]]:
    """Return the inference components of the endpoints whose name matches, with their scaling."""
    sagemaker, scaling = boto3.client("sagemaker"), Scaling("sagemaker")
    rows = []
    for summary in pages(sagemaker, "list_inference_components", "InferenceComponents"):
        if fnmatchcase(summary["EndpointName"], wildcard):
            name = summary["InferenceComponentName"]
            runs = sagemaker.describe_inference_component(InferenceComponentName=name)["RuntimeConfig"]
            rows.append(
                {
                    "inference component": name,
                    "status": summary["InferenceComponentStatus"],
                    "copies": f"{runs['CurrentCopyCount']} of {runs['DesiredCopyCount']}",
                    **scaling.of(f"inference-component/{name}"),
                }
            )
    return sorted(rows, key=lambda row: row["inference component"])


def functions(wildcard: str) -> list[dict[str, str]]:
    """Return the aliases of the Lambda functions whose name matches, with the scaling of their warm workers."""
    api, scaling = boto3.client("lambda"), Scaling("lambda")
    rows = []
    for function in pages(api, "list_functions", "Functions"):
        name = function["FunctionName"]
        for alias in (
            pages(api, "list_aliases", "Aliases", FunctionName=name) if fnmatchcase(name, wildcard) else ()
        ):
            rows.append(
                {
                    "function": f"{name}:{alias['Name']}",
                    "version": alias["FunctionVersion"],
                    "memory": f"{function['MemorySize']:,} MB",
                    **scaling.of(f"function:{name}:{alias['Name']}"),
                }
            )
    return sorted(rows, key=lambda row: row["function"])


def notebooks(wildcard: str) -> list[dict[str, str]]:
    """Return the notebook instances whose name matches."""
    found = pages(boto3.client("sagemaker"), "list_notebook_instances", "NotebookInstances")
    rows = [
        {
            "notebook": notebook["NotebookInstanceName"],
            "status": notebook["NotebookInstanceStatus"],
            "type": notebook["InstanceType"],
        }
        for notebook in found
        if fnmatchcase(notebook["NotebookInstanceName"], wildcard)
    ]
    return sorted(rows, key=lambda row: row["notebook"])


def state_machines(wildcard: str) -> list[dict[str, str]]:
    """Return the state machines whose name matches, each with the schedules that start it."""
    schedules = {}
    scheduler = boto3.client("scheduler")
    for summary in pages(scheduler, "list_schedules", "Schedules"):
        schedule = scheduler.get_schedule(Name=summary["Name"], GroupName=summary.get("GroupName", "default"))
        schedules[schedule["Target"]["Arn"]] = (
            f"{schedule['ScheduleExpression']}, {schedule['State'].lower()}"
        )
    machines = pages(boto3.client("stepfunctions"), "list_state_machines", "stateMachines")
    return [
        {"state machine": m["name"], "schedule": schedules.get(m["stateMachineArn"], "none")}
        for m in sorted(machines, key=lambda m: str(m["name"]))
        if fnmatchcase(m["name"], wildcard)
    ]


def alarms(stack_wildcard: str) -> list[dict[str, str]]:
    """Return how many alarms each stack has, by their state."""
    counts: dict[str, Counter[str]] = {}
    for stack in stacks(stack_wildcard):
        names = [
            r["PhysicalResourceId"]
            for r in _resources(stack)
            if r["ResourceType"] == "AWS::CloudWatch::Alarm"
        ]
        if names:
            counts[stack] = Counter(_alarm_states(names))
    return [
        {"stack": stack, "alarms": str(sum(states.values())), "in ALARM": str(states["ALARM"])}
        for stack, states in sorted(counts.items())
    ]


def stacks(wildcard: str) -> list[str]:
    """Return the stacks whose name matches, and that have not been deleted."""
    found = pages(boto3.client("cloudformation"), "describe_stacks", "Stacks")
    return sorted(s["StackName"] for s in found if fnmatchcase(s["StackName"], wildcard))


def buckets(wildcard: str) -> list[str]:
    """Return the buckets whose name matches, without that of the bootstrap."""
    found = boto3.client("s3").list_buckets().get("Buckets", [])
    names = (b["Name"] for b in found if not b["Name"].startswith(BOOTSTRAP))
    return sorted(name for name in names if fnmatchcase(name, wildcard))


def keys() -> list[str]:
    """Return the customer-managed keys in use: their aliases, or ids where they have none."""
    kms = boto3.client("kms")
    aliases = {a.get("TargetKeyId"): a["AliasName"] for a in pages(kms, "list_aliases", "Aliases")}
    found = []
    for key in pages(kms, "list_keys", "Keys"):
        metadata = kms.describe_key(KeyId=key["KeyId"])["KeyMetadata"]
        if metadata.get("KeyManager") == "CUSTOMER" and metadata["KeyState"] == "Enabled":
            found.append(str(aliases.get(key["KeyId"], key["KeyId"])))
    return sorted(found)


def log_groups(*wildcards: str) -> list[str]:
    """Return the log groups in whose name is what matches one of the wildcards."""
    found = pages(boto3.client("logs"), "describe_log_groups", "logGroups")
    names = (g["logGroupName"] for g in found)
    return sorted(name for name in names if any(fnmatchcase(name, f"*{wildcard}*") for wildcard in wildcards))


def _resources(stack: str) -> Iterator[Any]:
    client = boto3.client("cloudformation")
    try:
        yield from pages(client, "list_stack_resources", "StackResourceSummaries", StackName=stack)
    except ClientError:
        return


def _alarm_states(names: list[str]) -> Iterator[str]:
    client = boto3.client("cloudwatch")
    wanted = set(names)
    for alarm in pages(client, "describe_alarms", "MetricAlarms"):
        if alarm["AlarmName"] in wanted:
            yield str(alarm["StateValue"])
