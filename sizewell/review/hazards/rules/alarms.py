"""Alarms that are removed, that fire later, or that notify nobody.

CloudWatch user guide, "Evaluating an alarm" and "Configuring how alarms treat missing data".
"""

import re
from collections.abc import Iterator, Mapping

from sizewell.review.hazards.alarm_pairs import (
    ALARM,
    COMPOSITE,
    AlarmPair,
    alarm_pairs,
    dimension,
    name_of,
    stricter_threshold,
    watched_metrics,
    weakenings,
)
from sizewell.review.hazards.rule import Environment, Found, hazard_rule
from sizewell.review.hazards.rules.inference_components import COMPONENT, component_name
from sizewell.review.words import listed, shown
from sizewell.templates.endpoints import ENDPOINT
from sizewell.templates.template import Resource, Stack
from sizewell.templates.values import flag, references_in, text
from sizewell.templates.variant_scaling import POLICY

#: What an alarm watches that only instances with NVIDIA GPUs publish, and the families that have them.
_GPU_METRIC = re.compile("GPU")
#: Metrics that run to 100 times the number of vCPUs or GPUs.
_PER_PROCESSOR = ("CPUUtilization", "GPUUtilization", "GPUMemoryUtilization")
#: Whom it notifies when it goes off, and when its metric falls silent.
_NOTIFYING = ("AlarmActions", "InsufficientDataActions")
#: Of an alarm in the rule of a composite one, in canonical spelling.
_REFERENCE = r"\${{{0}}}"
_COMPONENT_NAME = "InferenceComponentName"
_NO_LONGER_SCALES = (
    "The alarm starts a scaling policy. Without it nothing starts the instances or copies that the metric asks for, and requests "
    "wait or fail."
)
_GPU_TYPE = re.compile(r"(pool of )?ml\.[gp]\d")


@hazard_rule("alerting")
def alarm_removed(environment: Environment) -> Iterator[Found]:
    """An alarm is removed, but the resource that it watched stays."""
    for alarm in alarm_pairs(environment.diff):
        if alarm.head is None and not _has_nothing_to_watch(environment, alarm):
            scales = _scales(alarm)
            yield Found(
                "danger" if environment.production else "warning",
                alarm.stack.name,
                alarm.base.logical_id,
                f"alarm {name_of(alarm.base)}",
                f"{_words(alarm)} is watched → no longer",
                _NO_LONGER_SCALES
                if scales
                else "The alarm no longer notifies anybody. A deployment that uses the alarm for its rollback does not roll "
                "back.",
                "Keep the alarm. If it fires too often, fix the cause, or raise the threshold and say why.",
                "availability" if scales else None,
            )


def _words(alarm: AlarmPair) -> str:
    properties = alarm.base.properties
    if alarm.base.resource_type != ALARM:
        return "a composite of other alarms"
    metric = text(properties.get("MetricName")) or "a metric expression"
    return f"{metric} {shown(properties['Threshold'])}" if "Threshold" in properties else metric


def _scales(alarm: AlarmPair) -> bool:
    """Tell whether an alarm starts a scaling policy."""
    resources = alarm.stack.base.resources if alarm.stack.base else {}
    acted_on = {reference.name for reference in references_in([alarm.base.properties.get("AlarmActions")])}
    return any(name in resources and resources[name].resource_type == POLICY for name in acted_on)


def _only_scales(alarm: AlarmPair, gone: frozenset[str]) -> bool:
    """Tell whether an alarm notified nobody, and started a scaling policy that goes with it."""
    acted_on = {reference.name for reference in references_in([alarm.base.properties.get("AlarmActions")])}
    resources = alarm.stack.base.resources if alarm.stack.base else {}
    policies = {name for name, resource in resources.items() if resource.resource_type == POLICY}
    return bool(acted_on) and acted_on <= policies & gone


