"""A processing job: a script over the objects of some prefixes, on instances that have what it needs."""

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, DataName, S3Key, fault, lies_in, without
from sizewell.config.container import (
    ON_ISOLATION,
    AnyContainer,
    AnyImage,
    EnvironmentVariables,
    HardwareImages,
)
from sizewell.config.effects import Below, OnChange, OnFactor, OnImage, OnNumber, SelectionNeed
from sizewell.config.environment import Environment
from sizewell.config.execution_role import ON_EXECUTION_ROLE, RoleArn
from sizewell.config.host_needs import Accelerators, MemoryGib, Vcpus
from sizewell.config.instances import InstanceConstraints, OnInstances
from sizewell.config.kind import ConfigKind
from sizewell.config.measured_instance import MEASURED_KEYS
from sizewell.config.place import ON_PLACE, PlaceName
from sizewell.config.repeated_runs import RepeatedRuns
from sizewell.config.request_members import MAX_VARIABLES, Violation, read_otherwise, too_long
from sizewell.config.tags import ON_TAGS, Tags
from sizewell.config.training_container import Command, TrainingCode
from sizewell.config.tree import KeyPath
from sizewell.facts.container_images import Job
from sizewell.facts.processing_jobs import (
    CODE_INPUT,
    DEFAULT_VOLUME_GIB,
    MAX_INPUTS,
    MAX_INSTANCES,
    MAX_OUTPUTS,
    MAX_VARIABLE_CHARACTERS,
    MAX_VOLUME_SIZE_GIB,
    NEURON_VARIABLES,
    RUNTIME_BOUNDS_S,
)


class ProcessingInput(ConfigModel):
    """Objects of the artifact bucket, which the script finds in /opt/ml/processing/input/NAME."""

    prefix: S3Key
    """The prefix of the objects in the artifact bucket."""
    mode: Annotated[
        Literal["file", "pipe"],
        OnChange("the script finds the objects in another form: as files, or as a pipe"),
    ] = "file"
    """Whether the objects are copied to the volume before the script starts (file), or streamed through a named pipe while it
    reads (pipe); a processing job has no fast file mode."""
    distribution: Annotated[
        Literal["replicated", "sharded"], OnChange("instances get another share of the objects")
    ] = "replicated"
    """Whether each instance gets all objects (replicated), or a share of them (sharded)."""


class ProcessingOutput(ConfigModel):
    """A folder that the script writes, /opt/ml/processing/output/NAME, and where it is copied to."""

    prefix: S3Key
    """The prefix in the artifact bucket; the next run replaces objects of the same name."""
    upload: Annotated[Literal["end-of-job", "continuous"], OnChange("results come to S3 at another time")] = (
        "end-of-job"
    )
    """When files are copied to S3: all at the end of a job that succeeds, or each as soon as it is written."""


class NeuronCompilation(ConfigModel):
    """What a script compiles a model for. The script is told by environment variables, and compiles without the chip."""

    target: Literal["inf2", "trn1", "trn2"]
    """The instance family that the artifact runs on (--target of neuronx-cc)."""
    cores: Annotated[int, Field(ge=1, le=128)] = 1
    """The NeuronCores that one copy of the model is spread over: the tensor parallel degree."""
    precision: Literal["fp32", "bf16", "fp16"]
    """The number format that the model computes in."""
    shapes: Annotated[
        dict[
            Annotated[
                str,
                Field(
                    pattern=r"^[A-Za-z_][A-Za-z0-9_.]*$",
                    max_length=64,
                    examples=["input_ids"],
                    description="letters, digits, underscores and dots, first no digit",
                ),
            ],
            Annotated[
                tuple[Annotated[int, Field(ge=1, le=2**31 - 1)], ...], Field(min_length=1, max_length=8)
            ],
        ],
        Field(min_length=1, max_length=16),
    ]
    """The shape of each input of the model, for example {input_ids: [1, 128]}: a compiled model takes no other."""

    @property
    def shapes_json(self) -> str:
        """The shapes, as the script is told them."""
        return json.dumps(self.shapes, separators=(",", ":"))

    @model_validator(mode="after")
    def _shapes_fit_a_variable(self) -> Self:
        if (length := len(self.shapes_json)) > (most := MAX_VARIABLE_CHARACTERS[1]):
            raise fault(
                "shapes",
                f"have {length} characters as JSON, but a variable of a processing job holds {most}: put them into a file of "
                "container.code",
            )
        return self


class ProcessingCode(TrainingCode):
    """The script: objects of the artifact bucket, copied to /opt/ml/processing/input/code before the job starts."""

    prefix: S3Key
    """The prefix of the objects in the artifact bucket, copied to /opt/ml/processing/input/code before the job starts."""
    command: Command
    """What is run in that directory, for example [python3, clean.py]; no shell reads it."""


