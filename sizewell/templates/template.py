"""A template, its resources, the stack that it makes where it is deployed; stacks and resources in pairs, where they differ."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from sizewell.templates.canonical import (
    NOWHERE,
    Place,
    canonical_resource,
    canonical_sections,
    place_of,
    resource_bodies,
)
from sizewell.templates.resource_schemas import PropertyPath, name_properties
from sizewell.templates.values import mapping

Acknowledgements = Mapping[str, Mapping[str, str]]
"""By construct path, and by finding: the reason why the finding is accepted."""
_NOT_ATTRIBUTES = ("Type", "Properties", "Metadata")
#: Metadata that changes what runs: cfn-init reads it.
_OBEYED_METADATA = ("AWS::CloudFormation::Authentication", "AWS::CloudFormation::Init")
#: Types that CloudFormation deletes with a snapshot unless the template says otherwise: CloudFormation user guide,
#: "DeletionPolicy attribute".
_SNAPSHOT_BY_DEFAULT = ("AWS::RDS::DBCluster", "AWS::RDS::DBInstance")


@dataclass(frozen=True)
class Resource:
    """One resource; its canonical spelling is worked out when somebody asks, which of most nobody does."""

    logical_id: str
    body: Mapping[str, Any]
    """As it was written."""
    place: Place = NOWHERE
    construct_path: str | None = None
    """As the assembly says it beside the template."""

    @property
    def resource_type(self) -> str:
        """The type, such as ``AWS::S3::Bucket``."""
        return str(self.body.get("Type", ""))

    @cached_property
    def path(self) -> str:
        """Of the construct; the logical id where neither the template nor the assembly says it."""
        metadata = self.body.get("Metadata")
        path = metadata.get("aws:cdk:path") if isinstance(metadata, Mapping) else None
        return str(path or self.construct_path or self.logical_id)

    @property
    def written(self) -> Mapping[str, Any]:
        """The properties as they were written: read these, unless two sides are compared."""
        return mapping(self.body.get("Properties"))

    @cached_property
    def canonical(self) -> Mapping[str, Any]:
        """The resource in the spelling that comparisons need."""
        return canonical_resource(self.body, self.place)

    @property
    def properties(self) -> Mapping[str, Any]:
        """The properties in the spelling that comparisons need: ``{Ref: Type}`` is the text ``${Type}``."""
        properties: Mapping[str, Any] = self.canonical["Properties"]
        return properties

    @cached_property
    def identity(self) -> tuple[str, ...]:
        """Its fixed name, in as many parts as its type has; empty where CloudFormation makes it up."""
        parts = [_at(self.properties, path) for path in name_properties(self.resource_type)]
        return tuple(parts) if all(isinstance(part, str) and part for part in parts) else ()

    @cached_property
    def attributes(self) -> Mapping[str, Any]:
        """Canonical, and without ``Type``, ``Properties`` and ``Metadata``: ``DependsOn``, ``DeletionPolicy`` ..."""
        metadata = self.canonical.get("Metadata")
        obeyed = {
            f"Metadata.{key}": metadata[key]
            for key in _OBEYED_METADATA
            if isinstance(metadata, Mapping) and key in metadata
        }
        return {key: value for key, value in self.canonical.items() if key not in _NOT_ATTRIBUTES} | obeyed

    @property
    def retained(self) -> bool:
        """Whether deletion leaves it, or a snapshot of it."""
        policy = str(self.body.get("DeletionPolicy", self._default_policy))
        return policy in ("Retain", "RetainExceptOnCreate", "Snapshot")

    @property
    def _default_policy(self) -> str:
        if self.resource_type not in _SNAPSHOT_BY_DEFAULT or "DBClusterIdentifier" in self.properties:
            return "Delete"
        return "Snapshot"

    def is_same_as(self, other: "Resource") -> bool:
        """Tell whether nothing differs but metadata, without working out anything when it was written alike."""
        if self.place == other.place and (self.body is other.body or self.body == other.body):
            return True
        return (
            self.resource_type == other.resource_type
            and self.properties == other.properties
            and self.attributes == other.attributes
        )


@dataclass(frozen=True)
class Template:
    """A template as it was written, wherever it is deployed."""

    body: Mapping[str, Any]

    def of_type(self, *resource_types: str) -> Iterator[Resource]:
        """Yield the resources of some types, in the order of the template."""
        for logical_id, body in mapping(self.body.get("Resources")).items():
            resource_type = mapping(body).get("Type")
            if isinstance(resource_type, str) and resource_type in resource_types:
                yield Resource(str(logical_id), body)

    def find(self, logical_id: str | None, resource_type: str) -> Resource | None:
        """Return the resource of that id and type, or None."""
        return next(
            (resource for resource in self.of_type(resource_type) if resource.logical_id == logical_id), None
        )


@dataclass(frozen=True)
class Stack:
    """One stack, or a nested one: its name is then ``parent/logical id``."""

    name: str
    account: str | None
    """None where the app leaves it to the deployment."""
    region: str | None
    template: Mapping[str, Any]
    """As it was written, but for the hashes of assets: ``sizewell.templates.canonical``."""
    acknowledgements: Acknowledgements = field(default_factory=dict)
    construct_paths: Mapping[str, str] = field(default_factory=dict)
    """By logical id, as the assembly says them beside the template."""
    termination_protection: bool = False
    """Whether CloudFormation refuses to delete it."""
    parent: str | None = None
    nested_id: str | None = None
    """Its logical id in the parent."""
    spelled_for: tuple[str | None, str | None] | None = None
    """Account and region for the spelling, where another side does not say them: both sides must spell alike."""

    @cached_property
    def place(self) -> Place:
        """Where it is deployed, and what its template says of itself."""
        account, region = self.spelled_for or (self.account, self.region)
        return place_of(self.template, account, region, nested=self.parent is not None)

    @cached_property
    def sections(self) -> Mapping[str, Any]:
        """All but the resources, in the spelling that comparisons need: ``Parameters``, ``Outputs`` ..."""
        return canonical_sections(self.template, self.place)

    @cached_property
    def resources(self) -> Mapping[str, Resource]:
        """The resources by logical id, sorted by it."""
        return {
            logical_id: Resource(logical_id, body, self.place, self.construct_paths.get(logical_id))
            for logical_id, body in resource_bodies(self.template, self.place).items()
        }

    @cached_property
    def canonical(self) -> Mapping[str, Any]:
        """The whole template in the spelling that comparisons need: much work, ask for parts where they do."""
        resources = {logical_id: resource.canonical for logical_id, resource in self.resources.items()}
        return {**self.sections, "Resources": resources}


@dataclass(frozen=True, slots=True)
class ResourcePair:
    """One logical id of a stack; None on the side that does not have it, never on both."""

    stack: "StackPair"
    logical_id: str
    base: Resource | None
    head: Resource | None

    @property
    def either(self) -> Resource:
        """The resource as it will be, else as it was."""
        resource = self.head or self.base
        assert resource is not None
        return resource

    @property
    def is_retyped(self) -> bool:
        """Whether the logical id has another resource type."""
        return bool(self.base and self.head and self.base.resource_type != self.head.resource_type)

    @property
    def is_kept(self) -> bool:
        """Whether both sides have it, with the same type."""
        return bool(self.base and self.head and self.base.resource_type == self.head.resource_type)

    @property
    def place(self) -> tuple[str, str]:
        """Stack and logical id."""
        return self.stack.name, self.logical_id


@dataclass(frozen=True)
class StackPair:
    """One stack; None on the side that does not have it, never on both."""

    environment: str
    name: str
    base: Stack | None
    head: Stack | None

    @cached_property
    def is_unchanged(self) -> bool:
        """Whether nothing differs, not even what does not matter: nobody has to look."""
        return (
            self.base is not None
            and self.head is not None
            and (self.base.template is self.head.template or self.base.template == self.head.template)
            and self.base.account == self.head.account
            and self.base.region == self.head.region
            and self.base.acknowledgements == self.head.acknowledgements
        )

    @cached_property
    def is_relocated(self) -> bool:
        """Whether account or region are known on both sides, and are others: everything is made anew there."""
        if self.base is None or self.head is None:
            return False
        places = ((self.base.account, self.head.account), (self.base.region, self.head.region))
        return any(base is not None and head is not None and base != head for base, head in places)

    @cached_property
    def resources(self) -> tuple[ResourcePair, ...]:
        """Every resource of either side, by logical id; what does not differ is one object on both sides."""
        base = self.base.resources if self.base else {}
        head = self.head.resources if self.head else {}
        return tuple(self._pairs(base, base if self.is_unchanged else head))

    @cached_property
    def has_same_resources(self) -> bool:
        """Whether no resource comes, goes or differs but in its metadata."""
        return all(pair.base is pair.head for pair in self.resources)

    def _pairs(self, base: Mapping[str, Resource], head: Mapping[str, Resource]) -> Iterator[ResourcePair]:
        for logical_id in sorted({*base, *head}):
            before, after = base.get(logical_id), head.get(logical_id)
            if before is not None and after is not None and before.is_same_as(after):
                after = before
            yield ResourcePair(self, logical_id, before, after)


@dataclass(frozen=True, slots=True)
class Difference:
    """One place, and what is there on both sides; None where nothing is."""

    path: tuple[str, ...]
    """To show: an item of a list has its name, or its position."""
    schema_path: tuple[str, ...]
    """To look up in a schema: an item of a list is ``*``."""
    base: Any
    head: Any

    @property
    def shown_path(self) -> str:
        """The path with dots."""
        return ".".join(self.path)


Effect = Literal["none", "update", "replace", "may replace"]
"""What CloudFormation does with the resource; ``none`` is an attribute that it obeys without touching the resource."""
Action = Literal["added", "changed", "replaced", "may be replaced", "removed"]
"""What becomes of a resource."""


def _at(value: Any, path: PropertyPath) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value
