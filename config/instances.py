"""What a workload says about instances, where it does not leave the choice to the selection."""

from typing import Annotated

from pydantic import Field

from config.base import ConfigModel


class InstanceConstraints(ConfigModel):
    """Limits on the choice; all requirements hold all the same."""

    instance_type: Annotated[str, Field(pattern=r"^[a-z0-9.-]+$", examples=["ml.g5.xlarge"])] | None = None
    """Use just this type, for example ml.g5.xlarge. It is checked like any other."""
    allowed_families: tuple[str, ...] | None = None
    denied_families: tuple[str, ...] = ()
