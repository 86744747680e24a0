"""Limits that a workload sets to the choice of its instance type."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from sizewell.config.base import CHOICES, ConfigModel
from sizewell.config.effects import OnChange, OnItems
from sizewell.config.workload import Workload

#: Instance families such as g5; the catalog knows which exist.
_Families = Annotated[
    tuple[
        Annotated[
            str,
            Field(
                pattern=r"^[a-z0-9.-]+$",
                max_length=20,
                examples=["g5"],
                json_schema_extra={CHOICES: "InstanceFamily"},
            ),
        ],
        ...,
    ],
    Field(max_length=200),
]
AllowedFamilies = Annotated[
    _Families,
    OnItems(
        lost="{items} may not be picked any more",
        gained="{items} may be picked as well",
        added="only {items} may be picked",
        removed="every family may be picked",
    ),
]
DeniedFamilies = Annotated[
    _Families, OnItems(lost="{items} may be picked again", gained="{items} may not be picked any more")
]


class InstanceConstraints(ConfigModel):
    """Limits on the choice of the instance type, which must meet every need all the same."""

    instance_type: Annotated[
        Annotated[
            str,
            Field(
                pattern=r"^[a-z0-9.-]+$",
                max_length=40,
                examples=["ml.g5.xlarge"],
                json_schema_extra={CHOICES: "InstanceType"},
            ),
        ]
        | None,
        OnChange(
            changed="only this type is considered",
            added="only this type is considered",
            removed="the needs choose the type",
        ),
    ] = None
    """The one type that is considered, for example ml.g5.xlarge; it must meet every need all the same."""
    allowed_families: AllowedFamilies | None = None
    """Instance families that may be picked, for example [g5, g6]; by default all that the policy allows."""
    denied_families: DeniedFamilies = ()
    """Instance families that may not be picked, beside those that the policy denies."""


class OnInstances(Workload):
    """What runs on an instance type that the plan chooses."""

    if TYPE_CHECKING:

        @property
        def instances(self) -> InstanceConstraints:
            """Limits on the choice."""
