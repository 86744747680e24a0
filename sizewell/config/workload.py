"""What a workload can be asked, whatever its kind."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from sizewell.config.base import ConfigModel
from sizewell.config.container import AnyContainer
from sizewell.config.inference_pipeline import InferencePipeline, InferenceStep
from sizewell.config.tree import KeyPath

Containers = Iterator[tuple[KeyPath, AnyContainer | InferenceStep]]
C = TypeVar("C", bound=ConfigModel)


class Workload(ConfigModel):
    """A workload of some kind. The keys stand in the class of the kind, because their order is the order of config.json."""

    misplaced_keys: ClassVar[Mapping[str, str]] = {}
    """Keys that people bring from elsewhere, by their path in the workload, with what to do instead."""
    only_in_clusters: ClassVar[Mapping[str, str]] = {}
    """Keys that have no effect in SageMaker, by their path in the workload, with what to do instead."""
    in_vpc: ClassVar[bool] = True
    """Whether its containers run in the VPC of the environment."""
    has_fleet: ClassVar[bool] = False
    """Whether it is an endpoint on instances."""
    trains: ClassVar[bool] = False
    """Whether a model comes of a run."""
    unmeasured_keys: ClassVar[Mapping[str, str]] = {}
    """The keys of a measurement that have no effect on it, with why, and what to do instead."""

    if TYPE_CHECKING:

        @property
        def kind(self) -> str:
            """The name of the kind."""

        @property
        def description(self) -> str:
            """One sentence for people."""

        @property
        def tags(self) -> dict[str, str]:
            """Its own tags."""

        @property
        def place(self) -> str | None:
            """The place that it runs in; None is the account and region of the policy."""

        @property
        def execution_role_arn(self) -> str | None:
            """The role of the account that it runs as; None makes one."""

    def contained(self) -> Mapping[KeyPath, Any]:
        """Return what has a container of its own, and most often a model, by its path: the workload, or components of it."""
        return {(): self}

    def containers(self) -> Containers:
        """Yield its containers, each with its path in the workload."""
        for path, model in self.contained().items():
            for key, container in containers_of(model):
                yield (*path, *key), container

    @property
    def is_isolated(self) -> bool:
        """Whether its containers call nothing: SageMaker isolates all of a workload or none."""
        first: Any = next(self.containers())[1]
        return bool(first.network_isolation)

    def in_region(self, region: str) -> Self:
        """Return the workload with the images of a region in place of their names."""
        return in_region(self, region)

    def apart(self, name: str) -> Mapping[str, "Workload"]:
        """Return what is planned apart, by name: the workload itself, or each variant of an endpoint."""
        return {name: self}

    def as_written(self, name: str, path: KeyPath) -> KeyPath:
        """Return where the workload states what was found at a path below ``name``, one of the names of ``apart``."""
        return path

    def runs(self) -> Mapping[str, str]:
        """Return the workloads that it runs, by the step that does."""
        return {}

    def model_groups(self) -> Mapping[str, str]:
        """Return the model groups that it makes, as stated, by the step that registers in them."""
        return {}

    def with_runs_of(self, pipelines: Sequence[float | None]) -> Self:
        """Return the workload that pipelines run as often as this in a month, beside its own starts."""
        return self


def containers_of(model: Any) -> Iterator[tuple[KeyPath, Any]]:
    """Yield the container of a workload or a component, and those beside it, each by its path there."""
    yield ("container",), model.container
    pipeline: InferencePipeline | None = getattr(model, "pipeline", None)
    for path, step in pipeline.steps() if pipeline else ():
        yield ("pipeline", *path), step


def in_region(stated: C, region: str) -> C:
    """Return a workload, or a part of one, with the images of a region in place of their names."""
    changed: dict[str, object] = {}
    for key in ("container", "pipeline"):
        container: AnyContainer | InferencePipeline | None = getattr(stated, key, None)
        if container is not None:
            changed[key] = container.in_region(region)
    return stated.model_copy(update=changed)
