"""Schema-valid is not legal: what an API server would refuse in manifests that a JSON schema accepts, and what could never work.

Rules are functions in the modules of this package, each with its docstring as its documentation; ``field_rules.csv`` holds
what single fields allow. What needs a cluster stays unproven: webhooks of others, quotas, scheduling, the syntax of queries.
"""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sizewell.targets.eks.legality import (
    fields,
    names_and_labels,
    nodes,
    pod_security,
    pods,
    references,
    services_and_scaling,
    workloads,
)
from sizewell.targets.eks.legality.fault import ManifestFault
from sizewell.targets.eks.legality.manifest_set import Rule, manifest_set

__all__ = ["RULES", "ManifestFault", "legality_faults"]

RULES: tuple[Rule, ...] = tuple(
    rule
    for module in (
        fields,
        names_and_labels,
        pods,
        workloads,
        services_and_scaling,
        references,
        nodes,
        pod_security,
    )
    for rule in module.RULES
)


def legality_faults(
    manifests: Sequence[Mapping[str, Any]],
    *,
    instance_types: Collection[str],
    node_labels: Mapping[str, str] = MappingProxyType({}),
) -> tuple[ManifestFault, ...]:
    """Return why a cluster would refuse a set of parsed manifests, or why they could never work, sorted.

    ``instance_types`` are the EC2 types that node pools may name; ``node_labels`` are those of nodes that no object of the set
    launches.
    """
    whole = manifest_set(manifests, instance_types, node_labels)
    return tuple(sorted({fault for rule in RULES for fault in rule(whole)}))
