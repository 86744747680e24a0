"""Pod templates: containers, resources, probes, volumes, tolerations.

https://kubernetes.io/docs/concepts/workloads/pods/
"""

from collections.abc import Iterator

from sizewell.targets.eks.legality.fault import Field, ManifestFault, listed
from sizewell.targets.eks.legality.forms import amount, form_fault
from sizewell.targets.eks.legality.manifest_set import ManifestSet, Rule

_STANDARD_RESOURCES = ("cpu", "memory", "ephemeral-storage")
_PROBES = ("startupProbe", "readinessProbe", "livenessProbe")


def container_names(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """No two containers of a pod have the same name, init containers included."""
    for pod in manifests.pods:
        seen: set[str] = set()
        for name in (container["name"] for container in pod.containers):
            if name.text and name.text in seen:
                yield name.fault(f"another container is named {name.text}: give each container its own name.")
            seen.add(name.text)


def quantities(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """Requests and limits are quantities of resources that exist; of extended resources and bytes whole numbers."""
    # https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#extended-resources
    for container in manifests.fields("Container"):
        for section, name in _resources(container):
            quantity, number = section[name], amount(section[name].value)
            domain = name.partition("/")[0] if "/" in name else ""
            is_known = name in _STANDARD_RESOURCES or name.startswith("hugepages-")
            if not is_known and (not domain or domain.endswith("kubernetes.io")):
                allowed = listed([*_STANDARD_RESOURCES, "an extended one such as nvidia.com/gpu"])
                yield quantity.fault(f"{name!r} is not a resource of containers: write {allowed}.")
            if message := form_fault("quantity", quantity.value):
                yield quantity.fault(message)
            elif number is not None and number.denominator != 1 and (domain or name == "memory"):
                noun = "an extended resource" if domain else "a number of bytes"
                yield quantity.fault(
                    f"{name} is {quantity.value}, and {noun} is whole: write a whole number."
                )


def requests_and_limits(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A request is at most the limit; of an extended resource it equals the limit, which must be there."""
    # https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/#using-device-plugins
    for container in manifests.fields("Container"):
        requests, limits = container.at("resources.requests"), container.at("resources.limits")
        for name in requests.keys:
            request, limit = amount(requests[name].value), amount(limits[name].value)
            is_extended = name not in _STANDARD_RESOURCES
            if is_extended and limits[name].value is None:
                yield limits[name].fault(
                    f"{name} has no limit, and its request must equal it: write the limit."
                )
            elif request is None or limit is None:
                continue
            elif request > limit or (is_extended and request != limit):
                came_in = f"the request of {name} ({requests[name].value})"
                relation = "must equal" if is_extended else "exceeds"
                allowed = "the same number" if is_extended else "at most the limit"
                yield requests[name].fault(
                    f"{came_in} {relation} its limit ({limits[name].value}): write {allowed}."
                )


def _resources(container: Field) -> list[tuple[Field, str]]:
    sections = (container.at("resources.requests"), container.at("resources.limits"))
    return [(section, name) for section in sections for name in section.keys]


def mounts(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A volume mount names a volume of its pod."""
    for pod in manifests.pods:
        known = [volume["name"].text for volume in pod.spec.each("volumes[]")]
        for name in (found for holder in pod.containers for found in holder.each("volumeMounts[].name")):
            if name.value not in known:
                yield name.fault(f"{name.value!r} is not a volume of the pod: write {listed(known)}.")


def probe_ports(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A port that a probe or hook calls by name is a port of its container."""
    paths = [
        *(f"{probe}.{handler}.port" for probe in _PROBES for handler in ("httpGet", "tcpSocket")),
        "lifecycle.preStop.httpGet.port",
    ]
    for container in manifests.fields("Container"):
        known = port_names(container)
        for port in (found for path in paths for found in container.each(path)):
            if port.number is None and port.text not in known:
                yield port.fault(f"{port.value!r} is not a port of this container: write {listed(known)}.")


def port_names(*containers: Field) -> list[str]:
    """Return the names of the ports of containers."""
    return [name.text for container in containers for name in container.each("ports[].name")]


def pre_stop_sleep(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """The sleep of a preStop hook ends within the grace period of the pod."""
    # https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/#hook-handler-implementations
    for pod in manifests.pods:
        grace = pod.spec["terminationGracePeriodSeconds"].number
        grace = 30 if grace is None else grace
        path = "lifecycle.preStop.sleep.seconds"
        for seconds in (found for container in pod.containers for found in container.each(path)):
            if not 0 <= (seconds.number or 0) <= grace:
                yield seconds.fault(
                    f"{seconds.value} exceeds the grace period of {grace} s: write at most {grace}."
                )


RULES: tuple[Rule, ...] = (
    container_names,
    quantities,
    requests_and_limits,
    mounts,
    probe_ports,
    pre_stop_sleep,
)
