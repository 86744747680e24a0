"""Model groups and their versions, as far as a pipeline registers models: https://docs.aws.amazon.com/sagemaker/latest/dg/model-registry.html."""

from typing import Any

from sizewell_localcloud.emulator import clock
from sizewell_localcloud.emulator.account import arn
from sizewell_localcloud.emulator.errors import AwsError, ValidationError
from sizewell_localcloud.emulator.events import put_event
from sizewell_localcloud.emulator.sagemaker import store

_GROUP, _STATUS = "ModelPackageGroupName", "ModelApprovalStatus"


def create_group(request: dict[str, Any]) -> dict[str, Any]:
    """CreateModelPackageGroup."""
    name = request[_GROUP]
    group_arn = arn("sagemaker", f"model-package-group/{name.lower()}")
    with store.lock:
        if name in store.model_groups:
            raise ValidationError(f"Model Package Group already exists: {group_arn}")
        store.model_groups[name] = {
            **{key: value for key, value in request.items() if key != "Tags"},
            "ModelPackageGroupArn": group_arn,
            "ModelPackageGroupStatus": "Completed",
            "CreationTime": clock.now(),
            "CreatedBy": {},
        }
        store.tags[group_arn] = store.tag_map(request.get("Tags"))
    return {"ModelPackageGroupArn": group_arn}


def describe_group(request: dict[str, Any]) -> dict[str, Any]:
    """DescribeModelPackageGroup, by name or ARN."""
    name = request[_GROUP].rpartition("/")[2]
    found = store.model_groups.get(name)
    if found is None:
        raise ValidationError(f"ModelPackageGroup {name} does not exist.")
    return dict(found)


def delete_group(request: dict[str, Any]) -> None:
    """DeleteModelPackageGroup: of one without versions."""
    group = describe_group(request)
    if any(package[_GROUP] == group[_GROUP] for package in store.model_packages.values()):
        raise AwsError(
            "ConflictException", f"{group['ModelPackageGroupArn']} cannot be deleted: it has versions"
        )
    store.model_groups.pop(group[_GROUP])
    store.tags.pop(group["ModelPackageGroupArn"], None)


def create_version(request: dict[str, Any]) -> dict[str, Any]:
    """CreateModelPackage: a version of a group, once for each client token."""
    group = describe_group(request)[_GROUP]
    with store.lock:
        versions = [package for package in store.model_packages.values() if package[_GROUP] == group]
        for package in versions:
            if "ClientToken" in request and request["ClientToken"] == package.get("ClientToken"):
                return {"ModelPackageArn": package["ModelPackageArn"]}
        number = len(versions) + 1
        version_arn = arn("sagemaker", f"model-package/{group.lower()}/{number}")
        store.model_packages[version_arn] = {
            _STATUS: "PendingManualApproval",
            **request,
            _GROUP: group,
            "ModelPackageVersion": number,
            "ModelPackageArn": version_arn,
            "ModelPackageStatus": "Completed",
            "ModelPackageStatusDetails": {"ValidationStatuses": []},
            "CreationTime": clock.now(),
        }
    _tell(version_arn)
    return {"ModelPackageArn": version_arn}


def describe_version(request: dict[str, Any]) -> dict[str, Any]:
    """DescribeModelPackage."""
    found = store.model_packages.get(request["ModelPackageName"])
    if found is None:
        raise ValidationError(f"ModelPackage {request['ModelPackageName']} does not exist.")
    return dict(found)


def update_version(request: dict[str, Any]) -> dict[str, Any]:
    """UpdateModelPackage: the approval of a version."""
    version_arn = describe_version({"ModelPackageName": request["ModelPackageArn"]})["ModelPackageArn"]
    with store.lock:
        store.model_packages[version_arn] |= request
    _tell(version_arn)
    return {"ModelPackageArn": version_arn}


def list_versions(request: dict[str, Any]) -> dict[str, Any]:
    """ListModelPackages of a group, all on one page."""
    members = (
        _GROUP,
        "ModelPackageVersion",
        "ModelPackageArn",
        "CreationTime",
        "ModelPackageStatus",
        _STATUS,
    )
    found = [package for package in store.model_packages.values() if package[_GROUP] == request.get(_GROUP)]
    return {"ModelPackageSummaryList": [{key: package[key] for key in members} for package in found]}


def _tell(version_arn: str) -> None:
    members = (_GROUP, "ModelPackageVersion", "ModelPackageArn", _STATUS)
    version = store.model_packages[version_arn]
    detail = {key: version[key] for key in members}
    put_event("SageMaker Model Package State Change", version_arn, detail)
