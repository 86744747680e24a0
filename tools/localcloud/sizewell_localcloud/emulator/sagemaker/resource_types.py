"""SageMaker's CloudFormation types. ``Ref`` is the ARN, names are attributes; CloudFormation names what has no name."""

from typing import Any

from sizewell_localcloud.emulator import clock
from sizewell_localcloud.emulator.account import random_suffix
from sizewell_localcloud.emulator.cloudformation import Created
from sizewell_localcloud.emulator.errors import AwsError, ValidationError
from sizewell_localcloud.emulator.resource_schemas import Properties
from sizewell_localcloud.emulator.sagemaker import store
from sizewell_localcloud.emulator.sagemaker.service import SAGEMAKER

#: How long CloudFormation waits for a resource, in seconds of AWS.
_WAIT_S = 3 * 3600.0


def _request(properties: Properties, **more: Any) -> dict[str, Any]:
    return {key: value for key, value in {**properties, **more}.items() if value is not None}


def _without_tags(properties: Properties) -> dict[str, Any]:
    return {key: value for key, value in properties.items() if key != "Tags"}


def _update_tags(arn: str, new: Properties) -> None:
    store.tags[arn] = store.tag_map(new.get("Tags"))


class _Named:
    """A resource with a name, which CloudFormation makes where the template has none: every property but the tags replaces."""

    blocks = True
    #: Members that requests to create it do not have.
    update_only: tuple[str, ...] = ()
    #: CloudFormation waits for one of these; without any, the resource is there at once.
    final_statuses: frozenset[str] = frozenset()

    def __init__(self, noun: str, table: Any) -> None:
        self.type_name = f"AWS::SageMaker::{noun}"
        self.name_property = f"{noun}Name"
        self._noun = noun
        self._table = table

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Create it under its own name, or a new one for each replacement, and wait."""
        name = properties.get(self.name_property) or f"{logical_id[:50]}-{random_suffix()}"
        request = _request(properties, **{self.name_property: name})
        taken = {key: value for key, value in request.items() if key not in self.update_only}
        arn = SAGEMAKER.call(f"Create{self._noun}", taken)[f"{self._noun}Arn"]
        if self.final_statuses:
            self._check_created(arn, self._settled(name))
        return arn, self._attributes(arn, name)

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change the tags."""
        _update_tags(physical_id, new)
        return physical_id, self._attributes(physical_id, self._name(physical_id))

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Delete it, unless it is gone."""
        try:
            self._call("Delete", self._name(physical_id))
        except ValidationError as error:
            if "Could not find" not in error.message:
                raise

    def _check_created(self, arn: str, found: dict[str, Any]) -> None:
        """Raise AwsError for a final status that is no success."""

    def _call(self, verb: str, name: str, **members: Any) -> Any:
        return SAGEMAKER.call(f"{verb}{self._noun}", {**members, self.name_property: name})

    def _settled(self, name: str) -> dict[str, Any]:
        """Wait until it has a final status; return its description."""
        waited = 0.0
        while waited < _WAIT_S:
            found: dict[str, Any] = self._call("Describe", name)
            if found[f"{self._noun}Status"] in self.final_statuses:
                return found
            clock.pause(10)
            waited += 10
        raise AwsError("NotStabilized", f"{self._noun} {name} did not stabilize")

    def _name(self, arn: str) -> str:
        """Return the name of an ARN, which is in lower case there."""
        for record in self._table.values():
            if record[f"{self._noun}Arn"] == arn:
                return str(record[self.name_property])
        return arn.rpartition("/")[2]

    def _attributes(self, arn: str, name: str) -> dict[str, Any]:
        return {self.name_property: name, f"{self._noun}Arn": arn, "Id": arn}


class _Endpoint(_Named):
    """An endpoint: CloudFormation waits until it is in service, and deletes one that never got there."""

    update_only = ("RetainAllVariantProperties", "ExcludeRetainedVariantProperties", "RetainDeploymentConfig")
    final_statuses = frozenset({"InService", "Failed"})

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Update it and wait; a change of the tags alone leaves it in peace."""
        updated = super().update(physical_id, old, new, stack_name)
        if _without_tags(old) != _without_tags(new):
            name = self._name(physical_id)
            self._call("Update", name, **_request(_without_tags(new)))
            endpoint = self._settled(name)
            # A stack that rolls back to what the endpoint has gone back to by itself is content with the name; an
            # update that keeps the configuration is not.
            kept = old["EndpointConfigName"] == new["EndpointConfigName"]
            failed = kept and "FailureReason" in endpoint
            if endpoint["EndpointConfigName"] != new["EndpointConfigName"] or failed:
                raise AwsError(
                    "NotStabilized", f"Endpoint {name} was rolled back: {endpoint.get('FailureReason')}"
                )
        return updated

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Delete it, unless somebody else does or did, and wait until it is gone."""
        name = self._name(physical_id)
        endpoint = store.endpoints.get(name)
        waited = 0.0
        while endpoint is not None and store.endpoints.get(name) is endpoint:
            if waited >= _WAIT_S:
                raise AwsError("NotStabilized", f"Endpoint {name} is still there")
            if endpoint["EndpointStatus"] in self.final_statuses:
                try:
                    super().delete(physical_id, properties)
                except ValidationError as error:
                    if "in-progress" not in error.message:
                        raise
            clock.pause(10)
            waited += 10

    def _check_created(self, arn: str, found: dict[str, Any]) -> None:
        if found["EndpointStatus"] != "InService":
            self.delete(arn, found)
            name, reason = found["EndpointName"], found.get("FailureReason")
            raise AwsError("NotStabilized", f"Endpoint {name} failed: {reason}")


class _InferenceComponent(_Named):
    """An inference component: CloudFormation waits until its copies are in service."""

    update_only = ("DeploymentConfig",)
    final_statuses = frozenset({"InService"})

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Update it and wait; a change of the tags alone leaves it in peace."""
        updated = super().update(physical_id, old, new, stack_name)
        members = ("Specification", "RuntimeConfig", "DeploymentConfig")
        if any(old.get(key) != new.get(key) for key in members):
            name = self._name(physical_id)
            self._call("Update", name, **{key: new[key] for key in members if new.get(key) is not None})
            self._settled(name)
        return updated

    def _attributes(self, arn: str, name: str) -> dict[str, Any]:
        return {"InferenceComponentArn": arn, "Id": arn}


