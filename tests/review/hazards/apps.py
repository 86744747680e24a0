"""Endpoints, alarms and training jobs for the tests of hazards."""

from collections.abc import Mapping, Sequence
from inspect import cleandoc
from typing import Any

from sizewell.planning.saved_plan import SavedPlan
from sizewell.planning.saved_workload import UnknownWorkload
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.hazards import find_hazards
from sizewell.review.hazards.registry import OF_TABLES, RULES
from sizewell.review.model import Hazard
from tests.review.builders import assembly, pair, resource, stack, template
from tests.review.outputs import plan_document

STACK = "app-stack"
NAME = "assistant"


def hazards(
    base: Mapping[str, Any] | None,
    head: Mapping[str, Any] | None,
    *,
    environment: str = "dev",
    theme: str | None = None,
) -> tuple[Hazard, ...]:
    """What is found in an app of one stack, by all rules in code or by those of one theme."""
    return hazards_of(pair(base, head, environment), theme=theme)


def hazards_of(environment: EnvironmentPair, *, theme: str | None = None) -> tuple[Hazard, ...]:
    """What is found, after the law has been checked: a side compared with itself has no hazard."""
    for side in (environment.base, environment.head):
        assert find_hazards(EnvironmentPair(environment.name, side, side)) == ()
    asked = {
        rule.name for rule in RULES if rule.theme == theme or (theme is None and rule.theme != OF_TABLES)
    }
    assert asked, f"no rule has the theme {theme}"
    return tuple(hazard for hazard in find_hazards(environment) if hazard.rule in asked)


def described(found: Sequence[Hazard]) -> str:
    """All that hazards say, each in a paragraph: a test compares it with the text that people are to read."""
    return "\n\n".join(_paragraph(hazard) for hazard in found)


def _paragraph(hazard: Hazard) -> str:
    place = f"{hazard.environment}/{hazard.stack or '-'}/{hazard.logical_id or '-'}"
    workload = f" of {hazard.workload}" if hazard.workload else ""
    head = f"{hazard.severity} {hazard.rule}, {place}{workload}: {hazard.subject}"
    return "\n".join((head, hazard.cause, hazard.consequence, hazard.what_to_do))


def text(paragraphs: str) -> str:
    """The text of a test without its margin; an indented line goes on with the sentence of the line before."""
    return cleandoc(paragraphs).replace("\n    ", " ")


def rules(found: Sequence[Hazard]) -> list[str]:
    """The names of the rules alone."""
    return [hazard.rule for hazard in found]


def endpoint_app(
    *,
    instance_type: Any = "ml.g5.xlarge",
    variant: str = "primary",
    count: int = 2,
    scaling: str | None = "switched",
    autoscaling: str = "on",
    bounds: tuple[int, int] = (2, 4),
    target: float = 600,
    cooldown: int = 300,
    endpoint: Mapping[str, Any] | None = None,
    config: Mapping[str, Any] | None = None,
    variant_properties: Mapping[str, Any] | None = None,
    image: str = "repository:1",
    model: Mapping[str, Any] | None = None,
    **others: Mapping[str, Any],
) -> dict[str, Any]:
    """An endpoint with one variant, scaled as our constructs do it, natively without their switch, or not at all.

    ``autoscaling`` is the default of the switch.
    """
    variants = [
        {
            "VariantName": variant,
            "InstanceType": instance_type,
            "InitialInstanceCount": count,
            "ModelName": {"Fn::GetAtt": ["Model", "ModelName"]},
            **(variant_properties or {}),
        }
    ]
    properties = {
        "EndpointName": NAME,
        "EndpointConfigName": {"Fn::GetAtt": ["Config", "EndpointConfigName"]},
        "RetainAllVariantProperties": True,
        **(endpoint or {}),
    }
    app = template(
        Model=resource("AWS::SageMaker::Model", {"PrimaryContainer": {"Image": image}, **(model or {})}),
        Config=resource("AWS::SageMaker::EndpointConfig", {"ProductionVariants": variants, **(config or {})}),
        Endpoint=resource("AWS::SageMaker::Endpoint", {k: v for k, v in properties.items() if v is not None}),
        **_scaling(scaling, variant, bounds, target, cooldown),
        **others,
    )
    return {**app, **_switch(autoscaling)} if scaling == "switched" else app