def _has_nothing_to_watch(environment: Environment, alarm: AlarmPair) -> bool:
    """Tell whether what an alarm watches goes with it, or has moved to another place together with it."""
    base = alarm.base
    if (alarm.stack.name, base.logical_id) in environment.diff.moved:
        return True
    gone = environment.diff.removed_ids.get(alarm.stack.name, frozenset())
    watched = [base.properties.get(key) for key in ("Dimensions", "Metrics", "AlarmRule")]
    if any(reference.name in gone for reference in references_in(watched)):
        return True
    if _only_scales(alarm, gone) or _names_removed_component(environment, base):
        return True
    endpoint_name, variant = dimension(base, "EndpointName"), dimension(base, "VariantName")
    for endpoint in environment.diff.endpoints_named(endpoint_name):
        if endpoint.base is None or endpoint.head is None or endpoint.head.name != endpoint_name:
            return True
        head = endpoint.head.variants.get(variant or "")
        if variant in endpoint.base.variants and head is None:
            return True
        if head and _GPU_METRIC.match(str(base.properties.get("MetricName"))):
            return not _GPU_TYPE.match(head.instance_type or "")
    return False


def _names_removed_component(environment: Environment, alarm: Resource) -> bool:
    """Tell whether an alarm watches an inference component that goes: whoever removes it is told so once."""
    dimensions = {
        written
        for metric in watched_metrics(alarm, {})
        for written in metric.partition(" of ")[2].split(", ")
    }
    return any(
        pair.base is not None
        and pair.head is None
        and f"{_COMPONENT_NAME} {component_name(pair.base)}" in dimensions
        for pair in environment.diff.resources(COMPONENT)
    )


@hazard_rule("alerting")
def alarm_retargeted(environment: Environment) -> Iterator[Found]:
    """An alarm watches another metric, and no alarm watches the old one."""
    for alarm in alarm_pairs(environment.diff):
        if alarm.head is None:
            continue
        before = watched_metrics(alarm.base, _names(alarm.stack.base))
        names = _names(alarm.stack.head)
        after = watched_metrics(alarm.head, names)
        if not after or before <= after or _has_nothing_to_watch(environment, alarm):
            continue
        others = [
            pair.head
            for pair in environment.diff.resources(ALARM)
            if pair.head and pair.stack is alarm.stack and pair.head.resource_type == ALARM
        ]
        # Another alarm on the metric notifies people, and does not start the policy of this alarm.
        watching = () if _scales(alarm) else (watched_metrics(other, names) for other in others)
        gone = before.difference(after, *watching)
        if gone:
            yield Found(
                "danger" if environment.production else "warning",
                alarm.stack.name,
                alarm.head.logical_id,
                f"alarm {name_of(alarm.head)}",
                f"watches {listed(sorted(gone))} → {listed(sorted(after - before)) or 'no longer'}",
                _NO_LONGER_SCALES
                if _scales(alarm)
                else "No alarm watches the old metric any more. The name and the history of this alarm belong to the old metric.",
                "Keep the alarm, and add another one for the new metric.",
                "availability" if _scales(alarm) else None,
            )


def _names(stack: Stack | None) -> Mapping[str, str]:
    """Return the names of the endpoints of a stack by the reference to them."""
    return {
        f"${{{logical_id}.EndpointName}}": name
        for logical_id, resource in (stack.resources.items() if stack else ())
        if resource.resource_type == ENDPOINT and (name := text(resource.properties.get("EndpointName")))
    }


@hazard_rule("alerting")
def alarm_loosened(environment: Environment) -> Iterator[Found]:
    """An alarm fires later, or no longer fires in all the cases in which it did."""
    for alarm in alarm_pairs(environment.diff):
        weaker = weakenings(alarm.base, alarm.head) if alarm.head else []
        if _has_another_scale(environment, alarm):
            weaker = [cause for cause in weaker if not cause.startswith("Threshold ")]
        if alarm.head and weaker:
            scales = _scales(alarm)
            yield Found(
                "danger" if scales and environment.production else "warning",
                alarm.stack.name,
                alarm.head.logical_id,
                f"alarm {name_of(alarm.head)}",
                "; ".join(weaker),
                "The alarm starts a scaling policy. It fires later, or not at all, so requests wait or fail until then."
                if scales
                else "The alarm fires later, or not at all, in cases in which it fires today.",
                "Look at the metric of the last weeks, and say in the pull request why the old limit was wrong.",
                "availability" if scales else None,
            )


