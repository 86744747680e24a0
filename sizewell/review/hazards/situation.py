"""What rules look at: one environment whose resources are paired once for all of them."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from sizewell.checks.literals import mapping
from sizewell.review.comparison import EnvironmentPair, StackPair
from sizewell.review.hazards.alarm import ALARM_TYPES, AlarmPair, alarm_pairs
from sizewell.review.hazards.endpoint import ENDPOINT, Endpoint, EndpointChange, EndpointPair
from sizewell.review.hazards.identity import identity_of
from sizewell.review.hazards.resource_pair import ResourcePair
from sizewell.review.hazards.scaling_places import ScalingPlaces, outside_names
from sizewell.review.model import ResourceChange
from sizewell.review.saved import Resource, Stack

REPLACED = ("replaced", "may be replaced")
_Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Move:
    """A resource with a fixed name that has another logical id, or another stack, on the other side."""

    base_stack: str
    head_stack: str
    base: Resource
    head: Resource


@dataclass(frozen=True)
class Situation:
    """One environment, its changed stacks, and what CloudFormation does with their resources."""

    pair: EnvironmentPair
    changes: Sequence[ResourceChange]

    @property
    def production(self) -> bool:
        """Whether the environment serves users."""
        return self.pair.production

    @cached_property
    def stacks(self) -> tuple[StackPair, ...]:
        """The stacks in which anything changes, but for those that go elsewhere as a whole.

        What changes in one stack may replace resources of another whose own template is the same.
        """
        reached = {change.stack for change in self.changes}
        return tuple(
            one
            for one in self.pair.stacks
            if (not one.is_unchanged or one.name in reached) and not _is_relocated(one)
        )

    @cached_property
    def relocated(self) -> tuple[tuple[str, Stack, Stack], ...]:
        """The stacks that go to another account or region: name, base, head."""
        return tuple(
            (one.name, one.base, one.head)
            for one in self.pair.stacks
            if one.base and one.head and one.base.parent is None and _is_relocated(one)
        )

    @cached_property
    def kept_stacks(self) -> tuple[tuple[str, Stack, Stack], ...]:
        """Those that both sides have: name, base, head."""
        return tuple((one.name, one.base, one.head) for one in self.stacks if one.base and one.head)

    @cached_property
    def _by_type(self) -> Mapping[str, list[ResourcePair]]:
        found: dict[str, list[ResourcePair]] = {}
        for stack in self.stacks:
            base = stack.base.resources if stack.base else {}
            head = stack.head.resources if stack.head else {}
            for logical_id in {**base, **head}:
                pair = ResourcePair(stack, logical_id, base.get(logical_id), head.get(logical_id))
                for resource_type in {one.resource_type for one in (pair.base, pair.head) if one}:
                    found.setdefault(resource_type, []).append(pair)
        return found

    def resources(self, *resource_types: str) -> Iterator[ResourcePair]:
        """Yield the resources of some types in stacks that are not the same; of all types without any."""
        for resource_type in resource_types or sorted(self._by_type):
            yield from self._by_type.get(resource_type, ())

    def kept(self, *resource_types: str) -> Iterator[tuple[str, Resource, Resource]]:
        """Yield the resources that both sides have and that differ: stack, base, head."""
        for pair in self.resources(*resource_types):
            if (
                pair.base
                and pair.head
                and pair.base.resource_type == pair.head.resource_type
                and not pair.base.is_same_as(pair.head)
            ):
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
        base, head = (
            side.stacks[stack].resources.get(logical_id) if side and stack in side.stacks else None
            for side in (self.pair.base, self.pair.head)
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
        if not self.stacks:
            return ()
        own = [self._endpoint(pair.stack, pair.logical_id) for pair in self.resources(ENDPOINT)]
        known = {side.given_name for one in own for side in (one.base, one.head) if side}
        wanted = {
            name for places in self._places for name in places.names_in(one.name for one in self.stacks)
        } - known
        return (*own, *(self._endpoints_elsewhere(wanted) if wanted else ()))

    def _endpoints_elsewhere(self, wanted: Set[str]) -> Iterator[EndpointPair]:
        """Yield the endpoints of unchanged stacks that some text of another template means."""
        looked_at = {stack.name for stack in self.stacks}
        for stack in self.pair.stacks:
            if stack.name in looked_at or stack.base is None or stack.head is None or _is_relocated(stack):
                continue
            for logical_id, body in mapping(stack.head.template.get("Resources")).items():
                if mapping(body).get("Type") != ENDPOINT:
                    continue
                one = self._endpoint(stack, logical_id)
                if one.head and wanted & outside_names(stack.head, logical_id, one.head.given_name):
                    yield one

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
            ScalingPlaces(tuple(side.stacks.values()) if side else ())
            for side in (self.pair.base, self.pair.head)
        )
        return base, head

    @cached_property
    def alarms(self) -> tuple[AlarmPair, ...]:
        """The alarms of the stacks that both sides have, and that are not the same on both."""
        return tuple(alarm_pairs(self.resources(*ALARM_TYPES)))

    @cached_property
    def kept_endpoints(self) -> tuple[EndpointChange, ...]:
        """Those that both sides have, and that are updated: another name makes another endpoint."""
        return tuple(
            EndpointChange(one.stack, one.logical_id, one.base, one.head)
            for one in self.endpoints
            if one.base and one.head and one.base.given_name == one.head.given_name
        )

    @cached_property
    def _changes(self) -> Mapping[_Place, ResourceChange]:
        return {(change.stack, change.logical_id): change for change in self.changes}

    def change_of(self, stack: str, logical_id: str) -> ResourceChange | None:
        """Return what CloudFormation does with a resource; None where it leaves it alone."""
        return self._changes.get((stack, logical_id))

    def is_replaced(self, stack: str, logical_id: str) -> bool:
        """Tell whether a resource is, or may be, replaced."""
        change = self.change_of(stack, logical_id)
        return change is not None and change.action in REPLACED

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
    def moved_in_vain(self) -> frozenset[_Place]:
        """Those whose old one is still there when the new one is made: creation fails, and nothing is deleted."""
        kept = {name for name, _, _ in self.kept_stacks}
        return frozenset(
            (move.base_stack, move.base.logical_id)
            for move in self.moves
            if move.base_stack == move.head_stack or move.base_stack not in kept
        )


def _is_relocated(pair: StackPair) -> bool:
    """Tell whether account or region are known on both sides, and are others."""
    if pair.base is None or pair.head is None:
        return False
    places = ((pair.base.account, pair.head.account), (pair.base.region, pair.head.region))
    return any(base is not None and head is not None and base != head for base, head in places)


def _identity(stack: Stack | None, resource: Resource) -> tuple[object, ...] | None:
    names = identity_of(resource)
    if stack is None or not names or any("${" in name.replace("${AWS::", "") for name in names):
        return None
    return (stack.account, stack.region, resource.resource_type, *names)
