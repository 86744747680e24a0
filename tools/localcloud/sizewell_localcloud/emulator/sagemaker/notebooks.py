"""Notebook instances and their start scripts, which do not run here."""

import copy
from typing import Any

from sizewell_localcloud.emulator import clock, references
from sizewell_localcloud.emulator.account import arn, in_background
from sizewell_localcloud.emulator.errors import ValidationError
from sizewell_localcloud.emulator.sagemaker import store
from sizewell_localcloud.emulator.sagemaker.listing import listing

_STATUS, _NAME, _SCRIPTS = (
    "NotebookInstanceStatus",
    "NotebookInstanceName",
    "NotebookInstanceLifecycleConfigName",
)


def create_notebook_instance(request: dict[str, Any]) -> dict[str, Any]:
    """CreateNotebookInstance: it starts at once."""
    name = request[_NAME]
    notebook_arn = arn("sagemaker", f"notebook-instance/{name.lower()}")
    references.require_role(request["RoleArn"])
    references.require_key(request.get("KmsKeyId"))
    if "SubnetId" in request:
        groups = request.get("SecurityGroupIds", [])
        references.require_vpc({"Subnets": [request["SubnetId"]], "SecurityGroupIds": groups})
    elif request.get("DirectInternetAccess") == "Disabled":
        raise ValidationError("DirectInternetAccess can be Disabled only with a SubnetId")
    if "LifecycleConfigName" in request:
        found_lifecycle_config(request["LifecycleConfigName"])
    with store.lock:
        if name in store.notebooks:
            raise ValidationError(f'Cannot create already existing notebook instance "{notebook_arn}".')
        record = {key: value for key, value in request.items() if key != "Tags"}
        store.notebooks[name] = record | {"NotebookInstanceArn": notebook_arn, "CreationTime": clock.now()}
        store.tags[notebook_arn] = store.tag_map(request.get("Tags"))
    _settle(name, "Pending", "InService")
    return {"NotebookInstanceArn": notebook_arn}


def describe_notebook_instance(request: dict[str, Any]) -> dict[str, Any]:
    """DescribeNotebookInstance, which has other names for some members than the request that set them."""
    with store.lock:
        shown = copy.deepcopy(_found(request[_NAME]))
    renamed = {"SecurityGroupIds": "SecurityGroups", "LifecycleConfigName": _SCRIPTS}
    return {renamed.get(key, key): value for key, value in shown.items()}


def update_notebook_instance(request: dict[str, Any]) -> None:
    """UpdateNotebookInstance: of one that is stopped."""
    record = _in_status(request[_NAME], "Stopped", "Failed")
    if request.get("VolumeSizeInGB", 16384) < record.get("VolumeSizeInGB", 5):
        raise ValidationError("You cannot decrease the volume size of a notebook instance")
    with store.lock:
        record.update(request)
    _settle(request[_NAME], "Updating", "Stopped")


def start_notebook_instance(request: dict[str, Any]) -> None:
    """StartNotebookInstance."""
    _in_status(request[_NAME], "Stopped", "Failed")
    _settle(request[_NAME], "Pending", "InService")


def stop_notebook_instance(request: dict[str, Any]) -> None:
    """StopNotebookInstance."""
    _in_status(request[_NAME], "InService")
    _settle(request[_NAME], "Stopping", "Stopped")


def delete_notebook_instance(request: dict[str, Any]) -> None:
    """DeleteNotebookInstance: of one that is stopped."""
    record = _in_status(request[_NAME], "Stopped", "Failed")
    store.notebooks.pop(request[_NAME])
    store.tags.pop(record["NotebookInstanceArn"], None)


def list_notebook_instances(request: dict[str, Any]) -> dict[str, Any]:
    """ListNotebookInstances."""
    records = store.notebooks.values()
    return listing(request, records, prefix="NotebookInstance", answer="NotebookInstances")


def _found(name: str) -> dict[str, Any]:
    record: dict[str, Any] | None = store.notebooks.get(name)
    if record is None:
        raise ValidationError(f"RecordNotFound: could not find notebook instance {name}")
    return record


def _in_status(name: str, *wanted: str) -> dict[str, Any]:
    record = _found(name)
    if record[_STATUS] not in wanted:
        raise ValidationError(
            f"Status ({record[_STATUS]}) not in ([{', '.join(wanted)}]). Unable to transition to the status of the request "
            f"for Notebook Instance ({record['NotebookInstanceArn']})."
        )
    return record


def _settle(name: str, meanwhile: str, then: str) -> None:
    record = _found(name)
    with store.lock:
        record |= {_STATUS: meanwhile, "LastModifiedTime": clock.now()}

    def run() -> None:
        clock.pause(clock.INSTANCE_START_S)
        with store.lock:
            record[_STATUS] = then

    in_background(run, f"settle {name}")


def create_lifecycle_config(request: dict[str, Any]) -> dict[str, Any]:
    """CreateNotebookInstanceLifecycleConfig."""
    name = request[_SCRIPTS]
    config_arn = arn("sagemaker", f"notebook-instance-lifecycle-config/{name.lower()}")
    if name in store.lifecycle_configs:
        raise ValidationError(f'Cannot create already existing lifecycle configuration "{config_arn}".')
    store.lifecycle_configs[name] = {
        **{key: value for key, value in request.items() if key != "Tags"},
        "NotebookInstanceLifecycleConfigArn": config_arn,
        "CreationTime": clock.now(),
    }
    store.tags[config_arn] = store.tag_map(request.get("Tags"))
    return {"NotebookInstanceLifecycleConfigArn": config_arn}


def describe_lifecycle_config(request: dict[str, Any]) -> dict[str, Any]:
    """DescribeNotebookInstanceLifecycleConfig."""
    return found_lifecycle_config(request[_SCRIPTS])


def update_lifecycle_config(request: dict[str, Any]) -> None:
    """UpdateNotebookInstanceLifecycleConfig: an instance runs it when it starts next."""
    found_lifecycle_config(request[_SCRIPTS])
    store.lifecycle_configs[request[_SCRIPTS]] |= request


def delete_lifecycle_config(request: dict[str, Any]) -> None:
    """DeleteNotebookInstanceLifecycleConfig."""
    record = found_lifecycle_config(request[_SCRIPTS])
    store.lifecycle_configs.pop(request[_SCRIPTS])
    store.tags.pop(record["NotebookInstanceLifecycleConfigArn"], None)


def list_lifecycle_configs(request: dict[str, Any]) -> dict[str, Any]:
    """ListNotebookInstanceLifecycleConfigs."""
    records = store.lifecycle_configs.values()
    prefix = "NotebookInstanceLifecycleConfig"
    return listing(request, records, prefix=prefix, answer=f"{prefix}s")


def found_lifecycle_config(name: str) -> dict[str, Any]:
    """Return a lifecycle configuration. Raises ValidationError."""
    record = store.lifecycle_configs.get(name)
    if record is None:
        raise ValidationError(f"Could not find notebook instance lifecycle configuration {name}")
    return dict(record)
