"""CodeDeploy: applications, deployment groups and configurations, and their CloudFormation types. No traffic is shifted here:
an alias moves to its new version at once."""

import uuid
from threading import RLock
from typing import Any

from ministack.core.responses import AccountRegionScopedDict

from sizewell.localcloud.emulator import clock
from sizewell.localcloud.emulator.account import arn, random_suffix
from sizewell.localcloud.emulator.cloudformation import Created
from sizewell.localcloud.emulator.errors import AwsError
from sizewell.localcloud.emulator.json_service import JsonService
from sizewell.localcloud.emulator.resource_schemas import Properties

#: Each by name; a group by that of its application as well.
_applications = AccountRegionScopedDict()
_configs = AccountRegionScopedDict()
_groups = AccountRegionScopedDict()
_tags = AccountRegionScopedDict()
_TABLES = (_applications, _configs, _groups, _tags)
_lock = RLock()
#: What every account has.
_PREDEFINED = "CodeDeployDefault."


def reset() -> None:
    """Forget everything."""
    with _lock:
        for table in _TABLES:
            table.clear()


def _add(table: Any, noun: str, key: Any, record: dict[str, Any], tags: Any = None) -> None:
    with _lock:
        if key in table:
            raise AwsError(f"{noun}AlreadyExistsException", f"{noun} {key} already exists")
        table[key] = {**record, f"{noun[:1].lower()}{noun[1:]}Id": str(uuid.uuid4())}
        _tags[_arn(noun, key)] = {tag["Key"]: tag["Value"] for tag in tags or []}


def _arn(noun: str, key: Any) -> str:
    return arn("codedeploy", f"{noun.lower()}:{'/'.join(key) if isinstance(key, tuple) else key}")


def _found(table: Any, noun: str, key: Any) -> dict[str, Any]:
    with _lock:
        if key not in table:
            raise AwsError(f"{noun}DoesNotExistException", f"No {noun} found for name: {key}")
        record: dict[str, Any] = table[key]
        return record


def _group_key(request: dict[str, Any], name: str = "deploymentGroupName") -> tuple[str, str]:
    return request["applicationName"], request[name]


def _create_application(request: dict[str, Any]) -> dict[str, Any]:
    tags = request.pop("tags", None)
    record = {"computePlatform": "Server", **request, "createTime": clock.now()}
    _add(_applications, "Application", request["applicationName"], record, tags)
    return {"applicationId": _applications[request["applicationName"]]["applicationId"]}


def _create_config(request: dict[str, Any]) -> dict[str, Any]:
    name = request["deploymentConfigName"]
    if name.startswith(_PREDEFINED):
        raise AwsError("InvalidDeploymentConfigNameException", f"{_PREDEFINED} is a reserved prefix")
    _add(_configs, "DeploymentConfig", name, {**request, "createTime": clock.now()})
    return {"deploymentConfigId": _configs[name]["deploymentConfigId"]}


def _create_group(request: dict[str, Any]) -> dict[str, Any]:
    tags = request.pop("tags", None)
    application = _found(_applications, "Application", request["applicationName"])
    _require_config(request)
    record = {**request, "computePlatform": application["computePlatform"]}
    _add(_groups, "DeploymentGroup", _group_key(request), record, tags)
    return {"deploymentGroupId": _groups[_group_key(request)]["deploymentGroupId"]}


def _update_group(request: dict[str, Any]) -> None:
    group = _found(_groups, "DeploymentGroup", _group_key(request, "currentDeploymentGroupName"))
    _require_config(request)
    group.update({key: value for key, value in request.items() if key != "currentDeploymentGroupName"})


def _require_config(request: dict[str, Any]) -> None:
    name = request.get("deploymentConfigName", _PREDEFINED)
    if not name.startswith(_PREDEFINED):
        _found(_configs, "DeploymentConfig", name)


def _delete(table: Any, key: Any) -> dict[str, Any]:
    with _lock:
        table.pop(key, None)
    return {}


def _tags_of(request: dict[str, Any]) -> dict[str, str]:
    tags: dict[str, str] = _found(_tags, "Arn", request["ResourceArn"])
    return tags


CODEDEPLOY = JsonService(
    "codedeploy",
    {
        "CreateApplication": _create_application,
        "GetApplication": lambda request: {
            "application": _found(_applications, "Application", request["applicationName"])
        },
        "DeleteApplication": lambda request: _delete(_applications, request["applicationName"]),
        "CreateDeploymentConfig": _create_config,
        "GetDeploymentConfig": lambda request: {
            "deploymentConfigInfo": _found(_configs, "DeploymentConfig", request["deploymentConfigName"])
        },
        "DeleteDeploymentConfig": lambda request: _delete(_configs, request["deploymentConfigName"]),
        "CreateDeploymentGroup": _create_group,
        "GetDeploymentGroup": lambda request: {
            "deploymentGroupInfo": _found(_groups, "DeploymentGroup", _group_key(request))
        },
        "UpdateDeploymentGroup": _update_group,
        "DeleteDeploymentGroup": lambda request: _delete(_groups, _group_key(request)),
        "ListTagsForResource": lambda request: {
            "Tags": [{"Key": key, "Value": value} for key, value in _tags_of(request).items()]
        },
    },
)


class _CodeDeployType:
    """An application, a deployment group or a deployment configuration: its id is its name."""

    blocks = True

    def __init__(self, noun: str) -> None:
        self.type_name = f"AWS::CodeDeploy::{noun}"
        self.name_property = f"{noun}Name"
        self._noun = noun

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Create it under its own name, or a new one for each replacement."""
        name = properties.get(self.name_property) or f"{stack_name}-{logical_id}-{random_suffix()}"[-100:]
        CODEDEPLOY.call(f"Create{self._noun}", _as_api({**properties, self.name_property: name}))
        return name, {"Id": name}

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change a group; what else there is has tags alone that do not replace it."""
        key: Any = physical_id
        if self._noun == "DeploymentGroup":
            key = (new["ApplicationName"], physical_id)
            kept = {name: value for name, value in new.items() if name not in ("Tags", self.name_property)}
            CODEDEPLOY.call(
                "UpdateDeploymentGroup", _as_api({**kept, "CurrentDeploymentGroupName": physical_id})
            )
        _tags[_arn(self._noun, key)] = {tag["Key"]: tag["Value"] for tag in new.get("Tags") or []}
        return physical_id, {"Id": physical_id}

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Delete it; CodeDeploy does not mind when it is gone."""
        names = {**properties, self.name_property: physical_id}
        members = [name for name in ("ApplicationName", self.name_property) if name in names]
        CODEDEPLOY.call(f"Delete{self._noun}", _as_api({name: names[name] for name in members}))


def _as_api(value: Any, name: str = "") -> Any:
    """Return properties with member names as the API writes them; tags are the same in both."""
    if isinstance(value, dict) and name != "tags":
        return {(member := key[:1].lower() + key[1:]): _as_api(item, member) for key, item in value.items()}
    if isinstance(value, list) and name != "tags":
        return [_as_api(item) for item in value]
    return value


CODEDEPLOY_TYPES = [_CodeDeployType(noun) for noun in ("Application", "DeploymentConfig", "DeploymentGroup")]
