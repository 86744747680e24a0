"""Node pools, and what pods ask of nodes.

https://karpenter.sh/docs/concepts/scheduling/#well-known-labels, and for EKS Auto Mode
https://docs.aws.amazon.com/eks/latest/userguide/create-node-pool.html
"""

from collections.abc import Collection, Iterator

from sizewell.targets.eks.legality.fault import Field, ManifestFault, listed
from sizewell.targets.eks.legality.manifest_set import ManifestSet, Rule
from sizewell.targets.eks.legality.names_and_labels import NODE_OPERATORS, requirement_faults

_FACTS = (
    "category family generation size cpu cpu-manufacturer cpu-sustained-clock-speed-mhz memory ebs-bandwidth network-bandwidth "
    "gpu-name gpu-manufacturer gpu-count gpu-memory accelerator-name accelerator-manufacturer accelerator-count local-nvme "
    "hypervisor encryption-in-transit-supported capability-flex tenancy"
)
#: The labels that nodes have without a NodePool's doing. karpenter-provider-aws pkg/apis/v1/labels.go
WELL_KNOWN = {
    "kubernetes.io/arch",
    "kubernetes.io/os",
    "kubernetes.io/hostname",
    "node.kubernetes.io/instance-type",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "topology.k8s.aws/zone-id",
    "karpenter.sh/capacity-type",
    "karpenter.sh/nodepool",
    "karpenter.k8s.aws/capacity-reservation-id",
    "karpenter.k8s.aws/capacity-reservation-type",
    "eks.amazonaws.com/nodegroup",
    "eks.amazonaws.com/compute-type",
    *(
        f"{group}/instance-{fact}"
        for group in ("karpenter.k8s.aws", "eks.amazonaws.com")
        for fact in _FACTS.split()
    ),
}
#: Karpenter refuses these domains in labels of its own: pkg/apis/v1/labels.go, RestrictedLabelDomains and the exceptions.
_RESTRICTED = ("kubernetes.io", "k8s.io", "karpenter.sh", "karpenter.k8s.aws", "eks.amazonaws.com")
_ALLOWED = ("node.kubernetes.io", "node-restriction.kubernetes.io", "kops.k8s.io")


def node_requirements(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """What a pod asks of its node by nodeSelector or affinity is a label that nodes of the set may have."""
    required = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[].matchExpressions[]"
    preferred = "affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[].preference.matchExpressions[]"
    known = [root.at("spec.template.metadata.labels") for root in manifests.fields("NodePool")]
    for spec in manifests.fields("Pod"):
        for key in spec["nodeSelector"].keys:
            value = spec["nodeSelector"][key]
            yield from _label_faults(manifests, known, key, value, [value])
        for requirement in (*spec.each(required), *spec.each(preferred)):
            yield from _requirement_faults(manifests, known, requirement)


def pool_requirements(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A requirement of a NodePool has a well-known key or a label of the pool, and an operator with the values it takes."""
    for root in manifests.fields("NodePool"):
        for requirement in root.each("spec.template.spec.requirements[]"):
            yield from requirement_faults(requirement, (*NODE_OPERATORS, "Gte", "Lte"))
            yield from _requirement_faults(manifests, [root.at("spec.template.metadata.labels")], requirement)
            count, minimum = len(requirement["values"].elements), requirement["minValues"]
            if requirement["operator"].value == "In" and (minimum.number or 0) > count:
                yield minimum.fault(
                    f"minValues {minimum.number} exceeds the number of values: write at most {count}."
                )


def _requirement_faults(
    manifests: ManifestSet, custom: list[Field], requirement: Field
) -> Iterator[ManifestFault]:
    values = list(requirement.each("values[]")) if requirement["operator"].value == "In" else []
    yield from _label_faults(manifests, custom, requirement["key"].text, requirement["key"], values)


def _label_faults(
    manifests: ManifestSet, custom: list[Field], key: str, at: Field, values: list[Field]
) -> Iterator[ManifestFault]:
    labels = [*(pool.strings for pool in custom), manifests.node_labels]
    own = sorted({found[key] for found in labels if key in found})
    allowed: dict[str, Collection[str]] = {
        "kubernetes.io/arch": ("amd64", "arm64"),
        "kubernetes.io/os": ("linux", "windows"),
        "karpenter.sh/capacity-type": ("on-demand", "spot", "reserved"),
        "karpenter.sh/nodepool": manifests.names("NodePool"),
        "node.kubernetes.io/instance-type": manifests.instance_types,
    }
    if key not in WELL_KNOWN and not own:
        yield at.fault(
            f"no node has a label {key!r}: write a well-known label, or one of a NodePool's labels."
        )
    for value in values:
        if key == "node.kubernetes.io/instance-type" and value.text not in manifests.instance_types:
            yield value.fault(f"{value.value!r} is not an instance type of the catalog: write one that is.")
        elif (known := own or allowed.get(key)) and value.text not in known:
            yield value.fault(f"no node has {key} {value.value!r}: write {listed(sorted(known))}.")


def pool_labels(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A NodePool sets no label of the domains that belong to Kubernetes, Karpenter and EKS."""
    for root in manifests.fields("NodePool"):
        labels = root.at("spec.template.metadata.labels")
        for key in labels.keys:
            domain = key.rpartition("/")[0]
            is_narrowing = key in WELL_KNOWN and key not in (
                "kubernetes.io/hostname",
                "karpenter.sh/nodepool",
            )
            if domain.endswith(_RESTRICTED) and not domain.endswith(_ALLOWED) and not is_narrowing:
                yield labels[key].fault(f"label {key} is restricted: write a label of your own domain.")


def node_classes(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A NodePool refers to a node class of the set, and an AMI alias stands alone."""
    for root in manifests.fields("NodePool"):
        kind, name = (root.at("spec.template.spec.nodeClassRef")[key] for key in ("kind", "name"))
        known = manifests.names(kind.text)
        if name.value not in known:
            yield name.fault(f"{kind.value} {name.value!r} is not in the set: write {listed(known)}.")
    for root in manifests.fields("EC2NodeClass"):
        terms = list(root.each("spec.amiSelectorTerms[]"))
        if len(terms) > 1 and any(term["alias"].value is not None for term in terms):
            yield terms[0].fault("alias may not stand beside other terms: write the alias alone.")


RULES: tuple[Rule, ...] = (node_requirements, pool_requirements, pool_labels, node_classes)
