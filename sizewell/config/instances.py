"""What a workload says about instances, where it does not leave the choice to the selection."""

from typing import Annotated

from pydantic import Field

from sizewell.config.base import ConfigModel

#: Instance families such as g5; which ones there are, the catalog knows.
Families = Annotated[
    tuple[Annotated[str, Field(pattern=r"^[a-z0-9.-]+$", max_length=20, examples=["g5"])], ...],
    Field(max_length=200),
]


class InstanceConstraints(ConfigModel):
    """Limits on the choice; all requirements hold all the same."""

    instance_type: (
        Annotated[str, Field(pattern=r"^[a-z0-9.-]+$", max_length=40, examples=["ml.g5.xlarge"])] | None
    ) = None
    """Use just this type, for example ml.g5.xlarge. It is checked like any other."""
    allowed_families: Families | None = None
    """Instance families that may be picked, for example [g5, g6]; by default all that the policy allows."""
    denied_families: Families = ()
    """Instance families that may not be picked, beside those that the policy denies."""
