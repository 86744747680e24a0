"""What the configuration needs to know of a kind of workload, and the environment that has them all."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Union

from pydantic import Field, create_model

from sizewell.config.base import MAX_WORKLOADS, Name
from sizewell.config.cluster import MAX_CLUSTERS, ON_CLUSTERS, TargetKind
from sizewell.config.effects import Computed
from sizewell.config.environment import Environment
from sizewell.config.request_members import Violation
from sizewell.config.workload import Workload
from sizewell.kinds.registry import facet, kind_names
from sizewell.targets.registry import target_facet, target_names


def no_rules(*_: Any) -> Iterator[Violation]:
    """Yield nothing: what the models of a kind say is all that it asks."""
    return iter(())


@dataclass(frozen=True, kw_only=True)
class ConfigKind:
    """How a kind is configured."""

    module: ClassVar[str] = "config"

    rank: int
    """Its place in the configuration, in a plan and in a bill; no other kind has the same."""
    model: type[Workload]
    """Its keys; ``kind`` is one of them."""
    rules: Callable[[Environment, str, Any], Iterator[Violation]] = no_rules
    """Yields what a workload, by its name, breaks of the rules between it and what runs in the same account and region."""
    rules_of_all: Callable[[Environment], Iterator[Violation]] = no_rules
    """Yields what the workloads of the kind break of the rules between them and others, in all places, as they are written."""


def config_kinds() -> tuple[ConfigKind, ...]:
    """Return all kinds in their order. Raises ``IncompleteKindError``."""
    return tuple(sorted((facet(kind, ConfigKind) for kind in kind_names()), key=lambda kind: kind.rank))


@cache
def environment_model() -> type[Environment]:
    """Return the class of an environment whose workloads and clusters are of the kinds that there are."""
    any_model: Any = Union[tuple(kind.model for kind in config_kinds())]  # noqa: UP007  (known at run time only)
    workload: Any = Annotated[any_model, Field(discriminator="kind"), Computed.WORKLOAD]
    workloads: Any = Annotated[dict[Name, workload], Field(min_length=1, max_length=MAX_WORKLOADS)]
    any_cluster: Any = Union[tuple(target_facet(name, TargetKind).model for name in target_names())]  # noqa: UP007
    cluster: Any = Annotated[any_cluster, Field(discriminator="type")]
    clusters: Any = Annotated[dict[Name, cluster], Field(max_length=MAX_CLUSTERS), ON_CLUSTERS]
    return create_model(
        "Environment", __base__=Environment, workloads=(workloads, ...), clusters=(clusters, {})
    )
