"""``sizewell modes``: compare the ways to serve one endpoint."""

from collections.abc import Iterator
from pathlib import Path

from sizewell.cli.errors import exit_unknown_workload, exit_with
from sizewell.config.base import with_article
from sizewell.config.cluster import target_of
from sizewell.config.cluster_targets import targets_that_run
from sizewell.config.endpoint import EndpointNeeds
from sizewell.instance_selection.catalog import UnknownInstanceTypeError
from sizewell.planning.context_length import model_faults
from sizewell.planning.infeasible import unknown_type_fault
from sizewell.planning.load import load_inputs
from sizewell.planning.lock_file import read_lock_file
from sizewell.planning.measurements import measurements_by_workload
from sizewell.planning.mode_kinds import mode_kinds
from sizewell.planning.modes import compare_endpoint_modes
from sizewell.serving_modes import ModeComparison


def compare(
    directory: Path, environment_name: str, workload_name: str
) -> tuple[str, ModeComparison, list[str]]:
    """Return the region and all modes of an endpoint, and where else it may run, whatever else the plan makes of the environment.

    Raises ``ConfigError`` with every fault of the files; ends the command when there is no such endpoint.
    """
    inputs = load_inputs(directory, environment_name)
    environment = inputs.loaded.environment
    workload = environment.workloads.get(workload_name)
    if workload is None:
        exit_unknown_workload(workload_name, environment_name, environment.workloads)
    if not isinstance(workload, EndpointNeeds):
        exit_with(
            f"{workload_name} is of kind {workload.kind}: modes are compared for kind: endpoint and for real-time endpoints"
        )
    if faults := tuple(model_faults(workload_name, workload)):
        raise inputs.error(faults)
    inputs = inputs.of_place(workload_name)
    environment = inputs.loaded.environment
    workload = environment.workloads[workload_name]
    assert isinstance(workload, EndpointNeeds)
    measured = measurements_by_workload(inputs.loaded.measurements, environment).get(workload_name, ())
    lock = read_lock_file(directory)
    locked = lock.lock.environments.get(environment_name) if lock else None
    try:
        comparison = compare_endpoint_modes(
            workload,
            environment.policy,
            inputs.catalog,
            measured,
            locked.workloads.get(workload_name) if locked else None,
        )
    except UnknownInstanceTypeError as error:
        known = frozenset(instance_type.name for instance_type in inputs.catalog.instance_types)
        raise inputs.error([unknown_type_fault(workload_name, error, known)]) from None
    return environment.policy.region, comparison, list(_places(workload_name, workload))


def _places(name: str, workload: EndpointNeeds) -> Iterator[str]:
    """Yield where an endpoint runs or may run beside SageMaker, which the modes are of."""
    if (target := target_of(workload)) is not None:
        yield f"target is {target}, and the modes are those of SageMaker and Lambda; sizewell targets {name} compares the places"
    for kind, of_mode in mode_kinds().items():
        if targets := [with_article(found.words) for found in targets_that_run(kind)]:
            yield f"{of_mode.mode}: target moves {with_article(kind)} into {' or '.join(targets)}"
