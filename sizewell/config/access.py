"""Who may invoke an endpoint."""

from typing import Annotated

from pydantic import Field

from sizewell.config.base import ConfigModel
from sizewell.config.effects import OnChange, OnItems
from sizewell.config.execution_role import RoleArn

ON_ACCESS = OnChange(
    added="these roles are given the permission to invoke it",
    removed="no role is given the permission to invoke it any more",
)


class Access(ConfigModel):
    """Which roles are given the permission to invoke the endpoint, and nothing else."""

    callers: Annotated[
        tuple[RoleArn, ...],
        Field(min_length=1, max_length=50),
        OnItems(
            lost="{items} {are} no longer given the permission to invoke it",
            gained="{items} {are} given the permission to invoke it",
        ),
    ]
    """The ARNs of roles. A policy is attached to those of the account; those of other accounts assume a role that is made for
    them, whose ARN is the output InvokeRoleArn of the stack."""
