"""Take an endpoint out of autoscaling for a change of its instance type, and put it back. Runs in Lambda.

SageMaker refuses UpdateEndpoint when it changes the instance type of a registered variant, or removes the variant
(https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-scaling-update.html). Every endpoint stack therefore has a
``Custom::ScalingRelease`` before its endpoint and a ``Custom::EndpointScaling`` after it. Both call ``reconcile`` with
the same spec, and what it does follows from what it finds, not from who calls or how often:

* the endpoint does not run the configuration of the spec yet: no variant whose type changes may be registered, the
  others stay as they are, and the endpoint must be at rest, because it is about to be updated;
* it does: everything in the spec must be registered, and nothing else.

A rollback sends the old spec through the same resources, so it ends scaled again, whichever of the two comes first. One
case is left: CloudFormation moved the endpoint, never reached the resource after it, and moved the endpoint back. Nobody
calls then; but the stack has a rule for the end of its own deployments, whose input is the old spec again, and which
calls ``repair``. An invocation that dies at any point is made good by the next one of any kind.

Why the end of the deployment and not the endpoint's coming into service: in the middle of a failing deployment, a repair
would register the new type, and the way back would be refused.

One file without dependencies, because it travels inside the template.
"""

import json
import time
import urllib.request
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

POLL_S = 5.0
#: What must be left of the invocation to answer CloudFormation.
MARGIN_S = 75.0
#: While an endpoint is in one of these states, it takes no update and no registration.
BUSY = frozenset({"Creating", "Updating", "SystemUpdating", "RollingBack"})
#: Another call was faster, what was just registered is not visible yet, AWS is busy, or no answer came (the last line has
#: the roots of what botocore raises then): the next look decides anew. Codes of AWS, and names of classes.
TRANSIENT = frozenset((
    "ConcurrentUpdateException", "ObjectNotFoundException", "InternalServiceException", "InternalFailure", "RequestTimeout",
    "ServiceUnavailable", "Throttling", "ThrottlingException", "TooManyRequestsException", "StillBusyError",
    "ConnectionError", "HTTPClientError",
))  # fmt: skip
#: CloudFormation reads at most 4096 bytes of an answer.
MAX_REASON_LENGTH = 1000
FAILED = (
    "endpoint {} has failed ({}), takes no update and can only be deleted: delete it and its stack, and deploy again "
    "(docs/guides/deploying.md, When the instance type of an endpoint changes)"
)
TARGET = {"ServiceNamespace": "sagemaker", "ScalableDimension": "sagemaker:variant:DesiredInstanceCount"}

_Json = dict[str, Any]


@dataclass(frozen=True)
class Aws:
    """The outside world: two clients, and the time that is left."""

    sagemaker: Any
    autoscaling: Any
    sleep: Callable[[float], None]
    remaining_s: Callable[[], float]

    def may_wait(self) -> bool:
        """Return whether there is time for one more look."""
        return self.remaining_s() > MARGIN_S + POLL_S


class StillBusyError(Exception):
    """The endpoint has not come to rest."""

    def __init__(self, endpoint: _Json) -> None:
        name, status = endpoint["EndpointName"], endpoint["EndpointStatus"]
        super().__init__(f"endpoint {name} is still {status}: wait until it is in service and deploy again")


def handler(event: _Json, context: Any) -> _Json:
    """Answer CloudFormation, or look after the endpoint at the end of a deployment."""
    import boto3
    from botocore.config import Config

    # One call, however slow, has to fit into the margin.
    patience = Config(
        connect_timeout=5, read_timeout=10, retries={"mode": "standard", "total_max_attempts": 4}
    )
    aws = Aws(
        sagemaker=boto3.client("sagemaker", config=patience),
        autoscaling=boto3.client("application-autoscaling", config=patience),
        sleep=time.sleep,
        remaining_s=lambda: context.get_remaining_time_in_millis() / 1000,
    )
    return handle(event, aws, put)


