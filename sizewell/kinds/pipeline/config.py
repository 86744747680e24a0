"""A pipeline: named steps that run other workloads, judge what comes of them, and register the model."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, DataName, Name, S3Key, fault, without
from sizewell.config.container import AnyContainer, Images
from sizewell.config.effects import Below, OnChange, OnNumber, OnToggle
from sizewell.config.environment import Environment
from sizewell.config.faults import near_match
from sizewell.config.kind import ConfigKind
from sizewell.config.place import ON_PLACE, PlaceName
from sizewell.config.repeated_runs import StartedRuns
from sizewell.config.request_members import Violation
from sizewell.config.tags import ON_TAGS, Tags
from sizewell.config.tree import KeyPath
from sizewell.config.workload import Containers, in_region
from sizewell.facts.processing_jobs import MAX_INPUTS
from sizewell.facts.state_machines import MAX_EXECUTION_S
from sizewell.kinds.pipeline.rules import pipeline_violations

#: The states of one execution make far fewer than its 25,000 events: Step Functions guide, "Service quotas".
MAX_STEPS = 50
#: A version has 50 CustomerMetadataProperties (API reference, CreateModelPackage), and two are for where it comes from.
MAX_FACTS = 48
_NUMBER = Annotated[float, Field(ge=-1e300, le=1e300)]


class QualityGate(ConfigModel):
    """A number that must be good enough, or the run ends here."""

    metric: Annotated[
        str,
        Field(
            # What a key of CustomerMetadataProperties may hold: API reference, CreateModelPackage.
            pattern=r"^[A-Za-z0-9_ .:/=+@-]+$",
            max_length=100,
            examples=["regression.rmse"],
        ),
    ]
    """The number: a metric of container.metrics where the step trains, the objective where it tunes, else the path of members
    in the file, joined by dots."""
    file: S3Key | None = None
    """Of a processing job, the JSON file that holds it: the name of an output, then the file in it, as
    report/evaluation.json; at most 200 KiB."""
    at_least: Annotated[_NUMBER | None, OnNumber("worse models pass", "fewer models pass")] = None
    """The least value that passes."""
    at_most: Annotated[_NUMBER | None, OnNumber("fewer models pass", "worse models pass")] = None
    """The largest value that passes."""

    @model_validator(mode="after")
    def _is_a_path(self) -> Self:
        if self.file is not None and "" in self.metric.split("."):
            raise fault("metric", f"{self.metric} has an empty member; write the path as regression.rmse")
        return self

    @model_validator(mode="after")
    def _has_bounds(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise fault("", "has no bound, and would let everything pass; write at_least, at_most, or both")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise fault(
                "at_least",
                f"is {self.at_least:g}, above at_most ({self.at_most:g}): nothing would pass; the bounds are upside down",
            )
        return self


class RegisteredContainer(AnyContainer):
    """The image that a registered model is served by."""

    images: Images = Field(default_factory=Images)
    """The image, under the kind of hardware that it is for."""

    @model_validator(mode="after")
    def _is_one_image(self) -> Self:
        stated = self.image.images(self.job) if self.image is not None else self.images.by_hardware()
        if len(kinds := list(stated)) > 1:
            raise fault(
                "images" if self.image is None else "image",
                f"a version of a model has one image, and this names those for {', '.join(kinds)}; write one under images",
            )
        return self


#: What each kind of step needs, and what no other step may have.
_OF_RUNS = ("reads", "passes_if")
_OF_REGISTERS = ("group", "container", "approval")


class PipelineStep(ConfigModel):
    """One step: it runs a workload, or registers the model that another step trained."""

    runs: Annotated[Name | None, OnChange("another workload runs")] = None
    """The workload that the step runs, in the same place: a processing, training or tuning job, or a batch transform."""
    after: Annotated[
        Annotated[tuple[Name, ...], Field(max_length=MAX_STEPS)] | None,
        OnChange("steps run in another order"),
    ] = None
    """The steps that must have ended before this one starts; by default the one that is written before it. [] starts at
    once."""
    reads: Annotated[dict[DataName, Name], Field(max_length=MAX_INPUTS)] = {}
    """Inputs of a processing job that read just the model of this run: the name of the input, and the step that trains it."""
    passes_if: Annotated[tuple[QualityGate, ...], Field(max_length=20)] = ()
    """Numbers that must be good enough once the step has run; else the run ends with the error QualityGateNotPassed."""
    registers: Annotated[Name | None, OnChange("another model is registered")] = None
    """The step whose model becomes a version in the SageMaker Model Registry."""
    group: Annotated[
        Annotated[
            str,
            # 63 characters (API reference, CreateModelPackageGroup), less platform, environment and two hyphens.
            Field(
                pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$",
                max_length=41,
                examples=["orders"],
                description="lower-case letters, digits and single hyphens",
            ),
        ]
        | None,
        OnChange("versions go into another group"),
    ] = None
    """The model group of the versions, which is made here and kept when the pipeline goes. AWS shows it with the platform and the
    environment before it, as demo-prod-orders: a name is unique in account and region."""
    container: Annotated[RegisteredContainer | None, OnChange("another image serves new versions")] = None
    """The image that serves the model, as an endpoint with model_package takes it from the version."""
    approval: Annotated[Literal["manual", "automatic"], OnChange("versions are approved in another way")] = (
        "manual"
    )
    """Whether a version waits until somebody approves it, or is approved as it is registered."""

    @model_validator(mode="after")
    def _does_one_thing(self) -> Self:
        if (self.runs is None) == (self.registers is None):
            raise fault("", "a step either runs a workload or registers a model; write runs or registers")
        if self.registers is not None:
            for key in ("group", "container"):
                if getattr(self, key) is None:
                    raise fault(key, f"is missing: registers needs {key}")
        others, does = (_OF_REGISTERS, "runs") if self.runs is not None else (_OF_RUNS, "registers")
        for key in others:
            if key in self.model_fields_set:
                raise fault(key, f"has no effect on a step that {does} {getattr(self, does)}; {without(key)}")
        metrics = [gate.metric for gate in self.passes_if]
        for index, metric in enumerate(metrics):
            if metric in metrics[:index]:
                raise fault(
                    f"passes_if.{index}.metric",
                    f"{metric} stands twice: write at_least and at_most together, or give one of two another name",
                )
        return self


class Pipeline(StartedRuns):
    """Steps in an order, as one Step Functions state machine; each runs the state machine of another workload."""

    in_vpc: ClassVar[bool] = False

    kind: Literal["pipeline"]
    """The workload is a pipeline of other workloads."""
    description: Annotated[str, Field(max_length=200)] = ""
    """One sentence for people, shown beside the workload."""
    tags: Annotated[Tags, ON_TAGS] = {}
    """Tags of what this workload has and starts, beside and before those of the environment."""
    steps: Annotated[
        dict[Name, PipelineStep],
        Field(min_length=1, max_length=MAX_STEPS),
        Below(OnChange("runs do something else")),
    ]
    """What a run does, by the name of the step."""
    deadline_hours: Annotated[
        Annotated[float, Field(ge=0.01, le=MAX_EXECUTION_S // 3600)] | None,
        OnNumber("a run is ended earlier", "a run is ended later"),
    ] = None
    """Hours after which a run is ended; by default as long as all attempts of its steps may take. The job of the step that runs
    then ends at its own deadline."""
    report_success: Annotated[
        bool, OnToggle(on="people hear of runs that succeed", off="people hear of runs that fail only")
    ] = False
    """Whether the alarm topic hears of each run that succeeded, with what came of its steps; it always hears of others."""
    place: Annotated[PlaceName | None, *ON_PLACE] = None
    """Which of the places it runs in, as the workloads that it runs; by default policy.account and policy.region."""

    @property
    def execution_role_arn(self) -> None:
        """None: its state machine has a role of its own, which is made."""
        return None

    def contained(self) -> Mapping[KeyPath, Any]:
        """Return nothing: the containers of its jobs are theirs."""
        return {}

    def containers(self) -> Containers:
        """Yield the containers of the models that it registers."""
        for name, step in self.registrations():
            assert step.container is not None, "a registration has one"
            yield ("steps", name, "container"), step.container

    def in_region(self, region: str) -> Self:
        """Return the pipeline with the images of a region in place of their names."""
        return self.model_copy(
            update={"steps": {name: in_region(step, region) for name, step in self.steps.items()}}
        )

    def runs(self) -> Mapping[str, str]:
        """Return the workloads that its steps run, by the step."""
        return {name: step.runs for name, step in self.steps.items() if step.runs is not None}

    def model_groups(self) -> Mapping[str, str]:
        """Return the model groups that it registers versions in, by the step."""
        return {name: step.group for name, step in self.registrations() if step.group is not None}

    def predecessors(self, name: str) -> tuple[str, ...]:
        """Return the steps that a step waits for."""
        if (after := self.steps[name].after) is not None:
            return after
        names = list(self.steps)
        return tuple(names[: names.index(name)][-1:])

    def before(self, name: str) -> frozenset[str]:
        """Return every step that has ended when a step starts."""
        found: set[str] = set()
        waiting = list(self.predecessors(name))
        while waiting:
            if (one := waiting.pop()) not in found:
                found.add(one)
                waiting += self.predecessors(one)
        return frozenset(found)

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """The steps in their order: those of a level run side by side, once all of the level before have ended."""
        levels: list[tuple[str, ...]] = []
        left = dict.fromkeys(self.steps)
        while left:
            ready = tuple(name for name in left if not left.keys() & set(self.predecessors(name)))
            levels.append(ready)
            left = {name: None for name in left if name not in ready}
        return tuple(levels)

    def registrations(self) -> Iterator[tuple[str, PipelineStep]]:
        """Yield the steps that register a model."""
        return ((name, step) for name, step in self.steps.items() if step.registers is not None)

    @model_validator(mode="after")
    def _steps_are_there(self) -> Self:
        for name, step in self.steps.items():
            named = [(f"after.{index}", one) for index, one in enumerate(step.after or ())]
            named += [(f"reads.{key}", one) for key, one in step.reads.items()]
            named += [("registers", step.registers)] if step.registers is not None else []
            for key, one in named:
                if one not in self.steps:
                    match = near_match(one, self.steps)
                    hint = f"did you mean {match}?" if match else f"steps are {', '.join(self.steps)}"
                    raise fault(f"steps.{name}.{key}", f"there is no step {one}; {hint}")
        return self

    @model_validator(mode="after")
    def _a_version_holds_what_it_passed_by(self) -> Self:
        gates = sum(len(step.passes_if) for step in self.steps.values())
        if gates > MAX_FACTS and any(self.registrations()):
            raise fault(
                "steps",
                f"have {gates} quality gates, and a registered version holds the numbers of {MAX_FACTS} at most",
            )
        return self

    @model_validator(mode="after")
    def _steps_have_an_order(self) -> Self:
        for name in self.steps:
            if name in self.before(name):
                around = [
                    other for other in self.steps if other in self.before(name) and name in self.before(other)
                ]
                raise fault(
                    f"steps.{name}.after",
                    f"{' and '.join(around)} wait for each other"
                    if len(around) > 1
                    else "the step waits for itself",
                )
        for name, step in self.steps.items():
            named = [(f"reads.{key}", one) for key, one in step.reads.items()]
            named += [("registers", step.registers)] if step.registers is not None else []
            for key, one in named:
                if one not in self.before(name):
                    raise fault(
                        f"steps.{name}.{key}",
                        f"{one} has not ended when {name} starts; write after: [{one}], or a step after it",
                    )
        return self


def _rules(environment: Environment) -> Iterator[Violation]:
    workloads = environment.workloads.items()
    pipelines = {name: workload for name, workload in workloads if isinstance(workload, Pipeline)}
    yield from pipeline_violations(environment, pipelines)


FACET = ConfigKind(rank=11, model=Pipeline, rules_of_all=_rules)
