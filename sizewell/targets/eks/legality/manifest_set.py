"""The manifests that are applied together, and what rules ask of them."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sizewell.targets.eks.legality.fault import Field, ManifestFault

#: The kinds that we write, by the one version of each.
KINDS = {
    "v1": ("Namespace", "ServiceAccount", "ConfigMap", "Service"),
    "apps/v1": ("Deployment",),
    "batch/v1": ("Job", "CronJob"),
    "policy/v1": ("PodDisruptionBudget",),
    "networking.k8s.io/v1": ("NetworkPolicy",),
    "karpenter.sh/v1": ("NodePool",),
    "karpenter.k8s.aws/v1": ("EC2NodeClass",),
    "eks.amazonaws.com/v1": ("NodeClass",),
    "keda.sh/v1alpha1": ("ScaledObject", "TriggerAuthentication"),
    "monitoring.coreos.com/v1": ("PodMonitor", "PrometheusRule"),
    "jobset.x-k8s.io/v1alpha2": ("JobSet",),
}
API_VERSIONS = {kind: version for version, kinds in KINDS.items() for kind in kinds}
#: What is found in several places: of what, at which path.
_INSIDE = {
    "Probe": [("Container", f"{kind}Probe") for kind in ("startup", "readiness", "liveness")],
    "JobSpec": [
        ("Job", "spec"),
        ("CronJob", "spec.jobTemplate.spec"),
        ("JobSet", "spec.replicatedJobs[].template.spec"),
    ],
    "NetworkPolicyPort": [("NetworkPolicy", f"spec.{way}[].ports[]") for way in ("ingress", "egress")],
    "NetworkPolicyPeer": [
        ("NetworkPolicy", path) for path in ("spec.ingress[].from[]", "spec.egress[].to[]")
    ],
}
CLUSTER_SCOPED = ("Namespace", "NodePool", "EC2NodeClass", "NodeClass")


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object."""

    kind: str
    namespace: str
    """Empty for what belongs to the cluster."""
    name: str
    root: Field


@dataclass(frozen=True, slots=True)
class Pod:
    """The template from which a workload makes its pods."""

    owner: Manifest
    template: Field
    labels: Mapping[str, str]
    """Those of the template, and those that the Job controller and JobSet add."""

    @property
    def spec(self) -> Field:
        """The pod's spec."""
        return self.template["spec"]

    @property
    def containers(self) -> tuple[Field, ...]:
        """All containers, init containers first."""
        return (*self.spec.each("initContainers[]"), *self.spec.each("containers[]"))


@dataclass(frozen=True, slots=True)
class ManifestSet:
    """All objects of one delivery."""

    manifests: tuple[Manifest, ...]
    pods: tuple[Pod, ...]
    instance_types: Collection[str]
    node_labels: Mapping[str, str]
    """Of nodes that nothing in the set launches."""

    def of_kind(self, *kinds: str) -> list[Manifest]:
        """Return the objects of some kinds."""
        return [manifest for manifest in self.manifests if manifest.kind in kinds]

    def names(self, kind: str, namespace: str = "") -> list[str]:
        """Return the names of the objects of a kind in a namespace."""
        return sorted(found.name for found in self.of_kind(kind) if found.namespace == namespace)

    def fields(self, scope: str) -> list[Field]:
        """Return the objects of a kind, or each field of another sort: ``Pod`` (its spec), ``Container``, ``Probe`` and so on."""
        if scope == "Pod":
            return [pod.spec for pod in self.pods]
        if scope == "Container":
            return [container for pod in self.pods for container in pod.containers]
        if scope in _INSIDE:
            holders = [(holder, path) for of, path in _INSIDE[scope] for holder in self.fields(of)]
            return [field for holder, path in holders for field in holder.each(path)]
        return [manifest.root for manifest in self.of_kind(scope)]

    def selected(self, selector: Field, namespace: str) -> list[Pod]:
        """Return the pods of a namespace that a label selector selects."""
        pods = [pod for pod in self.pods if pod.owner.namespace == namespace]
        return [pod for pod in pods if selects(selector, pod.labels)]


Rule = Callable[[ManifestSet], Iterator[ManifestFault]]


def selects(selector: Field, labels: Mapping[str, str]) -> bool:
    """Tell whether a label selector selects labels; an empty one selects all."""
    for key, value in selector["matchLabels"].strings.items():
        if labels.get(key) != value:
            return False
    for expression in selector.each("matchExpressions[]"):
        key, values = expression["key"].text, [value.value for value in expression.each("values[]")]
        fits = {
            "In": labels.get(key) in values,
            "NotIn": labels.get(key) not in values,
            "Exists": key in labels,
            "DoesNotExist": key not in labels,
        }
        if not fits.get(expression["operator"].text, False):
            return False
    return True


def manifest_set(
    manifests: Sequence[Mapping[str, Any]], instance_types: Collection[str], node_labels: Mapping[str, str]
) -> ManifestSet:
    """Return parsed manifests as the set that rules read."""
    # Sorted, so that what is said of the second of two does not depend on the order in which they came.
    found = tuple(
        sorted(map(_manifest, manifests), key=lambda made: (made.root.object, repr(made.root.value)))
    )
    return ManifestSet(
        found, tuple(pod for manifest in found for pod in _pods(manifest)), instance_types, node_labels
    )


def _manifest(written: Mapping[str, Any]) -> Manifest:
    root = Field("", "", "", _named(written))
    kind, metadata = root["kind"].text or "(no kind)", root["metadata"]
    namespace = "" if kind in CLUSTER_SCOPED else metadata["namespace"].text
    name = metadata["name"].text
    label = f"{kind} {namespace}/{name or '(no name)'}" if namespace else f"{kind} {name or '(no name)'}"
    return Manifest(kind, namespace, name, Field(label, namespace, "", root.value))


def _named(written: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object with the name that the API server makes, where it states only what that begins with.

    https://kubernetes.io/docs/reference/using-api/api-concepts/#generated-values: five characters come after it.
    """
    metadata = written.get("metadata")
    if (
        isinstance(metadata, Mapping)
        and "name" not in metadata
        and isinstance(metadata.get("generateName"), str)
    ):
        return {**written, "metadata": {**metadata, "name": f"{metadata['generateName']}abcde"}}
    return written


def _pods(manifest: Manifest) -> Iterator[Pod]:
    if manifest.kind in ("Deployment", "Job"):
        # https://kubernetes.io/docs/reference/labels-annotations-taints/#batch-kubernetes-io-job-name
        keys = ("job-name", "batch.kubernetes.io/job-name") if manifest.kind == "Job" else ()
        template = manifest.root.at("spec.template")
        yield Pod(
            manifest, template, template.at("metadata.labels").strings | dict.fromkeys(keys, manifest.name)
        )
    elif manifest.kind == "CronJob":
        template = manifest.root.at("spec.jobTemplate.spec.template")
        yield Pod(manifest, template, template.at("metadata.labels").strings)
    elif manifest.kind == "JobSet":
        for job in manifest.root.each("spec.replicatedJobs[]"):
            template = job.at("template.spec.template")
            added = {
                "jobset.sigs.k8s.io/jobset-name": manifest.name,
                "jobset.sigs.k8s.io/replicatedjob-name": job["name"].text,
            }
            yield Pod(manifest, template, template.at("metadata.labels").strings | added)
