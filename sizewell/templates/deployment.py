"""What a deployment of head over base does: the difference of all stacks of one environment.

Everything that compares templates reads it from here: the impact on each resource, which ``propagation`` works out, endpoints
in pairs, resources whose fixed name moves to another logical id or stack.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from sizewell.templates.endpoints import ENDPOINT, Endpoint, EndpointChange, EndpointPair
from sizewell.templates.resource_schemas import is_stateful
from sizewell.templates.template import Action, Difference, Effect, Resource, ResourcePair, Stack, StackPair
from sizewell.templates.values import mapping
from sizewell.templates.variant_scaling import ScalingPlaces, outside_names

_Place = tuple[str, str]
StackRemoval = Literal["left", "deleted", "kept"]
"""Of a stack that the app no longer has. left: CDK deletes no stack of its own accord; deleted: with its resource in the
parent; kept: the policy of that resource retains it.

CloudFormation user guide, "DeletionPolicy attribute": a nested stack is a resource of its parent, and obeys its policy.
"""

ACTIONS: tuple[Action, ...] = ("replaced", "may be replaced", "removed", "changed", "added")
"""What can hurt most first."""
REPLACED: tuple[Action, ...] = ("replaced", "may be replaced")
#: Rank of the actions that an existing resource can suffer: a cause may raise the action, never lower it.
RANK: dict[Action | None, int] = {None: 0, "changed": 1, "may be replaced": 2, "replaced": 3}


@dataclass
class ResourceImpact:
    """What the deployment does with one resource; a cause elsewhere may still raise it (``propagation``)."""

    stack: str
    base: Resource | None
    head: Resource | None
    """Of another logical id than base where the same construct got another one."""
    action: Action | None = None
    """None where CloudFormation leaves it alone."""
    differences: tuple[tuple[Difference, Effect], ...] = ()
    decided_by: list[str] = field(default_factory=list)
    """The paths of the properties that replace it."""
    because_of: str | None = None
    """Stack and logical id of what is replaced or changed, where that decides."""

    @property
    def resource(self) -> Resource:
        """The resource of head, else that of base."""
        found = self.head or self.base
        assert found is not None
        return found

    @property
    def logical_id(self) -> str:
        """That of head, else that of base."""
        return self.resource.logical_id

    @property
    def resource_type(self) -> str:
        """That of head, else that of base."""
        return self.resource.resource_type

    @property
    def path(self) -> str:
        """Of the construct."""
        return self.resource.path

    @property
    def place(self) -> tuple[str, str]:
        """Stack and logical id."""
        return self.stack, self.logical_id

    @property
    def name(self) -> str:
        """Stack and logical id, to show."""
        return f"{self.stack}/{self.logical_id}"

    @property
    def is_replaced(self) -> bool:
        """Whether it is, or may be, replaced."""
        return self.action in REPLACED

    @property
    def is_stateful(self) -> bool:
        """Whether it holds data, keys or identities."""
        return is_stateful((self.base or self.resource).resource_type)

    @property
    def is_retained(self) -> bool:
        """Whether the old one outlives the change: CloudFormation goes by the template that is deployed last.

        What a template does not have any more is deleted by the policy that the last one gave it; what is replaced, by
        the ``UpdateReplacePolicy`` of the new one.
        """
        if self.action == "removed":
            return self.resource.retained
        return str(self.resource.attributes.get("UpdateReplacePolicy", "Delete")) in ("Retain", "Snapshot")

    def raise_to(self, action: Action, property_path: str, because_of: str) -> bool:
        """Take a worse action for a cause; return whether it is worse."""
        if RANK[action] <= RANK.get(self.action, len(RANK)):
            return False
        self.action = action
        self.because_of = because_of
        if action != "changed":
            self.decided_by = [property_path]
        return True


@dataclass(frozen=True, slots=True)
class Move:
    """A resource with a fixed name that has another logical id, or another stack, on the other side."""

    base_stack: str
    head_stack: str
    base: Resource
    head: Resource


@dataclass(frozen=True)
class DeploymentDiff:
    """All stacks of one environment in pairs, and what CloudFormation does with their resources."""

    stacks: tuple[StackPair, ...]
    impacts: tuple[ResourceImpact, ...]
    """On every resource that a deployment looks at, by stack; those that it leaves alone as well."""
    untouched_count: int
    """How many more resources there are, to which nothing can happen: no value of a changed stack reaches them."""

    @cached_property
    def changes(self) -> tuple[ResourceImpact, ...]:
        """The impacts on resources that are not left alone."""
        return tuple(impact for impact in self.impacts if impact.action)

    @cached_property
    def changed_stacks(self) -> tuple[StackPair, ...]:
        """The stacks in which anything changes, without those that go to another account or region.

        What changes in one stack may replace resources of another whose own template is the same.
        """
        reached = {change.stack for change in self.changes}
        return tuple(
            stack
            for stack in self.stacks
            if (not stack.is_unchanged or stack.name in reached) and not stack.is_relocated
        )

    @cached_property
    def relocated(self) -> tuple[tuple[str, Stack, Stack], ...]:
        """The stacks that go to another account or region: name, base, head."""
        return tuple(
            (stack.name, stack.base, stack.head)
            for stack in self.stacks
            if stack.base and stack.head and stack.base.parent is None and stack.is_relocated
        )

    @cached_property
    def kept_stacks(self) -> tuple[tuple[str, Stack, Stack], ...]:
        """Those that both sides have: name, base, head."""
        return tuple(
            (stack.name, stack.base, stack.head) for stack in self.changed_stacks if stack.base and stack.head
        )

    @cached_property
    def _stacks_by_name(self) -> Mapping[str, StackPair]:
        return {pair.name: pair for pair in self.stacks}

    def removal_of(self, stack: Stack | None) -> StackRemoval:
        """Return what happens to a stack of base that head does not have."""
        retained, nested = False, stack
        while nested is not None and nested.parent is not None:
            parent = self._stacks_by_name.get(nested.parent)
            resource = parent.base.resources.get(nested.nested_id or "") if parent and parent.base else None
            retained = retained or (resource is not None and resource.retained)
            if parent and parent.head:
                return "kept" if retained else "deleted"
            nested = parent.base if parent else None
        return "left"

    @cached_property
    def _by_type(self) -> Mapping[str, list[ResourcePair]]:
        found: dict[str, list[ResourcePair]] = {}
        for stack in self.changed_stacks:
            for pair in stack.resources:
                for resource_type in {
                    resource.resource_type for resource in (pair.base, pair.head) if resource
                }:
                    found.setdefault(resource_type, []).append(pair)
        return found

    def resources(self, *resource_types: str) -> Iterator[ResourcePair]:
        """Yield the resources of some types in stacks that are not the same; of all types without any."""
        for resource_type in resource_types or sorted(self._by_type):
            yield from self._by_type.get(resource_type, ())

    def kept(self, *resource_types: str) -> Iterator[tuple[str, Resource, Resource]]:
        """Yield the resources that both sides have and that differ: stack, base, head."""
        for pair in self.resources(*resource_types):
            if pair.base and pair.head and pair.is_kept and pair.base is not pair.head:
                yield pair.stack.name, pair.base, pair.head

    @cached_property
    def _endpoints_by_name(self) -> Mapping[str, list[EndpointPair]]:
        found: dict[str, list[EndpointPair]] = {}
        for endpoint in self.endpoints:
            if endpoint.base:
                found.setdefault(endpoint.base.name, []).append(endpoint)
        return found

    def endpoints_named(self, name: str | None) -> Sequence[EndpointPair]:
        """Return the endpoints that have a name in base."""
        return self._endpoints_by_name.get(name or "", ())

    def is_retyped(self, stack: str, logical_id: str) -> bool:
        """Tell whether a logical id has another resource type."""
        base, head = self._sides(stack, logical_id)
        return base is not None and head is not None and base.resource_type != head.resource_type

    def both_sides(self, stack: str, logical_id: str) -> tuple[Resource, Resource] | None:
        """Return a resource of a type that stays, base first; None where one side does not have it."""
        base, head = self._sides(stack, logical_id)
        return (base, head) if base and head and base.resource_type == head.resource_type else None

    def base_resource(self, stack: str, logical_id: str) -> Resource | None:
        """Return a resource as base has it."""
        return self._sides(stack, logical_id)[0]

    def _sides(self, stack: str, logical_id: str) -> tuple[Resource | None, Resource | None]:
        pair = self._stacks_by_name.get(stack)
        base, head = (
            side.resources.get(logical_id) if side else None
            for side in (pair and pair.base, pair and pair.head)
        )
        return base, head

    @cached_property
    def retyped(self) -> tuple[tuple[str, Resource, Resource], ...]:
        """The logical ids that have another resource type: stack, base, head."""
        return tuple(
            (pair.stack.name, pair.base, pair.head)
            for resource_type, pairs in sorted(self._by_type.items())
            for pair in pairs
            if pair.base and pair.head and pair.base.resource_type != pair.head.resource_type == resource_type
        )

    @cached_property
    def removed_ids(self) -> Mapping[str, frozenset[str]]:
        """The logical ids that head no longer has, by stack that both sides have."""
        return {
            name: frozenset(base.resources.keys() - head.resources.keys())
            for name, base, head in self.kept_stacks
        }

    @cached_property
    def endpoints(self) -> tuple[EndpointPair, ...]:
        """The endpoints of stacks that are not the same, and those of others whose scaling stands in such a stack."""
        if not self.changed_stacks:
            return ()
        own = [self._endpoint(pair.stack, pair.logical_id) for pair in self.resources(ENDPOINT)]
        known = {side.given_name for endpoint in own for side in (endpoint.base, endpoint.head) if side}
        wanted = {
            name
            for places in self._places
            for name in places.names_in(stack.name for stack in self.changed_stacks)
        } - known
        return (*own, *(self._endpoints_elsewhere(wanted) if wanted else ()))

    def _endpoints_elsewhere(self, wanted: Set[str]) -> Iterator[EndpointPair]:
        """Yield the endpoints of unchanged stacks that some text of another template means."""
        looked_at = {stack.name for stack in self.changed_stacks}
        for stack in self.stacks:
            if stack.name in looked_at or stack.base is None or stack.head is None or stack.is_relocated:
                continue
            for logical_id, body in mapping(stack.head.template.get("Resources")).items():
                if mapping(body).get("Type") != ENDPOINT:
                    continue
                found = self._endpoint(stack, logical_id)
                if found.head and wanted & outside_names(stack.head, logical_id, found.head.given_name):
                    yield found

    def _endpoint(self, stack: StackPair, logical_id: str) -> EndpointPair:
        base, head = (
            Endpoint(side, resource, places)
            if side and (resource := side.resources.get(logical_id)) and resource.resource_type == ENDPOINT
            else None
            for side, places in zip((stack.base, stack.head), self._places, strict=True)
        )
        return EndpointPair(stack.name, logical_id, base, head)

    @cached_property
    def _places(self) -> tuple[ScalingPlaces, ScalingPlaces]:
        base, head = (
            ScalingPlaces(tuple(stack for stack in side if stack))
            for side in ((one.base for one in self.stacks), (one.head for one in self.stacks))
        )
        return base, head

    @cached_property
    def kept_endpoints(self) -> tuple[EndpointChange, ...]:
        """Those that both sides have, and that are updated: another name makes another endpoint."""
        return tuple(
            EndpointChange(endpoint.stack, endpoint.logical_id, endpoint.base, endpoint.head)
            for endpoint in self.endpoints
            if endpoint.base and endpoint.head and endpoint.base.given_name == endpoint.head.given_name
        )

    @cached_property
    def _changes(self) -> Mapping[_Place, ResourceImpact]:
        return {change.place: change for change in self.changes}

    def change_of(self, stack: str, logical_id: str) -> ResourceImpact | None:
        """Return what CloudFormation does with a resource; None where it leaves it alone."""
        return self._changes.get((stack, logical_id))

    def is_replaced(self, stack: str, logical_id: str) -> bool:
        """Tell whether a resource is, or may be, replaced."""
        change = self.change_of(stack, logical_id)
        return change is not None and change.is_replaced

    def updates_fleet(self, endpoint: EndpointChange) -> bool:
        """Tell whether an endpoint gets another configuration, and with it new instances."""
        base, head = endpoint.base.config, endpoint.head.config
        if base and head and base.logical_id == head.logical_id:
            return self.is_replaced(endpoint.stack, head.logical_id)
        name = "EndpointConfigName"
        return bool(
            endpoint.base.resource.properties.get(name) != endpoint.head.resource.properties.get(name)
        )

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """Resources whose fixed name goes from one logical id, or stack, to another."""
        gone: dict[tuple[object, ...], tuple[str, Resource]] = {}
        for pair in self.resources():
            if pair.base and pair.head is None and (key := _identity(pair.stack.base, pair.base)):
                gone[key] = (pair.stack.name, pair.base)
        found: list[Move] = []
        for pair in self.resources() if gone else ():
            if pair.head and pair.base is None and (key := _identity(pair.stack.head, pair.head)) in gone:
                base_stack, base = gone[key]
                found.append(Move(base_stack, pair.stack.name, base, pair.head))
        return tuple(found)

    @cached_property
    def moved(self) -> frozenset[_Place]:
        """Where base has the resources that move."""
        return frozenset((move.base_stack, move.base.logical_id) for move in self.moves)

    @cached_property
    def colliding_moves(self) -> frozenset[_Place]:
        """Those whose old one is still there when the new one is made: creation fails, and nothing is deleted."""
        kept = {name for name, _, _ in self.kept_stacks}
        return frozenset(
            (move.base_stack, move.base.logical_id)
            for move in self.moves
            if move.base_stack == move.head_stack or move.base_stack not in kept
        )


def _identity(stack: Stack | None, resource: Resource) -> tuple[object, ...] | None:
    names = resource.identity
    if stack is None or not names or any("${" in name.replace("${AWS::", "") for name in names):
        return None
    return (stack.account, stack.region, resource.resource_type, *names)