class ProcessingImages(HardwareImages):
    """The image that runs the script. Processing has no Graviton, Inferentia or Trainium instances."""

    cuda: Annotated[AnyImage | None, OnImage("NVIDIA GPUs")] = None
    """The image for NVIDIA GPUs, where accelerators are asked for."""
    neuron: Annotated[AnyImage | None, OnImage("compilation for Inferentia and Trainium")] = None
    """The image that compiles for AWS Inferentia2 and Trainium, on a CPU, where neuron says for what."""
    cpu_x86_64: Annotated[AnyImage | None, OnImage("x86 CPUs")] = None
    """The image for CPUs of Intel and AMD."""


class ProcessingContainer(AnyContainer):
    """What runs the script."""

    runs_any_image: ClassVar[bool] = True

    images: Annotated[ProcessingImages, SelectionNeed.IMAGE] = Field(default_factory=ProcessingImages)
    """The image for the hardware that is asked for; a kind without an image is never picked."""
    code: ProcessingCode | None = None
    """The script and how to start it; without it, the entry point of the image runs."""
    environment: EnvironmentVariables = {}
    """Environment variables of the container, at most 100; never a secret: name the ARN of a Secrets Manager secret."""
    network_isolation: Annotated[bool, ON_ISOLATION] = True
    """Whether the container is kept from making outgoing calls (EnableNetworkIsolation); SageMaker still moves inputs and
    outputs."""

    @property
    def job(self) -> Job:
        """A model is compiled by the image that will serve it; other scripts run in images for training."""
        return Job.TRAINING if self.images.neuron is None else Job.INFERENCE


