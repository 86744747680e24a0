"""Who may invoke an endpoint."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, fault
from sizewell.config.effects import OnChange, OnItems
from sizewell.config.execution_role import RoleArn

ON_ACCESS = OnChange(
    added="these roles are given the permission to invoke it",
    removed="no role is given the permission to invoke it any more",
)


Callers = Annotated[tuple[RoleArn, ...], Field(min_length=1, max_length=50)]


class ApiGateway(ConfigModel):
    """A private REST API of API Gateway before the endpoint: callers send HTTPS requests, signed for execute-api."""

    callers: Annotated[
        Callers,
        OnItems(lost="{items} can no longer call the API", gained="{items} can call the API"),
    ]
    """The ARNs of the roles that may call the API from the VPC, and no others, of any account. They need no permission to
    invoke the endpoint."""


class Access(ConfigModel):
    """Which roles are given the permission to invoke the endpoint, and nothing else, and by which way."""

    callers: Annotated[
        Callers,
        OnItems(
            lost="{items} {are} no longer given the permission to invoke it",
            gained="{items} {are} given the permission to invoke it",
        ),
    ] = ()
    """The ARNs of roles. A policy is attached to those of the account; those of other accounts assume a role that is made for
    them, whose ARN is the output InvokeRoleArn of the stack."""
    api_gateway: Annotated[
        ApiGateway | None,
        OnChange(
            added="a private API stands before it, and is paid by the request",
            removed="its API goes, and with it the address that callers have",
        ),
    ] = None
    """A private API before the endpoint, for callers that do not call SageMaker; by default there is none."""

    @model_validator(mode="after")
    def _somebody_calls(self) -> Self:
        if not self.callers and self.api_gateway is None:
            raise fault("callers", "is missing: name the roles that may invoke the endpoint")
        return self
