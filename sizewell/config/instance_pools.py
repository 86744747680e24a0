"""Which instance types an endpoint takes when there is no capacity for the best one."""

from typing import Annotated

from pydantic import Field

from sizewell.config.base import ConfigModel
from sizewell.config.effects import OnChange, OnNumber
from sizewell.facts.production_variants import MAX_INSTANCE_POOLS, PROVISION_TIMEOUT_BOUNDS_S

ON_INSTANCE_POOLS = OnChange(
    added="other instance types are taken where there is no capacity for the best one",
    removed="a deployment fails where there is no capacity for the best instance type",
)


class InstancePools(ConfigModel):
    """Types that run the same image, in the order of the choice: SageMaker takes the first that has capacity."""

    max_types: Annotated[
        int,
        Field(ge=2, le=MAX_INSTANCE_POOLS),
        OnNumber("fewer types to fall back to", "more types to fall back to, slower or more expensive ones"),
    ] = 3
    """The most types, the best one included; each meets every need by itself."""
    provision_timeout_s: Annotated[
        int,
        Field(ge=PROVISION_TIMEOUT_BOUNDS_S[0], le=PROVISION_TIMEOUT_BOUNDS_S[1]),
        OnNumber("gives up earlier", "waits longer for capacity"),
    ] = 1200
    """Seconds after which a deployment without capacity in any of them fails (VariantInstanceProvisionTimeoutInSeconds)."""
