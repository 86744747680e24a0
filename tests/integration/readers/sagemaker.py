"""Models, endpoint configurations and endpoints, as SageMaker describes them."""

from typing import Any

from tests.integration.readers.common import ClientFactory, Properties, picked, user_tags


def _name(api: Any, operation: str, kind: str, arn: str) -> str:
    """Return the name that belongs to an ARN, which has it in lower case."""
    pages = api.get_paginator(operation).paginate()
    (name,) = (
        item[f"{kind}Name"] for page in pages for item in page[f"{kind}s"] if item[f"{kind}Arn"] == arn
    )
    return str(name)


def read_model(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("sagemaker")
    found = api.describe_model(ModelName=_name(api, "list_models", "Model", physical_id))
    members = (
        "EnableNetworkIsolation",
        "ExecutionRoleArn",
        "PrimaryContainer",
        "Containers",
        "InferenceExecutionConfig",
        "VpcConfig",
    )
    return picked(found, *members) | _tags(api, found["ModelArn"])


def read_endpoint_config(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("sagemaker")
    name = _name(api, "list_endpoint_configs", "EndpointConfig", physical_id)
    found = api.describe_endpoint_config(EndpointConfigName=name)
    members = (
        "ProductionVariants",
        "ShadowProductionVariants",
        "KmsKeyId",
        "DataCaptureConfig",
        "AsyncInferenceConfig",
        "ExecutionRoleArn",
        "VpcConfig",
        "EnableNetworkIsolation",
    )
    return picked(found, *members) | _tags(api, found["EndpointConfigArn"])


def read_endpoint(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("sagemaker")
    found = api.describe_endpoint(EndpointName=physical_id.rpartition("/")[2])
    return picked(found, "EndpointName", "EndpointConfigName") | _tags(api, found["EndpointArn"])


def read_inference_component(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("sagemaker")
    name = _name(api, "list_inference_components", "InferenceComponent", physical_id)
    found = api.describe_inference_component(InferenceComponentName=name)
    return (
        picked(found, "InferenceComponentName", "EndpointName", "VariantName", "Specification")
        | {"RuntimeConfig": {"CopyCount": found["RuntimeConfig"]["DesiredCopyCount"]}}
        | _tags(api, found["InferenceComponentArn"])
    )


def read_model_group(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("sagemaker")
    found = api.describe_model_package_group(ModelPackageGroupName=physical_id)
    members = ("ModelPackageGroupDescription", "ModelPackageGroupName")
    return picked(found, *members) | _tags(api, found["ModelPackageGroupArn"])


def read_notebook(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("sagemaker")
    found = api.describe_notebook_instance(NotebookInstanceName=physical_id.rpartition("/")[2])
    members = (
        "DirectInternetAccess",
        "InstanceMetadataServiceConfiguration",
        "InstanceType",
        "KmsKeyId",
        "NotebookInstanceName",
        "PlatformIdentifier",
        "RoleArn",
        "RootAccess",
        "SubnetId",
        "VolumeSizeInGB",
    )
    renamed = {
        "SecurityGroupIds": found["SecurityGroups"],
        "LifecycleConfigName": found["NotebookInstanceLifecycleConfigName"],
    }
    return picked(found, *members) | renamed | _tags(api, found["NotebookInstanceArn"])


def read_lifecycle_config(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("sagemaker")
    kind = "NotebookInstanceLifecycleConfig"
    name = _name(api, "list_notebook_instance_lifecycle_configs", kind, physical_id)
    found = api.describe_notebook_instance_lifecycle_config(NotebookInstanceLifecycleConfigName=name)
    return picked(found, "OnStart") | _tags(api, found[f"{kind}Arn"])


def read_mlflow_app(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("sagemaker")
    found = api.describe_mlflow_app(Arn=physical_id)
    members = ("ArtifactStoreUri", "ModelRegistrationMode", "Name", "RoleArn")
    return picked(found, *members) | _tags(api, physical_id)


def _tags(api: Any, arn: str) -> Properties:
    return {"Tags": user_tags(api.list_tags(ResourceArn=arn)["Tags"])}
