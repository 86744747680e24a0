"""Faults that somebody could make in a construct: edits of the source that the integration tests must notice."""

from dataclasses import dataclass
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Edit:
    """A piece of text, which stands once in a file, and what stands there instead."""

    file: str
    before: str
    after: str


@dataclass(frozen=True)
class Mutation:
    """A fault, and the environment of the shipped configuration in which it makes a difference."""

    name: str
    edits: tuple[Edit, ...]
    environment: str = "dev"


def _one(name: str, file: str, before: str, after: str, environment: str = "dev") -> Mutation:
    return Mutation(name, (Edit(file, before, after),), environment)


def _lost(name: str, file: str, text: str, environment: str = "dev") -> Mutation:
    return _one(name, file, text, "", environment)


def _construct(name: str) -> str:
    """Return the path of the construct's file of this name, in whatever room it stands."""
    [path] = (PROJECT_ROOT / "constructs_lib").rglob(name)
    return path.relative_to(PROJECT_ROOT).as_posix()


_ENDPOINT = _construct("realtime_endpoint.py")
_ENDPOINT_PARTS = _construct("endpoint_parts.py")
_VARIANT = _construct("production_variant.py")
_MODEL = _construct("serving_model.py")
_THRESHOLDS = _construct("endpoint_thresholds.py")
_ALARMS = _construct("endpoint_alarms.py")
_SCALING = _construct("endpoint_scaling.py")
_POLICIES = _construct("scaling_policies.py")
_REQUEST = _construct("training_job_request.py")
_MACHINE = _construct("workflow_state_machine.py")
_SCHEDULE = _construct("workflow_schedule.py")
_BUCKETS = _construct("buckets.py")
_NETWORK = _construct("network.py")
_MODEL_ROLE = _construct("model_role.py")

_ENDPOINTS = (
    _one(
        "instance type swapped",
        _VARIANT,
        "else variant.instance_type,",
        'else variant.instance_type.replace("c6i.xlarge", "c6i.2xlarge"),',
    ),
    _one("volume encryption lost", _ENDPOINT, "foundation.data_key_arn if", "None if"),
    _one("network isolation of the model lost", _ENDPOINT, "=variant.network_isolation", "=False"),
    Mutation(
        "model in one subnet only",
        (
            Edit(_MODEL, "from aws_cdk import aws_sagemaker", "from aws_cdk import Fn, aws_sagemaker"),
            Edit(_MODEL, "subnets=foundation.subnet_ids", "subnets=[Fn.select(0, foundation.subnet_ids)]"),
        ),
        "staging",
    ),
    _one(
        "model in the training group",
        _MODEL,
        "[foundation.endpoint_security",
        "[foundation.training_security",
    ),
    _one("environment variables lost", _MODEL, "container.environment_variables or None", "None"),
    _one("retained counts lost", _ENDPOINT, "=props.retain_instance_count", "=None"),
    _lost("log retention lost", _ENDPOINT_PARTS, "retention_in_days=log_retention_days,"),
)

_ALARM_CASES = (
    _one(
        "alarm dimension dropped",
        "sizewell/facts/endpoint_metrics.py",
        'return tuple(zip(DIMENSIONS["variant"], (endpoint_name, variant_name), strict=True))',
        'return tuple(zip(DIMENSIONS["endpoint"], (endpoint_name,), strict=True))',
    ),
    _one("Sum for Average", _THRESHOLDS, '"OverheadLatency", "Average"', '"OverheadLatency", "Sum"'),
    _one("milliseconds for microseconds", _ALARMS, "MILLISECOND = 1000", "MILLISECOND = 1"),
    _one("percent of one vCPU", _ALARMS, "MetricSum.VCPUS: props.vcpu_count", "MetricSum.VCPUS: 1"),
    _one("missing data breach", _ALARMS, 'else "notBreaching"', 'else "breaching"'),
    _lost("alarm action lost", _ALARMS, "alarm_actions=own_actions,"),
)

_SCALING_CASES = (
    _one("target value per second", _POLICIES, "target_value=policy.", "target_value=1 / 60 * policy."),
    Mutation(
        "minimum and maximum swapped",
        (
            Edit(_SCALING, "min_capacity=variant.min_", "min_capacity=variant.max_"),
            Edit(_SCALING, "max_capacity=variant.max_", "max_capacity=variant.min_"),
        ),
    ),
    _one("maximum is the minimum", _SCALING, "max_capacity=variant.max_", "max_capacity=variant.min_"),
    Mutation(
        "cooldowns swapped",
        (
            Edit(_POLICIES, "scale_out_cooldown=policy.scale_out_", "scale_out_cooldown=policy.scale_in_"),
            Edit(_POLICIES, "scale_in_cooldown=policy.scale_in_", "scale_in_cooldown=policy.scale_out_"),
        ),
    ),
)

