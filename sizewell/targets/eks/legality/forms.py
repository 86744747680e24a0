"""The forms of texts: names, keys, ports, paths and quantities.

https://kubernetes.io/docs/concepts/overview/working-with-objects/names/ and .../labels/, and for quantities
https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
"""

import re
from fractions import Fraction

from sizewell.targets.eks.legality.fault import shortened
from sizewell.targets.eks.quantity import parse

_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(?:\.{_LABEL})*"
_QUALIFIED = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?"
_EDGES = "a letter or digit first and last"
_BELOW = r"(?!/)(?!(?:.*/)?\.\.(?:/|$))"

#: The pattern of each form, and what it is.
FORMS: dict[str, tuple[str, str]] = {
    "label": (
        rf"(?=.{{1,63}}$){_LABEL}",
        f"an RFC 1123 label: write at most 63 lowercase letters, digits and '-', {_EDGES}.",
    ),
    # The controller adds 11 characters to the name of a CronJob.
    "cron-job-name": (
        rf"(?=.{{1,52}}$){_LABEL}",
        f"the name of a CronJob: write at most 52 lowercase letters, digits and '-', {_EDGES}.",
    ),
    "subdomain": (
        rf"(?=.{{1,253}}$){_SUBDOMAIN}",
        f"an RFC 1123 subdomain: write at most 253 lowercase letters, digits, '-' and '.', {_EDGES}.",
    ),
    # Kubernetes 1.34 began to allow a digit first (RelaxedServiceNameValidation), older clusters do not.
    "service-name": (
        rf"(?=.{{1,63}}$)(?=[a-z]){_LABEL}",
        "an RFC 1035 label: write at most 63 lowercase letters, digits and '-', a letter first.",
    ),
    "label-key": (
        rf"(?:(?=[^/]{{1,253}}/){_SUBDOMAIN}/)?(?=[^/]{{1,63}}$){_QUALIFIED}",
        f"a label key: write at most 63 letters, digits, '-', '_', '.', {_EDGES}, or such after a DNS subdomain and '/'.",
    ),
    "label-value": (
        rf"(?=.{{0,63}}$)(?:{_QUALIFIED})?",
        f"a label value: write a string of at most 63 letters, digits, '-', '_' and '.', {_EDGES}.",
    ),
    # RFC 6335, 5.1
    "port-name": (
        rf"(?=.{{1,15}}$)(?=.*[a-z])(?!.*--){_LABEL}",
        "an IANA_SVC_NAME: write at most 15 lowercase letters, digits and '-', at least one letter.",
    ),
    # Kubernetes 1.34 (RelaxedEnvironmentVariableValidation)
    "environment-name": (
        r"[ -<>-~]+",
        "the name of an environment variable: write printable ASCII characters without '='.",
    ),
    "config-map-key": (
        r"[-._a-zA-Z0-9]{1,253}",
        "a key of a ConfigMap: write letters, digits, '-', '_' and '.'.",
    ),
    "image": (r"\S+", "a container image: write a reference without spaces."),
    "mount-path": (r"[^:]+", "a mount path: write a path without ':'."),
    "relative-path": (rf"{_BELOW}.+", "a path below the volume: write a relative one without '..'."),
    "cluster-ip": (
        r"None|[0-9a-f.:]{2,}",
        "an IP address: write None for a headless Service, or leave it out.",
    ),
    "field-path": (
        r"metadata\.(?:name|namespace|uid|(?:labels|annotations)\['[^']+'\])|"
        r"spec\.(?:nodeName|serviceAccountName)|status\.(?:hostIPs?|podIPs?)",
        "a field that the downward API offers: write metadata.name, metadata.namespace, metadata.uid, "
        "metadata.labels['KEY'], spec.nodeName, spec.serviceAccountName, status.hostIP or status.podIP.",
    ),
    "resource-field": (
        r"(?:limits|requests)\.(?:cpu|memory|ephemeral-storage|hugepages-\w+)",
        "a resource that the downward API offers: write limits or requests of cpu, memory or ephemeral-storage.",
    ),
    # Karpenter's own: karpenter.sh_nodepools.yaml
    "node-time": (
        r"(?:[0-9]+[smh])+",
        "a duration: write hours, minutes and seconds, as in 1h30m.",
    ),
    "node-age": (
        r"(?:[0-9]+[smh])+|Never",
        "an age of nodes: write hours, minutes and seconds, as in 720h, or Never.",
    ),
    "budget": (
        r"(?:100|[0-9]{1,2})%|[0-9]+",
        "a budget of nodes: write a number or a percentage in quotation marks.",
    ),
    "string": (
        r"(?s:.*)",
        "a string: write it in quotation marks, YAML reads true, 1 and 1.5 as other types.",
    ),
    "quantity": (
        "",
        "a quantity from 0: write a number, perhaps with a suffix, as in 500m, 4, 10G or 1.5Gi.",
    ),
}


def form_fault(form: str, value: object) -> str | None:
    """Return why a value does not have a form; None if it does."""
    pattern, noun = FORMS[form]
    if form == "quantity":
        return None if amount(value) is not None else f"{shortened(value)} is not {noun}"
    # A port has a name or a number, which has a range of its own.
    if form == "port-name" and isinstance(value, int | float) and not isinstance(value, bool):
        return None
    is_good = isinstance(value, str) and re.fullmatch(pattern, value)
    return None if is_good else f"{shortened(value)} is not {noun}"


def amount(quantity: object) -> Fraction | None:
    """Return the number that a quantity stands for; None for what is none."""
    try:
        return parse(quantity)
    except ValueError:
        return None
