"""Capacity providers: an Auto Scaling group, or managed instances of one cluster."""

import re
from collections.abc import Iterator
from typing import Any

from ministack.services import ecs

from sizewell_localcloud.emulator.cloudformation import Created
from sizewell_localcloud.emulator.ecs.requests import (
    Request,
    call,
    made_name,
    refuse,
    request_of,
    require_cluster,
)
from sizewell_localcloud.emulator.errors import AwsError
from sizewell_localcloud.emulator.references import may_assume
from sizewell_localcloud.emulator.resource_schemas import Properties


class CapacityProvider:
    """A capacity provider; its id is its name. It is active at once."""

    type_name = "AWS::ECS::CapacityProvider"
    name_property = "Name"
    blocks = False

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Create it in its cluster."""
        request = _request(properties)
        name = request.setdefault("name", made_name(stack_name, logical_id))
        _check(request)
        call("CreateCapacityProvider", request)
        _keep(name, request)
        return name, {}

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change it in place."""
        request = _request(new) | {"name": physical_id}
        _check(request)
        call("UpdateCapacityProvider", request)
        _keep(physical_id, request)
        return physical_id, {}

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Delete it, unless it is gone."""
        if physical_id in ecs._capacity_providers:
            call("DeleteCapacityProvider", {"capacityProvider": physical_id})


def require_providers(strategy: list[Request], cluster: str) -> list[dict[str, Any]]:
    """Return the providers of a strategy. Raises AwsError for one that does not exist, or is not one of the cluster."""
    names = [item["capacityProvider"].rpartition("/")[2] for item in strategy]
    refuse(_strategy_problems(names, cluster))
    return [ecs._capacity_providers.get(name, {}) for name in names]


def _strategy_problems(names: list[str], cluster: str) -> Iterator[str]:
    for name in names:
        provider = ecs._capacity_providers.get(name, {})
        if not provider and name not in ecs._FARGATE_PROVIDERS:
            # https://github.com/terraform-aws-modules/terraform-aws-ecs/issues/53
            yield (
                f"The specified capacity provider '{name}' was not found. "
                "Specify a valid capacity provider and try again."
            )
        if provider.get("cluster") != cluster and name not in ecs._clusters[cluster]["capacityProviders"]:
            # https://github.com/dask/dask-cloudprovider/issues/328
            yield (
                "The specified capacity provider strategy cannot contain a capacity provider that is not associated "
                "with the cluster. Associate the capacity provider with the cluster or specify a valid capacity "
                "provider and try again."
            )


def _request(properties: Properties) -> Request:
    request = request_of("CreateCapacityProvider", properties)
    cluster = request.pop("clusterName", None)
    return request if cluster is None else request | {"cluster": ecs._resolve_cluster_name(cluster)}


def _check(request: Request) -> None:
    refuse(_problems(request))
    if "managedInstancesProvider" in request:
        require_cluster(request["cluster"])
        role_arn = request["managedInstancesProvider"]["infrastructureRoleArn"]
        if not may_assume(role_arn, "ecs.amazonaws.com"):
            # https://docs.aws.amazon.com/AmazonECS/latest/developerguide/infrastructure_IAM_role.html has the rule,
            # in which words it is refused is not known.
            raise AwsError("ClientException", f"Amazon ECS cannot assume the infrastructure role {role_arn}")


def _problems(request: Request) -> Iterator[str]:
    if re.match("aws|ecs|fargate", request["name"], re.IGNORECASE):
        # https://github.com/aws/aws-cdk/pull/36584: in capitals as well.
        yield (
            "The specified capacity provider name is invalid. Up to 255 characters are allowed, including letters "
            "(upper and lowercase), numbers, underscores, and hyphens. The name cannot be prefixed with "
            '"aws", "ecs", or "fargate". Specify a valid name and try again.'
        )
    if "managedInstancesProvider" in request and "cluster" not in request:
        # Measured: https://github.com/k-k1/agent-fleet, docs/decisions/0071-self-hosted-inference-engines.md.
        yield "The cluster provided is invalid"


def _keep(name: str, request: Request) -> None:
    """Keep what ministack leaves out: the cluster, and managed instances."""
    provider = ecs._capacity_providers[name]
    if "managedInstancesProvider" in request:
        provider.pop("autoScalingGroupProvider", None)
        provider["type"] = "MANAGED_INSTANCES"
    provider |= {key: value for key, value in request.items() if key != "autoScalingGroupProvider"}
    ecs._tags[provider["capacityProviderArn"]] = request.get("tags", [])
