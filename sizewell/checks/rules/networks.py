"""The subnets of models that endpoints serve."""

from collections.abc import Iterator

from sizewell.checks.endpoints import variants
from sizewell.checks.rule import Finding, Rule, fault
from sizewell.facts.vpc import MIN_ENDPOINT_ZONES
from sizewell.templates.endpoints import ENDPOINT_CONFIG, MODEL
from sizewell.templates.template import Resource, Template
from sizewell.templates.values import mapping, referenced_id

SUBNETS = "endpoint-subnets"
RULES: tuple[Rule, ...] = (
    Rule(
        SUBNETS,
        "an endpoint in a VPC with one subnet",
        "[Hosted endpoints in your VPC](https://docs.aws.amazon.com/sagemaker/latest/dg/host-vpc.html)",
    ),
)


def check(template: Template) -> Iterator[Finding]:
    """Yield models and configurations of endpoints with one subnet; a list that is made at deployment is unknown."""
    models = {}
    for config in template.of_type(ENDPOINT_CONFIG):
        # Serverless endpoints have no VPC at all, which is a fault of its own.
        served = [variant for variant in variants(config) if not variant.is_serverless]
        if served:
            yield from _one_subnet(config)
        for variant in served:
            model_id = referenced_id(variant.properties.get("ModelName"), "ModelName")
            if (model := template.find(model_id, MODEL)) is not None:
                models[model.logical_id] = model
    for model in models.values():
        yield from _one_subnet(model)


def _one_subnet(resource: Resource) -> Iterator[Finding]:
    subnets = mapping(resource.written.get("VpcConfig")).get("Subnets")
    # Whatever one item turns out to be, it is one subnet.
    if isinstance(subnets, list) and len(subnets) == 1:
        yield fault(
            resource,
            SUBNETS,
            "VpcConfig.Subnets",
            "there is 1 subnet, and an endpoint needs two in different availability zones, even with one instance",
            f"give subnets in at least {MIN_ENDPOINT_ZONES} availability zones",
        )
