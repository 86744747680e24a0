"""The kinds of workloads: what each is planned by, and priced by. A new kind is one entry here, and one in the configuration."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sizewell.config.asynchronous_endpoint import AsynchronousEndpoint
from sizewell.config.batch_transform import BatchTransform
from sizewell.config.endpoint import RealTimeEndpoint
from sizewell.config.inference_component_endpoint import InferenceComponentEndpoint
from sizewell.config.lambda_function import LambdaFunction
from sizewell.config.mode_endpoint import ModeEndpoint
from sizewell.config.multi_model_endpoint import MultiModelEndpoint
from sizewell.config.notebook import Notebook
from sizewell.config.pipeline import Pipeline
from sizewell.config.policy import Policy
from sizewell.config.processing_job import ProcessingJob
from sizewell.config.serverless_endpoint import ServerlessEndpoint
from sizewell.config.training import TrainingJob
from sizewell.config.tuning import TuningJob
from sizewell.instance_selection import Catalog, Measurement
from sizewell.planning.alarm_thresholds import alarm_faults
from sizewell.planning.api_gateway import api_gateway_faults
from sizewell.planning.asynchronous_alarms import asynchronous_alarm_faults
from sizewell.planning.asynchronous_plan import asynchronous_faults, plan_asynchronous_endpoint
from sizewell.planning.bill_lines import (
    component_line,
    endpoint_line,
    lambda_line,
    notebook_line,
    pipeline_line,
    processing_line,
    serverless_line,
    training_line,
    transform_line,
)
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.component_plan_model import ComponentEndpointPlan
from sizewell.planning.endpoint_plan import plan_endpoint
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.instance_pools import pool_faults
from sizewell.planning.lambda_plan_model import LambdaFunctionPlan
from sizewell.planning.legality import legality_faults
from sizewell.planning.lock import LockedWorkload
from sizewell.planning.mode_kinds import stated_in_mode
from sizewell.planning.modes import compare_endpoint_modes, no_mode_faults, payload_faults, under_lock
from sizewell.planning.names import Names
from sizewell.planning.notebook_plan_model import NotebookPlan
from sizewell.planning.pipeline_plan_model import PipelinePlan
from sizewell.planning.plan import AnyWorkloadPlan, JobPlan
from sizewell.planning.processing_plan import plan_processing_job
from sizewell.planning.processing_plan_model import ProcessingJobPlan
from sizewell.planning.rollout import rollout_faults
from sizewell.planning.serverless_plan_model import ServerlessEndpointPlan
from sizewell.planning.training_plan import definition_faults, plan_training_job, spot_faults
from sizewell.planning.training_plan_model import TrainingJobPlan
from sizewell.planning.transform_plan import plan_batch_transform
from sizewell.planning.transform_plan_model import BatchTransformPlan
from sizewell.planning.tuning_plan import plan_tuning_job
from sizewell.planning.tuning_plan_model import TuningJobPlan


@dataclass(frozen=True, kw_only=True)
class Stated:
    """A workload as the configuration states it, and what its plan is made with."""

    name: str
    workload: Any
    """Of the class of its kind."""
    policy: Policy
    catalog: Catalog
    names: Names
    locked: LockedWorkload | None = None
    measurements: tuple[Measurement, ...] = ()
    environment_tags: Mapping[str, str]
    jobs: Mapping[str, JobPlan] = field(default_factory=dict)
    """Those of the place, by name, once they are planned."""

    @property
    def told(self) -> tuple[str, Any, Policy, Catalog, Names]:
        """What the plan of every kind is made with."""
        return self.name, self.workload, self.policy, self.catalog, self.names


@dataclass(frozen=True)
class WorkloadKind:
    """One kind of workload."""

    config: type
    """What it is in the configuration."""
    plan: Callable[[Stated], tuple[AnyWorkloadPlan, Iterable[PlanFault]]]
    """Returns the plan, and what of it cannot be built; raises ``PlanError``,
    ``NoFeasibleInstanceError`` and ``UnknownInstanceTypeError``."""
    bill_line: Callable[[Any, str], BillLine]
    """Returns a month of the plan in a region."""


def _plan_real_time(stated: Stated) -> tuple[EndpointPlan, Iterable[PlanFault]]:
    plan = plan_endpoint(*stated.told, stated.locked, stated.measurements)
    faults = (
        *payload_faults(stated.name, stated.workload, stated.policy),
        *legality_faults(plan, stated.catalog),
        *pool_faults(stated.name, plan.provisioned_pools),
        *rollout_faults(stated.name, stated.workload.rollout, plan),
        *alarm_faults(stated.workload, plan),
    )
    return plan, faults


def _plan_asynchronous(stated: Stated) -> tuple[EndpointPlan, Iterable[PlanFault]]:
    plan = plan_asynchronous_endpoint(*stated.told, stated.locked, stated.measurements)
    return plan, (
        *legality_faults(plan, stated.catalog),
        *pool_faults(stated.name, plan.provisioned_pools),
        *asynchronous_faults(stated.workload, plan),
        *asynchronous_alarm_faults(plan),
    )


def _plan_multi_model(stated: Stated) -> tuple[EndpointPlan, Iterable[PlanFault]]:
    # Only here, as below.
    from sizewell.planning.multi_model_plan import multi_model_faults, plan_multi_model_endpoint

    plan = plan_multi_model_endpoint(*stated.told, stated.locked, stated.measurements)
    return plan, (
        *legality_faults(plan, stated.catalog),
        *multi_model_faults(stated.workload, plan),
        *rollout_faults(stated.name, stated.workload.rollout, plan),
        *alarm_faults(stated.workload, plan),
    )


def _plan_serverless(stated: Stated) -> tuple[ServerlessEndpointPlan, Iterable[PlanFault]]:
    # Only here: most environments have none, and need no cost curves.
    from sizewell.planning.serverless_plan import plan_serverless_endpoint, serverless_faults

    plan = plan_serverless_endpoint(*stated.told, stated.measurements)
    return plan, (*legality_faults(plan, stated.catalog), *serverless_faults(stated.workload, plan))


def _plan_lambda(stated: Stated) -> tuple[LambdaFunctionPlan, Iterable[PlanFault]]:
    # Only here, as of serverless endpoints.
    from sizewell.planning.lambda_plan import lambda_faults, plan_lambda_function

    plan = plan_lambda_function(*stated.told, stated.measurements)
    return plan, (*legality_faults(plan, stated.catalog), *lambda_faults(stated.workload, plan))


def _plan_components(stated: Stated) -> tuple[ComponentEndpointPlan, Iterable[PlanFault]]:
    # Only here, as above.
    from sizewell.planning.component_plan import component_faults, plan_component_endpoint

    plan = plan_component_endpoint(*stated.told, stated.locked)
    return plan, (*legality_faults(plan, stated.catalog), *component_faults(stated.workload, plan))


def _plan_transform(stated: Stated) -> tuple[BatchTransformPlan, Iterable[PlanFault]]:
    plan = plan_batch_transform(*stated.told, stated.locked, stated.measurements, stated.environment_tags)
    return plan, legality_faults(plan, stated.catalog)


def _plan_processing(stated: Stated) -> tuple[ProcessingJobPlan, Iterable[PlanFault]]:
    return plan_processing_job(*stated.told, stated.locked, stated.environment_tags), ()


def _plan_training(stated: Stated) -> tuple[TrainingJobPlan, Iterable[PlanFault]]:
    plan = plan_training_job(*stated.told, stated.locked, stated.measurements, stated.environment_tags)
    return plan, (*definition_faults(plan), *spot_faults(plan))


def _plan_tuning(stated: Stated) -> tuple[TuningJobPlan, Iterable[PlanFault]]:
    plan = plan_tuning_job(*stated.told, stated.locked, stated.measurements, stated.environment_tags)
    return plan, ()


def _plan_pipeline(stated: Stated) -> tuple[PipelinePlan, Iterable[PlanFault]]:
    # Only here, as above.
    from sizewell.planning.pipeline_plan import pipeline_faults, plan_pipeline_of_steps

    pipeline, jobs = stated.workload, stated.jobs
    if any(step.runs not in jobs for step in pipeline.steps.values() if step.runs):
        raise PlanError(())  # a job that cannot be planned says so itself
    plan = plan_pipeline_of_steps(stated.name, pipeline, stated.names, jobs)
    return plan, pipeline_faults(pipeline, plan, jobs)


def _plan_notebook(stated: Stated) -> tuple[NotebookPlan, Iterable[PlanFault]]:
    # Only here, as above.
    from sizewell.planning.notebook_plan import plan_notebook

    return plan_notebook(*stated.told, stated.locked), ()


#: By the name of the kind, in the order of a plan. An ``endpoint`` is planned as the kind that builds its mode.
WORKLOAD_KINDS: Mapping[str, WorkloadKind] = {
    "real-time-endpoint": WorkloadKind(RealTimeEndpoint, _plan_real_time, endpoint_line),
    "asynchronous-endpoint": WorkloadKind(AsynchronousEndpoint, _plan_asynchronous, endpoint_line),
    "multi-model-endpoint": WorkloadKind(MultiModelEndpoint, _plan_multi_model, endpoint_line),
    "serverless-endpoint": WorkloadKind(ServerlessEndpoint, _plan_serverless, serverless_line),
    "lambda-function": WorkloadKind(LambdaFunction, _plan_lambda, lambda_line),
    "inference-component-endpoint": WorkloadKind(
        InferenceComponentEndpoint, _plan_components, component_line
    ),
    "batch-transform": WorkloadKind(BatchTransform, _plan_transform, transform_line),
    "processing-job": WorkloadKind(ProcessingJob, _plan_processing, processing_line),
    "training-job": WorkloadKind(TrainingJob, _plan_training, training_line),
    "tuning-job": WorkloadKind(TuningJob, _plan_tuning, training_line),
    "pipeline": WorkloadKind(Pipeline, _plan_pipeline, pipeline_line),
    "notebook": WorkloadKind(Notebook, _plan_notebook, notebook_line),
}


def plan_workload(stated: Stated) -> tuple[AnyWorkloadPlan, Iterable[PlanFault]]:
    """Return the plan of a workload, and what of it cannot be built; raises what the ``plan`` of a kind does.

    An endpoint in any mode is planned as the kind that builds the mode which is taken for it.
    """
    endpoint = stated.workload
    if not isinstance(endpoint, ModeEndpoint):
        return _planned(stated)
    modes = compare_endpoint_modes(
        endpoint, stated.policy, stated.catalog, stated.measurements, stated.locked
    )
    if modes.chosen is None:
        raise PlanError(tuple(no_mode_faults(stated.name, endpoint, modes)))
    modes = under_lock(endpoint, modes, stated.locked)
    plan, faults = _planned(replace(stated, workload=stated_in_mode(endpoint, modes)))
    return plan.model_copy(update={"modes": modes}), faults


def _planned(stated: Stated) -> tuple[AnyWorkloadPlan, Iterable[PlanFault]]:
    plan, faults = WORKLOAD_KINDS[stated.workload.kind].plan(stated)
    return plan, (*faults, *api_gateway_faults(stated.name, stated.workload, plan))
