"""Bounds, policies and metrics of autoscaling.

Burstable types: https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-auto-scaling.html. Policies:
https://docs.aws.amazon.com/autoscaling/application/APIReference/API_PutScalingPolicy.html. Metrics:
https://docs.aws.amazon.com/autoscaling/application/APIReference/API_PredefinedMetricSpecification.html
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sizewell.checks.endpoints import configuration_behind, is_asynchronous, variant_names, variants
from sizewell.checks.ranges import reversed_bounds
from sizewell.checks.rule import Finding, Rule, fault
from sizewell.facts.instance_types import is_burstable
from sizewell.facts.scaling import (
    DIMENSION_OF_METRIC,
    INSTANCE_COUNT,
    INVOCATIONS_PER_INSTANCE,
)
from sizewell.templates.endpoints import ENDPOINT_CONFIG, PRODUCTION
from sizewell.templates.template import Resource, Template
from sizewell.templates.values import is_given, is_intrinsic, is_open, mapping, maps, text, with_placeholders

BOUNDS, VARIANT, POLICY_TYPE, METRIC, BURSTABLE = (
    "scaling-bounds",
    "scaling-variant",
    "scaling-policy-type",
    "scaling-metric",
    "scaling-burstable",
)
RULES: tuple[Rule, ...] = (
    Rule(
        BOUNDS,
        "a lower bound above its upper bound: of scalable targets, their scheduled actions, and managed "
        "instance scaling",
        "[RegisterScalableTarget]("
        "https://docs.aws.amazon.com/autoscaling/application/APIReference/API_RegisterScalableTarget.html)",
    ),
    Rule(
        VARIANT,
        "scaling of a variant that the endpoint of the same template does not have",
        "[RegisterScalableTarget]("
        "https://docs.aws.amazon.com/autoscaling/application/APIReference/API_RegisterScalableTarget.html)",
    ),
    Rule(
        POLICY_TYPE,
        "a policy type with the configuration of another, with several, or with none",
        "[PutScalingPolicy]("
        "https://docs.aws.amazon.com/autoscaling/application/APIReference/API_PutScalingPolicy.html)",
    ),
    Rule(
        METRIC,
        "target tracking with no metric, two, an unknown one, one of another dimension, or one that the "
        "endpoint does not publish",
        "[PredefinedMetricSpecification]("
        "https://docs.aws.amazon.com/autoscaling/application/APIReference/API_PredefinedMetricSpecification.html)",
    ),
    Rule(
        BURSTABLE,
        "scaling of a variant on t2, t3 or another burstable type (`trn` is none)",
        "The API refuses them. [Automatic scaling]("
        "https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-auto-scaling.html)",
    ),
)

TARGET = "AWS::ApplicationAutoScaling::ScalableTarget"
POLICY = "AWS::ApplicationAutoScaling::ScalingPolicy"

_CONFIGURATIONS = {
    "TargetTrackingScaling": "TargetTrackingScalingPolicyConfiguration",
    "StepScaling": "StepScalingPolicyConfiguration",
    "PredictiveScaling": "PredictiveScalingPolicyConfiguration",
}
_SPECIFICATIONS = ("PredefinedMetricSpecification", "CustomizedMetricSpecification")
_RESOURCE_ID = re.compile(r"endpoint/(?P<endpoint>.+)/variant/(?P<variant>.+)")


def check(template: Template) -> Iterator[Finding]:
    """Yield the faults of scalable targets, scaling policies and managed instance scaling."""
    for target in template.of_type(TARGET):
        yield from reversed_bounds(target, BOUNDS, "", target.written, "MinCapacity", "MaxCapacity")
        for index, action in maps(target.written.get("ScheduledActions")):
            path, bounds = (
                f"ScheduledActions.{index}.ScalableTargetAction",
                mapping(action.get("ScalableTargetAction")),
            )
            yield from reversed_bounds(target, BOUNDS, path, bounds, "MinCapacity", "MaxCapacity")
        yield from _target_variant(template, target)
    for config in template.of_type(ENDPOINT_CONFIG):
        for variant in variants(config):
            managed = mapping(variant.properties.get("ManagedInstanceScaling"))
            path = f"{variant.path}.ManagedInstanceScaling"
            yield from reversed_bounds(config, BOUNDS, path, managed, "MinInstanceCount", "MaxInstanceCount")
    for policy in template.of_type(POLICY):
        yield from _policy_type(policy)
        yield from _metric(template, policy)


def _scaled_variant_faults(
    resource: Resource, path: str, config: Resource | None, variant_name: str
) -> Iterator[Finding]:
    """Yield a finding where ``resource`` scales a variant that does not exist or has a burstable type."""
    names = variant_names(config) if config is not None else None
    if names is not None and not is_open(variant_name) and variant_name not in names:
        message = f"the endpoint has no variant {variant_name}"
        yield fault(resource, VARIANT, path, message, f"write {' or '.join(sorted(names))}")
    for variant in variants(config, PRODUCTION) if config is not None else ():
        if variant.properties.get("VariantName") != variant_name:
            continue
        for _, instance_type in variant.instance_type_paths():
            if is_burstable(instance_type):
                yield fault(
                    resource,
                    BURSTABLE,
                    path,
                    f"variant {variant_name} runs on {instance_type}, and burstable types cannot be autoscaled",
                    "choose a type that is not burstable, or a fixed number of instances",
                )


def _unknown_metric(
    resource: Resource, path: str, metric: str | None, dimension: str | None
) -> Iterator[Finding]:
    """Yield a finding for a predefined metric that does not exist, or cannot scale what it is asked to scale."""
    if metric is None or not (metric.startswith("SageMaker") or (dimension or "").startswith("sagemaker:")):
        return
    known = dimension in DIMENSION_OF_METRIC.values()
    fitting = [name for name, of in DIMENSION_OF_METRIC.items() if of == dimension or not known]
    if metric in fitting:
        return
    message = f"there is no predefined metric {metric} of SageMaker"
    if metric in DIMENSION_OF_METRIC:
        message = f"{metric} cannot scale {dimension}"
    yield fault(resource, METRIC, path, message, f"choose one of {', '.join(fitting)}")


def _target_variant(template: Template, target: Resource) -> Iterator[Finding]:
    match = _scaled_variant(target)
    if match and target.written.get("ScalableDimension", INSTANCE_COUNT) == INSTANCE_COUNT:
        config = configuration_behind(template, match["endpoint"])
        yield from _scaled_variant_faults(target, "ResourceId", config, match["variant"])


def _policy_type(policy: Resource) -> Iterator[Finding]:
    policy_type = text(policy.written.get("PolicyType"))
    if policy_type not in _CONFIGURATIONS:
        return
    own = _CONFIGURATIONS[policy_type]
    others = [key for key in _CONFIGURATIONS.values() if key != own and is_given(policy.written, key)]
    has_own = own in policy.written
    if has_own and not others:
        return
    given = " and ".join(others) or "no configuration"
    yield fault(
        policy,
        POLICY_TYPE,
        others[0] if others else own,
        f"PolicyType is {policy_type}, but {given} is given" + (" as well" if has_own else ""),
        f"give {own}" + (f" and remove {given}" if others else ""),
    )


def _metric(template: Template, policy: Resource) -> Iterator[Finding]:
    tracking = policy.written.get("TargetTrackingScalingPolicyConfiguration")
    if not isinstance(tracking, Mapping) or is_intrinsic(tracking):
        return
    path = "TargetTrackingScalingPolicyConfiguration"
    given = [key for key in _SPECIFICATIONS if is_given(tracking, key)]
    if len(given) == 2 or not any(key in tracking for key in _SPECIFICATIONS):
        message = f"{' and '.join(given)} are both given" if given else "no metric is given"
        yield fault(policy, METRIC, path, message, f"give either {' or '.join(_SPECIFICATIONS)}")
    metric = text(mapping(tracking.get("PredefinedMetricSpecification")).get("PredefinedMetricType"))
    path += ".PredefinedMetricSpecification.PredefinedMetricType"
    target = template.find(_target_id(policy), TARGET)
    described: Mapping[str, Any] = {**(target.written if target else {}), **policy.written}
    yield from _unknown_metric(policy, path, metric, text(described.get("ScalableDimension")))
    match = _scaled_variant(
        Resource(policy.logical_id, {"Type": policy.resource_type, "Properties": described})
    )
    config = configuration_behind(template, match["endpoint"]) if match else None
    if metric == INVOCATIONS_PER_INSTANCE and config is not None and is_asynchronous(config):
        yield fault(
            policy,
            METRIC,
            path,
            "an asynchronous endpoint does not publish InvocationsPerInstance, so the policy never acts",
            "track ApproximateBacklogSizePerInstance by a CustomizedMetricSpecification, with the dimension EndpointName",
        )


def _target_id(policy: Resource) -> str | None:
    reference = with_placeholders(policy.written.get("ScalingTargetId")) or ""
    return reference[2:-1] if reference.startswith("${") and reference.endswith("}") else None


def _scaled_variant(target: Resource) -> re.Match[str] | None:
    resource_id = with_placeholders(target.written.get("ResourceId"))
    return _RESOURCE_ID.fullmatch(resource_id) if resource_id else None
