"""The plan of the containers of a model, as the constructs are told it."""

from typing import Any, Literal

from constructs_lib.endpoints.serving_model import ModelPackage, PipelineContainer
from constructs_lib.foundation.references import FoundationReferences
from sizewell.kinds.batch_transform.plan_model import BatchTransformPlan
from sizewell.kinds.inference_component_endpoint.plan_model import ComponentPlan
from sizewell.kinds.serverless_endpoint.plan_model import ServerlessEndpointPlan
from sizewell.planning.endpoint_plan_model import VariantPlan
from sizewell.planning.workload_plan import InferencePipelinePlan, InferenceStepPlan, ModelPackagePlan
from sizewell.stacks.workload_stack import props_of

COMPRESSION: dict[str, Literal["Gzip", "None"]] = {"gzip": "Gzip", "none": "None"}


def container_props(
    plan: VariantPlan | ComponentPlan | ServerlessEndpointPlan | BatchTransformPlan,
    foundation: FoundationReferences,
) -> dict[str, Any]:
    """Return what the container of the model is told."""
    package = plan.model_package
    return {
        "image_uri": plan.image.uri if plan.image else None,
        "image_repository_arn": plan.image.repository_arn if plan.image else None,
        "artifact_key": plan.artifact_key,
        "artifact_compression": COMPRESSION[plan.artifact_compression],
        "model_package": _model_package(package, foundation) if package else None,
        "environment_variables": plan.environment,
    }


def pipeline_props(pipeline: InferencePipelinePlan | None) -> dict[str, Any]:
    """Return the containers before and after that of the model."""
    if pipeline is None:
        return {}
    return {"before": tuple(map(_step, pipeline.before)), "after": tuple(map(_step, pipeline.after))}


def _step(step: InferenceStepPlan) -> PipelineContainer:
    return props_of(
        PipelineContainer,
        step,
        image_uri=step.image.uri,
        image_repository_arn=step.image.repository_arn,
        artifact_compression=COMPRESSION[step.artifact_compression],
        environment_variables=step.environment,
    )


def _model_package(package: ModelPackagePlan, foundation: FoundationReferences) -> ModelPackage:
    artifacts = None
    if package.artifact_key is not None:
        artifacts = (package.artifact_bucket_name or foundation.artifact_bucket_name, package.artifact_key)
    return props_of(ModelPackage, package, artifacts=artifacts)