class _LifecycleConfig(_Named):
    """The scripts of notebook instances, which can change."""

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change the scripts and the tags."""
        self._call("Update", self._name(physical_id), **_without_tags(new))
        return super().update(physical_id, old, new, stack_name)


class _NotebookInstance(_Named):
    """A notebook instance: CloudFormation stops it for an update and to delete it, and starts it again after an update."""

    final_statuses = frozenset({"InService", "Stopped", "Failed"})

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Update what differs; a change of the tags alone leaves it in peace."""
        updated = super().update(physical_id, old, new, stack_name)
        changed = {key: value for key, value in _without_tags(new).items() if old.get(key) != value}
        if changed:
            name = self._name(physical_id)
            was_in_service = self._stop(name)
            self._call("Update", name, **changed)
            self._settled(name)
            if was_in_service:
                self._call("Start", name)
                self._settled(name)
        return updated

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Stop and delete it, unless it is gone."""
        name = self._name(physical_id)
        if name in store.notebooks:
            self._stop(name)
            self._call("Delete", name)

    def _stop(self, name: str) -> bool:
        """Stop it; return whether it was in service before."""
        was_in_service: bool = self._settled(name)["NotebookInstanceStatus"] == "InService"
        if was_in_service:
            self._call("Stop", name)
            self._settled(name)
        return was_in_service

    def _attributes(self, arn: str, name: str) -> dict[str, Any]:
        return {self.name_property: name, "Id": arn}


class _ModelPackageGroup:
    """A model group, which goes only without versions."""

    type_name = "AWS::SageMaker::ModelPackageGroup"
    name_property = "ModelPackageGroupName"
    blocks = True

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Create it under its own name: there is no other."""
        group_arn = SAGEMAKER.call("CreateModelPackageGroup", _request(properties))["ModelPackageGroupArn"]
        return group_arn, {"ModelPackageGroupArn": group_arn}

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change the tags."""
        _update_tags(physical_id, new)
        return physical_id, {"ModelPackageGroupArn": physical_id}

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Delete it, unless it is gone."""
        if physical_id.rpartition("/")[2] in store.model_groups:
            SAGEMAKER.call("DeleteModelPackageGroup", {self.name_property: physical_id})


class _MlflowApp:
    """An MLflow App, which has a name of its own beside its ARN."""

    type_name = "AWS::SageMaker::MlflowApp"
    name_property = "Name"
    blocks = True

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Create it."""
        app_arn = SAGEMAKER.call("CreateMlflowApp", _request(properties))["Arn"]
        return app_arn, self._attributes(app_arn)

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change what can change: where artifacts are, and the tags."""
        _update_tags(physical_id, new)
        changed = {key: value for key, value in _without_tags(new).items() if old.get(key) != value}
        changed.pop("RoleArn", None)
        if changed:
            SAGEMAKER.call("UpdateMlflowApp", {"Arn": physical_id, **changed})
        return physical_id, self._attributes(physical_id)

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Delete it, unless it is gone."""
        if physical_id in store.mlflow_apps:
            SAGEMAKER.call("DeleteMlflowApp", {"Arn": physical_id})

    def _attributes(self, app_arn: str) -> dict[str, Any]:
        return {"Arn": app_arn, "MlflowAppId": app_arn.rpartition("/")[2], "Id": app_arn}


SAGEMAKER_TYPES = [
    _MlflowApp(),
    _ModelPackageGroup(),
    _LifecycleConfig("NotebookInstanceLifecycleConfig", store.lifecycle_configs),
    _NotebookInstance("NotebookInstance", store.notebooks),
    _Named("Model", store.models),
    _Named("EndpointConfig", store.endpoint_configs),
    _Endpoint("Endpoint", store.endpoints),
    _InferenceComponent("InferenceComponent", store.components),
]
