"""``sizewell migrate``: what a workload would be on Inferentia or Trainium."""

from pathlib import Path

from sizewell.cli.errors import exit_unknown_workload, exit_with
from sizewell.cli.explanation import subject_of
from sizewell.cli.kind import ViewKind
from sizewell.config.base import with_article
from sizewell.instance_selection import EndpointEstimate, TrainingEstimate
from sizewell.instance_selection.migration import MigrationAssessment
from sizewell.kinds.registry import facet
from sizewell.planning.load import load_inputs, load_plan

AnyAssessment = MigrationAssessment[EndpointEstimate] | MigrationAssessment[TrainingEstimate]


def assess(directory: Path, environment_name: str, workload_name: str) -> AnyAssessment:
    """Return the assessment of a workload against what its plan, lock included, runs it on.

    Raises ``ConfigError`` with every fault of the files and of needs that nothing meets; ends the command when there
    is no such workload.
    """
    inputs = load_inputs(directory, environment_name)
    workloads = inputs.loaded.environment.workloads
    if workload_name not in workloads:
        exit_unknown_workload(workload_name, environment_name, workloads)
    plan = load_plan(directory, environment_name, within_budget=False)
    planned = next(workload for workload in plan.workloads if workload.name == workload_name)
    view = facet(planned.kind, ViewKind)
    if view.migrate is None:
        kind = with_article(planned.kind.replace("-", " "))
        explained = f": sizewell explain {workload_name} --env {environment_name}" if view.explain else ""
        exit_with(f"{workload_name} is {kind}, {view.why_not_migrated}{explained}")
    assessment: AnyAssessment = view.migrate(subject_of(planned, inputs))
    return assessment
