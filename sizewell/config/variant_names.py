"""How the variants of an endpoint are called where each stands for itself: in rules, in the plan, and in the lock."""

from sizewell.config.tree import KeyPath

#: What an endpoint calls its own variant, and its shadow.
PRIMARY, SHADOW = "primary", "shadow"


def full_name(endpoint: str, variant: str) -> str:
    """Return what rules, plan and lock call a variant."""
    return f"{endpoint}/{variant}"


def endpoint_of(name: str) -> str:
    """Return the endpoint of a variant; of all other workloads their own name."""
    return name.partition("/")[0]


def variant_of(name: str) -> str:
    """Return which variant of its endpoint something is."""
    return name.partition("/")[2] or PRIMARY


def path_in_endpoint(variant: str) -> KeyPath:
    """Return where an endpoint states a variant."""
    return (SHADOW,) if variant == SHADOW else ("variants", variant)


def path_of_endpoint(path: KeyPath) -> KeyPath:
    """Return where the endpoint of a variant states what the variant states at a path; other paths are as they were."""
    if not is_of_variant(path):
        return path
    return (*path[:2], *path[3 if path[2] == SHADOW else 4 :])


def is_of_variant(path: KeyPath) -> bool:
    """Return whether a key path is that of a variant or a shadow, or lies below it."""
    return path[:1] == ("workloads",) and (
        path[2:3] == (SHADOW,) or (path[2:3] == ("variants",) and len(path) > 3)
    )
