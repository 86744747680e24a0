"""Small apps, so that a test says only what it is about."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sizewell.planning.saved_files import CONFIGURATION_VERSION
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.saved.output import Assembly
from sizewell.templates.template import Stack

ACCOUNT = "111122223333"
REGION = "us-east-1"


def resource(
    resource_type: str, properties: Mapping[str, Any] | None = None, **attributes: Any
) -> dict[str, Any]:
    """One resource of a template; ``attributes`` are DependsOn, DeletionPolicy and the like."""
    return {"Type": resource_type, "Properties": dict(properties or {}), **attributes}


def template(**resources: Mapping[str, Any]) -> dict[str, Any]:
    """A template with the resources by logical id."""
    return {"Resources": dict(resources)}


def stack(template_: Mapping[str, Any], name: str = "app-stack", **given: Any) -> Stack:
    """One stack in a known account and region."""
    return Stack(name=name, account=ACCOUNT, region=REGION, template=template_, **given)


def assembly(*stacks: Stack, environment: str = "dev", **given: Any) -> Assembly:
    """One output, of production where the environment is called so."""
    policy = {"production": environment == "prod"}
    given.setdefault("config", {"schema_version": CONFIGURATION_VERSION, "environment": {"policy": policy}})
    return Assembly(
        directory=Path("cdk.out"),
        environment=environment,
        stacks={one.name: one for one in sorted(stacks, key=lambda s: s.name)},
        **given,
    )


def pair(
    base: Mapping[str, Any] | None, head: Mapping[str, Any] | None, environment: str = "dev"
) -> EnvironmentPair:
    """An environment with one stack of these templates; None where a side has no such stack."""
    return EnvironmentPair(
        environment,
        assembly(*([stack(base)] if base is not None else []), environment=environment),
        assembly(*([stack(head)] if head is not None else []), environment=environment),
    )
