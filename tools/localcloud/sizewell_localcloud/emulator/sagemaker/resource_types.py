"""SageMaker's CloudFormation types. ``Ref`` is the ARN, names are attributes; CloudFormation names what has no name."""

from typing import Any

from sizewell_localcloud.emulator import clock
from sizewell_localcloud.emulator.account import random_suffix
from sizewell_localcloud.emulator.cloudformation import Created
from sizewell_localcloud.emulator.errors import AwsError, ValidationError
from sizewell_localcloud.emulator.resource_schemas import Properties
from sizewell_localcloud.emulator.sagemaker import store
from sizewell_localcloud.emulator.sagemaker.service import SAGEMAKER

#: How long CloudFormation waits for an endpoint, in seconds of AWS.
_ENDPOINT_WAIT_S = 3 * 3600.0


def _request(properties: Properties, **more: Any) -> dict[str, Any]:
    tags = properties.get("Tags")
    return {key: value for key, value in {**properties, "Tags": tags, **more}.items() if value is not None}


def _update_tags(arn: str, new: Properties) -> None:
    store.tags[arn] = store.tag_map(new.get("Tags"))


def _name_of(arn: str, table: Any, arn_member: str, name_member: str) -> str:
    """Return the name of an ARN, which is in lower case there."""
    for record in table.values():
        if record[arn_member] == arn:
            return str(record[name_member])
    return arn.rpartition("/")[2]


class _Immutable:
    """A model or an endpoint configuration: every property but the tags replaces."""

    blocks = True

    def __init__(self, noun: str, table: Any) -> None:
        self.type_name = f"AWS::SageMaker::{noun}"
        self.name_property = f"{noun}Name"
        self._noun = noun
        self._table = table

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Create it under its own name, or a new one for each replacement."""
        name = properties.get(self.name_property) or f"{logical_id[:50]}-{random_suffix()}"
        answer = SAGEMAKER.call(f"Create{self._noun}", _request(properties, **{self.name_property: name}))
        return answer[f"{self._noun}Arn"], self._attributes(answer[f"{self._noun}Arn"], name)

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change the tags."""
        _update_tags(physical_id, new)
        return physical_id, self._attributes(physical_id, self._name(physical_id))

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Delete it, unless it is gone."""
        try:
            SAGEMAKER.call(f"Delete{self._noun}", {self.name_property: self._name(physical_id)})
        except ValidationError as error:
            if "Could not find" not in error.message:
                raise

    def _name(self, arn: str) -> str:
        return _name_of(arn, self._table, f"{self._noun}Arn", self.name_property)

    def _attributes(self, arn: str, name: str) -> dict[str, Any]:
        return {self.name_property: name, f"{self._noun}Arn": arn, "Id": arn}


class _Endpoint:
    """An endpoint: CloudFormation waits until it is in service, and deletes one that never got there."""

    type_name = "AWS::SageMaker::Endpoint"
    name_property = "EndpointName"
    blocks = True

    #: Members that only updates have.
    _UPDATE_ONLY = (
        "RetainAllVariantProperties",
        "ExcludeRetainedVariantProperties",
        "RetainDeploymentConfig",
    )

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Create it and wait."""
        name = properties.get("EndpointName") or f"{logical_id[:50]}-{random_suffix()}"
        request = {
            k: v for k, v in _request(properties, EndpointName=name).items() if k not in self._UPDATE_ONLY
        }
        arn = SAGEMAKER.call("CreateEndpoint", request)["EndpointArn"]
        endpoint = self._settled(name)
        if endpoint["EndpointStatus"] != "InService":
            self.delete(arn, {**properties, "EndpointName": name})
            raise AwsError("NotStabilized", f"Endpoint {name} failed: {endpoint.get('FailureReason')}")
        return arn, self._attributes(arn, name)

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Update it and wait; a change of the tags alone leaves it in peace."""
        name = self._name(physical_id)
        _update_tags(physical_id, new)
        if {k: v for k, v in old.items() if k != "Tags"} != {k: v for k, v in new.items() if k != "Tags"}:
            request = {k: v for k, v in _request(new, EndpointName=name).items() if k != "Tags"}
            SAGEMAKER.call("UpdateEndpoint", request)
            endpoint = self._settled(name)
            # A stack that rolls back to what the endpoint has gone back to by itself is content with the name; an
            # update that keeps the configuration is not.
            kept = old["EndpointConfigName"] == new["EndpointConfigName"]
            failed = kept and "FailureReason" in endpoint
            if endpoint["EndpointConfigName"] != new["EndpointConfigName"] or failed:
                raise AwsError(
                    "NotStabilized", f"Endpoint {name} was rolled back: {endpoint.get('FailureReason')}"
                )
        return physical_id, self._attributes(physical_id, name)

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Delete it, unless somebody else does or did, and wait until it is gone."""
        name = self._name(physical_id)
        endpoint = store.endpoints.get(name)
        waited = 0.0
        while endpoint is not None and store.endpoints.get(name) is endpoint:
            if waited >= _ENDPOINT_WAIT_S:
                raise AwsError("NotStabilized", f"Endpoint {name} is still there")
            if endpoint["EndpointStatus"] in {"InService", "Failed"}:
                try:
                    SAGEMAKER.call("DeleteEndpoint", {"EndpointName": name})
                except ValidationError as error:
                    if "Could not find" in error.message:
                        return
                    if "in-progress" not in error.message:
                        raise
            clock.pause(10)
            waited += 10

    def _name(self, arn: str) -> str:
        return _name_of(arn, store.endpoints, "EndpointArn", "EndpointName")

    def _settled(self, name: str) -> dict[str, Any]:
        waited = 0.0
        while waited < _ENDPOINT_WAIT_S:
            endpoint = SAGEMAKER.call("DescribeEndpoint", {"EndpointName": name})
            if endpoint["EndpointStatus"] in {"InService", "Failed"}:
                return endpoint
            clock.pause(10)
            waited += 10
        raise AwsError("NotStabilized", f"Endpoint {name} did not stabilize")

    def _attributes(self, arn: str, name: str) -> dict[str, Any]:
        return {"EndpointName": name, "EndpointArn": arn, "Id": arn}


