"""SageMaker and Application Auto Scaling as far as the function sees them, refusing what AWS refuses.

Every call of the function may be its last: ``kill_at`` is the number of the call that never returns, before it took
effect or after.
"""

from dataclasses import dataclass, field
from typing import Any

NAME = "demo-prod-bert"
FUNCTION_S = 900.0

Spec = dict[str, Any]


class Killed(BaseException):
    """The sandbox is gone: no handler of exceptions sees this."""


class RefusedError(Exception):
    """What botocore raises."""

    def __init__(self, code: str, message: str = "no") -> None:
        super().__init__(f"{code}: {message}")
        self.response = {"Error": {"Code": code, "Message": message}}


class UpdateRefusedError(Exception):
    """SageMaker refuses UpdateEndpoint, which no deployment here may ever see."""


def spec(config: str, *, bounds: tuple[int, int] | None = (2, 6), target: float = 600.0, **more: Any) -> Spec:
    """Return a spec; without bounds the number of instances is fixed."""
    policies = [
        {
            "PolicyName": name,
            "PredefinedMetricType": "SageMakerVariantInvocationsPerInstance",
            "TargetValue": target,
            "ScaleOutCooldownSeconds": 60,
            "ScaleInCooldownSeconds": 300,
        }
        for name in more.get("policies", ("InvocationsPerInstance",))
    ]
    variants = [
        {
            "VariantName": name,
            "MinInstanceCount": bounds[0],
            "MaxInstanceCount": bounds[1],
            "Policies": policies,
        }
        for name in more.get("variants", ("primary",))
        if bounds
    ]
    return {"EndpointName": more.get("name", NAME), "EndpointConfigName": config, "Variants": variants}


def as_cloudformation_sends_it(value: Any) -> Any:
    """Turn every number into text."""
    match value:
        case dict():
            return {key: as_cloudformation_sends_it(item) for key, item in value.items()}
        case list():
            return [as_cloudformation_sends_it(item) for item in value]
    return str(value)


@dataclass
class World:
    """One region. Time passes only when somebody sleeps or an update runs."""

    configs: dict[str, dict[str, str]]
    config: str | None = None
    status: str = "InService"
    pending: str | None = None
    busy_s: float = 0.0
    targets: dict[str, tuple[int, int]] = field(default_factory=dict)
    policies: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    scale_s: float = 240.0
    clock_s: float = 0.0
    calls: list[str] = field(default_factory=list)
    requests: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    kill_at: int | None = None
    kill_after_effect: bool = False
    fail_next: dict[str, list[str | Exception]] = field(default_factory=dict)
    _arns: int = 0

    def call(self, name: str) -> bool:
        """Count a call; return whether it is the last one and takes effect first."""
        self.calls.append(name)
        if self.fail_next.get(name):
            error = self.fail_next[name].pop(0)
            raise RefusedError(error) if isinstance(error, str) else error
        if len(self.calls) - 1 != self.kill_at:
            return False
        if not self.kill_after_effect:
            raise Killed
        return True

    def pass_time(self, seconds: float) -> None:
        self.clock_s += seconds
        if self.status in {"Updating", "RollingBack", "Creating", "SystemUpdating"}:
            self.busy_s -= seconds
            if self.busy_s <= 0:
                self.come_into_service()

    def come_into_service(self) -> None:
        """End what the endpoint is at."""
        self.status, self.config, self.pending = "InService", self.pending or self.config, None

    def begin(self, status: str, seconds: float, config: str | None = None) -> None:
        self.status, self.busy_s, self.pending = status, seconds, config

    def register(self, target: str, bounds: tuple[int, int]) -> None:
        """Register, which "changes the resource's current capacity to a value that is inside of this range"."""
        self.targets[target] = bounds
        before = self.counts.get(target, 2)
        self.counts[target] = min(max(before, bounds[0]), bounds[1])
        if self.counts[target] != before and self.status == "InService":
            self.begin("Updating", self.scale_s)

    def update_endpoint(self, config: str) -> None:
        """Do what CloudFormation asks SageMaker for, or refuse."""
        if self.status != "InService":
            raise UpdateRefusedError(f"the endpoint is {self.status}")
        assert self.config is not None
        before, after = self.configs[self.config], self.configs[config]
        for variant, instance_type in before.items():
            if resource_id(variant) in self.targets and after.get(variant) != instance_type:
                raise UpdateRefusedError(f"{variant} is a registered scalable target")
        self.begin("Updating", 300.0, config)

    def scaling(self) -> dict[str, Any]:
        """Return what is registered, without the ARNs."""
        return {
            target: (
                bounds,
                {
                    n: {k: v for k, v in p.items() if k != "ARN"}
                    for (t, n), p in self.policies.items()
                    if t == target
                },
            )
            for target, bounds in self.targets.items()
        }

    def next_arn(self) -> str:
        self._arns += 1
        return f"arn:policy/{self._arns}"


def resource_id(variant: str, name: str = NAME) -> str:
    return f"endpoint/{name}/variant/{variant}"


