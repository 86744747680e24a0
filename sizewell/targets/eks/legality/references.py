"""References between the objects of a set: names that must exist, and labels that must match."""

from collections.abc import Iterator

from sizewell.targets.eks.legality.fault import Field, ManifestFault, listed
from sizewell.targets.eks.legality.manifest_set import Manifest, ManifestSet, Pod, Rule
from sizewell.targets.eks.legality.pods import port_names


def config_maps(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A pod reads ConfigMaps of the set, and keys that they have; optional ones may be absent."""
    for pod in manifests.pods:
        # Each Namespace has kube-root-ca.crt.
        keys = {"kube-root-ca.crt": ["ca.crt"]} | {
            found.name: [*found.root["data"].keys, *found.root["binaryData"].keys]
            for found in manifests.of_kind("ConfigMap")
            if found.namespace == pod.owner.namespace
        }
        paths = ("env[].valueFrom.configMapKeyRef", "envFrom[].configMapRef")
        read = (found for container in pod.containers for path in paths for found in container.each(path))
        for source in (*pod.spec.each("volumes[].configMap"), *read):
            name = source["name"].text
            if source["optional"].value is True:
                continue
            if name not in keys:
                yield source["name"].fault(
                    f"ConfigMap {name!r} is not in the set: write {listed(sorted(keys))}."
                )
            for key in (*source.each("key"), *source.each("items[].key")):
                if name in keys and key.value not in keys[name]:
                    yield key.fault(f"ConfigMap {name} has no key {key.value!r}: write {listed(keys[name])}.")


def services(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A Service selects pods of the set, and a targetPort by name is a port of such a pod."""
    for service in manifests.of_kind("Service"):
        selector = service.root.at("spec.selector")
        as_labels = Field(selector.object, selector.namespace, selector.path, {"matchLabels": selector.value})
        if selector.value is not None:
            pods = manifests.selected(as_labels, service.namespace) if selector.strings else []
            yield from _nothing_selected(selector, pods)
            for port in service.root.each("spec.ports[].targetPort"):
                yield from _no_port(port, pods)


def selectors(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A PodDisruptionBudget and a NetworkPolicy select pods of the set; ports by name are ports of those."""
    for manifest in manifests.of_kind("PodDisruptionBudget", "NetworkPolicy"):
        is_budget = manifest.kind == "PodDisruptionBudget"
        selector = manifest.root.at("spec.selector" if is_budget else "spec.podSelector")
        # A budget without selector selects nothing, an empty one everything.
        pods = manifests.selected(selector, manifest.namespace) if selector.value is not None else []
        if is_budget or selector.value not in ({}, None):
            yield from _nothing_selected(selector, pods)
            for port in manifest.root.each("spec.ingress[].ports[].port"):
                yield from _no_port(port, pods)


def pod_affinities(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A required pod affinity selects pods of the set, if only its own: else a scheduler would wait for others."""
    # https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity
    path = "affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[]"
    for pod in manifests.pods:
        for term in pod.spec.each(path):
            selector = term["labelSelector"]
            if term["namespaces"].value is term["namespaceSelector"].value is None:
                pods = manifests.selected(selector, pod.owner.namespace) if selector.value is not None else []
                yield from _nothing_selected(selector, pods)


def pod_monitors(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A PodMonitor selects pods of the set, and each endpoint is a port of such a pod."""
    # https://prometheus-operator.dev/docs/api-reference/api/
    for monitor in manifests.of_kind("PodMonitor"):
        selector, spaces = monitor.root.at("spec.selector"), _watched(monitor, manifests)
        if spaces:
            pods = [pod for space in spaces for pod in manifests.selected(selector, space)]
            yield from _nothing_selected(selector, pods)
            for port in monitor.root.each("spec.podMetricsEndpoints[].port"):
                yield from _no_port(port, pods)


def _watched(monitor: Manifest, manifests: ManifestSet) -> list[str]:
    """Return the namespaces in which a monitor selects; none where it looks beyond the set."""
    selector, known = monitor.root.at("spec.namespaceSelector"), manifests.names("Namespace")
    named = [name.text for name in selector.each("matchNames[]")] or [monitor.namespace]
    return named if selector["any"].value is not True and set(named) <= set(known) else []


def _nothing_selected(selector: Field, pods: list[Pod]) -> Iterator[ManifestFault]:
    if not pods:
        yield selector.fault("the selector matches no pod template of the set: write labels of a template.")


def _no_port(port: Field, pods: list[Pod]) -> Iterator[ManifestFault]:
    known = sorted({name for pod in pods for name in port_names(*pod.containers)})
    if pods and port.number is None and port.value not in known:
        yield port.fault(f"{port.value!r} is no port of the selected pods: write {listed(known)}.")


def scale_targets(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A Deployment has at most one scaler, and leaves the number of replicas to it."""
    # https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#migrating-deployments-and-statefulsets-to-horizontal-autoscaling
    scaled: dict[tuple[str, str], str] = {}
    for scaler in manifests.of_kind("ScaledObject"):
        name = scaler.root.at("spec.scaleTargetRef.name")
        other = scaled.setdefault((scaler.namespace, name.text), scaler.root.object)
        if other != scaler.root.object:
            yield name.fault(
                f"{name.text} is already scaled by {other}, and two contradict each other: keep one."
            )
    for deployment in manifests.of_kind("Deployment"):
        scaler_name = scaled.get((deployment.namespace, deployment.name))
        for replicas in deployment.root.each("spec.replicas"):
            if scaler_name:
                yield replicas.fault(
                    f"{replicas.value!r} replicas fight the scaler {scaler_name}: leave replicas out."
                )


def resource_metrics(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """What scales by the utilization of CPU or memory finds requests in each container."""
    # https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#algorithm-details
    for scaler in manifests.of_kind("ScaledObject"):
        target = ("Deployment", scaler.namespace, scaler.root.at("spec.scaleTargetRef.name").text)
        pods = [p for p in manifests.pods if (p.owner.kind, p.owner.namespace, p.owner.name) == target]
        for resource in scaler.root.each("spec.triggers[].type"):
            for container in (found for pod in pods for found in pod.spec.each("containers[]")):
                given = [container["resources"][key][resource.text].value for key in ("requests", "limits")]
                if resource.value in ("cpu", "memory") and given == [None, None]:
                    came_in = f"container {container['name'].value!r} requests no {resource.text}"
                    yield resource.fault(f"{came_in}, so its utilization is unknown: write the request.")


RULES: tuple[Rule, ...] = (
    config_maps,
    services,
    selectors,
    pod_affinities,
    pod_monitors,
    scale_targets,
    resource_metrics,
)
