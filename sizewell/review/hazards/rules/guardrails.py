"""Settings that roll back an update, or that stop it from reaching all users at once.

SageMaker developer guide, "Deployment guardrails" and its page "Exclusions".
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sizewell.review.hazards.alarm_pairs import dimension, metric_name
from sizewell.review.hazards.rule import Environment, Found, hazard_rule
from sizewell.review.words import listed, moved
from sizewell.templates.endpoints import Endpoint
from sizewell.templates.values import mapping, maps, references_in

_GRADUAL = ("CANARY", "LINEAR")


@hazard_rule("recovery")
def rollback_off(environment: Environment) -> Iterator[Found]:
    """Alarms that roll back a bad update, or the gradual shift of traffic, are removed."""
    for endpoint in environment.diff.kept_endpoints:
        base, head = _alarms(endpoint.base), _alarms(endpoint.head)
        gone = sorted(base - head)
        gradual = _is_gradual(endpoint.base) and _is_known(endpoint.head) and not _is_gradual(endpoint.head)
        causes, consequences = [], []
        if gone and _is_known(endpoint.head):
            causes.append(f"rollback alarms {moved(listed(sorted(base)), listed(sorted(head)))}")
            consequences.append(
                "No alarm rolls back a bad update any more. It stays until somebody notices."
                if not head
                else f"An update that raises {listed(gone)} is no longer rolled back."
            )
        if gradual:
            causes.append(f"traffic {moved(_traffic(endpoint.base), _traffic(endpoint.head))}")
            consequences.append("A bad update reaches all requests at once, not only the first part of them.")
        if causes:
            yield Found(
                "danger" if environment.production else "warning",
                endpoint.stack,
                endpoint.logical_id,
                endpoint.subject,
                "; ".join(causes),
                " ".join(consequences),
                "Keep DeploymentConfig with AutoRollbackConfiguration and a canary, linear or rolling policy, or say in the "
                "pull request why this endpoint does not need it.",
            )


def _alarms(endpoint: Endpoint) -> frozenset[str]:
    """Return what is watched: an alarm of the same stack may get another name and go on watching the same."""
    rollback = mapping(endpoint.deployment.get("AutoRollbackConfiguration"))
    return frozenset(_watched(endpoint, alarm.get("AlarmName")) for _, alarm in maps(rollback.get("Alarms")))


def _watched(endpoint: Endpoint, alarm_name: Any) -> str:
    for reference in references_in([alarm_name]):
        alarm = endpoint.stack.resources.get(reference.name)
        if alarm and (metric := metric_name(alarm)):
            return " of ".join(filter(None, (metric, dimension(alarm, "VariantName"))))
    return str(alarm_name)


def _is_known(endpoint: Endpoint) -> bool:
    written = endpoint.resource.properties.get("DeploymentConfig")
    return written is None or bool(mapping(written))


def _routing(endpoint: Endpoint) -> Mapping[str, Any]:
    policy = mapping(endpoint.deployment.get("BlueGreenUpdatePolicy"))
    return mapping(policy.get("TrafficRoutingConfiguration"))


def _is_gradual(endpoint: Endpoint) -> bool:
    return "RollingUpdatePolicy" in endpoint.deployment or _routing(endpoint).get("Type") in _GRADUAL


def _traffic(endpoint: Endpoint) -> str:
    if "RollingUpdatePolicy" in endpoint.deployment:
        return "rolling"
    return str(_routing(endpoint).get("Type") or "ALL_AT_ONCE")


@hazard_rule("availability")
def guardrails_unsupported(environment: Environment) -> Iterator[Found]:
    """SageMaker does not support the deployment policy for this kind of endpoint."""
    for endpoint in environment.diff.kept_endpoints:
        fault = _exclusion(endpoint.head)
        if not fault or fault == _exclusion(endpoint.base):
            continue
        cause, consequence, severity = fault
        yield Found(
            "danger" if severity == "danger" else "warning",
            endpoint.stack,
            endpoint.logical_id,
            endpoint.subject,
            cause,
            consequence,
            "Use a blue/green policy instead of RollingUpdatePolicy."
            if severity == "danger"
            else "Choose another family of instances, or accept that all traffic moves at once.",
        )


def _exclusion(endpoint: Endpoint) -> tuple[str, str, str] | None:
    if "RollingUpdatePolicy" in endpoint.deployment:
        if len(endpoint.variants) > 1:
            return (
                f"RollingUpdatePolicy with {len(endpoint.variants)} variants",
                "SageMaker does not support rolling updates of endpoints with several variants. The update fails.",
                "danger",
            )
        if any(variant.is_serverless for variant in endpoint.variants.values()):
            return (
                "RollingUpdatePolicy with a serverless variant",
                "SageMaker does not support rolling updates of serverless endpoints. The update fails.",
                "danger",
            )
    inf1 = sorted(n for n, v in endpoint.variants.items() if (v.instance_type or "").startswith("ml.inf1."))
    if endpoint.deployment and inf1:
        return (
            f"DeploymentConfig with Inf1 instances in {listed(inf1)}",
            "SageMaker does not support deployment guardrails on Inf1. It shifts all traffic at once and without a baking "
            "period, whatever DeploymentConfig says.",
            "warning",
        )
    return None
