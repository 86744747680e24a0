"""Whether what serves a model that was compiled for a Neuron chip runs on that chip, on as many cores."""

from collections.abc import Iterator, Sequence

from sizewell.instance_selection import Catalog
from sizewell.instance_selection.estimation.processors import logical_cores
from sizewell.planning.errors import PlanFault
from sizewell.planning.workload_plan import NeuronPlan, WorkloadPlan


def compiled_artifact_faults(plans: Sequence[WorkloadPlan], catalog: Catalog) -> Iterator[PlanFault]:
    """Yield each workload whose artifact a compilation of the same place writes for something else than it runs on."""
    compiled = [
        (f"{prefix}/", plan.name, neuron)
        for plan in plans
        if plan.compiled is not None
        for neuron, prefixes in [plan.compiled]
        for prefix in prefixes
    ]
    for plan in plans if compiled else ():
        for name, artifact_key, instance_types in plan.served_artifacts:
            for prefix, job, neuron in compiled:
                if artifact_key is not None and artifact_key.startswith(prefix):
                    yield from _faults(name, instance_types, job, neuron, catalog)


def _faults(
    name: str, instance_types: Sequence[str], job: str, neuron: NeuronPlan, catalog: Catalog
) -> Iterator[PlanFault]:
    for instance_type in map(catalog.get, instance_types):
        if instance_type.family != neuron.target:
            yield PlanFault(
                ("workloads", name, "instances"),
                f"{instance_type.name} is chosen, but {job} compiles the artifact for {neuron.target}",
                f"write allowed_families: [{neuron.target}], or another neuron.target of {job}",
            )
            return
        chip = instance_type.accelerator
        cores = logical_cores(chip) * instance_type.accelerator_count if chip else 0
        if cores < neuron.cores:
            yield PlanFault(
                ("workloads", name, "instances"),
                f"{instance_type.name} has {cores} NeuronCores, but {job} spreads the model over {neuron.cores}",
                f"name a larger type as instance_type, or lower neuron.cores of {job}",
            )
            return