@hazard_rule("alerting")
def alarm_always_on(environment: Environment) -> Iterator[Found]:
    """The threshold of an alarm is ten times as strict though nothing that it watches changes: the alarm may never end."""
    others = {change.stack for change in environment.diff.changes if change.resource_type != ALARM}
    for alarm in alarm_pairs(environment.diff):
        if (
            alarm.head
            and alarm.stack.name not in others
            and (stricter := stricter_threshold(alarm.base, alarm.head))
            and watched_metrics(alarm.base, {}) == watched_metrics(alarm.head, {})
        ):
            yield Found(
                "warning",
                alarm.stack.name,
                alarm.head.logical_id,
                f"alarm {name_of(alarm.head)}",
                stricter,
                "The alarm goes off at a tenth of the value or less, perhaps all the time, and then nobody looks any more.",
                "Compare the threshold with the metric of the last weeks, and with its unit.",
            )


def _has_another_scale(environment: Environment, alarm: AlarmPair) -> bool:
    """Tell whether the metric counts vCPUs or GPUs, and the instance type has changed with their number."""
    if str(alarm.base.properties.get("MetricName")) not in _PER_PROCESSOR:
        return False
    variant = dimension(alarm.base, "VariantName") or ""
    for endpoint in environment.diff.endpoints_named(dimension(alarm.base, "EndpointName")):
        base, head = (side.variants.get(variant) if side else None for side in (endpoint.base, endpoint.head))
        if base and head and base.instance_type != head.instance_type:
            return True
    return False


@hazard_rule("alerting")
def alarm_actions_removed(environment: Environment) -> Iterator[Found]:
    """An alarm notifies fewer recipients, other recipients or nobody."""
    for alarm in alarm_pairs(environment.diff):
        if alarm.head is None or _told_by_composite(alarm):
            continue
        causes, has_new_recipients = [], []
        for key in _NOTIFYING:
            base, head = (_actions(side.properties.get(key)) for side in (alarm.base, alarm.head))
            if base is not None and head is not None and base - head:
                causes.append(f"{key} {listed(sorted(base))} → {listed(sorted(head)) or 'none'}")
                has_new_recipients.append(bool(head - base))
        off = (
            flag(alarm.head.properties.get("ActionsEnabled")) is False
            and flag(alarm.base.properties.get("ActionsEnabled")) is not False
        )
        if off:
            causes.append("ActionsEnabled true → false")
        if causes:
            others = all(has_new_recipients) and not off
            yield Found(
                "danger" if environment.production and not others else "warning",
                alarm.stack.name,
                alarm.head.logical_id,
                f"alarm {name_of(alarm.head)}",
                "; ".join(causes),
                "The alarm notifies other recipients. The former recipients no longer hear of it."
                if others
                else "The alarm still changes its state, but it notifies fewer recipients or nobody.",
                "Keep an action that reaches somebody who can act.",
            )


def _told_by_composite(alarm: AlarmPair) -> bool:
    """Tell whether a composite alarm of head tells people when the alarm goes off."""
    if alarm.head is None or alarm.stack.head is None:
        return False
    named = re.compile(
        rf"""ALARM\(["']?({_REFERENCE.format(alarm.head.logical_id)}|{re.escape(name_of(alarm.head))})["']?\)"""
    )
    return any(
        resource.resource_type == COMPOSITE
        and resource.properties.get("AlarmActions")
        and named.search(str(resource.properties.get("AlarmRule")))
        for resource in alarm.stack.head.resources.values()
    )


def _actions(written: object) -> frozenset[str] | None:
    """Return the actions; None where they are worked out at deployment."""
    if written is None:
        return frozenset()
    if isinstance(written, list):
        return frozenset(shown(action) for action in written)
    return None
