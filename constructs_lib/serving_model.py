"""The SageMaker model: the image, the artifact, and where its containers stand."""

from dataclasses import dataclass
from typing import Literal

from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from constructs_lib.references import FoundationReferences


@dataclass(frozen=True, kw_only=True)
class MultiModel:
    """Many models on the same instances, each a .tar.gz; ``cache`` False unloads a model as soon as it has answered."""

    cache: bool = True


@dataclass(frozen=True, kw_only=True)
class ServingModelProps:
    """What the containers run, and as whom.

    ``artifact_key`` lies in the artifact bucket: one object, or a key prefix that ends with a slash. Without an
    ``artifact_compression`` it is one model.tar.gz, named by its URL: a transform job takes nothing else (API reference:
    ContainerDefinition, ModelDataSource). With ``multi_model`` the key is a prefix that the archives of many models lie below.
    """

    execution_role_arn: str
    image_uri: str
    artifact_key: str
    artifact_compression: Literal["Gzip", "None"] | None
    environment_variables: dict[str, str]
    network_isolation: bool
    foundation: FoundationReferences
    multi_model: MultiModel | None = None


def serving_model(scope: Construct, construct_id: str, *, props: ServingModelProps) -> sagemaker.CfnModel:
    """Add a model without a name of its own, in the private subnets: it is immutable, and a name would block its replacement."""
    foundation, multi_model = props.foundation, props.multi_model
    # The API names many models by the URL of their prefix.
    compression = None if multi_model else props.artifact_compression
    uri = f"s3://{foundation.artifact_bucket_name}/{props.artifact_key}"
    return sagemaker.CfnModel(
        scope,
        construct_id,
        execution_role_arn=props.execution_role_arn,
        enable_network_isolation=props.network_isolation,
        vpc_config=sagemaker.CfnModel.VpcConfigProperty(
            subnets=foundation.subnet_ids,
            security_group_ids=[foundation.endpoint_security_group_id],
        ),
        primary_container=sagemaker.CfnModel.ContainerDefinitionProperty(
            image=props.image_uri,
            environment=props.environment_variables or None,
            mode="MultiModel" if multi_model else None,
            multi_model_config=sagemaker.CfnModel.MultiModelConfigProperty(
                model_cache_setting="Enabled" if multi_model.cache else "Disabled"
            )
            if multi_model
            else None,
            model_data_url=uri if compression is None else None,
            model_data_source=sagemaker.CfnModel.ModelDataSourceProperty(
                s3_data_source=sagemaker.CfnModel.S3DataSourceProperty(
                    compression_type=compression,
                    s3_data_type="S3Prefix" if props.artifact_key.endswith("/") else "S3Object",
                    s3_uri=uri,
                )
            )
            if compression is not None
            else None,
        ),
    )
