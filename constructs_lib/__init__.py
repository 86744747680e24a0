"""CDK constructs for machine learning on Amazon SageMaker: they build what they are told and decide nothing.

    from constructs_lib import Foundation, FoundationProps, RealtimeEndpoint, RealtimeEndpointProps

They need neither a configuration nor a plan of Sizewell. An app, and the defaults: ``docs/guides/constructs.md``.
"""

from typing import TYPE_CHECKING

from sizewell.modules import imported_on_first_use

if TYPE_CHECKING:
    from constructs_lib.acknowledgements import acknowledge, acknowledge_all
    from constructs_lib.asynchronous_inference import AsynchronousInference
    from constructs_lib.batch_transform import BatchTransform, BatchTransformProps
    from constructs_lib.concurrency_scaling import (
        ConcurrencyAction,
        ConcurrencyScaling,
        ConcurrencyScalingProps,
        concurrency_of_alias,
        concurrency_of_variant,
    )
    from constructs_lib.endpoint_alarms import (
        AlarmEvaluation,
        AlarmThresholds,
        EndpointAlarmProps,
        EndpointAlarms,
    )
    from constructs_lib.endpoint_scaling import (
        EndpointScaling,
        EndpointScalingProps,
        ScheduledAction,
        VariantScaling,
    )
    from constructs_lib.existing import ExistingResources
    from constructs_lib.foundation import Foundation, FoundationParts, FoundationProps
    from constructs_lib.inference_component_endpoint import (
        ComponentRollout,
        CopyScaling,
        InferenceComponentEndpoint,
        InferenceComponentEndpointProps,
        InferenceComponentProps,
    )
    from constructs_lib.inference_topics import InferenceTopics, InferenceTopicsProps
    from constructs_lib.jsii_runtime import use_bundled_node
    from constructs_lib.lambda_alarms import LambdaAlarm, LambdaAlarms, LambdaAlarmsProps
    from constructs_lib.lambda_function import LambdaFunction, LambdaFunctionProps
    from constructs_lib.lambda_rollout import LambdaRollout, LambdaRolloutProps
    from constructs_lib.network import ExistingNetworkProps, NewNetworkProps
    from constructs_lib.notebook import Notebook, NotebookProps
    from constructs_lib.processing_job import (
        ProcessingAttempt,
        ProcessingInput,
        ProcessingJobProps,
        ProcessingOutput,
    )
    from constructs_lib.processing_workflow import ProcessingWorkflow, ProcessingWorkflowProps
    from constructs_lib.production_variant import ProductionVariant
    from constructs_lib.realtime_endpoint import RealtimeEndpoint, RealtimeEndpointProps
    from constructs_lib.references import FoundationReferences
    from constructs_lib.scaling_policies import (
        ScalingMath,
        ScalingMetric,
        ScalingStep,
        StepScaling,
        TargetTracking,
        track_invocations,
    )
    from constructs_lib.security_groups import MountedGroup
    from constructs_lib.serverless_endpoint import ServerlessEndpoint, ServerlessEndpointProps
    from constructs_lib.serving_model import ModelPackage, MultiModel, PipelineContainer
    from constructs_lib.spot_training_job import SpotTrainingJob, SpotTrainingJobProps
    from constructs_lib.training_job import (
        FileSystemChannel,
        TrainingAttempt,
        TrainingChannel,
        TrainingCheckpoint,
        TrainingCode,
        TrainingJobProps,
    )
    from constructs_lib.training_schedule_expression import TrainingScheduleTiming
    from constructs_lib.training_workflow import TrainingWorkflow, TrainingWorkflowProps
    from constructs_lib.transform_job import TransformAttempt, TransformInput, TransformJobProps
    from constructs_lib.tuning_search import SearchedRange, TuningSearch
    from constructs_lib.tuning_workflow import TuningWorkflow, TuningWorkflowProps
    from constructs_lib.wildcards import acknowledge_wildcards

