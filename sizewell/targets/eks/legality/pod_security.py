"""What the Pod Security Standards demand where the Namespace enforces them: ``pod_security.csv``.

https://kubernetes.io/docs/concepts/security/pod-security-standards/. A Deployment that breaks them is accepted; its pods are not.
"""

import csv
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from sizewell.targets.eks.legality.fault import Field, ManifestFault, as_word, listed, shortened
from sizewell.targets.eks.legality.manifest_set import ManifestSet, Rule

_ENFORCE = "pod-security.kubernetes.io/enforce"
_LEVELS = ("privileged", "baseline", "restricted")
_VOLUMES = ("configMap", "downwardAPI", "emptyDir", "projected", "secret")
_CLAIMS = ("csi", "ephemeral", "persistentVolumeClaim", "image")


@cache
def _rows() -> tuple[dict[str, str], ...]:
    with Path(__file__).with_name("pod_security.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def pod_security(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """Pods keep the Pod Security Standard that their Namespace enforces."""
    enforced = _enforced(manifests)
    for row in _rows():
        of_level = _LEVELS.index(row["level"])
        contexts = _security_contexts(manifests) if row["of"] == "SecurityContext" else []
        for holder in (
            found
            for found in contexts or manifests.fields(row["of"])
            if enforced.get(found.namespace, 0) >= of_level
        ):
            for field in holder.each(row["field"]) if "[]" in row["field"] else [holder.at(row["field"])]:
                if as_word(field.value) not in row["allowed"].split():
                    allowed = ["nothing" if word == "-" else word for word in row["allowed"].split()]
                    yield _breach(field, listed(allowed), row["level"])


def restricted_lists(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """Under restricted, containers drop ALL capabilities, run as no root user and mount volumes of few types."""
    enforced = _enforced(manifests)
    for context in _security_contexts(manifests):
        if enforced.get(context.namespace) == 2:
            dropped = context.at("capabilities.drop")
            if "ALL" not in [capability.value for capability in dropped.elements]:
                yield _breach(dropped, "[ALL]", "restricted")
            if context["runAsUser"].number == 0:
                yield _breach(context["runAsUser"], "the number of another user than root", "restricted")
    for volume in (found for spec in manifests.fields("Pod") for found in spec.each("volumes[]")):
        for key in volume.keys:
            if enforced.get(volume.namespace) == 2 and key not in ("name", *_VOLUMES, *_CLAIMS):
                yield _breach(volume[key], listed((*_VOLUMES, *_CLAIMS)), "restricted")


def enforced_levels(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A Namespace enforces one of the three levels."""
    for level in (root.at("metadata.labels")[_ENFORCE] for root in manifests.fields("Namespace")):
        if level.value is not None and level.value not in _LEVELS:
            yield level.fault(f"{level.value!r} is no Pod Security Standard: write {listed(_LEVELS)}.")


def _enforced(manifests: ManifestSet) -> dict[str, int]:
    levels = {
        found.name: found.root.at("metadata.labels")[_ENFORCE].text
        for found in manifests.of_kind("Namespace")
    }
    return {name: _LEVELS.index(level) for name, level in levels.items() if level in _LEVELS}


def _security_contexts(manifests: ManifestSet) -> list[Field]:
    """Return what holds for each container: its own settings, and where it has none, those of the pod."""
    found = []
    for pod in manifests.pods:
        for own in (container["securityContext"] for container in pod.containers):
            parts = [
                part.value for part in (pod.spec["securityContext"], own) if isinstance(part.value, dict)
            ]
            merged = {key: value for part in parts for key, value in part.items() if value is not None}
            found.append(Field(own.object, own.namespace, own.path, merged))
    return found


def _breach(field: Field, allowed: str, level: str) -> ManifestFault:
    came_in = "the field is absent" if field.value is None else f"{shortened(field.value)} came in"
    return field.fault(f"{came_in}, and the Pod Security Standard is {level}: write {allowed}.")


RULES: tuple[Rule, ...] = (pod_security, restricted_lists, enforced_levels)
