"""Whether what serves a model that was compiled for a Neuron chip runs on that chip, on as many cores."""

from collections.abc import Iterator, Sequence

from sizewell.instance_selection import Catalog
from sizewell.instance_selection.estimation.processors import logical_cores
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.errors import PlanFault
from sizewell.planning.plan import AnyWorkloadPlan
from sizewell.planning.processing_plan_model import NeuronPlan, ProcessingJobPlan
from sizewell.planning.transform_plan_model import BatchTransformPlan


def compiled_artifact_faults(plans: Sequence[AnyWorkloadPlan], catalog: Catalog) -> Iterator[PlanFault]:
    """Yield each workload whose artifact a compilation of the same place writes for something else than it runs on."""
    compiled = [
        (f"{output.prefix}/", one.name, one.neuron)
        for one in plans
        if isinstance(one, ProcessingJobPlan) and one.neuron is not None
        for output in one.outputs.values()
    ]
    for plan in plans if compiled else ():
        for name, artifact_key, instance_types in _served(plan):
            for prefix, job, neuron in compiled:
                if artifact_key is not None and artifact_key.startswith(prefix):
                    yield from _faults(name, instance_types, job, neuron, catalog)


def _served(plan: AnyWorkloadPlan) -> Iterator[tuple[str, str | None, Sequence[str]]]:
    """Yield name, artifact and types of what is served: all types that may come without a choice of the user's."""
    if isinstance(plan, EndpointPlan):
        for one in plan.variants:
            pools = one.provisioned_pools.instance_types if one.provisioned_pools else (one.instance_type,)
            yield one.name, one.artifact_key, pools
    elif isinstance(plan, BatchTransformPlan):
        yield plan.name, plan.artifact_key, plan.instance_pools


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