def wanted(of: Spec) -> dict[str, Any]:
    """Return what ``World.scaling`` is when the spec holds."""
    return {
        resource_id(variant["VariantName"], of["EndpointName"]): (
            (variant["MinInstanceCount"], variant["MaxInstanceCount"]),
            {
                policy["PolicyName"]: {
                    "TargetValue": policy["TargetValue"],
                    "ScaleOutCooldown": policy["ScaleOutCooldownSeconds"],
                    "ScaleInCooldown": policy["ScaleInCooldownSeconds"],
                    "PredefinedMetricSpecification": {"PredefinedMetricType": policy["PredefinedMetricType"]},
                }
                for policy in variant["Policies"]
            },
        )
        for variant in of["Variants"]
    }


@dataclass
class SageMaker:
    world: World

    def describe_endpoint(self, *, EndpointName: str) -> dict[str, Any]:  # noqa: N803  (AWS's spelling)
        last = self.world.call("describe_endpoint")
        if self.world.config is None or EndpointName != NAME:
            raise RefusedError("ValidationException", f'Could not find endpoint "{EndpointName}".')
        found = {
            "EndpointName": EndpointName,
            "EndpointStatus": self.world.status,
            "EndpointConfigName": self.world.config,
            "ProductionVariants": [
                {"VariantName": v} for v in self.world.configs.get(self.world.config, {"primary": ""})
            ],
        }
        if self.world.pending:
            found["PendingDeploymentSummary"] = {"EndpointConfigName": self.world.pending}
        if self.world.status == "Failed":
            found["FailureReason"] = "no capacity"
        if last:
            raise Killed
        return found

    def describe_endpoint_config(self, *, EndpointConfigName: str) -> dict[str, Any]:  # noqa: N803
        last = self.world.call("describe_endpoint_config")
        if EndpointConfigName not in self.world.configs:
            raise RefusedError(
                "ValidationException", f'Could not find endpoint configuration "{EndpointConfigName}".'
            )
        if last:
            raise Killed
        variants = self.world.configs[EndpointConfigName].items()
        return {"ProductionVariants": [{"VariantName": v, "InstanceType": t} for v, t in variants]}


@dataclass
class Autoscaling:
    world: World

    def _begin(self, name: str, request: dict[str, Any]) -> bool:
        self.world.requests.append((name, dict(request)))
        assert request.pop("ServiceNamespace") == "sagemaker"
        assert request.pop("ScalableDimension") == "sagemaker:variant:DesiredInstanceCount"
        return self.world.call(name)

    def describe_scalable_targets(self, **request: Any) -> dict[str, Any]:
        last = self._begin("describe_scalable_targets", request)
        if last:
            raise Killed
        return self._page(
            "ScalableTargets",
            [
                {"ResourceId": r, "MinCapacity": bounds[0], "MaxCapacity": bounds[1]}
                for r, bounds in self.world.targets.items()
                if r in request["ResourceIds"]
            ],
            request,
        )

    def describe_scaling_policies(self, **request: Any) -> dict[str, Any]:
        last = self._begin("describe_scaling_policies", request)
        if last:
            raise Killed
        found = [
            {
                "PolicyName": name,
                "TargetTrackingScalingPolicyConfiguration": {**policy, "DisableScaleIn": False},
            }
            for (target, name), policy in self.world.policies.items()
            if target == request["ResourceId"]
        ]
        return self._page("ScalingPolicies", found, request)

    @staticmethod
    def _page(key: str, items: list[dict[str, Any]], request: dict[str, Any]) -> dict[str, Any]:
        """Return one item a page, which is the fewest that AWS may return."""
        start = int(request.get("NextToken", 0))
        more = {"NextToken": str(start + 1)} if start + 1 < len(items) else {}
        return {key: items[start : start + 1], **more}

    def register_scalable_target(self, **request: Any) -> None:
        last = self._begin("register_scalable_target", request)
        config = self.world.configs.get(self.world.config or "", {"primary": ""})
        if request["ResourceId"] not in {resource_id(variant) for variant in config}:
            raise RefusedError("ValidationException", "the variant does not exist")
        self.world.register(request["ResourceId"], (request["MinCapacity"], request["MaxCapacity"]))
        if last:
            raise Killed

    def put_scaling_policy(self, **request: Any) -> None:
        last = self._begin("put_scaling_policy", request)
        if request["ResourceId"] not in self.world.targets:
            raise RefusedError("ObjectNotFoundException", "no scalable target")
        assert request["PolicyType"] == "TargetTrackingScaling"
        key = (request["ResourceId"], request["PolicyName"])
        arn = self.world.policies.get(key, {}).get("ARN") or self.world.next_arn()
        self.world.policies[key] = {**request["TargetTrackingScalingPolicyConfiguration"], "ARN": arn}
        if last:
            raise Killed

    def delete_scaling_policy(self, **request: Any) -> None:
        last = self._begin("delete_scaling_policy", request)
        if self.world.policies.pop((request["ResourceId"], request["PolicyName"]), None) is None:
            raise RefusedError("ObjectNotFoundException")
        if last:
            raise Killed

    def deregister_scalable_target(self, **request: Any) -> None:
        last = self._begin("deregister_scalable_target", request)
        if self.world.targets.pop(request["ResourceId"], None) is None:
            raise RefusedError("ObjectNotFoundException")
        for key in [key for key in self.world.policies if key[0] == request["ResourceId"]]:
            del self.world.policies[key]
        if last:
            raise Killed