def handle(event: _Json, aws: Aws, send: Callable[[str, _Json], None]) -> _Json:
    """Do what the event asks for, and return what was done."""
    if "RequestType" not in event:
        return _log(event["EndpointName"], "Deployed", _until_done(repair, read_spec(event), aws))
    answer = {key: event[key] for key in ("StackId", "RequestId", "LogicalResourceId")}
    answer["PhysicalResourceId"] = event.get("PhysicalResourceId", "none")
    try:
        spec = read_spec(event["ResourceProperties"])
        last = event["ResourceType"] == "Custom::EndpointScaling"
        if event["RequestType"] == "Delete":
            action = _until_done(deregister_all, spec, aws) if last else "nothing"
        else:
            # With the endpoint in it, another endpoint is another resource: CloudFormation deletes that of the old one.
            answer["PhysicalResourceId"] = f"{spec['EndpointName']}/{'scaling' if last else 'release'}"
            action = reconcile(spec, aws)
        answer |= {"Status": "SUCCESS", "Data": _log(spec["EndpointName"], event["RequestType"], action)}
    except Exception as error:  # whatever it is: without an answer CloudFormation waits until its timeout
        reason = f"{type(error).__name__}: {error}"[:MAX_REASON_LENGTH]
        answer |= {"Status": "FAILED", "Reason": reason}
        print(json.dumps({"physical_id": answer["PhysicalResourceId"], "failed": reason}))
    send(event["ResponseURL"], answer)
    return answer


def read_spec(properties: _Json) -> _Json:
    """Return the spec with numbers in it: CloudFormation hands every property over as text."""
    return {
        "EndpointName": properties["EndpointName"],
        "EndpointConfigName": properties["EndpointConfigName"],
        "Variants": [
            {
                "VariantName": variant["VariantName"],
                "MinInstanceCount": int(variant["MinInstanceCount"]),
                "MaxInstanceCount": int(variant["MaxInstanceCount"]),
                "Policies": [
                    {
                        "PolicyName": policy["PolicyName"],
                        "PredefinedMetricType": policy["PredefinedMetricType"],
                        "TargetValue": float(policy["TargetValue"]),
                        "ScaleOutCooldownSeconds": int(policy["ScaleOutCooldownSeconds"]),
                        "ScaleInCooldownSeconds": int(policy["ScaleInCooldownSeconds"]),
                    }
                    for policy in variant.get("Policies", [])
                ],
            }
            for variant in properties.get("Variants", [])
        ],
    }


def reconcile(spec: _Json, aws: Aws) -> str:
    """Release what must not be registered for the update to the spec's configuration, or register what the spec says."""
    quiet = False

    def look(spec: _Json, aws: Aws) -> str:
        nonlocal quiet
        endpoint = _endpoint(spec["EndpointName"], aws)
        if endpoint is None:
            return "nothing"
        if endpoint["EndpointConfigName"] == spec["EndpointConfigName"]:
            return _hold(endpoint, spec, aws)
        if endpoint["EndpointStatus"] == "Failed":
            raise RuntimeError(
                FAILED.format(spec["EndpointName"], endpoint.get("FailureReason", "no reason"))
            )
        changing = _changing_variants(endpoint, spec, aws)
        # Before the waiting: a registered variant could start to scale again and again. And once more after a quiet
        # look: a late repair of the configuration before may have come in between.
        released = changing & _targets(endpoint, spec, aws).keys()
        _deregister(released, spec, aws)
        was_quiet, quiet = quiet, endpoint["EndpointStatus"] not in BUSY and not released
        # What keeps its type is not touched: new bounds can make SageMaker start or stop instances, and meanwhile it
        # would refuse the update for which this makes way.
        if quiet and (was_quiet or not changing):
            return "released" if changing else "nothing"
        raise StillBusyError(endpoint)

    return _until_done(look, spec, aws)


def _hold(endpoint: _Json, spec: _Json, aws: Aws) -> str:
    """Register exactly what the spec says, of an endpoint that runs its configuration."""
    status = endpoint["EndpointStatus"]
    if status != "InService" and status not in BUSY:
        return "nothing"
    targets = _targets(endpoint, spec, aws)
    _deregister(targets.keys() - {variant["VariantName"] for variant in spec["Variants"]}, spec, aws)
    if status == "InService":
        for variant in spec["Variants"]:
            _register(variant, spec, aws)
            wanted = {policy["PolicyName"] for policy in variant["Policies"]}
            for policy_name in sorted(_policies(variant, spec, aws).keys() - wanted):
                aws.autoscaling.delete_scaling_policy(
                    **TARGET, ResourceId=_resource_id(variant["VariantName"], spec), PolicyName=policy_name
                )
        return "asserted"
    # A raised minimum can take longer to start than one invocation lasts. An update to another configuration is not the
    # same: CloudFormation may want to take it back, which has to wait for its end.
    pending = endpoint.get("PendingDeploymentSummary", {}).get("EndpointConfigName")
    done = all(_holds(variant, targets, spec, aws) for variant in spec["Variants"])
    if done and pending in (None, spec["EndpointConfigName"]):
        return "asserted"
    if not aws.may_wait():
        return "not in time"  # repair, at the end of the deployment, has time of its own for what is missing
    raise StillBusyError(endpoint)


