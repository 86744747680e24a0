"""Amazon EKS's CloudFormation type for managed node groups: that of ministack forgets Spot, and takes updates that EKS refuses.

No instance is launched, and neither role nor subnets are looked for: the cluster is a stand-in.
"""

import json
import secrets
from typing import Any

from ministack.services import eks

from sizewell_localcloud.emulator.cloudformation import Created
from sizewell_localcloud.emulator.errors import AwsError
from sizewell_localcloud.emulator.resource_schemas import Properties

#: What EKS calls a version of the group: https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateNodegroupVersion.html
_OF_VERSION = {"Version", "ReleaseVersion", "LaunchTemplate"}
#: Their keys are those of whoever wrote them.
_MAPS = {"Labels", "Tags"}


class _NodeGroup:
    """The nodes of one group: most of its properties replace it."""

    type_name = "AWS::EKS::Nodegroup"
    name_property = "NodegroupName"
    blocks = False

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Create it; without a name, CloudFormation makes one."""
        cluster_name = properties["ClusterName"]
        name = properties.get("NodegroupName") or f"{logical_id}-{secrets.token_hex(6)}"
        request = _request(properties) | {"nodegroupName": name}
        status, _, body = eks._create_nodegroup(cluster_name, request)
        if status != 200:
            answer = json.loads(body)
            raise AwsError(answer["__type"], answer["message"], status)
        physical_id = f"{cluster_name}/{name}"
        eks._nodegroups[physical_id].update(request)
        return _created(physical_id)

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change the version, or else numbers, labels, taints and tags."""
        changed = {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
        if changed & _OF_VERSION and changed - _OF_VERSION:
            # https://github.com/aws/containers-roadmap/issues/1258 has the words.
            raise AwsError(
                "InvalidRequest", "Version and ReleaseVersion updates cannot be combined with other updates"
            )
        eks._nodegroups[physical_id].update(_request(new))
        return _created(physical_id)

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Delete it; it may be gone."""
        eks._delete_nodegroup(*physical_id.split("/"))


NODE_GROUP_TYPES = [_NodeGroup()]


def _request(properties: Properties) -> dict[str, Any]:
    """Return the properties as the API has them."""
    empty: dict[str, Any] = {"labels": {}, "taints": [], "tags": {}}
    return empty | {
        _member(key): value if key in _MAPS else _members(value) for key, value in properties.items()
    }


def _members(value: Any) -> Any:
    if isinstance(value, list):
        return [_members(item) for item in value]
    return {_member(key): _members(item) for key, item in value.items()} if isinstance(value, dict) else value


def _member(name: str) -> str:
    return name[:1].lower() + name[1:]


def _created(physical_id: str) -> Created:
    return physical_id, {"Id": physical_id, "Arn": eks._nodegroups[physical_id]["nodegroupArn"]}
