"""What a bootstrap is called, from the configuration."""

from sizewell.config.bootstrap import Bootstrap
from sizewell.planning.foundation_plan_model import BootstrapPlan


def plan_bootstrap(bootstrap: Bootstrap | None) -> BootstrapPlan | None:
    """Return the names; None where all are as usual."""
    return BootstrapPlan(**bootstrap.model_dump()) if bootstrap is not None else None