def _holds(variant: _Json, targets: dict[str, _Json], spec: _Json, aws: Aws) -> bool:
    bounds = {"MinCapacity": variant["MinInstanceCount"], "MaxCapacity": variant["MaxInstanceCount"]}
    if not bounds.items() <= targets.get(variant["VariantName"], {}).items():
        return False
    found = {
        name: policy.get("TargetTrackingScalingPolicyConfiguration", {})
        for name, policy in _policies(variant, spec, aws).items()
    }
    wanted = {p["PolicyName"]: _configuration(p) for p in variant["Policies"]}
    return found.keys() == wanted.keys() and all(
        not found[name].get("DisableScaleIn") and found[name] | wanted[name] == found[name] for name in wanted
    )


def repair(spec: _Json, aws: Aws) -> str:
    """Register what a deployment left out, and leave alone what is there.

    Nothing is set back: what the deployment did not touch may have been changed by hand in an incident.
    """
    endpoint = _endpoint(spec["EndpointName"], aws)
    # Another configuration means that the next deployment is on its way, and that this event is late.
    if endpoint is None or endpoint["EndpointConfigName"] != spec["EndpointConfigName"]:
        return "nothing"
    missing = _missing(endpoint, spec, aws)
    if missing and endpoint["EndpointStatus"] in BUSY:
        raise StillBusyError(endpoint)
    if not missing or endpoint["EndpointStatus"] != "InService":
        return "nothing"
    for variant in missing:
        _register(variant, spec, aws)
    return "repaired"


def deregister_all(spec: _Json, aws: Aws) -> str:
    """Deregister every variant of the endpoint; what is gone already is fine."""
    endpoint = _endpoint(spec["EndpointName"], aws) or {}
    _deregister(_targets(endpoint, spec, aws), spec, aws)
    return "deregistered"


def _until_done(look: Callable[[_Json, Aws], str], spec: _Json, aws: Aws) -> str:
    """Look again while there is time, after what passes: each look decides anew."""
    # The endpoints of an environment do not ask in step.
    pause_s = POLL_S - zlib.crc32(spec["EndpointName"].encode()) % 1000 / 1000
    while True:
        try:
            return look(spec, aws)
        except Exception as error:
            names = {_code(error), *(base.__name__ for base in type(error).__mro__)}
            if names.isdisjoint(TRANSIENT) or not aws.may_wait():
                raise
        aws.sleep(pause_s)


def _endpoint(name: str, aws: Aws) -> _Json | None:
    return _unless_missing(lambda: aws.sagemaker.describe_endpoint(EndpointName=name))


def _unless_missing(describe: Callable[[], _Json]) -> _Json | None:
    try:
        return describe()
    except Exception as error:
        # SageMaker has no code of its own for it.
        if _code(error) == "ValidationException" and "Could not find" in str(error):
            return None
        raise


def _variant_names(endpoint: _Json, spec: _Json) -> list[str]:
    found = [*endpoint.get("ProductionVariants", []), *endpoint.get("ShadowProductionVariants", [])]
    return sorted({variant["VariantName"] for variant in [*found, *spec["Variants"]]})


def _changing_variants(endpoint: _Json, spec: _Json, aws: Aws) -> set[str]:
    """Return the variants of the endpoint that another type or nothing replaces in the configuration of the spec."""
    current, wanted = endpoint["EndpointConfigName"], spec["EndpointConfigName"]
    types_before, types_after = _instance_types(current, aws), _instance_types(wanted, aws)
    if types_after is None:
        # Configurations are deleted when a deployment is over: this request belongs to one that is.
        raise LookupError(f"there is no endpoint configuration {wanted}: the request is out of date")
    if types_before is None:
        return set(_variant_names(endpoint, spec))  # deleted by somebody, so nobody knows: be careful
    return {name for name, types in types_before.items() if types_after.get(name) != types}


