"""What is planned apart, such as the variants of an endpoint, as one workload again."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sizewell.config.environment import Environment
from sizewell.config.variant_names import path_in_endpoint, variant_of
from sizewell.instance_selection import Catalog
from sizewell.kinds.registry import facet
from sizewell.planning.errors import PlanFault
from sizewell.planning.kind import PlanKind
from sizewell.planning.workload_plan import WorkloadPlan


def join_variants(
    plans: Sequence[WorkloadPlan], environment: Environment, catalog: Catalog
) -> tuple[list[WorkloadPlan], list[PlanFault]]:
    """Return the plans of the workloads, with the variants in their endpoints, and what does not go together.

    An endpoint of which a variant could not be planned is left out: there is a fault of it already.
    """
    by_name = {plan.name: plan for plan in plans}
    joined: list[WorkloadPlan] = []
    faults: list[PlanFault] = []
    for name, workload in environment.workloads.items():
        names = tuple(workload.apart(name))
        found = [by_name[part] for part in names if part in by_name]
        if len(names) == 1:
            joined += found
        elif len(found) == len(names):
            join = facet(workload.kind, PlanKind).join
            assert join is not None, f"a {workload.kind} that is planned apart is joined"
            plan, of_all = join(workload, found, catalog)
            joined.append(plan)
            faults += of_all
    return joined, faults


def faults_as_written(faults: Iterable[PlanFault], environment: Environment) -> list[PlanFault]:
    """Return each fault once, at the key that was written; one of what a variant has from its endpoint says which variant."""
    found: dict[tuple[tuple[str, ...], str], PlanFault] = {}
    for fault in faults:
        path = environment.as_written(fault.key_path)
        if (path, fault.reason) in found:
            continue
        reason = fault.reason
        if (
            path != fault.key_path
            and path[2 : 2 + len(own := path_in_endpoint(variant_of(fault.key_path[1])))] != own
        ):
            reason = f"variant {variant_of(fault.key_path[1])}: {reason}"
        found[path, fault.reason] = replace(fault, key_path=path, reason=reason)
    return list(found.values())
