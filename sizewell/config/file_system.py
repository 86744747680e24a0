"""A directory of a file system that the account has, which training jobs mount and only read."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, fault
from sizewell.config.effects import OnChange
from sizewell.config.existing import SecurityGroupId
from sizewell.facts.file_systems import FILE_SYSTEM_ID_PATTERN

_OPENED = "training jobs are let in by another security group"
_ON_GROUP = OnChange(changed=_OPENED, added=_OPENED, removed=_OPENED)


class FileSystem(ConfigModel):
    """A directory of Amazon FSx for Lustre or Amazon EFS, in the VPC of the jobs; they only read it."""

    type: Literal["fsx-lustre", "efs"]
    """The kind of file system."""
    id: Annotated[str, Field(pattern=FILE_SYSTEM_ID_PATTERN, examples=["fs-0123456789abcdef0"])]
    """The id of the file system, in the account and region."""
    directory: Annotated[
        str,
        Field(
            pattern=r"^/([A-Za-z0-9_=-][A-Za-z0-9_.=-]*(/[A-Za-z0-9_=-][A-Za-z0-9_.=-]*)*)?$",
            max_length=4096,
            examples=["/fsx/plants"],
        ),
    ]
    """The full path of the directory; of FSx for Lustre it begins with the mount name of the file system, as /fsx/plants."""
    security_group_id: Annotated[SecurityGroupId | None, _ON_GROUP] = None
    """The id of the security group of the file system, which gets rules that let training jobs in."""

    @model_validator(mode="after")
    def _directory_begins_with_mount_name(self) -> Self:
        if self.type == "fsx-lustre" and self.directory == "/":
            raise fault(
                "directory",
                "is /, but a directory of FSx for Lustre begins with the mount name that the console shows with the file "
                "system; write /MOUNTNAME",
            )
        return self
