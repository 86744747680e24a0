"""The network of an environment: the one to make, the one that exists, or the one that was found by its tags."""

from sizewell.config.container import ModelContainer
from sizewell.config.environment import Environment
from sizewell.config.network import ExistingNetwork, NewNetwork
from sizewell.config.training import TrainedModel
from sizewell.facts.file_systems import FILE_SYSTEM_TYPES
from sizewell.facts.regions import scarce_zone, zone_id_prefix, zones_of
from sizewell.planning.foundation_plan_model import ExistingNetworkPlan, MountedGroupPlan, NewNetworkPlan
from sizewell.planning.interface_endpoints import plan_interface_endpoints
from sizewell.planning.network_lookup import Context, found_network


def plan_network(environment: Environment, context: Context) -> NewNetworkPlan | ExistingNetworkPlan:
    """Return the network; raises ``PlanError`` where it was not found, or is not what the environment needs."""
    network, interface_endpoints = environment.network, plan_interface_endpoints(environment)
    proxy_port = network.proxy.port if network.proxy else None
    if isinstance(network, NewNetwork):
        return NewNetworkPlan(
            cidr=network.cidr,
            availability_zones=network.availability_zones,
            availability_zone_ids=network.availability_zone_ids,
            interface_endpoints=interface_endpoints,
            proxy_port=proxy_port,
            readable_bucket_names=_buckets_of_packages(environment),
            s3_prefix_list_id=network.s3_prefix_list_id,
        )
    if isinstance(network, ExistingNetwork):
        vpc_id, subnet_ids = network.vpc_id, network.subnet_ids
    else:
        vpc_id, subnet_ids = found_network(environment, network, context)
    return ExistingNetworkPlan(
        vpc_id=vpc_id,
        subnet_ids=subnet_ids,
        interface_endpoints=interface_endpoints,
        proxy_port=proxy_port,
        mounted_groups=_mounted_groups(environment),
    )


def zone_warning(network: NewNetworkPlan | ExistingNetworkPlan, region: str) -> str | None:
    """Return which zone may be taken and lacks many instance types; None where the zones are named, or no such zone is known."""
    scarce = scarce_zone(region)
    if scarce is None or not isinstance(network, NewNetworkPlan) or network.availability_zone_ids is not None:
        return None
    zones = (f"{zone_id_prefix(region)}{number}" for number in range(1, zones_of(region) + 1))
    others = [zone for zone in zones if zone != scarce][: network.availability_zones]
    return (
        f"The subnets take the first {network.availability_zones} zones of the account, of which {scarce} may be one: it lacks "
        "many instance types. Name others before the first deployment: "
        f"network.availability_zone_ids: [{', '.join(others)}]"
    )


def _mounted_groups(environment: Environment) -> tuple[MountedGroupPlan, ...]:
    found = {
        (FILE_SYSTEM_TYPES[one.type], one.security_group_id)
        for workload in environment.workloads.values()
        if isinstance(workload, TrainedModel)
        for one in workload.mounted().values()
        if one.security_group_id is not None
    }
    return tuple(MountedGroupPlan(type=kind, security_group_id=group) for kind, group in sorted(found))


def _buckets_of_packages(environment: Environment) -> tuple[str, ...]:
    """Return the buckets of others that models in the VPC are loaded from: what the gateway endpoint of S3 lets through."""
    found = (
        container.model_package.artifact.bucket
        for path, container in environment.containers()
        if environment.workloads[path[1]].in_vpc
        and isinstance(container, ModelContainer)
        and container.model_package is not None
        and container.model_package.artifact is not None
    )
    return tuple(sorted({bucket for bucket in found if bucket is not None}))
