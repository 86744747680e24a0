"""The file systems that a training job mounts: what the API calls them, and the ports that they are reached by.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_FileSystemDataSource.html, read 2026-11-23
"""

from typing import Literal

FileSystemType = Literal["FSxLustre", "EFS"]

#: FileSystemDataSource, FileSystemType, by the word of the configuration.
FILE_SYSTEM_TYPES: dict[str, FileSystemType] = {"fsx-lustre": "FSxLustre", "efs": "EFS"}
FILE_SYSTEM_ID_PATTERN = r"^fs-([0-9a-f]{8}|[0-9a-f]{17})$"

#: First and last TCP port of each range.
PORTS: dict[FileSystemType, tuple[tuple[int, int], ...]] = {
    # https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html
    "FSxLustre": ((988, 988), (1018, 1023)),
    # https://docs.aws.amazon.com/efs/latest/ug/network-access.html
    "EFS": ((2049, 2049),),
}
#: Those whose servers also call their clients, on the same ports: the security groups of Lustre admit each other.
CALLS_BACK: frozenset[FileSystemType] = frozenset({"FSxLustre"})
