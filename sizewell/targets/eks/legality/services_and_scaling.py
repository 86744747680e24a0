"""Services, network policies and scalers, each in itself."""

from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, ip_network

from sizewell.targets.eks.legality.fault import Field, ManifestFault
from sizewell.targets.eks.legality.manifest_set import ManifestSet, Rule


def service_ports(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A Service names its ports where it has several, and has node ports where its type opens them."""
    # https://kubernetes.io/docs/concepts/services-networking/service/#multi-port-services
    for root in manifests.fields("Service"):
        ports = list(root.each("spec.ports[]"))
        for port in ports:
            if len(ports) > 1 and not port["name"].value:
                yield port["name"].fault(
                    f"each of the {len(ports)} ports of a Service needs a name: write one."
                )
            if port["nodePort"].value and root.at("spec.type").value not in ("NodePort", "LoadBalancer"):
                yield port["nodePort"].fault("a port of type ClusterIP has no nodePort: leave it out.")


def network_peers(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A peer is not empty, an IP block is a CIDR with its exceptions inside, and a range of ports rises."""
    # https://kubernetes.io/docs/concepts/services-networking/network-policies/
    for peer in manifests.fields("NetworkPolicyPeer"):
        if not any(peer[key].value is not None for key in ("ipBlock", "podSelector", "namespaceSelector")):
            yield peer.fault("the peer is empty: write podSelector, namespaceSelector or ipBlock.")
        for block in peer.each("ipBlock"):
            whole = _network(block["cidr"])
            for field in (block["cidr"], *block.each("except[]")):
                part = _network(field)
                if part is None:
                    yield field.fault(f"{field.value!r} is not a CIDR: write one such as 10.0.0.0/16.")
                elif whole is not None and not _contains(whole, part):
                    yield field.fault(f"{field.value} is not within {whole}: write a part of cidr.")
    for port in manifests.fields("NetworkPolicyPort"):
        first, last = port["port"], port["endPort"]
        if last.number is not None and last.number < (first.number or 65536):
            yield last.fault(f"endPort {last.number} is below port {first.value!r}: write numbers that rise.")


def _network(field: Field) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(field.text, strict=False) if "/" in field.text else None
    except ValueError:
        return None


def _contains(whole: IPv4Network | IPv6Network, part: IPv4Network | IPv6Network) -> bool:
    return part.prefixlen >= whole.prefixlen and part.network_address in whole


def replica_bounds(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A scaler's minimum is not above its maximum, and its idle number is below the minimum."""
    # https://keda.sh/docs/latest/reference/scaledobject-spec/: without bounds, 0 to 100.
    for spec in (root["spec"] for root in manifests.fields("ScaledObject")):
        minimum, maximum, idle = (spec[f"{bound}ReplicaCount"].number for bound in ("min", "max", "idle"))
        minimum, maximum = minimum or 0, 100 if maximum is None else maximum
        if minimum > maximum:
            yield spec["minReplicaCount"].fault(f"{minimum} is above the maximum: write at most {maximum}.")
        if idle is not None and idle >= minimum:
            yield spec["idleReplicaCount"].fault(f"{idle} is not below minReplicaCount {minimum}: write 0.")


RULES: tuple[Rule, ...] = (service_ports, network_peers, replica_bounds)
