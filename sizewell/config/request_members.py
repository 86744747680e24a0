"""Hyperparameters and environment variables that a request can carry.

Those of a training job travel inside a state machine, where some texts mean something else. Validators of templates see
neither: to them the state machine is one text.
"""

import re
from collections.abc import Iterator, Mapping

from sizewell.config.inference_pipeline import InferencePipeline
from sizewell.config.served_model import ContainedModel, ModelOnInstances, Request
from sizewell.config.training import TrainedModel
from sizewell.facts.batching import batching_variables
from sizewell.facts.inference_pipelines import MAX_ENVIRONMENT_BYTES
from sizewell.facts.mlflow import MLFLOW_VARIABLES
from sizewell.facts.processing_jobs import NEURON_VARIABLES
from sizewell.facts.serving_modes import Mode, limit
from sizewell.facts.training_jobs import CHECKPOINT_VARIABLES

#: A key path into the environment and what is wrong there.
Violation = tuple[tuple[str, ...], str]

#: Longest key and value, in characters. API reference: CreateModel (ContainerDefinition), CreateTrainingJob.
ENDPOINT_ENVIRONMENT = (1024, 1024)
TRAINING_ENVIRONMENT = (512, 512)
_HYPERPARAMETERS = (256, 2500)
#: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references.html: of secure strings, Models resolve none.
_DYNAMIC_REFERENCE = re.compile(r"\{\{\s*resolve:")
_RESOLVED = re.compile(
    r"\{\{resolve:(?:ssm:[A-Za-z0-9_./-]{1,1024}(?::[0-9]{1,9})?|secretsmanager:[A-Za-z0-9_./:+=@-]{1,1024})\}\}"
)
#: Of a container. API reference: CreateModel (ContainerDefinition), CreateTrainingJob.
MAX_VARIABLES = 100


def payload_violations(path_of_model: tuple[str, ...], request: Request, mode: Mode) -> Iterator[Violation]:
    """Yield a request or an answer that is larger than the mode takes."""
    max_mb, real_time_mb = limit(mode, "max_payload_mb"), limit(Mode.REAL_TIME, "max_payload_mb")
    who = "functions" if mode is Mode.LAMBDA else f"{mode} endpoints"
    more = f"; a real-time endpoint takes {real_time_mb:g} MB" if real_time_mb > max_mb else ""
    for key, words in (("payload_mb", "requests"), ("response_mb", "answers")):
        size = getattr(request, key)
        if size is not None and size > max_mb:
            yield (
                (*path_of_model, "request", key),
                f"is {size:g}, but {who} take {words} of {max_mb:g} MB at most{more}",
            )


def model_members(path_of_model: tuple[str, ...], endpoint: ContainedModel) -> Iterator[Violation]:
    """Yield what CreateModel would refuse of the container of a model."""
    yield from _container_members(
        (*path_of_model, "container", "environment"), endpoint.container.environment
    )


def pipeline_members(
    path_of_model: tuple[str, ...], endpoint: ContainedModel, pipeline: InferencePipeline
) -> Iterator[Violation]:
    """Yield what CreateModel would refuse of the containers beside that of the model, and of all together."""
    path = (*path_of_model, "pipeline")
    environments = [endpoint.container.environment]
    for key, step in pipeline.steps():
        yield from _container_members((*path, *key, "environment"), step.environment)
        environments.append(step.environment)
    size = sum(len((key + value).encode()) for one in environments for key, value in one.items())
    if size > MAX_ENVIRONMENT_BYTES:
        yield (
            path,
            f"the variables of all containers have {size:,} bytes; SageMaker takes {MAX_ENVIRONMENT_BYTES:,} at most: put "
            "some into the images or the artifacts",
        )


def _container_members(path: tuple[str, ...], environment: Mapping[str, str]) -> Iterator[Violation]:
    yield from too_long(path, environment, ENDPOINT_ENVIRONMENT)
    for key, value in environment.items():
        if _DYNAMIC_REFERENCE.search(_RESOLVED.sub("", value)):
            yield (
                (*path, key),
                "CloudFormation resolves {{resolve:ssm:NAME}} and {{resolve:secretsmanager:NAME:SecretString:KEY}} here, and "
                "nothing else",
            )


