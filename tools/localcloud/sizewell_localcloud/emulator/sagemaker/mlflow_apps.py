"""MLflow Apps: they exist, and no tracking server answers."""

from typing import Any

from sizewell_localcloud.emulator import clock, references
from sizewell_localcloud.emulator.account import arn, random_suffix
from sizewell_localcloud.emulator.errors import AwsError, ValidationError
from sizewell_localcloud.emulator.sagemaker import store


def create_mlflow_app(request: dict[str, Any]) -> dict[str, Any]:
    """CreateMlflowApp, which draws the id of the App."""
    references.require_role(request["RoleArn"])
    references.require_bucket_of(request["ArtifactStoreUri"])
    with store.lock:
        if any(app["Name"] == request["Name"] for app in store.mlflow_apps.values()):
            raise AwsError("ConflictException", f"An MLflow App {request['Name']} already exists")
        app_arn = arn("sagemaker", f"mlflow-app/app-{random_suffix().upper()}")
        record = {key: value for key, value in request.items() if key != "Tags"}
        store.mlflow_apps[app_arn] = record | {
            "Arn": app_arn,
            "Status": "Created",
            "CreationTime": clock.now(),
        }
        store.tags[app_arn] = store.tag_map(request.get("Tags"))
    return {"Arn": app_arn}


def describe_mlflow_app(request: dict[str, Any]) -> dict[str, Any]:
    """DescribeMlflowApp."""
    return dict(_found(request["Arn"]))


def update_mlflow_app(request: dict[str, Any]) -> dict[str, Any]:
    """UpdateMlflowApp."""
    with store.lock:
        _found(request["Arn"]).update(request)
    return {"Arn": request["Arn"]}


def delete_mlflow_app(request: dict[str, Any]) -> dict[str, Any]:
    """DeleteMlflowApp."""
    _found(request["Arn"])
    store.mlflow_apps.pop(request["Arn"])
    store.tags.pop(request["Arn"], None)
    return {"Arn": request["Arn"]}


def list_mlflow_apps(request: dict[str, Any]) -> dict[str, Any]:
    """ListMlflowApps, all on one page."""
    if request:
        raise AwsError("NotEmulated", "Listing with filters is not emulated by the local cloud", 501)
    members = ("Arn", "Name", "Status", "CreationTime")
    return {"Summaries": [{key: app[key] for key in members} for _, app in sorted(store.mlflow_apps.items())]}


def _found(app_arn: str) -> dict[str, Any]:
    record: dict[str, Any] | None = store.mlflow_apps.get(app_arn)
    if record is None:
        raise ValidationError(f"Could not find MLflow App {app_arn}")
    return record
