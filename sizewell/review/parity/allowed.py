"""What an environment may have otherwise than its reference: sizes, policies of removal, and names."""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from sizewell.review.cluster_objects import is_object
from sizewell.review.parity.settings import Setting, SettingPath
from sizewell.templates.values import number

_COUNT = "the number is a size"
_CAPACITY = "capacity is a size"
_VOLUME = "the size of a volume is a size"
_TARGET = "depends on the size of the instances"
_NODES = "follows from what launches the nodes"
_PERIOD = "the period of an alarm depends on the traffic"
_DURATION = "depends on the amount of work and on the hardware"
_RETENTION = "the retention is a size"
_OFTEN = "the schedule is a size"
_MONEY = "the budget is a size"
_REMOVAL = "each environment decides what stays when the stack is removed"
#: Channels of a training job that hold data; the code of a job has a channel of its own, and is no size.
_DATA_CHANNELS = ("train", "training", "validation", "test", "eval", "evaluation")


@dataclass(frozen=True)
class Allowance:
    """One row: settings that may differ, and why."""

    names: tuple[str, ...]
    """The last names of the path, joined with dots; ``*`` is any one of them."""
    kind: Literal["size", "policy", "name"]
    """Names are not even listed."""
    why: str
    numbers_only: bool = False
    varying: str = ""
    """A pattern of what alone may differ within a text."""

    def covers(self, path: SettingPath, ours: Setting | None, reference: Setting | None) -> bool:
        """Tell whether a setting may differ, or be there on one side only."""
        if not any(_ends_with(path, name) for name in self.names):
            return False
        if self.varying:
            texts = [
                setting and {re.sub(self.varying, "", value) for value in setting.values}
                for setting in (ours, reference)
            ]
            return texts[0] == texts[1]
        return not self.numbers_only or all(
            setting is not None and all(number(value) is not None for value in setting.values)
            for setting in (ours, reference)
        )


