"""Objects of Kubernetes, which a review reads as resources, and the stacks that they stand in: see ``saved.manifests``."""

from collections.abc import Sequence
from dataclasses import replace

from sizewell.templates.template import Resource, Stack
from sizewell.templates.values import mapping

TYPE_PREFIX = "Kubernetes::"
FOLDER = "manifests"
#: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
_IDENTITY = (("metadata", "name"), ("metadata", "namespace"))


def is_object(resource_type: str) -> bool:
    """Tell whether a resource is an object of a cluster, which no stack of CloudFormation holds."""
    return resource_type.startswith(TYPE_PREFIX)


def tells_apart(path: Sequence[str]) -> bool:
    """Tell whether a property is part of the identity of objects: with another value it is another one beside the first."""
    return tuple(path) in _IDENTITY


def holds_objects(stack: Stack | None) -> bool:
    """Tell whether a stack is a folder of manifests."""
    return stack is not None and any(
        is_object(resource.resource_type) for resource in stack.resources.values()
    )


def in_cluster(stack: Stack, cluster: str) -> Stack:
    """Return a folder of manifests with a name of its own for a cluster: what is in another one is not updated."""
    return replace(stack, name=f"{stack.name} ({cluster})")


def cluster_of(stack_name: str) -> str:
    """Return the key of the cluster that a folder of manifests is for."""
    return stack_name.partition("/")[2].partition(" (")[0]


def renamed_cluster_of(stack_name: str) -> str:
    """Return what AWS calls the cluster where its key means another one on the other side; empty elsewhere."""
    return stack_name.partition(" (")[2].removesuffix(")")


def folder_of(stack_name: str, workload: str | None) -> str:
    """Return the folder below ``cdk.out`` that a stack of manifests is; of what workloads share where there is no workload."""
    return "/".join(filter(None, (FOLDER, cluster_of(stack_name), workload)))


def object_shown(resource: Resource, stack_name: str) -> str:
    """Return kind and name of an object, and its cluster, as people call it."""
    metadata = mapping(resource.properties.get("metadata"))
    name = metadata.get("name") or metadata.get("generateName") or resource.logical_id
    cluster = renamed_cluster_of(stack_name) or cluster_of(stack_name)
    kind = resource.resource_type.removeprefix(TYPE_PREFIX)
    return f"{kind} {name} in cluster {cluster}" if cluster else f"{kind} {name}"


def addresses_in(stack: Stack) -> list[str]:
    """Return what callers call, with the port."""
    return [
        address
        for resource in stack.resources.values()
        if resource.resource_type == f"{TYPE_PREFIX}Service"
        for address in _addresses(resource)
    ]


def _addresses(service: Resource) -> list[str]:
    metadata, spec = (mapping(service.properties.get(key)) for key in ("metadata", "spec"))
    ports = (mapping(port).get("port") for port in spec.get("ports") or ())
    return [f"{metadata.get('name')}.{metadata.get('namespace')}.svc:{port}" for port in ports]