#: The public names and their modules, imported on first use: the CDK takes a second.
_MODULES = {
    "AlarmEvaluation": "endpoint_alarms",
    "AlarmThresholds": "endpoint_alarms",
    "AsynchronousInference": "asynchronous_inference",
    "ComponentRollout": "inference_component_endpoint",
    "ConcurrencyAction": "concurrency_scaling",
    "ConcurrencyScaling": "concurrency_scaling",
    "ConcurrencyScalingProps": "concurrency_scaling",
    "LambdaAlarm": "lambda_alarms",
    "LambdaAlarms": "lambda_alarms",
    "LambdaAlarmsProps": "lambda_alarms",
    "LambdaFunction": "lambda_function",
    "LambdaFunctionProps": "lambda_function",
    "LambdaRollout": "lambda_rollout",
    "LambdaRolloutProps": "lambda_rollout",
    "CopyScaling": "inference_component_endpoint",
    "BatchTransform": "batch_transform",
    "BatchTransformProps": "batch_transform",
    "EndpointAlarmProps": "endpoint_alarms",
    "EndpointAlarms": "endpoint_alarms",
    "EndpointScaling": "endpoint_scaling",
    "EndpointScalingProps": "endpoint_scaling",
    "ExistingNetworkProps": "network",
    "ExistingResources": "existing",
    "FileSystemChannel": "training_job",
    "Foundation": "foundation",
    "FoundationParts": "foundation",
    "FoundationProps": "foundation",
    "FoundationReferences": "references",
    "InferenceComponentEndpoint": "inference_component_endpoint",
    "InferenceComponentEndpointProps": "inference_component_endpoint",
    "InferenceComponentProps": "inference_component_endpoint",
    "InferenceTopics": "inference_topics",
    "InferenceTopicsProps": "inference_topics",
    "ModelPackage": "serving_model",
    "MountedGroup": "security_groups",
    "Notebook": "notebook",
    "NotebookProps": "notebook",
    "MultiModel": "serving_model",
    "NewNetworkProps": "network",
    "PipelineContainer": "serving_model",
    "ProcessingAttempt": "processing_job",
    "ProcessingInput": "processing_job",
    "ProcessingJobProps": "processing_job",
    "ProcessingOutput": "processing_job",
    "ProcessingWorkflow": "processing_workflow",
    "ProcessingWorkflowProps": "processing_workflow",
    "ProductionVariant": "production_variant",
    "RealtimeEndpoint": "realtime_endpoint",
    "RealtimeEndpointProps": "realtime_endpoint",
    "ScalingMath": "scaling_policies",
    "ScalingMetric": "scaling_policies",
    "ScalingStep": "scaling_policies",
    "ScheduledAction": "endpoint_scaling",
    "ServerlessEndpoint": "serverless_endpoint",
    "ServerlessEndpointProps": "serverless_endpoint",
    "SpotTrainingJob": "spot_training_job",
    "SpotTrainingJobProps": "spot_training_job",
    "StepScaling": "scaling_policies",
    "TargetTracking": "scaling_policies",
    "TrainingAttempt": "training_job",
    "TrainingChannel": "training_job",
    "TrainingCheckpoint": "training_job",
    "TrainingCode": "training_job",
    "TrainingJobProps": "training_job",
    "TrainingScheduleTiming": "training_schedule_expression",
    "TrainingWorkflow": "training_workflow",
    "TrainingWorkflowProps": "training_workflow",
    "TransformAttempt": "transform_job",
    "TransformInput": "transform_job",
    "TransformJobProps": "transform_job",
    "SearchedRange": "tuning_search",
    "TuningSearch": "tuning_search",
    "TuningWorkflow": "tuning_workflow",
    "TuningWorkflowProps": "tuning_workflow",
    "VariantScaling": "endpoint_scaling",
    "acknowledge": "acknowledgements",
    "acknowledge_all": "acknowledgements",
    "acknowledge_wildcards": "wildcards",
    "concurrency_of_alias": "concurrency_scaling",
    "concurrency_of_variant": "concurrency_scaling",
    "track_invocations": "scaling_policies",
    "use_bundled_node": "jsii_runtime",
}

__all__ = [
    "AlarmEvaluation",
    "AlarmThresholds",
    "AsynchronousInference",
    "BatchTransform",
    "BatchTransformProps",
    "ComponentRollout",
    "ConcurrencyAction",
    "ConcurrencyScaling",
    "ConcurrencyScalingProps",
    "CopyScaling",
    "EndpointAlarmProps",
    "EndpointAlarms",
    "EndpointScaling",
    "EndpointScalingProps",
    "ExistingNetworkProps",
    "ExistingResources",
    "FileSystemChannel",
    "Foundation",
    "FoundationParts",
    "FoundationProps",
    "FoundationReferences",
    "InferenceComponentEndpoint",
    "InferenceComponentEndpointProps",
    "InferenceComponentProps",
    "InferenceTopics",
    "InferenceTopicsProps",
    "LambdaAlarm",
    "LambdaAlarms",
    "LambdaAlarmsProps",
    "LambdaFunction",
    "LambdaFunctionProps",
    "LambdaRollout",
    "LambdaRolloutProps",
    "ModelPackage",
    "MountedGroup",
    "MultiModel",
    "NewNetworkProps",
    "Notebook",
    "NotebookProps",
    "PipelineContainer",
    "ProcessingAttempt",
    "ProcessingInput",
    "ProcessingJobProps",
    "ProcessingOutput",
    "ProcessingWorkflow",
    "ProcessingWorkflowProps",
    "ProductionVariant",
    "RealtimeEndpoint",
    "RealtimeEndpointProps",
    "ScalingMath",
    "ScalingMetric",
    "ScalingStep",
    "ScheduledAction",
    "SearchedRange",
    "ServerlessEndpoint",
    "ServerlessEndpointProps",
    "SpotTrainingJob",
    "SpotTrainingJobProps",
    "StepScaling",
    "TargetTracking",
    "TrainingAttempt",
    "TrainingChannel",
    "TrainingCheckpoint",
    "TrainingCode",
    "TrainingJobProps",
    "TrainingScheduleTiming",
    "TrainingWorkflow",
    "TrainingWorkflowProps",
    "TransformAttempt",
    "TransformInput",
    "TransformJobProps",
    "TuningSearch",
    "TuningWorkflow",
    "TuningWorkflowProps",
    "VariantScaling",
    "acknowledge",
    "acknowledge_all",
    "acknowledge_wildcards",
    "concurrency_of_alias",
    "concurrency_of_variant",
    "track_invocations",
    "use_bundled_node",
]

__getattr__ = imported_on_first_use(__name__, _MODULES)
