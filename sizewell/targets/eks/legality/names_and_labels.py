"""Kinds, names, namespaces, labels, annotations and selectors.

https://kubernetes.io/docs/concepts/overview/working-with-objects/
"""

import re
from collections.abc import Callable, Iterator

from sizewell.targets.eks.legality.fault import Field, ManifestFault, listed
from sizewell.targets.eks.legality.forms import form_fault
from sizewell.targets.eks.legality.manifest_set import API_VERSIONS, CLUSTER_SCOPED, ManifestSet, Rule

_SET_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
NODE_OPERATORS = (*_SET_OPERATORS, "Gt", "Lt")


def kinds(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """An object is of a kind that the cluster has, in its version."""
    for manifest in manifests.manifests:
        kind, version = manifest.root["kind"], manifest.root["apiVersion"]
        if manifest.kind not in API_VERSIONS:
            yield kind.fault(f"kind {kind.value!r} is unknown: write {listed(API_VERSIONS)}.")
        elif version.value != API_VERSIONS[manifest.kind]:
            yield version.fault(
                f"{version.value!r} has no {manifest.kind}: write {API_VERSIONS[manifest.kind]}."
            )


def names(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """An object has a name, an RFC 1123 subdomain at least, and no other of its kind has the same."""
    seen = set()
    for manifest in manifests.manifests:
        field, key = manifest.root.at("metadata.name"), (manifest.kind, manifest.namespace, manifest.name)
        if message := form_fault("subdomain", field.value):
            yield field.fault(message)
        elif key in seen:
            yield field.fault(
                f"a {manifest.kind} named {manifest.name} is there already: write another name."
            )
        seen.add(key)


def namespaces(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """An object that does not belong to the cluster names a Namespace of the set."""
    known = manifests.names("Namespace")
    for manifest in manifests.manifests:
        is_namespaced = manifest.kind in API_VERSIONS and manifest.kind not in CLUSTER_SCOPED
        if is_namespaced and manifest.namespace not in known:
            field = manifest.root.at("metadata.namespace")
            yield field.fault(f"{field.value!r} is not a Namespace of the set: write {listed(known)}.")


def labels_and_annotations(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """Keys and values of labels, selectors and annotations have the form that the API server asks for."""
    for manifest in manifests.manifests:
        for field in manifest.root.walk():
            name = field.path.rpartition(".")[2]
            is_of_an_alert = manifest.kind == "PrometheusRule" and not field.path.startswith("metadata")
            is_map_selector = manifest.kind == "Service" and field.path == "spec.selector"
            if name == "annotations" and not is_of_an_alert:
                # The API server lowers the keys of annotations before it looks at them.
                yield from entry_faults(field, "label-key", "string", str.lower)
            elif (
                name in ("labels", "matchLabels", "nodeSelector") and not is_of_an_alert
            ) or is_map_selector:
                yield from entry_faults(field, "label-key", "label-value")


def entry_faults(
    field: Field, key_form: str, value_form: str, normalized: Callable[[str], str] = str
) -> Iterator[ManifestFault]:
    """Yield the faults of the keys and the values of a map."""
    for key in field.keys:
        yield from (field[key].fault(m) for m in [form_fault(key_form, normalized(key))] if m)
        yield from (field[key].fault(m) for m in [form_fault(value_form, field[key].value)] if m)


def selector_requirements(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A requirement of a selector has a known operator, and as many values as that takes; Gt and Lt are for nodes."""
    for manifest in manifests.manifests:
        for requirement in (
            found for holder in manifest.root.walk() for found in holder.each("matchExpressions[]")
        ):
            operators = NODE_OPERATORS if "nodeAffinity" in requirement.path else _SET_OPERATORS
            yield from requirement_faults(requirement, operators)


def requirement_faults(requirement: Field, operators: tuple[str, ...]) -> Iterator[ManifestFault]:
    """Yield the faults of one requirement: its key, its operator and its values."""
    operator, values, given = (
        requirement["operator"].text,
        requirement["values"],
        list(requirement.each("values[]")),
    )
    if operator not in operators:
        found = requirement["operator"]
        yield found.fault(f"operator {found.value!r} is not supported: write {listed(operators)}.")
    elif operator in ("In", "NotIn") and not given:
        yield values.fault(f"operator {operator} has no values: write at least one.")
    elif operator in ("Exists", "DoesNotExist") and given:
        yield values.fault(f"operator {operator} takes no values: leave them out.")
    elif operator not in _SET_OPERATORS and (len(given) != 1 or not re.fullmatch(r"\d+", given[0].text)):
        yield values.fault(
            f"operator {operator} takes a single whole number in quotation marks: write one value."
        )
    if message := form_fault("label-key", requirement["key"].value):
        yield requirement["key"].fault(message)
    yield from (
        value.fault(message) for value in given if (message := form_fault("label-value", value.value))
    )


def config_maps(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A ConfigMap has well-formed keys, each once, and at most 1 MiB of data."""
    # https://kubernetes.io/docs/concepts/configuration/configmap/
    for root in manifests.fields("ConfigMap"):
        data, binary = root["data"], root["binaryData"]
        for part in (data, binary):
            yield from entry_faults(part, "config-map-key", "string")
        for key in sorted({*data.keys} & {*binary.keys}):
            yield binary[key].fault(f"{key} is in data and in binaryData: write it in one of them.")
        size = sum(len(text.encode("utf-8", "replace")) for text in data.strings.values())
        if size > 1_048_576:
            yield data.fault(
                f"the data has {size} bytes, more than 1048576: put it into the image or into S3."
            )


RULES: tuple[Rule, ...] = (
    kinds,
    names,
    namespaces,
    labels_and_annotations,
    selector_requirements,
    config_maps,
)