class _InferenceComponent:
    """An inference component: CloudFormation waits until its copies are in service, and until they are gone."""

    type_name = "AWS::SageMaker::InferenceComponent"
    name_property = "InferenceComponentName"
    blocks = True

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Create it and wait."""
        name = properties.get(self.name_property) or f"{logical_id[:50]}-{random_suffix()}"
        request = _request(properties, InferenceComponentName=name)
        arn = SAGEMAKER.call(
            "CreateInferenceComponent", {k: v for k, v in request.items() if k != "DeploymentConfig"}
        )["InferenceComponentArn"]
        self._settle(name)
        return arn, self._attributes(arn)

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Update it and wait; a change of the tags alone leaves it in peace."""
        _update_tags(physical_id, new)
        members = ("Specification", "RuntimeConfig", "DeploymentConfig")
        if any(old.get(key) != new.get(key) for key in members):
            changed = {key: new[key] for key in members if new.get(key) is not None}
            name = self._name(physical_id)
            SAGEMAKER.call("UpdateInferenceComponent", {"InferenceComponentName": name, **changed})
            self._settle(name)
        return physical_id, self._attributes(physical_id)

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Delete it, unless it is gone."""
        try:
            name = self._name(physical_id)
            SAGEMAKER.call("DeleteInferenceComponent", {"InferenceComponentName": name})
        except ValidationError as error:
            if "Could not find" not in error.message:
                raise

    def _settle(self, name: str) -> None:
        waited = 0.0
        while waited < _ENDPOINT_WAIT_S:
            found = SAGEMAKER.call("DescribeInferenceComponent", {"InferenceComponentName": name})
            if found["InferenceComponentStatus"] == "InService":
                return
            clock.pause(10)
            waited += 10
        raise AwsError("NotStabilized", f"Inference component {name} did not stabilize")

    def _name(self, arn: str) -> str:
        return _name_of(arn, store.components, "InferenceComponentArn", "InferenceComponentName")

    def _attributes(self, arn: str) -> dict[str, Any]:
        return {"InferenceComponentArn": arn, "Id": arn}


class _LifecycleConfig(_Immutable):
    """The scripts of notebook instances, which can change."""

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change the scripts and the tags."""
        scripts = {key: value for key, value in new.items() if key != "Tags"}
        name = self._name(physical_id)
        SAGEMAKER.call("UpdateNotebookInstanceLifecycleConfig", {**scripts, self.name_property: name})
        return super().update(physical_id, old, new, stack_name)


class _NotebookInstance:
    """A notebook instance: CloudFormation stops it for an update and to delete it, and starts it again after an update."""

    type_name = "AWS::SageMaker::NotebookInstance"
    name_property = "NotebookInstanceName"
    blocks = True

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Create it and wait."""
        name = properties.get(self.name_property) or f"{logical_id[:50]}-{random_suffix()}"
        arn = SAGEMAKER.call("CreateNotebookInstance", _request(properties, NotebookInstanceName=name))[
            "NotebookInstanceArn"
        ]
        self._settled(name)
        return arn, {self.name_property: name, "Id": arn}

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Update what differs; a change of the tags alone leaves it in peace."""
        name = self._name(physical_id)
        _update_tags(physical_id, new)
        changed = {key: value for key, value in new.items() if key != "Tags" and old.get(key) != value}
        if changed:
            was = self._stopped(name)
            SAGEMAKER.call("UpdateNotebookInstance", {**changed, self.name_property: name})
            self._settled(name)
            if was == "InService":
                SAGEMAKER.call("StartNotebookInstance", {self.name_property: name})
                self._settled(name)
        return physical_id, {self.name_property: name, "Id": physical_id}

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Stop and delete it, unless it is gone."""
        name = self._name(physical_id)
        if name in store.notebooks:
            self._stopped(name)
            SAGEMAKER.call("DeleteNotebookInstance", {self.name_property: name})

    def _stopped(self, name: str) -> str:
        """Stop it; return what it was before."""
        was = self._settled(name)
        if was == "InService":
            SAGEMAKER.call("StopNotebookInstance", {self.name_property: name})
            self._settled(name)
        return was

    def _settled(self, name: str) -> str:
        """Wait; return in which state it stays."""
        while True:
            found = SAGEMAKER.call("DescribeNotebookInstance", {self.name_property: name})
            if found["NotebookInstanceStatus"] in {"InService", "Stopped", "Failed"}:
                return str(found["NotebookInstanceStatus"])
            clock.pause(10)

    def _name(self, arn: str) -> str:
        return _name_of(arn, store.notebooks, "NotebookInstanceArn", self.name_property)


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
        changed = {
            key: value
            for key, value in new.items()
            if key not in {"Tags", "RoleArn"} and old.get(key) != value
        }
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
    _NotebookInstance(),
    _Immutable("Model", store.models),
    _Immutable("EndpointConfig", store.endpoint_configs),
    _Endpoint(),
    _InferenceComponent(),
]
