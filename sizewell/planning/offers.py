"""Which instance types the region of a plan offers, for the checks of templates."""

from sizewell.checks.offers import OfferedTypes
from sizewell.instance_selection import load_catalog
from sizewell.instance_selection.catalog import PACKAGED, RefreshedTables, Usage
from sizewell.planning.plan import DeploymentPlan


def offered_elsewhere(plan: DeploymentPlan, refreshed: RefreshedTables = PACKAGED) -> dict[str, OfferedTypes]:
    """Return, by the names of the stacks that go to another region than most, which types that one offers."""
    regions = {one.place: one.region for one in plan.places if one.region != plan.region}
    offered = {region: offered_types(region, refreshed) for region in set(regions.values())}
    return {one.stack_name: offered[regions[one.place]] for one in plan.workloads if one.place in regions}


def offered_types(region: str, refreshed: RefreshedTables = PACKAGED) -> OfferedTypes:
    """Return the types that the catalog knows to be offered in a region for hosting and for training."""
    catalog = load_catalog(region, refreshed)
    names = tuple(instance_type.name for instance_type in catalog.instance_types)
    return OfferedTypes(
        region,
        hosting=frozenset(name for name in names if catalog.is_offered(name, Usage.HOSTING)),
        training=frozenset(name for name in names if catalog.is_offered(name, Usage.TRAINING)),
    )
