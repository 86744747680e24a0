"""Which instance types the region of a plan offers, for the checks of templates."""

from sizewell.checks.offers import OfferedTypes
from sizewell.instance_selection import load_catalog
from sizewell.instance_selection.catalog import Usage


def offered_types(region: str) -> OfferedTypes:
    """Return the types that the catalog knows to be offered in a region for hosting and for training."""
    catalog = load_catalog(region)
    names = tuple(instance_type.name for instance_type in catalog.instance_types)
    return OfferedTypes(
        region,
        hosting=frozenset(name for name in names if catalog.is_offered(name, Usage.HOSTING)),
        training=frozenset(name for name in names if catalog.is_offered(name, Usage.TRAINING)),
    )
