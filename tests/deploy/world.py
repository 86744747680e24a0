"""An account with stacks of endpoints, in which CloudFormation and SageMaker refuse what they refuse on AWS.

``cdk deploy`` is a function here; ``Deployment`` itself is the real one.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from sizewell.deploy.assembly import Assembly, AssemblyStack
from sizewell.deploy.autoscaling_steps import DeployedStack
from sizewell.deploy.cloudformation import CloudFormation
from sizewell.deploy.run import Deployment
from sizewell.templates.template import Stack

SMALL, LARGE = "ml.g5.xlarge", "ml.g5.2xlarge"
Template = dict[str, Any]


def endpoint(
    name: str = "chat",
    instance_type: str = SMALL,
    variants: Sequence[str] = ("primary",),
    scaled: bool = True,
) -> Template:
    """The template of an endpoint, as our constructs write it."""
    resources: dict[str, Any] = {
        "Config": {
            "Type": "AWS::SageMaker::EndpointConfig",
            "Properties": {
                "ProductionVariants": [
                    {"VariantName": variant, "InstanceType": instance_type, "InitialInstanceCount": 2}
                    for variant in variants
                ]
            },
        },
        "Endpoint": {
            "Type": "AWS::SageMaker::Endpoint",
            "Properties": {
                "EndpointName": name,
                "EndpointConfigName": {"Fn::GetAtt": ["Config", "EndpointConfigName"]},
            },
        },
    }
    if not scaled:
        return {"Resources": resources}
    for variant in variants:
        resources[f"{variant}Target"] = {
            "Type": "AWS::ApplicationAutoScaling::ScalableTarget",
            "Condition": "AutoscalingOn",
            "DependsOn": ["Endpoint"],
            "Properties": {
                "ServiceNamespace": "sagemaker",
                "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
                "ResourceId": f"endpoint/{name}/variant/{variant}",
                "MinCapacity": 2,
                "MaxCapacity": 4,
            },
        }
    return {
        "Parameters": {"Autoscaling": {"Type": "String", "Default": "on", "AllowedValues": ["on", "off"]}},
        "Conditions": {"AutoscalingOn": {"Fn::Equals": [{"Ref": "Autoscaling"}, "on"]}},
        "Resources": resources,
    }


def _types(template: Mapping[str, Any]) -> dict[str, str]:
    variants = template["Resources"]["Config"]["Properties"]["ProductionVariants"]
    return {variant["VariantName"]: variant["InstanceType"] for variant in variants}


def _targets(template: Mapping[str, Any], parameters: Mapping[str, str]) -> set[str]:
    return {
        body["Properties"]["ResourceId"].rpartition("/")[2]
        for body in template["Resources"].values()
        if body["Type"] == "AWS::ApplicationAutoScaling::ScalableTarget"
        and parameters.get("Autoscaling") == "on"
    }


class Killed(BaseException):
    """The process that deploys is gone: nothing that it would still do happens."""


@dataclass
class Account:
    """The stacks, and what was done to them: ``chat: cdk off`` is a deployment with ``Autoscaling=off``."""

    where = "111122223333, us-east-1"
    stacks: dict[str, DeployedStack] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    failing: set[str] = field(default_factory=set)
    """Stacks whose next template fails after everything in it was made, and rolls back."""
    kill_at: tuple[int, str] | None = None
    """The number of a call, from 0, and ``before`` or ``after`` it."""
    is_dead: bool = False

    def read(self, name: str) -> DeployedStack | None:
        self._live()
        self.reads.append(name)
        return self.stacks.get(name)

    def release_failed_creation(self, name: str) -> bool:
        return False

    def wait(self, name: str) -> str | None:
        deployed = self.read(name)
        return deployed.status if deployed else None

    def update(
        self, stack: DeployedStack, changes: Mapping[str, str], template: Mapping[str, Any] | None = None
    ) -> str:
        return self._do(f"{stack.name}: update", stack.name, dict(template or stack.template), changes)

    def cdk(self, name: str, template: Template, parameters: Mapping[str, str]) -> int:
        """Deploy a template as ``cdk deploy`` does; return its exit code."""
        assert parameters.keys() <= template.get("Parameters", {}).keys(), "CloudFormation refuses it"
        status = self._do(f"{name}: cdk", name, template, parameters)
        return int(status not in ("CREATE_COMPLETE", "UPDATE_COMPLETE"))

    def registered(self, name: str) -> set[str]:
        """The variants of a stack that scale."""
        deployed = self.stacks[name]
        return _targets(deployed.template, deployed.parameters)

    def _live(self) -> None:
        if self.is_dead:
            raise Killed

    def _do(self, call: str, name: str, template: Template, changes: Mapping[str, str]) -> str:
        self._live()
        self.is_dead = self.kill_at == (len(self.calls), "before")
        self._live()
        self.is_dead = self.kill_at == (len(self.calls), "after")
        self.calls.append(" ".join([call, *changes.values()]))
        old = self.stacks.get(name)
        self.stacks[name] = self._changed(name, old, template, changes)
        self._live()
        return self.stacks[name].status

    def _changed(
        self, name: str, old: DeployedStack | None, template: Template, changes: Mapping[str, str]
    ) -> DeployedStack:
        kept = old.parameters if old else {}
        parameters = {
            key: changes.get(key, kept.get(key, parameter["Default"]))
            for key, parameter in template.get("Parameters", {}).items()
        }
        if old is None:
            return DeployedStack(name, "CREATE_COMPLETE", template, parameters)
        before, after = _types(old.template), _types(template)
        if any(after.get(variant) != before[variant] for variant in _targets(old.template, old.parameters)):
            return replace(old, status="UPDATE_ROLLBACK_COMPLETE")
        if name in self.failing and template != old.template:
            self.failing.remove(name)
            # The rollback updates the endpoint while what the new template registered is still registered.
            new = _targets(template, parameters)
            refused = any(before.get(variant) != after[variant] for variant in new)
            return replace(old, status="UPDATE_ROLLBACK_FAILED" if refused else "UPDATE_ROLLBACK_COMPLETE")
        return DeployedStack(name, "UPDATE_COMPLETE", template, parameters)


def assembly_of(
    templates: Mapping[str, Template], dependencies: Mapping[str, Sequence[str]] | None = None
) -> Assembly:
    """An output with these stacks, in this order."""
    return Assembly(
        Path("cdk.out"),
        {
            name: AssemblyStack(
                name,
                Stack(name, "111122223333", "us-east-1", template),
                None,
                frozenset((dependencies or {}).get(name, ())),
            )
            for name, template in templates.items()
        },
    )


class SimulatedDeployment(Deployment):
    """A deployment whose ``cdk`` command changes an account of ours."""

    account: Account
    said: list[str]

    @classmethod
    def of(cls, account: Account, assembly: Assembly) -> "SimulatedDeployment":
        """Return one; what it says is in ``said``."""
        said: list[str] = []
        one = cls(assembly, ("cdk", "deploy"), {}, lambda _: cast("CloudFormation", account), said.append)
        one.account, one.said = account, said
        return one

    def _call(self, command: Sequence[str]) -> int:
        parameters: dict[str, dict[str, str]] = {}
        for text in command[command.index("--exclusively") + 1 :]:
            stack, _, setting = text.partition(":")
            if setting:
                key, _, value = setting.partition("=")
                parameters.setdefault(stack, {})[key] = value
        for name in command[2 : command.index("--exclusively")]:
            template = json.loads(json.dumps(self.assembly.stacks[name].stack.template))
            if code := self.account.cdk(name, template, parameters.get(name, {})):
                return code
        return 0
