"""CodeDeploy: applications, deployment groups and configurations. No traffic is shifted here: an alias moves at once."""

import uuid
from typing import Any

from ministack.core.responses import AccountRegionScopedDict

from sizewell_localcloud.emulator import clock
from sizewell_localcloud.emulator.account import arn, random_suffix
from sizewell_localcloud.emulator.cloudformation import Created
from sizewell_localcloud.emulator.errors import AwsError
from sizewell_localcloud.emulator.json_service import JsonService
from sizewell_localcloud.emulator.resource_schemas import Properties

#: What every account has.
_PREDEFINED = "CodeDeployDefault."


class _Kind:
    """What CodeDeploy keeps of one kind, and its CloudFormation type: the id is the name.

    ``answer`` is the member of a description; ``parent`` is the one whose name is part of the key, and of the ARN.
    """

    blocks = True

    def __init__(self, noun: str, answer: str, parent: "_Kind | None" = None) -> None:
        self.type_name, self.name_property = f"AWS::CodeDeploy::{noun}", f"{noun}Name"
        self.noun, self.answer, self.parent = noun, answer, parent
        self.records = AccountRegionScopedDict()

    def key(self, request: dict[str, Any]) -> tuple[str, ...]:
        """Return the names that a request or a resource calls it by."""
        kinds = [kind for kind in (self.parent, self) if kind is not None]
        return tuple(request[_as_api(kind.name_property)] for kind in kinds)

    def add(self, request: dict[str, Any]) -> dict[str, Any]:
        """Keep a record; what it names must exist."""
        key, member = self.key(request), f"{_as_api(self.noun)}Id"
        if key in self.records:
            raise AwsError(f"{self.noun}AlreadyExistsException", f"{self.noun} {key[-1]} already exists")
        _require_named(self, request)
        self.records[key] = {**request, member: str(uuid.uuid4()), "createTime": clock.now()}
        return {member: self.records[key][member]}

    def describe(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return a record by its names."""
        key = self.key(request)
        if key not in self.records:
            raise AwsError(f"{self.noun}DoesNotExistException", f"No {self.noun} found for name: {key[-1]}")
        return {self.answer: self.records[key]}

    def remove(self, request: dict[str, Any]) -> dict[str, Any]:
        """Forget a record; one that is gone is no error."""
        self.records.pop(self.key(request), None)
        return {}

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Create it under its own name, or a new one for each replacement."""
        name = properties.get(self.name_property) or f"{logical_id[:50]}-{random_suffix()}"
        CODEDEPLOY.call(f"Create{self.noun}", _request({**properties, self.name_property: name}))
        return name, {"Id": name}

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change what does not replace it."""
        request = _request({**new, self.name_property: physical_id})
        if self is _GROUPS:
            changed = {
                key: value for key, value in request.items() if key not in ("tags", "deploymentGroupName")
            }
            CODEDEPLOY.call("UpdateDeploymentGroup", {**changed, "currentDeploymentGroupName": physical_id})
        self.records[self.key(request)]["tags"] = request.get("tags", [])
        return physical_id, {"Id": physical_id}

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Delete it."""
        self.remove(_request({**properties, self.name_property: physical_id}))


_APPLICATIONS = _Kind("Application", "application")
_CONFIGS = _Kind("DeploymentConfig", "deploymentConfigInfo")
_GROUPS = _Kind("DeploymentGroup", "deploymentGroupInfo", parent=_APPLICATIONS)
CODEDEPLOY_TYPES = [_APPLICATIONS, _CONFIGS, _GROUPS]


def reset() -> None:
    """Forget everything."""
    for kind in CODEDEPLOY_TYPES:
        kind.records.clear()


def _require_named(kind: _Kind, request: dict[str, Any]) -> None:
    if kind is _GROUPS:
        _APPLICATIONS.describe(request)
        if not request.get("deploymentConfigName", _PREDEFINED).startswith(_PREDEFINED):
            _CONFIGS.describe(request)


def _update_group(request: dict[str, Any]) -> None:
    changed = {**request, "deploymentGroupName": request.pop("currentDeploymentGroupName")}
    record = _GROUPS.describe(changed)[_GROUPS.answer]
    _require_named(_GROUPS, changed)
    record.update(request)


def _list_tags(request: dict[str, Any]) -> dict[str, Any]:
    for kind in CODEDEPLOY_TYPES:
        for key, record in kind.records.items():
            if arn("codedeploy", f"{kind.noun.lower()}:{'/'.join(key)}") == request["ResourceArn"]:
                return {"Tags": record.get("tags", [])}
    raise AwsError("InvalidArnException", f"Invalid ARN: {request['ResourceArn']}")


def _as_api(name: str) -> str:
    return name[:1].lower() + name[1:]


def _request(properties: Properties) -> dict[str, Any]:
    """Return properties with member names as the API writes them; those of tags are the same in both."""

    def written(value: Any) -> Any:
        if isinstance(value, list):
            return [written(item) for item in value]
        return (
            {_as_api(key): written(item) for key, item in value.items()} if isinstance(value, dict) else value
        )

    return {_as_api(key): value if key == "Tags" else written(value) for key, value in properties.items()}


CODEDEPLOY = JsonService(
    "codedeploy",
    {
        **{f"Create{kind.noun}": kind.add for kind in CODEDEPLOY_TYPES},
        **{f"Get{kind.noun}": kind.describe for kind in CODEDEPLOY_TYPES},
        **{f"Delete{kind.noun}": kind.remove for kind in CODEDEPLOY_TYPES},
        "UpdateDeploymentGroup": _update_group,
        "ListTagsForResource": _list_tags,
    },
)
