"""What a production variant runs on.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ProductionVariant.html and, for shadow variants,
https://docs.aws.amazon.com/sagemaker/latest/dg/shadow-tests.html
"""

from collections.abc import Iterator

from sizewell.checks.endpoints import variants
from sizewell.checks.rule import Finding, Rule, fault
from sizewell.templates.endpoints import ENDPOINT_CONFIG, PRODUCTION, SHADOW
from sizewell.templates.template import Resource, Template
from sizewell.templates.values import count, is_given

CAPACITY, SHADOWS = "variant-capacity", "shadow-variants"
RULES: tuple[Rule, ...] = (
    Rule(
        CAPACITY,
        "a variant with instances and `ServerlessConfig`, or with neither",
        "The schema requires none of them. [ProductionVariant]("
        "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ProductionVariant.html)",
    ),
    Rule(
        SHADOWS,
        "shadow variants other than one beside one production variant",
        "A shadow test compares two. [Shadow tests]("
        "https://docs.aws.amazon.com/sagemaker/latest/dg/shadow-tests.html)",
    ),
)

#: What only instances have. The schema wants none of them, because a serverless variant has none.
_OF_INSTANCES = ("InstanceType", "InstancePools", "InitialInstanceCount", "ManagedInstanceScaling")
_TYPES = ("InstanceType", "InstancePools")


def check(template: Template) -> Iterator[Finding]:
    """Yield the faults of every endpoint configuration."""
    for config in template.of_type(ENDPOINT_CONFIG):
        yield from _capacity(config)
        yield from _shadows(config)


def _capacity(config: Resource) -> Iterator[Finding]:
    for variant in variants(config):
        of_instances = [key for key in _OF_INSTANCES if is_given(variant.properties, key)]
        if variant.is_serverless and of_instances:
            yield fault(
                config,
                CAPACITY,
                variant.path,
                f"variant {variant.name} is serverless and has {' and '.join(of_instances)}",
                f"remove ServerlessConfig or {' and '.join(of_instances)}",
            )
        elif not any(key in variant.properties for key in ("ServerlessConfig", *_TYPES)):
            yield fault(
                config,
                CAPACITY,
                variant.path,
                f"variant {variant.name} has neither instances nor ServerlessConfig",
                "give InstanceType and InitialInstanceCount, or InstancePools, or ServerlessConfig",
            )


def _shadows(config: Resource) -> Iterator[Finding]:
    production, shadow = count(config.written.get(PRODUCTION)), count(config.written.get(SHADOW))
    if production and shadow and (production, shadow) != (1, 1):
        yield fault(
            config,
            SHADOWS,
            SHADOW,
            f"there are {production} production and {shadow} shadow variants",
            "a shadow test compares exactly one production variant with one shadow variant",
        )
