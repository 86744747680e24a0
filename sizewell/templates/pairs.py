"""The same stack, and the same resource, on both sides of a change."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from sizewell.templates.template import Resource, Stack


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

    def _pairs(self, base: Mapping[str, Resource], head: Mapping[str, Resource]) -> Iterator[ResourcePair]:
        for logical_id in sorted({*base, *head}):
            before, after = base.get(logical_id), head.get(logical_id)
            if before is not None and after is not None and before.is_same_as(after):
                after = before
            yield ResourcePair(self, logical_id, before, after)
