"""The containers of a model in the plan: image and artifact, or the model package that names both; and those beside it."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sizewell.config.container import InferenceContainer, ModelContainer
from sizewell.config.inference_pipeline import InferencePipeline, InferenceStep
from sizewell.config.model_package import ModelPackage
from sizewell.config.served_model import Request
from sizewell.facts.asynchronous import MAX_PROCESSING_S
from sizewell.facts.model_servers import (
    MODEL_DIRECTORY,
    UNKNOWN,
    ServerLimit,
    image_server,
    least_request_bytes,
)
from sizewell.facts.serving_modes import Mode, limit
from sizewell.instance_selection import HardwareKind
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.requirements import Queue
from sizewell.planning.images import plan_image
from sizewell.planning.names import Names
from sizewell.planning.translate import image_for
from sizewell.planning.workload_plan import InferencePipelinePlan, InferenceStepPlan, ModelPackagePlan

_MIB = 2**20
#: Of somebody who waits for the answer (InvokeEndpoint).
_SYNCHRONOUS_S = int(limit(Mode.REAL_TIME, "max_processing_s"))


@dataclass(frozen=True, slots=True)
class Calls:
    """How large requests and answers are, and how long a caller waits for an answer; None is not stated."""

    request_mb: float | None
    response_mb: float | None
    timeout_s: int

    @classmethod
    def of(cls, request: Request, queue: Queue | None = None) -> "Calls":
        """Return those of an endpoint; without a queue somebody waits for each answer."""
        longest_s = _SYNCHRONOUS_S if queue is None else min(MAX_PROCESSING_S, math.ceil(queue.max_wait_s))
        return cls(request.payload_mb, request.response_mb, longest_s)


def plan_model_container(
    container: ModelContainer, kind: HardwareKind, names: Names, calls: Calls
) -> dict[str, Any]:
    """Return what the plan of a workload says of the container of its model."""
    artifact, package = container.artifact, container.model_package
    repository = _repository(container, kind)
    return {
        "image": None if package else plan_image(image_for(container.images, kind), names),
        "artifact_key": artifact.key if artifact else None,
        "artifact_compression": artifact.compression if artifact else "gzip",
        "model_package": _plan_package(package, names) if package else None,
        "environment": _variables(repository, container.environment, calls, loads=artifact is not None),
        "network_isolation": container.network_isolation,
    }


def container_assumptions(container: InferenceContainer, kind: HardwareKind, calls: Calls) -> tuple[str, ...]:
    """Return what nobody can see of a model package without asking AWS, and which calls its server may not take."""
    if not isinstance(container, ModelContainer):  # the container of a function: it has no server of its own
        return ()
    package = container.model_package
    of_package = (
        ()
        if package is None
        else (
            f"the model package holds one container, whose image is for {package.hardware}, and supports what is taken here: "
            "nothing of it is looked up",
        )
    )
    return (*of_package, *_not_taken(_repository(container, kind), calls))


def _repository(container: ModelContainer, kind: HardwareKind) -> str | None:
    """Return the repository of the image; None where only the model package knows it."""
    package = container.model_package
    image = package.image_repository if package else image_for(container.images, kind)
    return image.repository if image else None


def _variables(
    repository: str | None, stated: Mapping[str, str], calls: Calls, *, loads: bool
) -> dict[str, str]:
    """Return the variables of a container: by which its server takes the calls and finds the artifact, where none is stated."""
    found: dict[str, str] = {}
    if known := image_server(repository or ""):
        server = known.server
        for taken, asked in (
            (server.request_bytes, _bytes(calls.request_mb)),
            (server.response_bytes, _bytes(calls.response_mb)),
            (server.timeout_s, calls.timeout_s),
        ):
            if _is_less(taken, asked) and not stated.keys() & set(taken.variables):
                found |= dict.fromkeys(taken.variables[:1], str(asked))
        if loads and server.model_variable:
            found[server.model_variable] = MODEL_DIRECTORY
    return dict(sorted({**found, **stated}.items()))


def _not_taken(repository: str | None, calls: Calls) -> Iterator[str]:
    """Yield which calls the server of an image refuses whatever it is told, and which it may refuse."""
    known, whose = image_server(repository or ""), repository or "the model package"
    request = known.server.request_bytes if known else UNKNOWN
    if request.default is None and _bytes(calls.request_mb) > least_request_bytes():
        yield (
            f"nobody says how large a request the server of {whose} takes, and requests have {calls.request_mb:g} MB: set it in "
            "container.environment where it takes less"
        )
    response = known.server.response_bytes if known else UNKNOWN
    for taken, verb, noun, size_mb in (
        (request, "takes", "requests", calls.request_mb),
        (response, "answers", "answers", calls.response_mb),
    ):
        if _is_less(taken, _bytes(size_mb)) and not taken.variables and taken.default is not None:
            yield (
                f"the server of {whose} {verb} {taken.default / _MIB:.4g} MiB at most, and no variable changes it: {noun} have "
                f"{size_mb:g} MB"
            )


def _is_less(taken: ServerLimit, asked: int) -> bool:
    return taken.default is not None and taken.default < asked


def _bytes(size_mb: float | None) -> int:
    return math.ceil((size_mb or 0.0) * _MIB)


def _plan_package(package: ModelPackage, names: Names) -> ModelPackagePlan:
    repository, artifact = package.image_repository, package.artifact
    return ModelPackagePlan(
        arn=package.arn_in(names.partition, names.account, names.region),
        image_repository_arn=names.repository_arn(repository.account, repository.repository)
        if repository
        else None,
        artifact_bucket_name=artifact.bucket if artifact else None,
        artifact_key=artifact.key if artifact else None,
        key_arn=artifact.key_arn if artifact else None,
    )


def plan_pipeline(
    pipeline: InferencePipeline | None, chosen: InstanceType, names: Names, calls: Calls
) -> InferencePipelinePlan | None:
    """Return the containers with their images for the CPUs of the chosen type; None where the model stands alone."""
    if pipeline is None:
        return None
    cpu = HardwareKind(f"cpu_{chosen.cpu_architecture}")

    def planned(step: InferenceStep) -> InferenceStepPlan:
        image = image_for(step.images, cpu)
        return InferenceStepPlan(
            name=step.name,
            image=plan_image(image, names),
            artifact_key=step.artifact.key if step.artifact else None,
            artifact_compression=step.artifact.compression if step.artifact else "gzip",
            environment=_variables(
                image.repository, step.environment, calls, loads=step.artifact is not None
            ),
        )

    return InferencePipelinePlan(
        before=tuple(map(planned, pipeline.before)), after=tuple(map(planned, pipeline.after))
    )
