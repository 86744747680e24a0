"""Compare the shape of two environments."""

from collections.abc import Iterator
from dataclasses import dataclass

from sizewell.config.cluster import TargetKind
from sizewell.config.cluster_targets import planned_words
from sizewell.planning.saved_files import FOUNDATION
from sizewell.planning.saved_workload import saved_kind
from sizewell.review.parity import reasons
from sizewell.review.parity.model import Difference, Parity
from sizewell.review.parity.normalisation import EnvironmentNormaliser, StackNormaliser
from sizewell.review.parity.resources import (
    ComparedResource,
    Place,
    Resources,
    compare_resources,
)
from sizewell.review.saved.configuration import clusters
from sizewell.review.saved.output import Assembly
from sizewell.targets.registry import target_facet, target_names
from sizewell.templates.template import Stack

_KINDS = ("missing", "type", "hardware", "image", "permission", "setting", "size", "policy")
_ALLOWED = ("size", "policy")
#: In the construct paths of interface endpoints and of their security group: constructs_lib/foundation/network.py.
_INTERFACE_ENDPOINT = "InterfaceEndpoint"


def compare_shape(environment: Assembly, reference: Assembly) -> Parity:
    """Say where an environment has not the shape of its reference, and where it is smaller.

    Stacks are paired by workload, resources by construct path. Names of the environments, accounts, regions and
    addresses never count.
    """
    found = tuple(sorted(_differences(environment, reference), key=_order))
    differences = tuple(d for d in found if d.kind not in _ALLOWED)
    return Parity(
        environment=environment.environment,
        reference=reference.environment,
        same_shape=not differences,
        differences=differences,
        allowed=tuple(d for d in found if d.kind in _ALLOWED),
        notes=(*environment.notes, *reference.notes),
    )


def _order(difference: Difference) -> tuple[object, ...]:
    return (
        difference.workload != FOUNDATION,
        difference.workload,
        _KINDS.index(difference.kind),
        difference.subject,
        difference.setting,
        difference.why,
    )


def _differences(environment: Assembly, reference: Assembly) -> Iterator[Difference]:
    ours, theirs = _stacks(environment), _stacks(reference)
    if len(ours) == len(theirs) == 1:
        # One stack each is the same stack, whatever it is called.
        theirs = dict(zip(ours, theirs.values(), strict=True))
    planned = environment.plan.workloads if environment.plan else ()
    of_development = {
        workload.name: why for workload in planned if (why := saved_kind(workload.kind).only_in_development)
    }
    why_endpoint = next(iter(of_development.values()), None)
    kinds, reference_kinds = _kinds(environment), _kinds(reference)
    moved = {name for name in kinds.keys() & reference_kinds.keys() if kinds[name] != reference_kinds[name]}
    yield from _clusters(environment, reference)
    for workload in sorted({*ours, *theirs}):
        mine, other = ours.get(workload), theirs.get(workload)
        name = next(stack.name for stack in (other, mine) if stack)
        place = Place(environment.environment, reference.environment, workload, name)
        if (planned_name := workload.partition("/")[0]) in moved:
            if planned_name == workload:
                # What it is made of differs all the same: it says nothing more.
                ours_words, their_words = (planned_words(side[workload]) for side in (kinds, reference_kinds))
                yield place.difference("type", ("kind",), ours_words, their_words, reasons.TYPE)
        elif mine and other:
            for found in compare_resources(place, mine.resources, other.resources):
                yield _allowed(found, place, why_endpoint) if why_endpoint else found
        elif mine and workload in of_development:
            yield place.difference("policy", ("stack",), name, None, of_development[workload])
        elif mine:
            yield place.difference("missing", ("stack",), name, None, reasons.ONLY_OURS)
        else:
            yield place.difference("missing", ("stack",), None, name, reasons.MISSING_STACK)


def _kinds(assembly: Assembly) -> dict[str, str]:
    """Return what each workload was planned as: another place to run is another kind."""
    return {workload.name: workload.kind for workload in assembly.plan.workloads} if assembly.plan else {}


def _clusters(environment: Assembly, reference: Assembly) -> Iterator[Difference]:
    """Yield where a cluster of both is another one, as the configuration describes it."""
    ours, theirs = clusters(environment), clusters(reference)
    for name in sorted(ours.keys() & theirs.keys()):
        cluster, other = ours[name], theirs[name]
        target = cluster.get("type")
        if target != other.get("type") or target not in target_names():
            continue
        place = Place(environment.environment, reference.environment, FOUNDATION, f"clusters.{name}")
        for key, why in target_facet(target, TargetKind).alike.items():
            if cluster.get(key) != other.get(key):
                yield place.difference("setting", (key,), str(cluster.get(key)), str(other.get(key)), why)


def _allowed(found: Difference, place: Place, why: str) -> Difference:
    """Allow an interface endpoint that only we have: our workloads of development may reach AWS by it."""
    if found.kind != "missing" or found.value is None or _INTERFACE_ENDPOINT not in found.subject:
        return found
    why = why.format(environment=place.environment, reference=place.reference)
    return found.model_copy(update={"kind": "policy", "why": why})


@dataclass(frozen=True)
class _StackResources:
    name: str
    resources: Resources


#: What it draws follows from the workloads, which are compared.
_DASHBOARD = "AWS::CloudWatch::Dashboard"


def _stacks(assembly: Assembly) -> dict[str, _StackResources]:
    environment = EnvironmentNormaliser(assembly)
    stacks: dict[str, _StackResources] = {}
    for stack in assembly.stacks.values():
        normaliser = StackNormaliser(environment, stack)
        resources = {
            path: ComparedResource(stack.resources[name], normaliser)
            for name, path in normaliser.paths.items()
            if stack.resources[name].resource_type != _DASHBOARD
        }
        stacks[_workload(assembly, environment, stack)] = _StackResources(stack.name, resources)
    return stacks


def _workload(assembly: Assembly, environment: EnvironmentNormaliser, stack: Stack) -> str:
    """Return the name of the workload with what the stack is nested as; without a plan the name of the stack."""
    _, nested, nested_id = stack.name.partition("/")
    name = assembly.plan.name_of_stack(stack.name) if assembly.plan else None
    return name + nested + nested_id if name else environment.normalise(stack.name)