def _switch(default: str) -> dict[str, Any]:
    """The parameter and the condition of ``constructs_lib.scaling.endpoint_scaling``."""
    value = {"Ref": "Autoscaling"}
    return {
        "Parameters": {
            "Autoscaling": {"Type": "String", "Default": default, "AllowedValues": ["on", "off"]},
        },
        "Conditions": {"AutoscalingOn": {"Fn::Equals": [value, "on"]}},
    }


def _scaling(
    kind: str | None, variant: str, bounds: tuple[int, int], target: float, cooldown: int
) -> dict[str, Any]:
    if kind is None:
        return {}
    least, most = bounds
    switched = kind == "switched"
    reference = ["endpoint/", {"Fn::GetAtt": ["Endpoint", "EndpointName"]}, f"/variant/{variant}"]
    condition = {"Condition": "AutoscalingOn"} if switched else {}
    return {
        "Target": resource(
            "AWS::ApplicationAutoScaling::ScalableTarget",
            {
                "ServiceNamespace": "sagemaker",
                "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
                "ResourceId": f"endpoint/{NAME}/variant/{variant}"
                if switched
                else {"Fn::Join": ["", reference]},
                "MinCapacity": least,
                "MaxCapacity": most,
            },
            **condition,
        ),
        "Policy": resource(
            "AWS::ApplicationAutoScaling::ScalingPolicy",
            {
                "PolicyType": "TargetTrackingScaling",
                "ScalingTargetId": {"Ref": "Target"},
                "TargetTrackingScalingPolicyConfiguration": {
                    "PredefinedMetricSpecification": {
                        "PredefinedMetricType": "SageMakerVariantInvocationsPerInstance"
                    },
                    "TargetValue": target,
                    "ScaleInCooldown": cooldown,
                },
            },
            **condition,
        ),
    }


def alarm(**properties: Any) -> dict[str, Any]:
    """An alarm on the latency of the endpoint; None takes a property away."""
    given = {
        "AlarmName": "latency",
        "Namespace": "AWS/SageMaker",
        "MetricName": "ModelLatency",
        "Dimensions": [
            {"Name": "EndpointName", "Value": NAME},
            {"Name": "VariantName", "Value": "primary"},
        ],
        "Statistic": "Average",
        "ComparisonOperator": "GreaterThanThreshold",
        "Threshold": 100,
        "EvaluationPeriods": 5,
        "DatapointsToAlarm": 3,
        "Period": 60,
        "TreatMissingData": "missing",
        "AlarmActions": ["arn:aws:sns:us-east-1:111122223333:alarms"],
        **properties,
    }
    return resource("AWS::CloudWatch::Alarm", {k: v for k, v in given.items() if v is not None})


def plan(
    environment: str = "prod",
    *,
    zones: int = 2,
    endpoints: Sequence[Mapping[str, Any]] = (),
    jobs: Sequence[Mapping[str, Any]] = (),
) -> SavedPlan:
    """A plan with a network of its own."""
    return SavedPlan.model_validate(
        {
            "schema_version": 3,
            "platform": "demo",
            "environment": environment,
            "account": "111122223333",
            "region": "us-east-1",
            "production": environment == "prod",
            "catalog_version": "000000000000",
            "foundation": {
                "stack_name": "foundation",
                "network": {"mode": "new", "availability_zones": zones},
                "retain_state": True,
            },
            "endpoints": list(endpoints),
            "training_jobs": list(jobs),
            "bill": {},
        }
    )


def planned(
    base: SavedPlan | None,
    head: SavedPlan,
    template_: Mapping[str, Any] | None = None,
) -> EnvironmentPair:
    """An environment with plans, and one stack that stays the same."""
    unchanged = stack(template_ or template())
    return EnvironmentPair(
        head.environment,
        assembly(unchanged, environment=head.environment, plan=base) if base else None,
        assembly(unchanged, environment=head.environment, plan=head),
    )


def moving(*sides: tuple[Any, str]) -> EnvironmentPair:
    """Return a stack that has another template, and whose workload is planned as another kind."""
    base, head = (
        assembly(
            stack(body, "app-stack"),
            environment="prod",
            plan=SavedPlan.model_validate(plan_document("prod")).model_copy(
                update={"workloads": (UnknownWorkload(kind=kind, name="chat", stack_name="app-stack"),)}
            ),
        )
        for body, kind in sides
    )
    return EnvironmentPair("prod", base, head)
