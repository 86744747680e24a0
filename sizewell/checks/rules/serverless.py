"""Limits of serverless variants, and what serverless endpoints do not have.

Exclusions: https://docs.aws.amazon.com/sagemaker/latest/dg/serverless-endpoints.html, "Feature exclusions". Container
images without GPU support and Marketplace packages cannot be told from a template.
"""

from collections.abc import Iterator
from typing import Any

from sizewell.checks.endpoints import variants
from sizewell.checks.ranges import outside, reversed_bounds
from sizewell.checks.rule import Finding, Rule, fault
from sizewell.facts.serving_modes import Mode, limit
from sizewell.templates.endpoints import ENDPOINT_CONFIG, PRODUCTION, SHADOW, Variant
from sizewell.templates.template import Resource, Template
from sizewell.templates.values import (
    count,
    flag,
    is_given,
    is_intrinsic,
    mapping,
    number,
    referenced_id,
    show,
)

MEMORY, CONCURRENCY, EXCLUDES = "serverless-memory", "serverless-concurrency", "serverless-excludes"
RULES: tuple[Rule, ...] = (
    Rule(
        MEMORY,
        "a memory other than 1024, 2048, 3072, 4096, 5120 or 6144 MB",
        "[ProductionVariantServerlessConfig]("
        "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ProductionVariantServerlessConfig.html)",
    ),
    Rule(
        CONCURRENCY,
        "concurrency outside 1 to 200; more provisioned than allowed at once",
        "[ProductionVariantServerlessConfig]("
        "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ProductionVariantServerlessConfig.html)",
    ),
    Rule(
        EXCLUDES,
        "serverless with data capture, asynchronous inference, shadow or several variants, VPC, network "
        "isolation, several models or containers, uncompressed artifacts, private registry",
        "[Feature exclusions](https://docs.aws.amazon.com/sagemaker/latest/dg/serverless-endpoints.html)",
    ),
)

_REMEDY = "serve the model on instances, or do without"


def check(template: Template) -> Iterator[Finding]:
    """Yield the faults of every configuration that has a serverless variant."""
    for config in template.of_type(ENDPOINT_CONFIG):
        serverless = [variant for variant in variants(config) if variant.is_serverless]
        for variant in serverless:
            yield from _limits(config, variant)
            yield from _model_exclusions(template, variant)
        if serverless:
            yield from _exclusions(config)


def _limits(config: Resource, variant: Variant) -> Iterator[Finding]:
    path, limits = f"{variant.path}.ServerlessConfig", mapping(variant.properties["ServerlessConfig"])
    memory_mb = number(limits.get("MemorySizeInMB"))
    names = ("min_memory_mb", "max_memory_mb", "memory_step_mb")
    lowest, highest, step = (int(limit(Mode.SERVERLESS, name)) for name in names)
    sizes_mb = range(lowest, highest + 1, step)
    if memory_mb is not None and memory_mb not in sizes_mb:
        allowed = ", ".join(str(size) for size in sizes_mb)
        yield fault(
            config,
            MEMORY,
            f"{path}.MemorySizeInMB",
            f"MemorySizeInMB is {show(memory_mb)}, allowed are {allowed}",
            "round up to the next of these sizes",
        )
    for key in ("MaxConcurrency", "ProvisionedConcurrency"):
        yield from outside(
            config, CONCURRENCY, path, limits, key, (1, limit(Mode.SERVERLESS, "max_concurrency"))
        )
    yield from reversed_bounds(config, CONCURRENCY, path, limits, "ProvisionedConcurrency", "MaxConcurrency")


def _exclusions(config: Resource) -> Iterator[Finding]:
    properties = config.written
    capture = properties.get("DataCaptureConfig")
    production = count(properties.get(PRODUCTION))
    # Capture is on unless it is said to be off (API reference: DataCaptureConfig).
    if _is_literal(capture) and flag(mapping(capture).get("EnableCapture", True)):
        yield _excluded(config, "DataCaptureConfig", "data capture")
    for key, words in (
        ("AsyncInferenceConfig", "asynchronous inference"),
        (SHADOW, "shadow variants"),
        ("VpcConfig", "a VPC"),
    ):
        if _is_literal(properties.get(key)):
            yield _excluded(config, key, words)
    if flag(properties.get("EnableNetworkIsolation")):
        yield _excluded(config, "EnableNetworkIsolation", "network isolation")
    if production is not None and production > 1:
        yield _excluded(config, PRODUCTION, f"several production variants ({production})")


def _model_exclusions(template: Template, variant: Variant) -> Iterator[Finding]:
    model_id = referenced_id(variant.properties.get("ModelName"), "ModelName")
    model = template.find(model_id, "AWS::SageMaker::Model")
    if model is None:
        return
    properties = model.written
    if _is_literal(properties.get("VpcConfig")):
        yield _excluded(model, "VpcConfig", "a VPC")
    if flag(properties.get("EnableNetworkIsolation")):
        yield _excluded(model, "EnableNetworkIsolation", "network isolation")
    container = mapping(properties.get("PrimaryContainer"))
    if container.get("Mode") == "MultiModel":
        yield _excluded(model, "PrimaryContainer.Mode", "several models in one container")
    if mapping(container.get("ImageConfig")).get("RepositoryAccessMode") == "Vpc":
        yield _excluded(
            model, "PrimaryContainer.ImageConfig.RepositoryAccessMode", "a private Docker registry"
        )
    if is_given(container, "ModelDataSource"):
        yield _excluded(
            model,
            "PrimaryContainer.ModelDataSource",
            "a ModelDataSource: they take a ModelDataUrl of one .tar.gz",
        )
    containers = count(properties.get("Containers"))
    if containers is not None and containers > 1:
        yield _excluded(model, "Containers", f"a pipeline of containers ({containers})")


def _is_literal(value: Any) -> bool:
    return bool(value) and not is_intrinsic(value)


def _excluded(resource: Resource, path: str, words: str) -> Finding:
    return fault(resource, EXCLUDES, path, f"serverless endpoints do not have {words}", _REMEDY)