def endpoint_members(path_of_model: tuple[str, ...], endpoint: ModelOnInstances) -> Iterator[Violation]:
    """Yield what CreateModel would refuse, with the variables that batching sets."""
    yield from model_members(path_of_model, endpoint)
    path = (*path_of_model, "container", "environment")
    if (batching := endpoint.batching) is None:
        return
    variables = [
        batching_variables(image.repository, batching.max_batch_size, batching.max_delay_ms, 1, 1) or {}
        for image in endpoint.container.repositories
    ]
    for variable in sorted(
        {name for one in variables for name in one} & endpoint.container.environment.keys()
    ):
        yield (*path, variable), "the variable is set for you, by batching; remove it here"
    count = len(endpoint.container.environment) + max(map(len, variables), default=0)
    if count > MAX_VARIABLES:
        yield (
            path,
            f"makes {count} variables, with those that batching sets; SageMaker takes {MAX_VARIABLES} at most",
        )


def training_members(name: str, job: TrainedModel) -> Iterator[Violation]:
    """Yield what CreateTrainingJob would refuse, and what would not reach it as it is written."""
    path = ("workloads", name, "container")
    hyperparameters = {key: str(value) for key, value in job.container.hyperparameters.items()}
    for key, members, limits in (
        ("environment", job.container.environment, TRAINING_ENVIRONMENT),
        ("hyperparameters", hyperparameters, _HYPERPARAMETERS),
    ):
        yield from too_long((*path, key), members, limits)
        yield from read_otherwise((*path, key), members)
    yield from read_otherwise((*path, "metrics"), job.container.metrics)
    stated = variables_of_keys(job)
    count = len(job.container.environment) + sum(map(len, stated.values()))
    if count > MAX_VARIABLES:
        yield (
            (*path, "environment"),
            f"makes {count} variables, with those that {' and '.join(stated)} sets; SageMaker takes {MAX_VARIABLES} at most",
        )
    ours = {"checkpoint": CHECKPOINT_VARIABLES, **stated}
    for key, variable in ((key, one) for key, variables in ours.items() for one in variables):
        if variable in job.container.environment:
            yield (
                (*path, "environment", variable),
                f"the variable is set for you, by {key}; remove it here",
            )


def variables_of_keys(workload: object) -> dict[str, tuple[str, ...]]:
    """Return the variables that keys of a job set, by the key."""
    of_keys = {
        "checkpoint": CHECKPOINT_VARIABLES,
        "experiment": MLFLOW_VARIABLES,
        "neuron": NEURON_VARIABLES,
    }
    return {key: variables for key, variables in of_keys.items() if getattr(workload, key, None)}


def too_long(
    path: tuple[str, ...], members: Mapping[str, str], limits: tuple[int, int]
) -> Iterator[Violation]:
    """Yield names and values that are longer than an API takes, in characters."""
    max_key_length, max_value_length = limits
    for key, value in members.items():
        if len(key) > max_key_length:
            yield (
                (*path, key),
                f"the name has {len(key)} characters; SageMaker takes {max_key_length} at most",
            )
        if len(value) > max_value_length:
            yield (
                (*path, key),
                f"the value has {len(value)} characters; SageMaker takes {max_value_length} at most",
            )


def read_otherwise(path: tuple[str, ...], members: Mapping[str, str]) -> Iterator[Violation]:
    """Yield what CloudFormation or Step Functions would read as its own."""
    for key, value in members.items():
        if key.endswith(".$"):
            yield (*path, key), "Step Functions reads a name that ends in .$ as a path; choose another name"
        if value.startswith("{%"):
            yield (
                (*path, key),
                "Step Functions reads a text that begins with {% as an expression; begin it otherwise",
            )
        if "${" in key or "${" in value:
            yield (
                (*path, key),
                "CloudFormation would replace ${...} on its way into the state machine; write it without ${",
            )
        if _DYNAMIC_REFERENCE.search(f"{key} {value}"):
            yield (
                (*path, key),
                "CloudFormation would write what {{resolve:...}} stands for into the state machine; give the ARN, which the "
                "script reads",
            )