_TRAINING_CASES = (
    _one(
        "checkpoint lost", _REQUEST, "if props.checkpoint is not None:\n        loc", "if False:\n        loc"
    ),
    _one("Spot lost", _REQUEST, 'Training": attempt.use_managed_spot', 'Training": False'),
    _one("max wait lost", _REQUEST, 'condition["MaxWaitTimeInSeconds"] = LEFT_S', "pass"),
    _one("network isolation of the job lost", _REQUEST, "props.enable_network_isolation", "False"),
    _one("wrong channel prefix", _REQUEST, "{channel.key_prefix}", "{props.output_key_prefix}"),
    _one("hyperparameters lost", _REQUEST, "$merge([${HYPERPARAMETERS}, ", "$merge([{{}}, "),
    _one("volume of another size", _REQUEST, "attempt.volume_size_gib", "30"),
    _one(
        "attempts in reverse",
        "stacks/training_stack.py",
        "in plan.attempts\n",
        "in reversed(plan.attempts)\n",
    ),
    _one(
        "tracing lost",
        _MACHINE,
        "TracingConfigurationProperty(enabled=True",
        "TracingConfigurationProperty(enabled=False",
    ),
    _one("errors logged only", _MACHINE, 'level="ALL"', 'level="ERROR"'),
    Mutation(
        "time zone of the schedule lost",
        (
            # The shipped schedules are in UTC, which the service assumes without one.
            Edit("config/base.yaml", 'at: "02:00", time_zone: UTC', 'at: "02:00", time_zone: Europe/Berlin'),
            Edit(_SCHEDULE, "schedule_expression_timezone=timing.time_zone,", ""),
        ),
        "staging",
    ),
    _lost(
        "dead-letter queue lost",
        _SCHEDULE,
        "dead_letter_config=scheduler.CfnSchedule.DeadLetterConfigProperty(arn=queue_arn),",
        "staging",
    ),
    _one(
        "only the first attempt is made",
        _construct("job_state_machine_definition.py"),
        "for number in range(1, count + 1)",
        "for number in range(1, 2)",
    ),
)

# Not the constructs but a service: it keeps something else than it was told, as an emulator may.
_SERVICE_CASES = (
    _one(
        "service: isolation of models forgotten",
        "tools/localcloud/sizewell_localcloud/emulator/sagemaker/models.py",
        '"EnableNetworkIsolation": request.get("EnableNetworkIsolation", False)',
        '"EnableNetworkIsolation": False',
    ),
    _one(
        "service: flow log of another traffic",
        "tools/localcloud/sizewell_localcloud/emulator/ec2_types.py",
        '"TrafficType": properties.get("TrafficType", "ALL")',
        '"TrafficType": "REJECT"',
    ),
    _one(
        "service: maximum of a target not kept",
        "tools/localcloud/sizewell_localcloud/emulator/application_autoscaling.py",
        '"MaxCapacity": high,',
        '"MaxCapacity": low,',
    ),
    _one(
        "table of losses: a row that is not lost",
        "tests/integration/losses.py",
        "LOSSES = (\n",
        'LOSSES = (\n    Loss("AWS::S3::Bucket", "OwnershipControls", "it is there"),\n',
    ),
)

_ROLE_CASES = (
    _one(
        "artifact statement widened to *",
        _construct("artifact_access.py"),
        '"Resource": one_or_all([artifact_arn(bucket, key) for key in keys]),',
        '"Resource": "*",',
    ),
    _one(
        "PassRole without its condition",
        _construct("job_state_machine.py"),
        "role_arn, condition)]",
        "role_arn)]",
    ),
    _lost(
        "trust without its account",
        _MODEL_ROLE,
        '"Condition": {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}},',
    ),
)

_FOUNDATION_CASES = (
    _one(
        "key of the topic lost",
        _construct("topics.py"),
        "kms_master_key_id=props.operations_key_arn,",
        "",
    ),
    _one(
        "bucket versioning lost",
        _BUCKETS,
        's3.CfnBucket.VersioningConfigurationProperty(status="Enabled")',
        "None",
    ),
    _one(
        "TLS not demanded",
        _BUCKETS,
        'self._policy(f"{construct_id}Policy", bucket, [_tls_only(bucket)])\n',
        "\n",
    ),
    _one(
        "TLS refused",
        _BUCKETS,
        '{"Bool": {"aws:SecureTransport": "false"}}',
        '{"Bool": {"aws:SecureTransport": "true"}}',
    ),
    _one("key of the buckets lost", _BUCKETS, ", kms_master_key_id=props.data_key_arn", ""),
    _one(
        "checkpoints expire with versions",
        _BUCKETS,
        '_expire_objects("expire-checkpoints", props.checkpoint_expiry_days)',
        '_expire_objects("expire-checkpoints", props.noncurrent_version_expiry_days)',
        "staging",
    ),
    _one(
        "data key does not rotate",
        _construct("encryption_keys.py"),
        "enable_key_rotation=True",
        'enable_key_rotation=purpose != "data"',
    ),
    _one("gateway open to every bucket", _NETWORK, 'f":s3:::{name}{objects}"', 'f":s3:::*{objects}"'),
    _one("private DNS lost", _NETWORK, "private_dns_enabled=True", "private_dns_enabled=False"),
    _one(
        "default group left open",
        _construct("default_security_group.py"),
        'if event["RequestType"] != "Delete":',
        'if event["RequestType"] == "Never":',
    ),
    _one("flow log of accepted traffic only", _NETWORK, 'traffic_type="ALL"', 'traffic_type="ACCEPT"'),
)

MUTATIONS = (
    *_ENDPOINTS,
    *_ALARM_CASES,
    *_SCALING_CASES,
    *_TRAINING_CASES,
    *_ROLE_CASES,
    *_FOUNDATION_CASES,
    *_SERVICE_CASES,
)
