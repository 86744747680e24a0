"""What AWS would refuse of a workload in its mode: the tables of ``sizewell.facts.serving_features``, asked before CDK starts."""

from collections.abc import Iterator, Mapping

from sizewell.facts.serving_features import Feature, ServedAs, Support, excluded, feature_of, missing
from sizewell.instance_selection import Catalog, HardwareKind
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.kinds.registry import facet
from sizewell.planning.errors import PlanFault
from sizewell.planning.features import INSTANCE_TYPE, KeyPath
from sizewell.planning.kind import PlanKind
from sizewell.planning.volumes import has_local_disks
from sizewell.planning.workload_plan import WorkloadPlan


def legality_faults(plan: WorkloadPlan, catalog: Catalog) -> Iterator[PlanFault]:
    """Yield what AWS refuses of a plan, at the key that asks for it."""
    asked = {feature: path for feature, path, has in facet(plan.kind, PlanKind).features if has(plan)}
    for choice in plan.choices[:1]:
        chosen = catalog.get(choice.selection.chosen.instance_type)
        asked |= dict.fromkeys(_of_hardware(chosen), INSTANCE_TYPE)
    yield from refusals(plan.name, served_as(plan), asked)


def served_as(plan: WorkloadPlan) -> ServedAs:
    """Return how the model of a plan is served."""
    of_kind = facet(plan.kind, PlanKind).served_as
    assert of_kind is not None, f"a {plan.kind} serves no model"
    return of_kind(plan)


def refusals(name: str, mode: ServedAs, asked: Mapping[Feature, KeyPath]) -> Iterator[PlanFault]:
    """Yield what of ``asked``, each feature with its key, a mode does not have, and what does not go together."""
    for feature, path in asked.items():
        row = feature_of(mode, feature)
        if row.supported is Support.NO:
            yield PlanFault(
                ("workloads", name, *path), f"{mode} has no {feature.words}: {row.because}", row.instead
            )
    for pair in excluded(asked, mode):
        yield PlanFault(
            ("workloads", name, *asked[pair.feature]),
            f"{pair.feature.words} does not go with {pair.other.words}: {pair.because}",
            pair.instead,
        )
    for pair in missing(asked, mode):
        yield PlanFault(
            ("workloads", name, *asked[pair.feature]),
            f"{pair.feature.words} needs {pair.other.words}: {pair.because}",
            pair.instead,
        )


def _of_hardware(instance_type: InstanceType) -> Iterator[Feature]:
    kind = hardware_kind(instance_type)
    if instance_type.family == "inf1":
        yield Feature.INFERENTIA1
    elif kind is HardwareKind.NEURON:
        yield Feature.NEURON
    if kind is HardwareKind.CUDA:
        yield Feature.GPU
    if kind is HardwareKind.CPU_ARM64:
        yield Feature.GRAVITON
    if instance_type.burstable:
        yield Feature.BURSTABLE
    if has_local_disks(instance_type):
        yield Feature.LOCAL_NVME
