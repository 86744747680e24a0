"""What a plan says of variants and inference components in the terms of SageMaker, so that what runs can be compared with it."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class PlannedVariant:
    """A variant of an endpoint of SageMaker, on instances or serverless."""

    endpoint_name: str
    variant_name: str
    instance_types: tuple[str, ...] = ()
    """The chosen one first, then those of its pools; none of a serverless variant."""
    fewest_instances: int = 0
    """At any hour."""
    most_instances: int = 0
    weight: float | None = None
    """None where nothing shares the requests."""
    memory_mb: int | None = None
    """Of a serverless variant, as ``max_concurrency``."""
    max_concurrency: int | None = None


@dataclass(frozen=True, kw_only=True)
class PlannedComponent:
    """An inference component."""

    component_name: str
    fewest_copies: int
    """At any hour."""
    most_copies: int
