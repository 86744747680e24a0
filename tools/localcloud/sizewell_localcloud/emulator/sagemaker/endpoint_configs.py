"""Endpoint configurations: immutable, and checked as a whole when they are made."""

from typing import Any

from sizewell_localcloud.emulator import clock, references
from sizewell_localcloud.emulator.account import arn
from sizewell_localcloud.emulator.errors import ValidationError
from sizewell_localcloud.emulator.sagemaker import store
from sizewell_localcloud.emulator.sagemaker.instance_types import has_local_nvme, require_offer
from sizewell_localcloud.emulator.sagemaker.listing import listing
from sizewell_localcloud.emulator.sagemaker.models import found_model

#: https://docs.aws.amazon.com/sagemaker/latest/dg/serverless-endpoints.html
SERVERLESS_MEMORY_MB = (1024, 2048, 3072, 4096, 5120, 6144)


def create_endpoint_config(request: dict[str, Any]) -> dict[str, Any]:
    """CreateEndpointConfig."""
    name = request["EndpointConfigName"]
    config_arn = arn("sagemaker", f"endpoint-config/{name.lower()}")
    if name in store.endpoint_configs:
        raise ValidationError(f'Cannot create already existing endpoint configuration "{config_arn}".')
    references.require_key(request.get("KmsKeyId"))
    if "ExecutionRoleArn" in request:
        references.require_role(request["ExecutionRoleArn"])
    references.require_vpc(request.get("VpcConfig"))
    shadows = request.get("ShadowProductionVariants") or []
    if shadows and (len(shadows), len(request["ProductionVariants"])) != (1, 1):
        raise ValidationError("A shadow variant stands beside exactly one production variant")
    variants = [*request["ProductionVariants"], *shadows]
    names = [variant["VariantName"] for variant in variants]
    if len(set(names)) < len(names):
        raise ValidationError(f"Variant names must be unique, got {names}")
    for variant in variants:
        _check_variant(variant, request)
    if any("ServerlessConfig" in variant for variant in variants):
        _check_serverless(request, variants)
    store.endpoint_configs[name] = {
        **{key: value for key, value in request.items() if key != "Tags"},
        "EndpointConfigArn": config_arn,
        "CreationTime": clock.now(),
    }
    store.tags[config_arn] = store.tag_map(request.get("Tags"))
    return {"EndpointConfigArn": config_arn}


def _check_variant(variant: dict[str, Any], request: dict[str, Any]) -> None:
    if "ModelName" in variant:
        found_model(variant["ModelName"])
    elif "ExecutionRoleArn" not in request:
        raise ValidationError(
            "A variant without a model is for inference components and needs an ExecutionRoleArn"
        )
    kinds = [key for key in ("InstanceType", "ServerlessConfig", "InstancePools") if key in variant]
    if len(kinds) != 1:
        raise ValidationError(
            f"Production variant {variant['VariantName']} must specify exactly one of InstanceType, InstancePools and "
            f"ServerlessConfig, got {kinds or 'none'}"
        )
    if kinds == ["InstanceType"]:
        if "InitialInstanceCount" not in variant and "ManagedInstanceScaling" not in variant:
            raise ValidationError(
                f"Production variant {variant['VariantName']} needs an InitialInstanceCount"
            )
        _check_instance_type(variant["InstanceType"], variant, request)
    for pool in variant.get("InstancePools") or []:
        _check_instance_type(pool["InstanceType"], variant, request)


def _check_instance_type(instance_type: str, variant: dict[str, Any], request: dict[str, Any]) -> None:
    require_offer(instance_type, "hosting")
    if has_local_nvme(instance_type):
        if "KmsKeyId" in request:
            raise ValidationError(
                f"KmsKeyId is not supported for {instance_type}, which has local instance storage"
            )
        if "VolumeSizeInGB" in variant:
            raise ValidationError(
                f"VolumeSizeInGB is not supported for {instance_type}, which has local instance storage"
            )


def _check_serverless(request: dict[str, Any], variants: list[Any]) -> None:
    # https://docs.aws.amazon.com/sagemaker/latest/dg/serverless-endpoints.html (feature exclusions)
    if len(variants) > 1:
        raise ValidationError("A serverless endpoint has one production variant")
    for excluded in ("DataCaptureConfig", "AsyncInferenceConfig", "ExplainerConfig"):
        if excluded in request:
            raise ValidationError(f"{excluded} is not supported with ServerlessConfig")
    if "ModelName" in variants[0]:
        _check_serverless_model(found_model(variants[0]["ModelName"]))
    serverless = variants[0]["ServerlessConfig"]
    if serverless["MemorySizeInMB"] not in SERVERLESS_MEMORY_MB:
        raise ValidationError(
            f"MemorySizeInMB must be one of {list(SERVERLESS_MEMORY_MB)}, got {serverless['MemorySizeInMB']}"
        )
    if serverless.get("ProvisionedConcurrency", 0) > serverless["MaxConcurrency"]:
        raise ValidationError("ProvisionedConcurrency must be less than or equal to MaxConcurrency")


def _check_serverless_model(model: dict[str, Any]) -> None:
    if model.get("VpcConfig"):
        raise ValidationError("A model with a VpcConfig is not supported with ServerlessConfig")
    if model["EnableNetworkIsolation"]:
        raise ValidationError("A model with network isolation is not supported with ServerlessConfig")
    containers = model.get("Containers") or [model["PrimaryContainer"]]
    if len(containers) > 1 or containers[0].get("Mode") == "MultiModel":
        raise ValidationError(
            "A model of several containers or models is not supported with ServerlessConfig"
        )
    # API reference: ContainerDefinition, ModelDataSource.
    if "ModelDataSource" in containers[0]:
        raise ValidationError("ModelDataSource is not supported with ServerlessConfig")


def describe_endpoint_config(request: dict[str, Any]) -> dict[str, Any]:
    """DescribeEndpointConfig."""
    return found_endpoint_config(request["EndpointConfigName"])


def found_endpoint_config(name: str) -> dict[str, Any]:
    """Return a configuration. Raises ValidationError."""
    config = store.endpoint_configs.get(name)
    if config is None:
        missing = arn("sagemaker", f"endpoint-config/{name.lower()}")
        raise ValidationError(f'Could not find endpoint configuration "{missing}".')
    return dict(config)


def delete_endpoint_config(request: dict[str, Any]) -> None:
    """DeleteEndpointConfig."""
    config = found_endpoint_config(request["EndpointConfigName"])
    store.endpoint_configs.pop(request["EndpointConfigName"])
    store.tags.pop(config["EndpointConfigArn"], None)


def list_endpoint_configs(request: dict[str, Any]) -> dict[str, Any]:
    """ListEndpointConfigs."""
    return listing(
        request, store.endpoint_configs.values(), prefix="EndpointConfig", answer="EndpointConfigs"
    )
