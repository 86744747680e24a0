"""The containers of a model in the plan: image and artifact, or the model package that names both; and those beside it."""

from typing import Any

from sizewell.config.container import InferenceContainer, ModelContainer
from sizewell.config.inference_pipeline import InferencePipeline, InferenceStep
from sizewell.config.model_package import ModelPackage
from sizewell.instance_selection import HardwareKind
from sizewell.instance_selection.catalog import InstanceType
from sizewell.planning.images import plan_image
from sizewell.planning.names import Names
from sizewell.planning.translate import image_for
from sizewell.planning.workload_plan import InferencePipelinePlan, InferenceStepPlan, ModelPackagePlan


def plan_model_container(container: ModelContainer, kind: HardwareKind, names: Names) -> dict[str, Any]:
    """Return what the plan of a workload says of the container of its model."""
    artifact, package = container.artifact, container.model_package
    return {
        "image": None if package else plan_image(image_for(container.images, kind), names),
        "artifact_key": artifact.key if artifact else None,
        "artifact_compression": artifact.compression if artifact else "gzip",
        "model_package": _plan_package(package, names) if package else None,
        "environment": dict(sorted(container.environment.items())),
        "network_isolation": container.network_isolation,
    }


def package_assumptions(container: InferenceContainer) -> tuple[str, ...]:
    """Return what nobody can see of a model package without asking AWS."""
    package = container.model_package if isinstance(container, ModelContainer) else None
    if package is None:
        return ()
    return (
        f"the model package holds one container, whose image is for {package.hardware}, and supports what is taken here: "
        "nothing of it is looked up",
    )


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
    pipeline: InferencePipeline | None, chosen: InstanceType, names: Names
) -> InferencePipelinePlan | None:
    """Return the containers with their images for the CPUs of the chosen type; None where the model stands alone."""
    if pipeline is None:
        return None
    cpu = HardwareKind(f"cpu_{chosen.cpu_architecture}")

    def planned(step: InferenceStep) -> InferenceStepPlan:
        return InferenceStepPlan(
            name=step.name,
            image=plan_image(image_for(step.images, cpu), names),
            artifact_key=step.artifact.key if step.artifact else None,
            artifact_compression=step.artifact.compression if step.artifact else "gzip",
            environment=dict(sorted(step.environment.items())),
        )

    return InferencePipelinePlan(
        before=tuple(map(planned, pipeline.before)), after=tuple(map(planned, pipeline.after))
    )
