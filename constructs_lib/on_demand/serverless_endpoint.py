"""A serverless endpoint: model, endpoint configuration and endpoint, with the model's execution role."""

from dataclasses import dataclass

from aws_cdk import RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from constructs_lib.endpoints.endpoint_access import grant, invoke_statements
from constructs_lib.endpoints.endpoint_parts import check_name, endpoint_log_group
from constructs_lib.endpoints.model_role import ModelRole, ModelRoleProps
from constructs_lib.endpoints.serving_model import (
    ContainerProps,
    ServingModelProps,
    check_containers,
    decryption_key_arns,
    read_locations,
    repository_arns,
    serving_model,
)
from constructs_lib.foundation.references import FoundationReferences
from sizewell.facts.serving_modes import Mode, limit

_MODE = Mode.SERVERLESS


@dataclass(frozen=True, kw_only=True)
class ServerlessEndpointProps(ContainerProps):
    """One serverless endpoint; ``ContainerProps`` describes its container.

    Its image is for x86, without GPU support, and ``artifact_key`` one tar.gz object: a serverless endpoint takes no other.
    ``memory_mb`` is a multiple of 1024 up to 6144, and ``max_concurrency`` at most 200.
    ``provisioned_concurrency`` workers are kept warm; None starts each when a request needs it. ``log_retention_days`` and
    ``removal_policy`` are for the log group, which outlives its stack. ``execution_role_arn`` names a role of the account that
    SageMaker assumes; None makes one that may do no more than this endpoint needs. Raises ValueError for input that the API
    would refuse.
    """

    endpoint_name: str
    memory_mb: int
    max_concurrency: int
    foundation: FoundationReferences
    variant_name: str = "AllTraffic"
    provisioned_concurrency: int | None = None
    log_retention_days: int = 90
    removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    execution_role_arn: str | None = None

    def __post_init__(self) -> None:
        """Check names and bounds."""
        for label in ("endpoint_name", "variant_name"):
            check_name(label, getattr(self, label))
        check_containers((self,), packed_only=True)
        low, high, step = (
            int(limit(_MODE, name)) for name in ("min_memory_mb", "max_memory_mb", "memory_step_mb")
        )
        if self.memory_mb not in range(low, high + 1, step):
            raise ValueError(f"memory_mb must be {low} to {high} in steps of {step}, got {self.memory_mb}")
        most = int(limit(_MODE, "max_concurrency"))
        if not 1 <= self.max_concurrency <= most:
            raise ValueError(f"max_concurrency must lie between 1 and {most}, got {self.max_concurrency}")
        warm = self.provisioned_concurrency
        if warm is not None and not 1 <= warm <= self.max_concurrency:
            raise ValueError(
                f"provisioned_concurrency must lie between 1 and max_concurrency ({self.max_concurrency}), got {warm}"
            )


class ServerlessEndpoint(Construct):
    """A named endpoint over an unnamed model and configuration, encrypted with the data key.

    SageMaker runs it outside of every VPC, without network isolation, data capture and instances ("Feature exclusions",
    https://docs.aws.amazon.com/sagemaker/latest/dg/serverless-endpoints.html): the model has no VpcConfig, and its role no
    permission to make network interfaces. The key of the configuration encrypts the copy of the image
    (https://docs.aws.amazon.com/sagemaker/latest/dg/serverless-endpoints-create-config.html). Updates move all traffic at once:
    deployment guardrails are for real-time and asynchronous endpoints
    (https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails.html).
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: ServerlessEndpointProps) -> None:
        super().__init__(scope, construct_id)
        foundation = props.foundation
        model = serving_model(
            self,
            "Model",
            props=ServingModelProps(
                containers=(props,),
                execution_role_arn=props.execution_role_arn or self._role_arn(props),
                network_isolation=None,
                foundation=foundation,
                names_artifact_by_url=True,
            ),
        )
        configuration = sagemaker.CfnEndpointConfig(
            self,
            "EndpointConfig",
            kms_key_id=foundation.data_key_arn,
            production_variants=[
                sagemaker.CfnEndpointConfig.ProductionVariantProperty(
                    variant_name=props.variant_name,
                    model_name=model.attr_model_name,
                    initial_variant_weight=1,
                    serverless_config=sagemaker.CfnEndpointConfig.ServerlessConfigProperty(
                        memory_size_in_mb=props.memory_mb,
                        max_concurrency=props.max_concurrency,
                        provisioned_concurrency=props.provisioned_concurrency,
                    ),
                )
            ],
        )
        log_group = endpoint_log_group(
            self,
            props.endpoint_name,
            operations_key_arn=foundation.operations_key_arn,
            log_retention_days=props.log_retention_days,
            removal_policy=props.removal_policy,
        )
        self.endpoint = sagemaker.CfnEndpoint(
            self,
            "Endpoint",
            endpoint_name=props.endpoint_name,
            endpoint_config_name=configuration.attr_endpoint_config_name,
        )
        # Before the first container writes: SageMaker makes the group itself if it is missing, without key and expiry.
        self.endpoint.add_resource_dependency(log_group)

    def grant_invoke(self, grantee: iam.IGrantable) -> iam.Grant:
        """Let a grantee of the account invoke this endpoint, and nothing else."""
        return grant(grantee, invoke_statements(self.endpoint.ref))

    def _role_arn(self, props: ServerlessEndpointProps) -> str:
        role = ModelRole(
            self,
            "ModelRole",
            props=ModelRoleProps(
                endpoint_name=props.endpoint_name,
                image_repository_arns=repository_arns(self, (props,)),
                reads=read_locations((props,), props.foundation),
                decryption_key_arns=decryption_key_arns((props,)),
                encrypt_volume_with_key=True,
                foundation=props.foundation,
                in_vpc=False,
            ),
        )
        return role.arn
