"""Endpoints: created, updated, re-scaled and deleted in scaled time, refused as SageMaker refuses."""

from threading import RLock
from typing import Any

from localcloud.emulator import clock
from localcloud.emulator.account import arn, in_background
from localcloud.emulator.errors import ValidationError
from localcloud.emulator.events import tell
from localcloud.emulator.sagemaker import scripts, store
from localcloud.emulator.sagemaker.deployments import check_deployment_config, run_deployment
from localcloud.emulator.sagemaker.endpoint_configs import found_endpoint_config
from localcloud.emulator.sagemaker.scaling_guard import require_no_registered_change

lock = RLock()

_EVENT_STATUS = {
    "Creating": "CREATING",
    "Updating": "UPDATING",
    "RollingBack": "ROLLING_BACK",
    "InService": "IN_SERVICE",
    "Failed": "FAILED",
    "Deleting": "DELETING",
}


def endpoint_arn(name: str) -> str:
    """Return the ARN of an endpoint; SageMaker writes names in ARNs in lower case."""
    return arn("sagemaker", f"endpoint/{name.lower()}")


def found_endpoint(name: str) -> dict[str, Any]:
    """Return an endpoint. Raises ValidationError."""
    endpoint: dict[str, Any] | None = store.endpoints.get(name)
    if endpoint is None:
        raise ValidationError(f'Could not find endpoint "{endpoint_arn(name)}".')
    return endpoint


def set_status(endpoint: dict[str, Any], status: str, reason: str | None = None) -> None:
    """Move an endpoint to a status and tell EventBridge."""
    with lock:
        endpoint["EndpointStatus"] = status
        endpoint["LastModifiedTime"] = clock.now()
        if reason is None:
            endpoint.pop("FailureReason", None)
        else:
            endpoint["FailureReason"] = reason
    if status in _EVENT_STATUS:
        shown = ("EndpointName", "EndpointArn", "EndpointConfigName", "CreationTime", "LastModifiedTime")
        detail = {key: endpoint[key] for key in shown}
        tell(
            "SageMaker Endpoint State Change",
            endpoint["EndpointArn"],
            detail | {"EndpointStatus": _EVENT_STATUS[status]},
        )


def create_endpoint(request: dict[str, Any]) -> dict[str, Any]:
    """CreateEndpoint."""
    name = request["EndpointName"]
    with lock:
        if name in store.endpoints:
            raise ValidationError(f'Cannot create already existing endpoint "{endpoint_arn(name)}".')
        config = found_endpoint_config(request["EndpointConfigName"])
        check_deployment_config(request.get("DeploymentConfig"), config, config)
        endpoint = {
            "EndpointName": name,
            "EndpointArn": endpoint_arn(name),
            "EndpointConfigName": request["EndpointConfigName"],
            "CreationTime": clock.now(),
        }
        store.endpoints[name] = endpoint
    store.tags[endpoint["EndpointArn"]] = store.tag_map(request.get("Tags"))
    set_status(endpoint, "Creating")

    def create() -> None:
        clock.pause(clock.ENDPOINT_START_S)
        script = scripts.take("endpoint", name)
        if script is not None:
            set_status(
                endpoint, "Failed", script.reason or "The container did not pass the ping health check."
            )
            return
        with lock:
            endpoint["ProductionVariants"] = fresh_variants(config)
        set_status(endpoint, "InService")

    in_background(create, f"create {name}")
    return {"EndpointArn": endpoint["EndpointArn"]}


def fresh_variants(config: dict[str, Any], kept: list[dict[str, Any]] | None = None) -> list[dict[str, Any]]:
    """Return the running variants of a configuration; those in ``kept`` keep their instance count and weight."""
    previous = {variant["VariantName"]: variant for variant in kept or []}
    variants = []
    for wanted in config["ProductionVariants"]:
        old = previous.get(wanted["VariantName"], {})
        weight = old.get("DesiredWeight", wanted.get("InitialVariantWeight", 1.0))
        variant = {"VariantName": wanted["VariantName"], "CurrentWeight": weight, "DesiredWeight": weight}
        if "ServerlessConfig" in wanted:
            variant |= {"CurrentServerlessConfig": wanted["ServerlessConfig"]}
        else:
            count = old.get("DesiredInstanceCount", wanted.get("InitialInstanceCount", 1))
            variant |= {"CurrentInstanceCount": count, "DesiredInstanceCount": count}
        for key in ("ManagedInstanceScaling", "RoutingConfig"):
            if key in wanted:
                variant[key] = wanted[key]
        variants.append(variant)
    return variants


