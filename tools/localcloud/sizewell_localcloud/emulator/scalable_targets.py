"""The state of Application Auto Scaling: scalable targets, with the policies and scheduled actions of each."""

from threading import RLock

from ministack.core.responses import AccountRegionScopedDict

#: Service namespace, resource id and scalable dimension; the keys of policies and actions end with their name.
Key = tuple[str, str, str]
targets = AccountRegionScopedDict()
policies = AccountRegionScopedDict()
actions = AccountRegionScopedDict()
lock = RLock()


def reset() -> None:
    """Forget everything."""
    with lock:
        for table in (targets, policies, actions):
            table.clear()


def registered_variants(endpoint_name: str) -> set[str]:
    """Return the variants of an endpoint that are registered scalable targets."""
    prefix = f"endpoint/{endpoint_name}/variant/"
    return {resource.removeprefix(prefix) for _, resource, _ in targets if resource.startswith(prefix)}


def deregister_endpoint(endpoint_name: str) -> None:
    """Deregister all variants of an endpoint that is being deleted."""
    with lock:
        for key in list(targets.keys()):
            if key[1].startswith(f"endpoint/{endpoint_name}/variant/"):
                forget(key)


def deregister(resource_id: str) -> None:
    """Deregister what is being deleted."""
    with lock:
        for key in list(targets.keys()):
            if key[1] == resource_id:
                forget(key)


def forget(key: Key) -> None:
    """Remove a target, and its policies and scheduled actions with it."""
    targets.pop(key, None)
    for table in (policies, actions):
        for item in [item for item in table if item[:3] == key]:
            table.pop(item)
