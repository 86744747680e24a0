"""CloudFormation's types of AWS Batch."""

from dataclasses import dataclass
from typing import Any

from sizewell_localcloud.emulator.account import random_suffix
from sizewell_localcloud.emulator.batch import store
from sizewell_localcloud.emulator.batch.service import BATCH
from sizewell_localcloud.emulator.cloudformation import Created
from sizewell_localcloud.emulator.resource_schemas import Properties
from sizewell_localcloud.emulator.shapes import fitted, spelled


@dataclass(frozen=True)
class _Disabled:
    """A compute environment or a job queue; its id is its ARN. It is disabled before it is deleted."""

    noun: str
    """ComputeEnvironment or JobQueue, in types and operations."""
    table: Any
    blocks = False

    @property
    def type_name(self) -> str:
        """The type."""
        return f"AWS::Batch::{self.noun}"

    @property
    def name_property(self) -> str:
        """The property that fixes the name."""
        return f"{self.noun}Name"

    @property
    def _member(self) -> str:
        return f"{self.noun[:1].lower()}{self.noun[1:]}"

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Make it; what only an update takes is a first one."""
        name = properties.get(self.name_property) or f"{logical_id}-{random_suffix()}"
        made = _call(f"Create{self.noun}", properties, **{f"{self._member}Name": name})
        one = made[f"{self._member}Arn"]
        if "UpdatePolicy" in properties:
            self._update(one, {"UpdatePolicy": properties["UpdatePolicy"]})
        return self._created(one)

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change it in place; its tags by an operation of their own."""
        self._update(physical_id, new)
        self.table[physical_id]["tags"] = new.get("Tags", {})
        return self._created(physical_id)

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Disable and delete it, unless it is gone."""
        if physical_id in self.table:
            self._update(physical_id, {"State": "DISABLED"})
            _call(f"Delete{self.noun}", {}, **{self._member: physical_id})

    def _update(self, arn: str, properties: Properties) -> None:
        _call(f"Update{self.noun}", properties, **{self._member: arn})

    def _created(self, arn: str) -> Created:
        return arn, {f"{self.noun}Arn": arn}


class JobDefinition:
    """A job definition; its id is the ARN of a revision, and each update registers the next one."""

    type_name = "AWS::Batch::JobDefinition"
    name_property = "JobDefinitionName"
    blocks = False

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Register it."""
        name = properties.get(self.name_property) or f"{logical_id}-{random_suffix()}"
        one = _call("RegisterJobDefinition", properties, jobDefinitionName=name)["jobDefinitionArn"]
        return one, {"JobDefinitionArn": one}

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Register the next revision, and deregister the former one unless the template says otherwise."""
        name = physical_id.rpartition("/")[2].partition(":")[0]
        one = _call("RegisterJobDefinition", new, jobDefinitionName=name)["jobDefinitionArn"]
        if not new.get("ResourceRetentionPolicy", {}).get("SkipDeregisterOnUpdate"):
            _call("DeregisterJobDefinition", {}, jobDefinition=physical_id)
        return one, {"JobDefinitionArn": one}

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Deregister it, unless it is gone. An older revision is no resource any more: the update has dealt with it."""
        name, _, revision = physical_id.rpartition(":")
        if physical_id in store.definitions and f"{name}:{int(revision) + 1}" not in store.definitions:
            _call("DeregisterJobDefinition", {}, jobDefinition=physical_id)


BATCH_TYPES = [
    _Disabled("ComputeEnvironment", store.environments),
    _Disabled("JobQueue", store.queues),
    JobDefinition(),
]


def _call(operation: str, properties: Properties, **named: str) -> dict[str, Any]:
    """Return the answer to a request of the properties that an operation takes. Raises AwsError."""
    shape = BATCH.model.operation_model(operation).input_shape
    request: dict[str, Any] = fitted(spelled(properties, shape), shape)
    return BATCH.call(operation, request | named)
