"""A directory of a file system that the account has, which training jobs mount and only read."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, fault, without
from sizewell.config.effects import OnChange
from sizewell.config.existing import SecurityGroupId
from sizewell.config.network import SubnetId
from sizewell.facts.file_systems import FILE_SYSTEM_ID_PATTERN

_OPENED = "training jobs are let in by another security group"
_ON_GROUP = OnChange(changed=_OPENED, added=_OPENED, removed=_OPENED)
_MOVED = "jobs run in another zone"
_ON_SUBNET = OnChange(changed=_MOVED, added=_MOVED, removed=_MOVED)


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
    subnet_id: Annotated[SubnetId | None, _ON_SUBNET] = None
    """Of FSx for Lustre, the id of the subnet in the zone of the file system: the job runs there, and in no other zone."""

    @model_validator(mode="after")
    def _directory_begins_with_mount_name(self) -> Self:
        if self.type == "fsx-lustre" and self.directory == "/":
            raise fault(
                "directory",
                "is /, but a directory of FSx for Lustre begins with the mount name that the console shows with the file "
                "system; write /MOUNTNAME",
            )
        return self

    @model_validator(mode="after")
    def _lustre_is_in_one_zone(self) -> Self:
        """https://docs.aws.amazon.com/sagemaker/latest/dg/model-access-training-data.html: "you need to specify a VPC subnet
        which maps to this Availability Zone ID"."""
        if self.type == "fsx-lustre" and self.subnet_id is None:
            raise fault(
                "subnet_id",
                "is missing: name the subnet in the zone of the file system: jobs that read Lustre run there",
            )
        if self.type == "efs" and self.subnet_id is not None:
            raise fault(
                "subnet_id",
                f"has no effect on EFS, which has a mount target in each zone; {without('subnet_id')}",
            )
        return self
