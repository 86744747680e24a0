"""``sizewell migrate``: what a workload would be on Inferentia or Trainium."""

from pathlib import Path

from sizewell.cli.errors import exit_unknown_workload, exit_with
from sizewell.config.base import with_article
from sizewell.config.training import TrainingJob
from sizewell.instance_selection import EndpointEstimate, TrainingEstimate
from sizewell.instance_selection.migration import (
    MigrationAssessment,
    assess_endpoint_migration,
    assess_training_migration,
)
from sizewell.planning.component_plan_model import ComponentEndpointPlan
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.load import load_inputs, load_plan
from sizewell.planning.measurements import measurements_by_workload
from sizewell.planning.mode_kinds import stated_as_planned
from sizewell.planning.notebook_plan_model import NotebookPlan
from sizewell.planning.processing_plan_model import ProcessingJobPlan
from sizewell.planning.training_plan_model import TrainingJobPlan
from sizewell.planning.transform_plan_model import BatchTransformPlan
from sizewell.planning.translate import serving_requirements, training_requirements
from sizewell.planning.tuning_plan_model import TuningJobPlan

AnyAssessment = MigrationAssessment[EndpointEstimate] | MigrationAssessment[TrainingEstimate]


def assess(directory: Path, environment_name: str, workload_name: str) -> AnyAssessment:
    """Return the assessment of a workload against what its plan, lock included, runs it on.

    Raises ``ConfigError`` with every fault of the files and of needs that nothing meets; ends the command when there
    is no such workload.
    """
    inputs = load_inputs(directory, environment_name)
    environment = inputs.loaded.environment
    workload = environment.workloads.get(workload_name)
    if workload is None:
        exit_unknown_workload(workload_name, environment_name, environment.workloads)
    inputs = inputs.of_place(workload_name)
    environment = inputs.loaded.environment
    workload = environment.workloads[workload_name]
    plan = load_plan(directory, environment_name, within_budget=False)
    planned = next(p for p in plan.workloads if p.name == workload_name)
    measured = measurements_by_workload(inputs.loaded.measurements, environment).get(workload_name, ())
    if isinstance(planned, EndpointPlan):
        stated = stated_as_planned(workload, planned)
        endpoint = serving_requirements(stated, environment.policy, measured)
        return assess_endpoint_migration(endpoint, inputs.catalog, planned.selection.chosen)
    if isinstance(planned, BatchTransformPlan | ComponentEndpointPlan | TuningJobPlan):
        exit_with(
            f"{workload_name} is {with_article(planned.kind.replace('-', ' '))}: migration is assessed for endpoints of one "
            "model and training jobs; its own choice "
            f"covers Inferentia where container.images.neuron is given: sizewell explain {workload_name} --env {environment_name}"
        )
    if isinstance(planned, ProcessingJobPlan | NotebookPlan):
        exit_with(
            f"{workload_name} is a {planned.kind.replace('-', ' ')}, which never runs on Inferentia or Trainium"
        )
    if not isinstance(planned, TrainingJobPlan):
        exit_with(f"{workload_name} is a {planned.kind}, which has no instance type to change")
    workload = environment.apart().workloads[workload_name]
    assert isinstance(workload, TrainingJob), "a training job has the plan of a training job"
    job = training_requirements(workload, environment.policy, planned.method, measurements=measured)
    return assess_training_migration(job, inputs.catalog, planned.selection.chosen)