class ProcessingJob(RepeatedRuns, OnInstances):
    """A script over objects of the artifact bucket, as a Step Functions state machine with a ladder of instance types."""

    unmeasured_keys: ClassVar[Mapping[str, str]] = dict.fromkeys(
        MEASURED_KEYS, "nothing of a processing job is estimated; state its expected_hours instead"
    )

    kind: Literal["processing-job"]
    """The workload is a SageMaker processing job."""
    description: Annotated[str, Field(max_length=200)] = ""
    """One sentence for people, shown beside the workload."""
    tags: Annotated[Tags, ON_TAGS] = {}
    """Tags of what this workload has and starts, beside and before those of the environment."""
    container: ProcessingContainer
    """The image that runs the script, and what it is given."""
    inputs: Annotated[
        dict[DataName, ProcessingInput],
        Field(max_length=MAX_INPUTS),
        Below(OnChange("the script reads something else")),
    ] = {}
    """What the script reads, by name: the folder is /opt/ml/processing/input/NAME."""
    outputs: Annotated[
        dict[DataName, ProcessingOutput],
        Field(min_length=1, max_length=MAX_OUTPUTS),
        Below(OnChange("results go elsewhere")),
    ]
    """What the script writes, by name: the folder is /opt/ml/processing/output/NAME."""
    neuron: Annotated[NeuronCompilation | None, Below(OnChange("models are compiled for something else"))] = (
        None
    )
    """What the script compiles a model for, where it does; an endpoint whose artifact lies below an output then runs on that
    family, and on no fewer cores."""
    vcpus: Vcpus
    """The least number of vCPUs of each instance."""
    memory_gib: MemoryGib
    """The least memory of each instance in GiB."""
    volume_gib: Annotated[int, Field(ge=1, le=MAX_VOLUME_SIZE_GIB), OnFactor(), SelectionNeed.LOAD] = (
        DEFAULT_VOLUME_GIB
    )
    """The room on disk of each instance in GiB: inputs that are copied, outputs, and what is written between."""
    accelerators: Accelerators = 0
    """The least number of NVIDIA GPUs of each instance; without any, the job runs on CPUs."""
    instance_count: Annotated[int, Field(ge=1, le=MAX_INSTANCES), OnFactor(), SelectionNeed.LOAD] = 1
    """The number of instances of one run."""
    deadline_hours: Annotated[
        float,
        Field(ge=0.01, le=RUNTIME_BOUNDS_S[1] / 3600),
        OnNumber("a run is stopped earlier", "a run is stopped later"),
        SelectionNeed.BOUND,
    ]
    """Hours within which a run must end, with the start of its instances; a job that takes longer is stopped."""
    expected_hours: Annotated[
        Annotated[float, Field(ge=0.01, le=RUNTIME_BOUNDS_S[1] / 3600)] | None,
        OnFactor(),
        SelectionNeed.BOUND,
    ] = None
    """Hours that a run takes, as you measured it, for the bill; without it, the bill counts the whole deadline."""
    instances: Annotated[InstanceConstraints, SelectionNeed.INSTANCES] = InstanceConstraints()
    """Limits on the choice of the instance type, which must meet every need all the same."""
    place: Annotated[PlaceName | None, *ON_PLACE] = None
    """Which of the places it runs in; by default policy.account and policy.region."""
    execution_role_arn: Annotated[RoleArn | None, ON_EXECUTION_ROLE] = None
    """The ARN of a role of the account that SageMaker assumes for this workload, in place of one that is made for it."""

    def inputs_of_models(self) -> tuple[str, ...]:
        """Return its inputs: each of them may be a model."""
        return tuple(self.inputs)

    def stated_outputs(self) -> Mapping[str, str]:
        """Return the prefixes of its outputs."""
        return {name: output.prefix for name, output in self.outputs.items()}

    def gate_fault(self, metric: str, file: str | None) -> tuple[KeyPath, str] | None:
        """Return what is wrong with the file of an output that is to hold the number."""
        if file is None:
            return ("file",), "is missing: write the JSON file that holds the metric, as OUTPUT/FILE"
        output, _, inner = file.partition("/")
        if output not in self.outputs:
            return ("file",), f"{output} is no output of the job, whose outputs are {', '.join(self.outputs)}"
        if not inner or inner.endswith("/"):
            return ("file",), f"is a folder; write the file in it, as {output}/evaluation.json"
        return None

    @property
    def hardware(self) -> Literal["cuda", "neuron", "cpu_x86_64"]:
        """The kind of image that runs: a compilation needs no chip."""
        if self.neuron is not None:
            return "neuron"
        return "cuda" if self.accelerators else "cpu_x86_64"

    @model_validator(mode="after")
    def _image_is_for_the_hardware(self) -> Self:
        needed, container = self.hardware, self.container
        because = {
            "cuda": "accelerators are asked for",
            "neuron": "neuron compiles a model",
            "cpu_x86_64": "the job runs on x86 CPUs: neither accelerators nor neuron is stated",
        }[needed]
        if self.neuron is not None and self.accelerators:
            raise fault(
                "accelerators",
                f"has no effect: a compilation for Neuron runs on CPUs; {without('accelerators')}",
            )
        for kind in container.images.by_hardware():
            if kind != needed:
                raise fault(f"container.images.{kind}", f"has no effect: {because}; {without(kind)}")
        if container.image is not None and needed == "neuron":
            raise fault(
                "container.image",
                "names images for training, and a model is compiled by the image that will serve it: write it as "
                "container.images.neuron",
            )
        if container.image is not None and needed not in container.image.images(container.job):
            raise fault(
                "container.image", f"AWS has no image of {container.image} for {needed}, but {because}"
            )
        if container.image is None and needed not in container.images.by_hardware():
            raise fault("container.images", f"has no {needed}, but {because}")
        return self

    @model_validator(mode="after")
    def _every_key_has_an_effect(self) -> Self:
        if CODE_INPUT in self.inputs and self.container.code is not None:
            raise fault(
                f"inputs.{CODE_INPUT}",
                "is the name of the input that holds container.code; choose another name",
            )
        if len(self.inputs) == MAX_INPUTS and self.container.code is not None:
            raise fault(
                "inputs",
                f"are {MAX_INPUTS}, and container.code is one more; SageMaker takes {MAX_INPUTS} at most",
            )
        for name, read in self.inputs.items():
            if read.distribution == "sharded" and self.instance_count == 1:
                raise fault(
                    f"inputs.{name}.distribution",
                    f"sharded has no effect on one instance; raise instance_count, or {without('distribution')}",
                )
        if self.neuron is not None and self.instance_count > 1:
            raise fault(
                "instance_count", f"is {self.instance_count}, but each instance would compile the same model"
            )
        if self.expected_hours is not None and self.expected_hours > self.deadline_hours:
            raise fault(
                "expected_hours",
                f"is {self.expected_hours:g}, but deadline_hours stops the job after {self.deadline_hours:g}",
            )
        return self

    @model_validator(mode="after")
    def _outputs_are_elsewhere(self) -> Self:
        others = [(f"inputs.{name}", read.prefix) for name, read in self.inputs.items()]
        if self.container.code is not None:
            others.append(("container.code", self.container.code.prefix))
        for name, output in self.outputs.items():
            key = f"outputs.{name}.prefix"
            for other, prefix in others:
                if lies_in(output.prefix, prefix) or lies_in(prefix, output.prefix):
                    raise fault(
                        key,
                        f"{output.prefix} and that of {other} ({prefix}) lie in each other: one would be taken for the other; "
                        "choose another prefix",
                    )
            others.append((f"outputs.{name}", output.prefix))
        return self


def _rules(_: Environment, name: str, job: ProcessingJob) -> Iterator[Violation]:
    """Yield what CreateProcessingJob would refuse, and what would not reach it as it is written."""
    path, environment = ("workloads", name, "container", "environment"), job.container.environment
    yield from too_long(path, environment, MAX_VARIABLE_CHARACTERS)
    yield from read_otherwise(path, environment)
    if job.neuron is None:
        return
    if (count := len(environment) + len(NEURON_VARIABLES)) > MAX_VARIABLES:
        yield (
            path,
            f"makes {count} variables, with those that neuron sets; SageMaker takes {MAX_VARIABLES} at most",
        )
    for variable in NEURON_VARIABLES:
        if variable in environment:
            yield (*path, variable), "the variable is set for you, by neuron; remove it here"


FACET = ConfigKind(rank=8, model=ProcessingJob, rules=_rules)