def update_endpoint(request: dict[str, Any]) -> dict[str, Any]:
    """UpdateEndpoint: refused while another operation runs, or where autoscaling stands in the way."""
    name = request["EndpointName"]
    with lock:
        endpoint = found_endpoint(name)
        if endpoint["EndpointStatus"] == "Failed":
            raise ValidationError(
                f'Cannot update failed endpoint "{endpoint["EndpointArn"]}": it can only be deleted.'
            )
        if endpoint["EndpointStatus"] != "InService":
            raise ValidationError(f'Cannot update in-progress endpoint "{endpoint["EndpointArn"]}".')
        config = found_endpoint_config(request["EndpointConfigName"])
        current = found_endpoint_config(endpoint["EndpointConfigName"])
        require_no_registered_change(name, current, config)
        deployment = request.get("DeploymentConfig")
        if deployment is None and request.get("RetainDeploymentConfig"):
            deployment = endpoint.get("LastDeploymentConfig")
        check_deployment_config(deployment, current, config)
        kept = endpoint.get("ProductionVariants") if request.get("RetainAllVariantProperties") else None
        excluded = {
            item["VariantPropertyType"] for item in request.get("ExcludeRetainedVariantProperties") or []
        }
        if kept and "DesiredInstanceCount" in excluded:
            kept = [{k: v for k, v in variant.items() if k != "DesiredInstanceCount"} for variant in kept]
        target = fresh_variants(config, kept)
    set_status(endpoint, "Updating")

    def update() -> None:
        script = scripts.take("endpoint", name)
        reason = run_deployment(endpoint, config, target, deployment, script)
        if reason is None:
            with lock:
                endpoint["EndpointConfigName"] = config["EndpointConfigName"]
                endpoint["ProductionVariants"] = target
                if deployment is not None:
                    endpoint["LastDeploymentConfig"] = deployment
                endpoint.pop("PendingDeploymentSummary", None)
            set_status(endpoint, "InService")
            return
        set_status(endpoint, "RollingBack", reason)
        clock.pause(clock.INSTANCE_START_S)
        with lock:
            endpoint.pop("PendingDeploymentSummary", None)
        set_status(endpoint, "InService", reason)

    in_background(update, f"update {name}")
    return {"EndpointArn": endpoint["EndpointArn"]}


def update_weights_and_capacities(request: dict[str, Any]) -> dict[str, Any]:
    """UpdateEndpointWeightsAndCapacities: what autoscaling and people use to change a count."""
    with lock:
        endpoint = found_endpoint(request["EndpointName"])
        if endpoint["EndpointStatus"] != "InService":
            raise ValidationError(f'Cannot update in-progress endpoint "{endpoint["EndpointArn"]}".')
        variants = {variant["VariantName"]: variant for variant in endpoint["ProductionVariants"]}
        for desired in request["DesiredWeightsAndCapacities"]:
            if desired["VariantName"] not in variants:
                raise ValidationError(
                    f"Endpoint {request['EndpointName']} has no variant {desired['VariantName']}"
                )
            variant = variants[desired["VariantName"]]
            variant["DesiredInstanceCount"] = desired.get(
                "DesiredInstanceCount", variant["DesiredInstanceCount"]
            )
            variant["DesiredWeight"] = desired.get("DesiredWeight", variant["DesiredWeight"])
    set_status(endpoint, "Updating")

    def rescale() -> None:
        clock.pause(clock.INSTANCE_START_S)
        with lock:
            for variant in variants.values():
                variant["CurrentInstanceCount"] = variant["DesiredInstanceCount"]
                variant["CurrentWeight"] = variant["DesiredWeight"]
        set_status(endpoint, "InService")

    in_background(rescale, f"rescale {request['EndpointName']}")
    return {"EndpointArn": endpoint["EndpointArn"]}


def describe_endpoint(request: dict[str, Any]) -> dict[str, Any]:
    """DescribeEndpoint."""
    with lock:
        endpoint = dict(found_endpoint(request["EndpointName"]))
        config = store.endpoint_configs.get(endpoint["EndpointConfigName"], {})
    for key in ("DataCaptureConfig", "AsyncInferenceConfig", "ExplainerConfig"):
        if key in config:
            endpoint[key] = config[key]
    return endpoint


def list_endpoints(request: dict[str, Any]) -> dict[str, Any]:
    """ListEndpoints, by name."""
    return {"Endpoints": [dict(store.endpoints[name]) for name in sorted(store.endpoints)]}


def delete_endpoint(request: dict[str, Any]) -> None:
    """DeleteEndpoint: deregisters what autoscaling holds of it, as SageMaker does with a caller's permission."""
    from localcloud.emulator.application_autoscaling import deregister_endpoint

    name = request["EndpointName"]
    with lock:
        endpoint = found_endpoint(name)
        if endpoint["EndpointStatus"] in {"Creating", "Updating", "RollingBack"}:
            raise ValidationError(f'Cannot update in-progress endpoint "{endpoint["EndpointArn"]}".')
    deregister_endpoint(name)
    set_status(endpoint, "Deleting")

    def delete() -> None:
        clock.pause(clock.ENDPOINT_DELETE_S)
        store.endpoints.pop(name, None)
        store.tags.pop(endpoint["EndpointArn"], None)

    in_background(delete, f"delete {name}")