def _instance_types(config_name: str, aws: Aws) -> dict[str, tuple[str, ...]] | None:
    found = _unless_missing(lambda: aws.sagemaker.describe_endpoint_config(EndpointConfigName=config_name))
    if found is None:
        return None
    return {
        variant["VariantName"]: (
            variant.get("InstanceType", ""),
            *(pool["InstanceType"] for pool in variant.get("InstancePools", [])),
        )
        for variant in [*found["ProductionVariants"], *found.get("ShadowProductionVariants", [])]
    }


def _targets(endpoint: _Json, spec: _Json, aws: Aws) -> dict[str, _Json]:
    by_id = {_resource_id(name, spec): name for name in _variant_names(endpoint, spec)}
    describe = aws.autoscaling.describe_scalable_targets
    found = _pages(describe, "ScalableTargets", **TARGET, ResourceIds=list(by_id))
    return {by_id[target["ResourceId"]]: target for target in found}


def _policies(variant: _Json, spec: _Json, aws: Aws) -> dict[str, _Json]:
    resource_id = _resource_id(variant["VariantName"], spec)
    describe = aws.autoscaling.describe_scaling_policies
    found = _pages(describe, "ScalingPolicies", **TARGET, ResourceId=resource_id)
    return {policy["PolicyName"]: policy for policy in found}


def _missing(endpoint: _Json, spec: _Json, aws: Aws) -> list[_Json]:
    """Return the variants that are not registered, or not with every policy; without what they have."""
    registered = _targets(endpoint, spec, aws)
    missing = []
    for variant in spec["Variants"]:
        present = _policies(variant, spec, aws)
        policies = [policy for policy in variant["Policies"] if policy["PolicyName"] not in present]
        if variant["VariantName"] not in registered:
            missing.append(variant)
        elif policies:
            missing.append({"VariantName": variant["VariantName"], "Policies": policies})
    return missing


def _register(variant: _Json, spec: _Json, aws: Aws) -> None:
    """Register a variant, and then its policies, which need it; without bounds it is registered already."""
    resource_id = _resource_id(variant["VariantName"], spec)
    if "MinInstanceCount" in variant:
        aws.autoscaling.register_scalable_target(
            **TARGET,
            ResourceId=resource_id,
            MinCapacity=variant["MinInstanceCount"],
            MaxCapacity=variant["MaxInstanceCount"],
        )
    for policy in variant["Policies"]:
        aws.autoscaling.put_scaling_policy(
            **TARGET,
            ResourceId=resource_id,
            PolicyName=policy["PolicyName"],
            PolicyType="TargetTrackingScaling",
            TargetTrackingScalingPolicyConfiguration=_configuration(policy),
        )


def _configuration(policy: _Json) -> _Json:
    return {
        "TargetValue": policy["TargetValue"],
        "ScaleOutCooldown": policy["ScaleOutCooldownSeconds"],
        "ScaleInCooldown": policy["ScaleInCooldownSeconds"],
        "PredefinedMetricSpecification": {"PredefinedMetricType": policy["PredefinedMetricType"]},
    }


def _deregister(variant_names: Iterable[str], spec: _Json, aws: Aws) -> None:
    """Deregister variants, which deletes their policies with them."""
    for name in sorted(variant_names):
        try:
            aws.autoscaling.deregister_scalable_target(**TARGET, ResourceId=_resource_id(name, spec))
        except Exception as error:
            if _code(error) != "ObjectNotFoundException":
                raise


def _resource_id(variant_name: str, spec: _Json) -> str:
    return f"endpoint/{spec['EndpointName']}/variant/{variant_name}"


def _pages(describe: Callable[..., _Json], key: str, **request: Any) -> Iterator[_Json]:
    while True:
        page = describe(**request)
        yield from page[key]
        if not page.get("NextToken"):
            return
        request["NextToken"] = page["NextToken"]


def _code(error: Exception) -> str:
    return str(getattr(error, "response", {}).get("Error", {}).get("Code", ""))


def _log(endpoint_name: str, request: str, action: str) -> _Json:
    print(json.dumps({"endpoint": endpoint_name, "request": request, "action": action}))
    return {"Action": action}


def put(url: str, answer: _Json) -> None:
    """Send the answer to CloudFormation, to an address that admits nothing but this."""
    body = json.dumps(answer).encode()
    # The signature of the address covers an empty content type.
    request = urllib.request.Request(url, data=body, method="PUT", headers={"Content-Type": ""})
    for pause_s in (1.0, 4.0, 10.0):
        try:
            urllib.request.urlopen(request, timeout=10).close()
            return
        except OSError:
            time.sleep(pause_s)
    urllib.request.urlopen(request, timeout=10).close()
