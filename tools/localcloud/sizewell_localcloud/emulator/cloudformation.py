"""Stricter CloudFormation: it checks types against their schemas, replaces for create-only properties, and refuses taken names.

ministack's engine does the rest: change sets, order, rollback, custom resources. Types that have no handler are refused
by the engine when a change set is made ("Unrecognized resource types").
"""

from collections.abc import Callable
from typing import Any, Protocol

from ministack.services.cloudformation import changesets, provisioners, stacks

from sizewell_localcloud.emulator.completions import complete
from sizewell_localcloud.emulator.errors import AwsError
from sizewell_localcloud.emulator.references import require_keys_and_roles
from sizewell_localcloud.emulator.resource_schemas import (
    Properties,
    check_properties,
    converted,
    create_only,
    schema_of,
)

Created = tuple[str, dict[str, Any]]

#: Types of ministack that may have a fixed name and that its own table of names lacks.
_NAME_PROPERTIES = {
    "AWS::SNS::Topic": "TopicName",
    "AWS::SQS::Queue": "QueueName",
    "AWS::Lambda::Function": "FunctionName",
}


class ResourceType(Protocol):
    """A type of ours: how it is made, changed and deleted. Physical id and attributes are what templates refer to."""

    type_name: str
    name_property: str | None
    """The property that fixes the name; None where CloudFormation always names it."""
    blocks: bool
    """Whether its operations wait, so that they must not run on the event loop."""

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Make it."""

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change it in place: create-only properties are the same."""

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Delete it; what is gone already is no error."""


def register(types: list[ResourceType]) -> None:
    """Add our types, then check all types against their schemas."""
    handlers = provisioners._RESOURCE_HANDLERS
    blocking = {kind.type_name for kind in types if kind.blocks}
    for kind in types:
        handlers[kind.type_name] = {"create": kind.create, "update": kind.update, "delete": kind.delete}
        tags = (schema_of(kind.type_name, "us-east-1") or {}).get("properties", {}).get("Tags")
        if tags is not None:
            form = "map" if tags.get("type") == "object" else "list"
            provisioners._STACK_TAG_PROPERTY[kind.type_name] = ("Tags", form)
        if kind.name_property is not None:
            provisioners._CUSTOM_NAME_REPLACEMENT[kind.type_name] = {"name": kind.name_property}
    for type_name, name_property in _NAME_PROPERTIES.items():
        provisioners._CUSTOM_NAME_REPLACEMENT.setdefault(type_name, {"name": name_property})
    for type_name in sorted(handlers):
        handlers[type_name] = _guarded(type_name, handlers[type_name])
        replacing = create_only(type_name, "us-east-1")
        if replacing:
            provisioners._REPLACING_PROPERTIES[type_name] = replacing
    runs_on_worker_thread = stacks._runs_on_worker_thread
    stacks._runs_on_worker_thread = lambda type_name: (
        type_name in blocking or runs_on_worker_thread(type_name)
    )
    # A rollback sends the resource back whose own update failed, too: it may have changed before it failed.
    sends_back = stacks._sends_back_failed_update
    stacks._sends_back_failed_update = lambda type_name: type_name in blocking or sends_back(type_name)


def _guarded(type_name: str, handler: dict[str, Any]) -> dict[str, Any]:
    guarded = dict(handler)
    create = handler.get("create")
    if create is not None:
        guarded["create"] = _create(type_name, create)
    update = handler.get("update")
    if update is not None:
        guarded["update"] = _update(type_name, update)
    return guarded


def _create(type_name: str, create: Callable[..., Created]) -> Callable[..., Created]:
    def checked(logical_id: str, properties: Properties, stack_name: str) -> Created:
        check_properties(type_name, logical_id, properties)
        with _worded():
            _require_free_name(type_name, properties)
            require_keys_and_roles(properties)
            created = create(logical_id, converted(type_name, properties), stack_name)
            complete(type_name, created[0], properties)
            return created

    return checked


def _require_free_name(type_name: str, properties: Properties) -> None:
    """Refuse a fixed name that is taken: some handlers of ministack make the resource over the one that is there."""
    names, problem = changesets._IMPORT_LOOKUPS.get(type_name, ((), None))
    values = [properties.get(name) for name in names]
    if values and all(values) and problem(*values) is None:
        identifier = ", ".join(f"{name} {value}" for name, value in zip(names, values, strict=True))
        raise AwsError("AlreadyExists", f"Resource of type '{type_name}' with {identifier} already exists.")


def _update(type_name: str, update: Callable[..., Created]) -> Callable[..., Created]:
    def checked(physical_id: str, old: Properties, new: Properties, *rest: Any) -> Created:
        check_properties(type_name, str(rest[1]) if len(rest) > 1 else physical_id, new)
        with _worded():
            require_keys_and_roles(new)
            updated = update(physical_id, converted(type_name, old), converted(type_name, new), *rest)
            complete(type_name, updated[0], new)
            return updated

    return checked


class _worded:  # noqa: N801 - reads as a word in a with statement
    """Turns a service's error into the sentence that a resource handler puts into stack events."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, AwsError):
            raise ValueError(
                f'Resource handler returned message: "{error.message}" ({error.code})'
            ) from error
