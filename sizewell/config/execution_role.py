"""The role that SageMaker or Lambda assumes for a workload, where the account has one already."""

from typing import Annotated

from pydantic import Field

from sizewell.config.effects import OnChange

#: API reference: CreateRole, RoleName and Path.
RoleArn = Annotated[
    str,
    Field(
        pattern=r"^arn:aws[a-z-]*:iam::[0-9]{12}:role/([A-Za-z0-9+=,.@_-]+/)*[A-Za-z0-9+=,.@_-]{1,64}$",
        max_length=600,
        examples=["arn:aws:iam::111122223333:role/models"],
    ),
]

ON_EXECUTION_ROLE = OnChange(
    changed="it runs as another role of the account",
    added="it runs as a role of the account, which may do whatever its owner says; ours goes",
    removed="it gets a role of its own, which may do no more than it needs",
)
