"""The SageMaker model: what its containers run, what they load, and where they stand."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from constructs_lib.endpoints.endpoint_parts import check_artifact_key
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.policies.container_images import image_repository_arn
from sizewell.facts.inference_pipelines import MAX_CONTAINERS, MODEL_HOSTNAME


@dataclass(frozen=True, kw_only=True)
class ModelPackage:
    """A version of a model group in the SageMaker Model Registry: it names the image and the artifact.

    The role pulls from ``image_repository_arn`` and reads ``artifacts``, a bucket and a key or prefix in it, which
    ``key_arn`` decrypts where it is not the data key. A role that exists needs none of the three.
    """

    arn: str
    image_repository_arn: str | None = None
    artifacts: tuple[str, str] | None = None
    key_arn: str | None = None


@dataclass(frozen=True, kw_only=True)
class MultiModel:
    """Many models on the same instances, each a .tar.gz; ``cache`` False unloads a model as soon as it has answered."""

    cache: bool = True


@dataclass(frozen=True, kw_only=True)
class ContainerProps:
    """What one container runs and loads: an image and an artifact, or a model package.

    ``image_uri`` is an image in Amazon ECR, whose repository the role may pull; ``image_repository_arn`` None takes it from
    there. ``artifact_key`` lies in the artifact bucket: compressed (``Gzip``, as SageMaker's SDK uploads models) it is one
    tar.gz object; otherwise (``None``) one object, or a key prefix that ends with a slash. With ``multi_model`` it is a prefix
    that the archives of many models lie below.
    """

    image_uri: str | None = None
    image_repository_arn: str | None = None
    artifact_key: str | None = None
    artifact_compression: Literal["Gzip", "None"] = "Gzip"
    model_package: ModelPackage | None = None
    multi_model: MultiModel | None = None
    environment_variables: dict[str, str] = field(default_factory=dict)

    def check_container(self) -> None:
        """Raise ValueError for what names no model, or two."""
        if (self.image_uri is None) == (self.model_package is None):
            raise ValueError("a container has either an image_uri or a model_package")
        key = self.artifact_key
        if key is None:
            return
        if self.model_package is not None:
            raise ValueError(
                f"a model_package names its artifact itself, got the artifact_key {key!r} beside it"
            )
        check_artifact_key(key)
        if self.multi_model is not None:
            if not key.endswith("/"):
                raise ValueError(f"many models lie below a prefix that ends in a slash, got {key!r}")
        elif self.artifact_compression == "Gzip" and key.endswith("/"):
            raise ValueError(f"a compressed artifact is one tar.gz object, not a prefix, got {key!r}")


@dataclass(frozen=True, kw_only=True)
class PipelineContainer(ContainerProps):
    """A container before or after that of the model, on the same instances; ``name`` is what logs and metrics call it."""

    name: str


def check_containers(containers: Sequence[ContainerProps], *, packed_only: bool = False) -> None:
    """Raise ValueError for containers that one model cannot have; ``packed_only`` is for what loads nothing but a .tar.gz."""
    for container in containers:
        key = container.artifact_key
        if packed_only and key is not None and not key.endswith(".tar.gz"):
            raise ValueError(f"artifact_key must be a tar.gz object, got {key!r}")
        container.check_container()
    names = [_hostname(container) for container in containers]
    if len(names) > MAX_CONTAINERS or len(set(names)) < len(names):
        raise ValueError(
            f"a model has up to {MAX_CONTAINERS} containers with names of their own, got {names}"
        )


def repository_arns(scope: Construct, containers: Sequence[ContainerProps]) -> tuple[str, ...]:
    """Return the ECR repositories that containers are pulled from, each once."""
    return tuple(dict.fromkeys(arn for container in containers if (arn := _repository_arn(scope, container))))


def read_locations(
    containers: Sequence[ContainerProps], foundation: FoundationReferences
) -> tuple[tuple[str, str], ...]:
    """Return what containers load from Amazon S3: a bucket, and the key of one object or a prefix that ends in a slash."""
    found: dict[tuple[str, str], None] = {}
    for container in containers:
        if container.artifact_key is not None:
            found[foundation.artifact_bucket_name, container.artifact_key] = None
        elif container.model_package is not None and container.model_package.artifacts is not None:
            found[container.model_package.artifacts] = None
    return tuple(found)


def decryption_key_arns(containers: Sequence[ContainerProps]) -> tuple[str, ...]:
    """Return the keys of what they load, beside the data key."""
    packages = (container.model_package for container in containers)
    return tuple(
        package.key_arn for package in packages if package is not None and package.key_arn is not None
    )


@dataclass(frozen=True, kw_only=True)
class ServingModelProps:
    """The containers in the order of a request, and as whom they run.

    ``names_artifact_by_url`` is for what takes nothing but one model.tar.gz: transform jobs and serverless endpoints (API
    reference: ContainerDefinition, ModelDataSource). ``network_isolation`` None is outside of the VPC, where there is none.
    """

    containers: Sequence[ContainerProps]
    execution_role_arn: str
    network_isolation: bool | None
    foundation: FoundationReferences
    names_artifact_by_url: bool = False


def serving_model(scope: Construct, construct_id: str, *, props: ServingModelProps) -> sagemaker.CfnModel:
    """Add a model without a name of its own, in the private subnets: it is immutable, and a name would block its replacement.

    Several containers hand each request on (https://docs.aws.amazon.com/sagemaker/latest/dg/inference-pipelines.html). Where
    one of them has a name, all must (API reference: ContainerDefinition, ContainerHostname).
    """
    foundation = props.foundation
    serial = len(props.containers) > 1
    definitions = [_definition(container, props, named=serial) for container in props.containers]
    return sagemaker.CfnModel(
        scope,
        construct_id,
        execution_role_arn=props.execution_role_arn,
        enable_network_isolation=props.network_isolation,
        vpc_config=sagemaker.CfnModel.VpcConfigProperty(
            subnets=foundation.subnet_ids,
            security_group_ids=[foundation.endpoint_security_group_id],
        )
        if props.network_isolation is not None
        else None,
        primary_container=None if serial else definitions[0],
        containers=definitions if serial else None,
        inference_execution_config=sagemaker.CfnModel.InferenceExecutionConfigProperty(mode="Serial")
        if serial
        else None,
    )


def _hostname(container: ContainerProps) -> str:
    return container.name if isinstance(container, PipelineContainer) else MODEL_HOSTNAME


def _repository_arn(scope: Construct, container: ContainerProps) -> str | None:
    if container.model_package is not None:
        return container.model_package.image_repository_arn
    assert container.image_uri is not None, "checked: it has one of both"
    return container.image_repository_arn or image_repository_arn(scope, container.image_uri)


def _definition(
    container: ContainerProps, props: ServingModelProps, *, named: bool
) -> sagemaker.CfnModel.ContainerDefinitionProperty:
    key, multi_model = container.artifact_key, container.multi_model
    uri = None if key is None else f"s3://{props.foundation.artifact_bucket_name}/{key}"
    # The API names many models by the URL of their prefix.
    by_url = props.names_artifact_by_url or multi_model is not None
    source = None
    if key is not None and uri is not None and not by_url:
        source = sagemaker.CfnModel.ModelDataSourceProperty(
            s3_data_source=sagemaker.CfnModel.S3DataSourceProperty(
                compression_type=container.artifact_compression,
                s3_data_type="S3Prefix" if key.endswith("/") else "S3Object",
                s3_uri=uri,
            )
        )
    return sagemaker.CfnModel.ContainerDefinitionProperty(
        container_hostname=_hostname(container) if named else None,
        image=container.image_uri,
        model_package_name=container.model_package.arn if container.model_package else None,
        environment=container.environment_variables or None,
        mode="MultiModel" if multi_model else None,
        multi_model_config=sagemaker.CfnModel.MultiModelConfigProperty(
            model_cache_setting="Enabled" if multi_model.cache else "Disabled"
        )
        if multi_model
        else None,
        model_data_url=uri if by_url else None,
        model_data_source=source,
    )
