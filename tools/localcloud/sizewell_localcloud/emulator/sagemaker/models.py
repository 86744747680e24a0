"""Models: an image, where its artifact lies, and the role that may read it."""

from typing import Any

from sizewell_localcloud.emulator import clock, references
from sizewell_localcloud.emulator.account import arn
from sizewell_localcloud.emulator.errors import ValidationError
from sizewell_localcloud.emulator.sagemaker import store
from sizewell_localcloud.emulator.sagemaker.listing import listing


def create_model(request: dict[str, Any]) -> dict[str, Any]:
    """CreateModel."""
    name = request["ModelName"]
    model_arn = arn("sagemaker", f"model/{name.lower()}")
    if name in store.models:
        raise ValidationError(f'Cannot create already existing model "{model_arn}".')
    containers = (
        [request["PrimaryContainer"]] if "PrimaryContainer" in request else request.get("Containers") or []
    )
    if not containers:
        raise ValidationError("Either PrimaryContainer or Containers must be specified")
    if "PrimaryContainer" in request and request.get("Containers"):
        raise ValidationError("Both PrimaryContainer and Containers cannot be specified")
    if "ExecutionRoleArn" in request:
        references.require_role(request["ExecutionRoleArn"])
    references.require_vpc(request.get("VpcConfig"))
    for container in containers:
        _check_container(container)
    store.models[name] = {
        **{key: value for key, value in request.items() if key != "Tags"},
        "ModelArn": model_arn,
        "EnableNetworkIsolation": request.get("EnableNetworkIsolation", False),
        "CreationTime": clock.now(),
    }
    store.tags[model_arn] = store.tag_map(request.get("Tags"))
    return {"ModelArn": model_arn}


def _check_container(container: dict[str, Any]) -> None:
    if "Image" not in container and "ModelPackageName" not in container:
        raise ValidationError("A container needs an Image or a ModelPackageName")
    if "ModelDataUrl" in container and "ModelDataSource" in container:
        raise ValidationError("ModelDataUrl and ModelDataSource cannot both be specified")
    # API reference: ContainerDefinition, ModelDataSource.
    if container.get("Mode") == "MultiModel" and "ModelDataUrl" not in container:
        raise ValidationError("With Mode MultiModel, ModelDataUrl must name the prefix of the models")
    source = container.get("ModelDataSource", {}).get("S3DataSource")
    if source:
        references.require_bucket_of(source["S3Uri"])
        if source["S3DataType"] == "S3Prefix" and not source["S3Uri"].endswith("/"):
            raise ValidationError(f"With S3DataType S3Prefix, S3Uri must end with a slash: {source['S3Uri']}")
    elif "ModelDataUrl" in container:
        references.require_bucket_of(container["ModelDataUrl"])


def describe_model(request: dict[str, Any]) -> dict[str, Any]:
    """DescribeModel."""
    return found_model(request["ModelName"])


def found_model(name: str) -> dict[str, Any]:
    """Return a model. Raises ValidationError."""
    model = store.models.get(name)
    if model is None:
        raise ValidationError(f'Could not find model "{arn("sagemaker", f"model/{name.lower()}")}".')
    return dict(model)


def delete_model(request: dict[str, Any]) -> None:
    """DeleteModel: SageMaker deletes a model even while an endpoint serves it."""
    model = found_model(request["ModelName"])
    store.models.pop(request["ModelName"])
    store.tags.pop(model["ModelArn"], None)


def list_models(request: dict[str, Any]) -> dict[str, Any]:
    """ListModels."""
    return listing(request, store.models.values(), prefix="Model", answer="Models")