#: The first row that covers a setting decides.
ALLOWANCES = (
    Allowance(
        (
            "InitialInstanceCount",
            "InstanceCount",
            "MinInstanceCount",
            "MaxInstanceCount",
            "DesiredInstanceCount",
            "MinCapacity",
            "MaxCapacity",
            "DesiredCapacity",
            "MinSize",
            "MaxSize",
            "DesiredSize",
            "DesiredCount",
            "CopyCount",
            "minReplicaCount",
            "maxReplicaCount",
            "replicas",
            "parallelism",
            "completions",
            "MaxNumberOfTrainingJobs",
            "MaxParallelTrainingJobs",
        ),
        "size",
        _COUNT,
    ),
    Allowance(
        (
            "ReservedConcurrentExecutions",
            "ProvisionedConcurrentExecutions",
            "ProvisionedConcurrency",
            "MaxConcurrency",
            "MaxConcurrentInvocationsPerInstance",
            "MemorySizeInMB",
            "MemorySize",
            "Cpu",
            "Memory",
            "ReadCapacityUnits",
            "WriteCapacityUnits",
            "ShardCount",
            "MinMemoryRequiredInMb",
            "NumberOfAcceleratorDevicesRequired",
            "NumberOfCpuCoresRequired",
            "MemoryMiB.Min",
            "VCpuCount.Min",
            "SharedMemorySize",
            "requests.cpu",
            "requests.memory",
            "limits.cpu",
            "limits.memory",
            "requests.ephemeral-storage",
            "limits.ephemeral-storage",
            "env.SHARDS.value",
            "env.MAX_CONCURRENCY.value",
            "env.SAGEMAKER_MAX_CONCURRENT_TRANSFORMS.value",
        ),
        "size",
        _CAPACITY,
    ),
    Allowance(("requests.*", "limits.*"), "size", _CAPACITY, numbers_only=True),
    Allowance(
        (
            "VolumeSizeInGB",
            "VolumeSize",
            "AllocatedStorage",
            "Iops",
            "Throughput",
            "EphemeralStorage.Size",
            "ebs.volumeSize",
            "ephemeralStorage.size",
        ),
        "size",
        _VOLUME,
    ),
    Allowance(
        tuple(f"ScheduledActions.*.{name}" for name in ("ScheduledActionName", "Schedule", "Timezone")),
        "size",
        "the times of scaling depend on the traffic",
    ),
    Allowance(("ThrottlingRateLimit", "ThrottlingBurstLimit"), "size", "throttling depends on the traffic"),
    Allowance(
        (
            "TargetValue",
            "Threshold",
            "ScalingAdjustment",
            "triggers.*.metadata.threshold",
            "triggers.*.metadata.queueLength",
            "circuit_breakers.thresholds.*.*",
        ),
        "size",
        _TARGET,
    ),
    Allowance(("MaximumPercent",), "size", "depends on the number of tasks"),
    Allowance(("expireAfter",), "size", _NODES),
    Allowance(
        ("Period", "EvaluationPeriods", "DatapointsToAlarm"),
        "size",
        _PERIOD,
        numbers_only=True,
    ),
    # In a query of Prometheus: the period, the latency that is too long, and how many requests may take longer.
    Allowance(("rules.*.expr",), "size", _PERIOD, varying=r"\b\d+m\b|le=\"[\d.]+\"|> [\d.]+$"),
    Allowance(
        (
            "MaxRuntimeInSeconds",
            "MaximumExecutionTimeoutInSeconds",
            "MaxWaitTimeInSeconds",
            "TimeoutSeconds",
            "TimeoutSecondsPath",
            "ServiceTimeout",
            "ContainerStartupHealthCheckTimeoutInSeconds",
            "ModelDataDownloadTimeoutInSeconds",
            "ends_after_s",
            "activeDeadlineSeconds",
            "progressDeadlineSeconds",
            "startupProbe.failureThreshold",
        ),
        "size",
        _DURATION,
    ),
    Allowance(
        (
            "RetentionInDays",
            "RetentionPeriod",
            "BackupRetentionPeriod",
            "MessageRetentionPeriod",
            "ExpirationInDays",
            "NoncurrentDays",
            "NoncurrentVersionExpirationInDays",
            "TransitionInDays",
            "DaysAfterInitiation",
            "PendingWindowInDays",
        ),
        "size",
        _RETENTION,
    ),
    Allowance(
        ("ScheduleExpression", "ScheduleExpressionTimezone", "spec.schedule", "spec.timeZone"),
        "size",
        _OFTEN,
    ),
    Allowance(("BudgetLimit.Amount",), "size", _MONEY),
    Allowance(("instance_count",), "size", _COUNT),
    Allowance(
        tuple(
            f"NextAttempt.Choices.*{below}"
            for below in ("", ".Condition", ".Next", ".Assign", ".Assign.attempt")
        ),
        "size",
        "the number of types to try depends on how many fit",
    ),
    Allowance(
        ("usd_per_hour", "job_usd_per_hour", "gpu_count"),
        "size",
        "other hardware has another price and another number of GPUs",
    ),
    Allowance(
        (
            "HyperParameters.*",
            "hyperparameters.*",
            "StaticHyperParameters.*",
            "HyperbandStrategyConfig.MaxResource",
        ),
        "size",
        "the amount of training is a size",
        numbers_only=True,
    ),
    Allowance(
        tuple(f"InputDataConfig.{channel}.DataSource.S3DataSource.S3Uri" for channel in _DATA_CHANNELS),
        "size",
        "the amount of training is a size",
    ),
    Allowance(
        (
            "DeletionPolicy",
            "UpdateReplacePolicy",
            "DeletionProtection",
            "DeletionProtectionEnabled",
            "EmptyOnDelete",
            "ForceDelete",
        ),
        "policy",
        _REMOVAL,
    ),
    Allowance(("Tags.*", "Tags.*.Key", "Tags.*.Value"), "name", "labels"),
    Allowance(
        (
            "Description",
            "AlarmDescription",
            "GroupDescription",
            "Comment",
            "Cause",
            "Error",
            "annotations.description",
            "annotations.summary",
        ),
        "name",
        "texts for people",
    ),
    Allowance(
        ("CidrBlock", "AvailabilityZone", "AvailabilityZone.*", "AvailabilityZones", "AvailabilityZoneId"),
        "name",
        "the plan of addresses",
    ),
    Allowance(("DependsOn",), "name", "the order of deployment"),
    Allowance(("nodeClassRef.group", "nodeClassRef.kind", "template.metadata.labels.*"), "name", _NODES),
    Allowance(("configMap.name",), "name", "follows from what it holds"),
)

#: Resources that are there only because others may be removed.
_REMOVAL_HELPERS = ("Custom::S3AutoDeleteObjects*", "Custom::ECRAutoDeleteImages*")


def allowance(path: SettingPath, ours: Setting | None, reference: Setting | None) -> Allowance | None:
    """Return the row that lets a setting differ; None for a difference of shape."""
    return next((row for row in ALLOWANCES if row.covers(path, ours, reference)), None)


def is_physical_name(resource_type: str, path: SettingPath) -> bool:
    """Tell whether a setting is what the resource itself is called: ``EndpointName`` of an endpoint."""
    if is_object(resource_type):
        return path == ("metadata", "name")
    return len(path) == 1 and path[0] in ("Name", resource_type.rpartition("::")[2] + "Name")


def removal_helper(resource_type: str, path: str) -> str | None:
    """Return why the reference may lack a resource; None where it may not."""
    first = path.partition("/")[0]
    helps = any(fnmatchcase(name, helper) for helper in _REMOVAL_HELPERS for name in (resource_type, first))
    return _REMOVAL if helps else None


def _ends_with(path: SettingPath, dotted: str) -> bool:
    names = dotted.split(".")
    last = path[-len(names) :]
    return len(last) == len(names) and all(
        pattern in ("*", name) for name, pattern in zip(last, names, strict=True)
    )
