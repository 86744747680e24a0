"""Which nodes a pod may use, by labels and taints: what Karpenter decides before a node is there.

kubernetes-sigs/karpenter pkg/scheduling/requirements.go (nodes lack a label that their pool does not know, except for those
that a launch gives) and taints.go.
"""

import operator
from collections.abc import Mapping, Sequence
from typing import Any

INSTANCE_TYPE = "node.kubernetes.io/instance-type"
Requirement = Mapping[str, Any]

#: Labels that a launch gives: a pool that does not limit them may give any value.
_OF_LAUNCHES = {f"topology.kubernetes.io/{name}" for name in ("region", "zone")}
_OF_LAUNCHES |= {"topology.k8s.aws/zone-id", "karpenter.sh/capacity-type"}
#: Stands for the values of a label that no requirement names.
_OTHER = "*"
#: Gte and Lte: in pools, from Karpenter 1.9 on.
_COMPARISONS = {"Gt": operator.gt, "Gte": operator.ge, "Lt": operator.lt, "Lte": operator.le}


def listed_types(pool: Mapping[str, Any]) -> list[str]:
    """Return the instance types that a NodePool lists; none, where it selects them by other labels alone."""
    lists = [
        each["values"] for each in _of_pool(pool) if (each["key"], each["operator"]) == (INSTANCE_TYPE, "In")
    ]
    return [*dict.fromkeys(lists[0])] if lists else []


def may_launch(
    pool: Mapping[str, Any], labels: Mapping[str, str | None], pod: Mapping[str, Any] | None = None
) -> bool:
    """Tell whether a NodePool may launch a type, for a pod if one is given.

    ``labels`` are those that the type decides. A requirement of the pool alone on another one, such as a zone, excludes no type.
    """
    alternatives = [[]] if pod is None else _of_pod(pod)
    return any(_agree(_of_pool(pool), asked, labels) for asked in alternatives)


def selection_words(pod: Mapping[str, Any]) -> str:
    """Return what a pod selects as a phrase: ``kubernetes.io/arch In arm64 and topology.kubernetes.io/zone Exists``."""
    lists = [
        [" ".join([r["key"], r["operator"], *(r.get("values") or ())]) for r in asked]
        for asked in _of_pod(pod)
    ]
    return " or ".join(" and ".join(words) or "any node" for words in lists) or "no node at all"


def untolerated_taints(pool: Mapping[str, Any], pod: Mapping[str, Any]) -> list[str]:
    """Return the taints of a NodePool that keep a pod away, as kubectl writes them; startup taints go away by themselves."""
    tolerations = pod["spec"].get("tolerations") or ()
    return [
        f"{taint['key']}={taint.get('value') or ''}:{taint['effect']}"
        for taint in pool["spec"]["template"]["spec"].get("taints") or ()
        if taint["effect"] != "PreferNoSchedule" and not any(_tolerates(each, taint) for each in tolerations)
    ]


def _tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    kind, key = toleration.get("operator") or "Equal", toleration.get("key") or ""
    same_value = kind == "Equal" and (toleration.get("value") or "") == (taint.get("value") or "")
    same_taint = key == taint["key"] and (same_value or kind == "Exists")
    return (same_taint or (kind, key) == ("Exists", "")) and toleration.get("effect") in (
        None,
        "",
        taint["effect"],
    )


def _of_pool(pool: Mapping[str, Any]) -> list[Requirement]:
    """Return what a NodePool demands of its nodes, with the labels that it gives them."""
    template = pool["spec"]["template"]
    labels = (template.get("metadata") or {}).get("labels") or {}
    given = _exactly({**labels, "karpenter.sh/nodepool": pool["metadata"]["name"]})
    return [*(template["spec"].get("requirements") or ()), *given]


def _of_pod(pod: Mapping[str, Any]) -> list[list[Requirement]]:
    """Return the requirements of nodeSelector and required node affinity: one of the lists must hold as a whole.

    An empty term selects nothing, nor does one by matchFields, which names a node that is there already.
    """
    selector = _exactly(pod["spec"].get("nodeSelector") or {})
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if required is None:
        return [selector]
    terms = [term for term in required["nodeSelectorTerms"] if not term.get("matchFields")]
    return [[*selector, *term["matchExpressions"]] for term in terms if term.get("matchExpressions")]


def _exactly(labels: Mapping[str, str]) -> list[Requirement]:
    return [{"key": key, "operator": "In", "values": [value]} for key, value in labels.items()]


def _agree(pool: Sequence[Requirement], pod: Sequence[Requirement], labels: Mapping[str, str | None]) -> bool:
    """Tell whether each label that the pod or the type cares for has a value that meets all requirements."""
    of_pool, of_pod = ({requirement["key"] for requirement in side} for side in (pool, pod))
    for key in of_pod | (of_pool & labels.keys()):
        both = [requirement for requirement in (*pool, *pod) if requirement["key"] == key]
        values: list[str | None] = [labels.get(key)]
        if key not in labels and key in of_pool | _OF_LAUNCHES:
            values += [_OTHER, *(value for requirement in both for value in requirement.get("values") or ())]
        if not any(all(_holds(requirement, value) for requirement in both) for value in values):
            return False
    return True


def _holds(requirement: Requirement, label: str | None) -> bool:
    name: str = requirement["operator"]
    values: Sequence[str] = requirement.get("values") or ()
    if name in _COMPARISONS:
        return (
            label is not None and label.isdecimal() and bool(_COMPARISONS[name](int(label), int(values[0])))
        )
    if name in ("In", "NotIn"):
        return (label in values) == (name == "In")
    return (label is not None) == (name == "Exists")
