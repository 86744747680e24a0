"""A Lambda function from a container image: function, version and alias, with its execution role and log group."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

from aws_cdk import RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from constructs_lib.endpoints.endpoint_parts import check_artifact_key, check_name
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.log_group import add_log_group
from constructs_lib.on_demand.lambda_role import lambda_role
from constructs_lib.policies.acknowledgements import acknowledge_all
from sizewell.facts.lambda_functions import (
    ALIAS,
    MAX_STORAGE_MB,
    MAX_TIMEOUT_S,
    MIN_STORAGE_MB,
    MODEL_S3_URI,
)
from sizewell.facts.serving_modes import Mode, limit

_MIN_MB, _MAX_MB = (int(limit(Mode.LAMBDA, f"{most}_memory_mb")) for most in ("min", "max"))
#: Digits of the digest in the id of a version.
_DIGITS = 12


@dataclass(frozen=True, kw_only=True)
class LambdaFunctionProps:
    """One function.

    ``image_uri`` is an image in Amazon ECR with the Lambda runtime interface, for the CPUs of ``architecture``; give each build
    a tag of its own, because a new image behind an old tag is no change. ``artifact_key`` is an object of the artifact bucket,
    or a prefix that ends with a slash, which the function may read and finds in the variable MODEL_S3_URI; None where the model
    is in the image. ``max_concurrency`` requests at once are expected: ``reserves_concurrency`` takes them from all other
    functions of the account, of which Lambda keeps 100 for these, or all of a quota below that. ``provisioned_concurrency``
    workers of them are kept warm; None starts each when a request needs it. ``log_retention_days`` and ``removal_policy`` are
    for the log group, which outlives its stack. ``execution_role_arn`` names a role of the account that Lambda assumes; None
    makes one that may do no more than this function needs. Raises ValueError for input that the API would refuse.
    """

    function_name: str
    image_uri: str
    memory_mb: int
    max_concurrency: int
    timeout_s: int
    foundation: FoundationReferences
    architecture: Literal["x86_64", "arm64"] = "x86_64"
    artifact_key: str | None = None
    ephemeral_storage_mb: int = MIN_STORAGE_MB
    reserves_concurrency: bool = False
    provisioned_concurrency: int | None = None
    log_retention_days: int = 90
    removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    environment_variables: Mapping[str, str] = field(default_factory=dict)
    execution_role_arn: str | None = None

    def __post_init__(self) -> None:
        """Check names and bounds."""
        check_name("function_name", self.function_name)
        if self.artifact_key is not None:
            check_artifact_key(self.artifact_key)
        for name, low, high in (
            ("memory_mb", _MIN_MB, _MAX_MB),
            ("timeout_s", 1, MAX_TIMEOUT_S),
            ("ephemeral_storage_mb", MIN_STORAGE_MB, MAX_STORAGE_MB),
        ):
            if not low <= getattr(self, name) <= high:
                raise ValueError(f"{name} must lie between {low} and {high}, got {getattr(self, name)}")
        if self.max_concurrency < 1:
            raise ValueError(f"max_concurrency must be 1 or more, got {self.max_concurrency}")
        warm = self.provisioned_concurrency
        if warm is not None and not 1 <= warm <= self.max_concurrency:
            raise ValueError(
                f"provisioned_concurrency must lie between 1 and max_concurrency ({self.max_concurrency}), got {warm}"
            )


class LambdaFunction(Construct):
    """A function in private subnets, its current version, and the alias ``live`` that callers invoke.

    A version is a copy of code and configuration that cannot change: its id holds ``digest``, of both, so a change makes a new
    one, the alias moves to it, at once or as ``LambdaRollout`` says, and CloudFormation deletes the old one when all has worked
    (https://docs.aws.amazon.com/lambda/latest/dg/configuration-versions.html). The variables are encrypted with the data key.
    Tracing is off: every trace is paid, and the role would reach one more service.
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: LambdaFunctionProps) -> None:
        super().__init__(scope, construct_id)
        foundation = props.foundation
        self.function_name, self.max_concurrency = props.function_name, props.max_concurrency
        log_group = add_log_group(self, f"/aws/lambda/{props.function_name}", props)
        variables = dict(props.environment_variables)
        if props.artifact_key is not None:
            variables[MODEL_S3_URI] = f"s3://{foundation.artifact_bucket_name}/{props.artifact_key}"
        self.function = lambda_.CfnFunction(
            self,
            "Function",
            function_name=props.function_name,
            package_type="Image",
            code=lambda_.CfnFunction.CodeProperty(image_uri=props.image_uri),
            architectures=[props.architecture],
            role=props.execution_role_arn or self._role(props, log_group).attr_arn,
            memory_size=props.memory_mb,
            timeout=props.timeout_s,
            ephemeral_storage=lambda_.CfnFunction.EphemeralStorageProperty(size=props.ephemeral_storage_mb),
            environment=lambda_.CfnFunction.EnvironmentProperty(variables=variables) if variables else None,
            kms_key_arn=foundation.data_key_arn,
            reserved_concurrent_executions=props.max_concurrency if props.reserves_concurrency else None,
            vpc_config=lambda_.CfnFunction.VpcConfigProperty(
                security_group_ids=[foundation.endpoint_security_group_id], subnet_ids=foundation.subnet_ids
            ),
            logging_config=lambda_.CfnFunction.LoggingConfigProperty(log_group=log_group.ref),
        )
        acknowledge_all(
            self.function,
            ["HIPAA.Security-LambdaDLQ", "NIST.800.53.R5-LambdaDLQ"],
            "Callers invoke the function synchronously and are told of each failure themselves; Lambda sends only asynchronous "
            "events to a dead-letter queue.",
        )
        if not props.reserves_concurrency:
            acknowledge_all(
                self.function,
                ["HIPAA.Security-LambdaConcurrency", "NIST.800.53.R5-LambdaConcurrency"],
                "Concurrency that is reserved is taken from all other functions, and cannot be reserved where the account "
                "still has its initial limit.",
            )
        self.digest = _digest(props)
        self.version = lambda_.CfnVersion(self, f"Version{self.digest}", function_name=self.function.ref)
        self.alias = lambda_.CfnAlias(
            self,
            "Alias",
            function_name=self.function.ref,
            function_version=self.version.attr_version,
            name=ALIAS,
            provisioned_concurrency_config=lambda_.CfnAlias.ProvisionedConcurrencyConfigurationProperty(
                provisioned_concurrent_executions=props.provisioned_concurrency
            )
            if props.provisioned_concurrency is not None
            else None,
        )

    def _role(self, props: LambdaFunctionProps, log_group: logs.CfnLogGroup) -> iam.CfnRole:
        return lambda_role(
            self,
            function_name=props.function_name,
            log_group_arn=log_group.attr_arn,
            artifact_key=props.artifact_key,
            foundation=props.foundation,
        )


def _digest(props: LambdaFunctionProps) -> str:
    """Return a digest of what a version holds: that of a function without a change is the same at every synth."""
    holds: dict[str, Any] = {
        name: getattr(props, name)
        for name in (
            "image_uri",
            "architecture",
            "memory_mb",
            "timeout_s",
            "ephemeral_storage_mb",
            "artifact_key",
            "execution_role_arn",
        )
    }
    holds["environment_variables"] = dict(props.environment_variables)
    return sha256(json.dumps(holds, sort_keys=True).encode()).hexdigest()[:_DIGITS]
