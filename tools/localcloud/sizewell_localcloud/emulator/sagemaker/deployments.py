"""Deployment guardrails: how traffic moves from the old fleet to the new one, and what calls it back.

https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails.html
"""

from typing import Any

from sizewell_localcloud.emulator import clock, references
from sizewell_localcloud.emulator.errors import ValidationError
from sizewell_localcloud.emulator.sagemaker import store
from sizewell_localcloud.emulator.sagemaker.scripts import Script

#: Smallest part of a wait after which alarms are looked at again, in seconds of AWS.
_LOOK_AGAIN_S = 10.0


def check_deployment_config(
    config: dict[str, Any] | None, current: dict[str, Any], wanted: dict[str, Any]
) -> None:
    """Refuse what the guardrails exclude."""
    if config is None:
        return
    blue_green, rolling = config.get("BlueGreenUpdatePolicy"), config.get("RollingUpdatePolicy")
    if blue_green and rolling:
        raise ValidationError("BlueGreenUpdatePolicy and RollingUpdatePolicy cannot both be specified")
    names = [{variant["VariantName"] for variant in side["ProductionVariants"]} for side in (current, wanted)]
    if names[0] != names[1]:
        raise ValidationError(
            "With a deployment policy, the new endpoint configuration must keep the variant names"
        )
    if rolling:
        if len(wanted["ProductionVariants"]) > 1:
            raise ValidationError("Rolling deployments are not supported for endpoints with several variants")
        if any("ServerlessConfig" in variant for variant in wanted["ProductionVariants"]):
            raise ValidationError("Rolling deployments are not supported for serverless endpoints")
        _check_percentage("MaximumBatchSize", rolling["MaximumBatchSize"], 5, 50)
        if "RollbackMaximumBatchSize" in rolling:
            _check_percentage("RollbackMaximumBatchSize", rolling["RollbackMaximumBatchSize"], 5, 100)
    if blue_green:
        routing = blue_green["TrafficRoutingConfiguration"]
        if routing["Type"] == "CANARY":
            _check_size("CanarySize", routing, 1, 50)
        elif routing["Type"] == "LINEAR":
            _check_size("LinearStepSize", routing, 10, 50)
    for alarm in (config.get("AutoRollbackConfiguration") or {}).get("Alarms") or []:
        references.require_alarm(alarm["AlarmName"])


def _check_size(key: str, routing: dict[str, Any], low: int, high: int) -> None:
    if key not in routing:
        raise ValidationError(f"Traffic routing of type {routing['Type']} needs {key}")
    _check_percentage(key, routing[key], low, high)


def _check_percentage(key: str, size: dict[str, Any], low: int, high: int) -> None:
    if size["Type"] == "CAPACITY_PERCENT" and not low <= size["Value"] <= high:
        raise ValidationError(f"{key} must be {low} to {high} percent of the capacity, got {size['Value']}")


def show(endpoint: dict[str, Any], config: dict[str, Any], target: list[dict[str, Any]], status: str) -> None:
    """Describe the new fleet as pending, in a phase of its deployment."""
    with store.lock:
        started = endpoint.get("PendingDeploymentSummary", {}).get("StartTime", clock.now())
        endpoint["PendingDeploymentSummary"] = {
            "EndpointConfigName": config["EndpointConfigName"],
            "StartTime": started,
            "ProductionVariants": [
                {**variant, "VariantStatus": [{"Status": status, "StartTime": clock.now()}]}
                for variant in target
            ],
        }


def run_deployment(
    endpoint: dict[str, Any],
    config: dict[str, Any],
    target: list[dict[str, Any]],
    deployment: dict[str, Any] | None,
    script: Script | None,
) -> str | None:
    """Walk through a deployment that is shown already; return why it is rolled back, or None when all traffic has moved."""
    alarms = [
        a["AlarmName"]
        for a in ((deployment or {}).get("AutoRollbackConfiguration") or {}).get("Alarms") or []
    ]
    clock.pause(clock.INSTANCE_START_S)
    if script is not None:
        return script.reason or "The container did not pass the ping health check."
    for bake_s in _bakes(deployment):
        show(endpoint, config, target, "Baking")
        waited = 0.0
        while True:
            for name in alarms:
                if references.alarm_is_on(name):
                    return f"Alarm {name} went off while the deployment was baking"
            if waited >= bake_s:
                break
            clock.pause(min(_LOOK_AGAIN_S, bake_s - waited))
            waited += _LOOK_AGAIN_S
    return None


def _bakes(deployment: dict[str, Any] | None) -> list[float]:
    """Return the waits after each shift of traffic, in seconds.

    WaitIntervalInSeconds is waited "between incremental steps" (API reference, TrafficRoutingConfig), TerminationWaitInSeconds
    once the new fleet has all of the traffic: all at once has no other wait (guide, "All At Once Traffic Shifting"). Rolling
    bakes "for each batch" (API reference, RollingUpdatePolicy).
    """
    if not deployment:
        return [0.0]
    rolling = deployment.get("RollingUpdatePolicy")
    if rolling:
        return [float(rolling["WaitIntervalInSeconds"])] * _steps(rolling["MaximumBatchSize"])
    blue_green = deployment.get("BlueGreenUpdatePolicy")
    if not blue_green:
        return [0.0]
    routing = blue_green["TrafficRoutingConfiguration"]
    steps = {"ALL_AT_ONCE": 1, "CANARY": 2}.get(routing["Type"]) or _steps(routing["LinearStepSize"])
    waits = [float(routing.get("WaitIntervalInSeconds", 0))] * (steps - 1)
    return [*waits, float(blue_green.get("TerminationWaitInSeconds", 0))]


def _steps(size: dict[str, Any]) -> int:
    return -(-100 // size["Value"]) if size["Type"] == "CAPACITY_PERCENT" else 2
