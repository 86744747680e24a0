"""SageMaker's control plane: which operations there are."""

from typing import Any

from sizewell_localcloud.emulator.errors import ValidationError
from sizewell_localcloud.emulator.json_service import JsonService
from sizewell_localcloud.emulator.sagemaker import (
    endpoint_configs,
    endpoints,
    inference_components,
    mlflow_apps,
    model_packages,
    models,
    notebooks,
    store,
)
from sizewell_localcloud.emulator.sagemaker.job_kinds import KINDS


def _add_tags(request: dict[str, Any]) -> dict[str, Any]:
    tags = _tags_of(request["ResourceArn"])
    tags.update(store.tag_map(request["Tags"]))
    return {"Tags": store.tag_list(request["ResourceArn"])}


def _delete_tags(request: dict[str, Any]) -> None:
    tags = _tags_of(request["ResourceArn"])
    for key in request["TagKeys"]:
        tags.pop(key, None)


def _list_tags(request: dict[str, Any]) -> dict[str, Any]:
    _tags_of(request["ResourceArn"])
    return {"Tags": store.tag_list(request["ResourceArn"])}


def _tags_of(arn: str) -> dict[str, str]:
    tags: dict[str, str] | None = store.tags.get(arn)
    if tags is None:
        raise ValidationError(f"Could not find resource {arn}")
    return tags


SAGEMAKER = JsonService(
    "sagemaker",
    {
        "AddTags": _add_tags,
        "DeleteTags": _delete_tags,
        "ListTags": _list_tags,
        "CreateModel": models.create_model,
        "DescribeModel": models.describe_model,
        "DeleteModel": models.delete_model,
        "ListModels": models.list_models,
        "CreateEndpointConfig": endpoint_configs.create_endpoint_config,
        "DescribeEndpointConfig": endpoint_configs.describe_endpoint_config,
        "DeleteEndpointConfig": endpoint_configs.delete_endpoint_config,
        "ListEndpointConfigs": endpoint_configs.list_endpoint_configs,
        "CreateEndpoint": endpoints.create_endpoint,
        "DescribeEndpoint": endpoints.describe_endpoint,
        "UpdateEndpoint": endpoints.update_endpoint,
        "UpdateEndpointWeightsAndCapacities": endpoints.update_weights_and_capacities,
        "DeleteEndpoint": endpoints.delete_endpoint,
        "ListEndpoints": endpoints.list_endpoints,
        "CreateInferenceComponent": inference_components.create_inference_component,
        "DescribeInferenceComponent": inference_components.describe_inference_component,
        "UpdateInferenceComponent": inference_components.update_inference_component,
        "UpdateInferenceComponentRuntimeConfig": inference_components.update_runtime_config,
        "DeleteInferenceComponent": inference_components.delete_inference_component,
        "ListInferenceComponents": inference_components.list_inference_components,
        "CreateMlflowApp": mlflow_apps.create_mlflow_app,
        "DescribeMlflowApp": mlflow_apps.describe_mlflow_app,
        "UpdateMlflowApp": mlflow_apps.update_mlflow_app,
        "DeleteMlflowApp": mlflow_apps.delete_mlflow_app,
        "ListMlflowApps": mlflow_apps.list_mlflow_apps,
        "CreateNotebookInstance": notebooks.create_notebook_instance,
        "DescribeNotebookInstance": notebooks.describe_notebook_instance,
        "UpdateNotebookInstance": notebooks.update_notebook_instance,
        "StartNotebookInstance": notebooks.start_notebook_instance,
        "StopNotebookInstance": notebooks.stop_notebook_instance,
        "DeleteNotebookInstance": notebooks.delete_notebook_instance,
        "ListNotebookInstances": notebooks.list_notebook_instances,
        "CreateNotebookInstanceLifecycleConfig": notebooks.create_lifecycle_config,
        "DescribeNotebookInstanceLifecycleConfig": notebooks.describe_lifecycle_config,
        "UpdateNotebookInstanceLifecycleConfig": notebooks.update_lifecycle_config,
        "DeleteNotebookInstanceLifecycleConfig": notebooks.delete_lifecycle_config,
        "ListNotebookInstanceLifecycleConfigs": notebooks.list_lifecycle_configs,
        "CreateModelPackageGroup": model_packages.create_group,
        "DescribeModelPackageGroup": model_packages.describe_group,
        "DeleteModelPackageGroup": model_packages.delete_group,
        "CreateModelPackage": model_packages.create_version,
        "DescribeModelPackage": model_packages.describe_version,
        "UpdateModelPackage": model_packages.update_version,
        "ListModelPackages": model_packages.list_versions,
    }
    | {f"Create{kind.prefix}": kind.create for kind in KINDS}
    | {f"Describe{kind.prefix}": kind.describe for kind in KINDS}
    | {f"Stop{kind.prefix}": kind.stop for kind in KINDS}
    | {f"List{kind.prefix}s": kind.listed for kind in KINDS},
)
