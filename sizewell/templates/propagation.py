"""What CloudFormation does with each resource: first by its own template, then by what it refers to.

Whoever refers to a resource that is replaced gets another value. A value travels by ``Ref`` and ``Fn::GetAtt`` inside a
stack, through parameters into nested stacks and through outputs back, through exports, and through SSM parameters that one
stack writes and another reads by name. What hangs on a changed condition that only the deployment knows may change as well.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sizewell.templates.deployment import RANK, REPLACED, DeploymentDiff, ResourceImpact
from sizewell.templates.differences import differences, effect_of, name_of
from sizewell.templates.resource_schemas import resource_schema
from sizewell.templates.template import Action, Difference, Effect, Resource, ResourcePair, Stack, StackPair
from sizewell.templates.values import Reference, mapping, mentioned_names, references_in

_ACTION_OF: dict[Effect, Action | None] = {
    "none": None,
    "update": "changed",
    "may replace": "may be replaced",
    "replace": "replaced",
}
#: Attributes beside the properties that CloudFormation obeys without touching the resource.
_TYPE = "Type"
#: A condition that only the deployment knows may take the resource away, or bring it.
_CONDITION = "Condition"
_IF = "Fn::If"
_FIND = "Fn::FindInMap"
_PARAMETER_TYPE = "AWS::SSM::Parameter"
_NESTED_TYPE = "AWS::CloudFormation::Stack"
_IMPORT = "Fn::ImportValue"
#: Exports are known in all stacks of an environment.
_ANY_STACK = "*"


def diff_stacks(stacks: tuple[StackPair, ...]) -> DeploymentDiff:
    """Return what a deployment of head over base does with all stacks of one environment.

    A stack that goes to another account or region is left out: none of its resources is updated. Unchanged stacks are
    looked at where values of changed ones can reach them.
    """
    changed = [stack for stack in stacks if not stack.is_unchanged and not stack.is_relocated]
    impacts = [impact for stack in changed for impact in _own_impacts(stack)]
    unchanged = [stack for stack in stacks if stack.is_unchanged]
    if reached := _reach_other_stacks(changed):
        impacts += [impact for stack in unchanged for impact in _own_impacts(stack)]
    _propagate(stacks, impacts)
    untouched = 0 if reached else sum(len(stack.head.resources) for stack in unchanged if stack.head)
    return DeploymentDiff(stacks, tuple(impacts), untouched)


def _own_impacts(stacks: StackPair) -> list[ResourceImpact]:
    """Return the impact on every resource of a stack, unchanged ones included, by logical id.

    A logical id that is another one for the same construct and type is a replacement: CloudFormation makes the new one
    and deletes the old.
    """
    return _with_renamed([_impact(pair) for pair in stacks.resources])


def _impact(pair: ResourcePair) -> ResourceImpact:
    base, head, stack = pair.base, pair.head, pair.stack.name
    if base is None or head is None:
        return ResourceImpact(stack, base, head, "added" if base is None else "removed")
    found = _differences(base, head)
    impact = ResourceImpact(stack, base, head, differences=tuple(found))
    for _, effect in found:
        action = _ACTION_OF[effect]
        if RANK[action] > RANK[impact.action]:
            impact.action = action
    if impact.action is None and found:
        impact.action = "changed"
    decisive: Effect = "replace" if impact.action == "replaced" else "may replace"
    impact.decided_by = [d.shown_path for d, effect in found if effect == decisive]
    return impact


def _differences(base: Resource, head: Resource) -> list[tuple[Difference, Effect]]:
    if base is head:
        return []
    if base.resource_type != head.resource_type:
        return [(Difference((_TYPE,), (_TYPE,), base.resource_type, head.resource_type), "replace")]
    found: list[tuple[Difference, Effect]] = [
        (difference, effect_of(head.resource_type, difference))
        for difference in differences(base.properties, head.properties)
    ]
    attributes: list[tuple[Difference, Effect]] = [
        (difference, "may replace" if difference.path[0] == _CONDITION else "none")
        for difference in differences(base.attributes, head.attributes)
    ]
    return found + attributes


def _with_renamed(impacts: list[ResourceImpact]) -> list[ResourceImpact]:
    """Join what was removed and what was added under another logical id of the same construct."""
    removed = {_identity(impact.resource): impact for impact in impacts if impact.action == "removed"}
    kept: list[ResourceImpact] = []
    joined: set[int] = set()
    for impact in impacts:
        old = removed.get(_identity(impact.resource)) if impact.action == "added" else None
        # Without a path in the template the logical id is all that there is.
        if old is None or "/" not in impact.resource.path or id(old) in joined:
            kept.append(impact)
            continue
        joined.add(id(old))
        difference = Difference(
            ("LogicalId",), ("LogicalId",), old.resource.logical_id, impact.resource.logical_id
        )
        changed = _differences(old.resource, impact.resource)
        kept.append(
            ResourceImpact(
                impact.stack,
                old.base,
                impact.head,
                "replaced",
                ((difference, "replace"), *changed),
                ["LogicalId"],
            )
        )
    return [impact for impact in kept if id(impact) not in joined]


def _identity(resource: Resource) -> tuple[Any, ...]:
    return (resource.resource_type, resource.path)


def _apply_conditions(stacks: Sequence[StackPair], impacts: Iterable[ResourceImpact]) -> None:
    """Raise the impacts of what hangs on a condition, or on a mapping, that is another one."""
    changed = {pair.name: _changed_names(pair) for pair in stacks if not pair.is_unchanged}
    for impact in impacts:
        names = changed.get(impact.stack)
        if not names or impact.base is None or impact.head is None:
            continue
        condition = impact.head.attributes.get("Condition")
        if condition in names:
            impact.raise_to("may be replaced", "Condition", f"{impact.stack}/{condition}")
        for name, value in impact.head.properties.items():
            if used := next((used_name for used_name in _used(value) if used_name in names), None):
                effect = effect_of(impact.head.resource_type, Difference((name,), (name,), None, value))
                action: Action = _ACTION_OF[effect] or "changed"
                impact.raise_to(
                    "may be replaced" if action == "replaced" else action, name, f"{impact.stack}/{used}"
                )


def _changed_names(pair: StackPair) -> frozenset[str]:
    """Return the conditions and mappings that differ, and the conditions that are made of those."""
    if pair.base is None or pair.head is None:
        return frozenset()
    names: set[str] = set()
    for section in ("Conditions", "Mappings"):
        base, head = (mapping(side.sections.get(section)) for side in (pair.base, pair.head))
        names |= {difference.path[0] for difference in differences(base, head) if difference.path}
    conditions = mapping(pair.head.sections.get("Conditions"))
    while more := {
        name for name, body in conditions.items() if name not in names and names & set(_referred(body))
    }:
        names |= more
    return frozenset(names)


def _referred(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key == "Condition" and isinstance(item, str):
                yield item
            else:
                yield from _referred(item)
    elif isinstance(value, list):
        for item in value:
            yield from _referred(item)


def _used(value: Any) -> Iterator[str]:
    """Yield the conditions and mappings that a canonical value still hangs on."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key in (_IF, _FIND) and isinstance(item, list) and item and isinstance(item[0], str):
                yield item[0]
            yield from _used(item)
    elif isinstance(value, list):
        for item in value:
            yield from _used(item)


class _Use(NamedTuple):
    """A property of a resource that refers to something."""

    impact: ResourceImpact
    path: tuple[str, ...]
    schema_path: tuple[str, ...]
    reference: Reference


class _Change(NamedTuple):
    """A name of a stack whose value is another one, for certain or perhaps; attributes None means all of them."""

    stack: str
    name: str
    certain: bool
    attributes: frozenset[str] | None
    cause: str


def _reach_other_stacks(changed: Iterable[StackPair]) -> bool:
    """Tell whether values of these stacks can travel to others: most stacks keep theirs to themselves."""
    return any(
        stack.parent is not None
        or any(
            resource.resource_type in (_PARAMETER_TYPE, _NESTED_TYPE) for resource in stack.resources.values()
        )
        or any("Export" in output for output in _maps(stack.sections.get("Outputs")).values())
        for stack in (pair.head for pair in changed)
        if stack is not None
    )


def _propagate(stacks: Sequence[StackPair], impacts: Iterable[ResourceImpact]) -> None:
    """Raise the impacts of everything that refers to what is replaced or changed."""
    impacts = list(impacts)
    heads = {stack.name: stack for stack in (pair.head for pair in stacks) if stack}
    readers = _readers_of_ssm(heads.values())
    _apply_conditions(stacks, impacts)
    changes = [*_changed_resources(impacts, readers), *_changed_parameters(stacks)]
    if not changes:
        return
    users = _Users(impacts)
    done: set[tuple[str, str, bool, frozenset[str] | None]] = set()
    while changes:
        change = changes.pop(0)
        key = change[:4]
        if key in done:
            continue
        done.add(key)
        for use in users.of(change.stack, change.name):
            if change.attributes is None or use.reference.attribute in change.attributes:
                changes += _reach(use, change, readers)
        if change.stack != _ANY_STACK:
            changes += _through_outputs(heads[change.stack], change)


def _changed_resources(
    impacts: Iterable[ResourceImpact], readers: Mapping[str, list[tuple[str, str]]]
) -> Iterator[_Change]:
    for impact in impacts:
        if impact.base is None or impact.head is None:
            continue
        if impact.action in REPLACED:
            yield _replaced(impact)
        elif impact.action == "changed":
            # An attribute that is called like a property has the property's value: the Value of an SSM parameter.
            names = frozenset(d.path[0] for d, effect in impact.differences if effect == "update")
            if names:
                yield _Change(impact.stack, impact.head.logical_id, True, names, impact.name)
            if "Value" in names:
                yield from _to_readers(impact.head, True, impact.name, readers)


def _replaced(impact: ResourceImpact) -> _Change:
    assert impact.head is not None
    certain = impact.action == "replaced" and not _keeps_its_name(impact.base, impact.head)
    return _Change(impact.stack, impact.head.logical_id, certain, None, impact.name)


def _keeps_its_name(base: Resource | None, head: Resource) -> bool:
    """Tell whether the identifying properties are given and the same: what others refer to may well be, too."""
    schema = resource_schema(head.resource_type)
    if base is None or schema is None or not schema.identifier:
        return False
    return all(
        len(path) == 1
        and isinstance(value := head.properties.get(path[0]), str)
        and "${" not in value
        and value == base.properties.get(path[0])
        for path in schema.identifier
    )


def _changed_parameters(stacks: Sequence[StackPair]) -> Iterator[_Change]:
    for pair in stacks:
        if pair.base is None or pair.head is None or pair.is_unchanged:
            continue
        ours, theirs = (_maps(side.sections.get("Parameters")) for side in (pair.base, pair.head))
        for name in sorted(ours.keys() & theirs.keys()):
            if ours[name].get("Default") != theirs[name].get("Default"):
                yield _Change(pair.name, name, not _is_ssm(theirs[name]), None, f"{pair.name}/{name}")


class _Users:
    """Who refers to a name; the spelling of a resource is worked out only when it mentions a name that is asked for."""

    def __init__(self, impacts: Iterable[ResourceImpact]) -> None:
        self._mentions: dict[tuple[str, str], list[ResourceImpact]] = defaultdict(list)
        self._uses: dict[str, list[_Use]] = {}
        for impact in impacts:
            if impact.base is None or impact.head is None:
                continue
            for name, is_import in mentioned_names(impact.head.body.get("Properties")):
                self._mentions[_ANY_STACK if is_import else impact.stack, name].append(impact)

    def of(self, stack: str, name: str) -> Iterator[_Use]:
        """Yield the properties that refer to a name of a stack."""
        for impact in self._mentions.get((stack, name), ()):
            if impact.name not in self._uses:
                self._uses[impact.name] = list(_uses(impact))
            yield from (use for use in self._uses[impact.name] if use.reference.name == name)


def _uses(impact: ResourceImpact) -> Iterator[_Use]:
    assert impact.head is not None
    for path, schema_path, leaf in _leaves(impact.head.properties, (), ()):
        if isinstance(leaf, str):
            for reference in references_in(leaf):
                yield _Use(impact, path, schema_path, reference)
        else:
            yield _Use(impact, path, schema_path, Reference(str(leaf[_IMPORT])))


def _leaves(
    value: Any, path: tuple[str, ...], schema_path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], Any]]:
    """Yield every text with a reference in it, and every import, with where it stands."""
    if isinstance(value, str):
        if "${" in value:
            yield path, schema_path, value
    elif isinstance(value, Mapping):
        if isinstance(value.get(_IMPORT), str):
            yield path, schema_path, value
            return
        for key, item in value.items():
            # The arguments of a function are not properties.
            own = () if key.startswith("Fn::") else (key,)
            yield from _leaves(item, (*path, *own), (*schema_path, *own))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from _leaves(item, (*path, name_of(item) or str(position)), (*schema_path, "*"))


def _reach(use: _Use, change: _Change, readers: Mapping[str, list[tuple[str, str]]]) -> Iterator[_Change]:
    """Raise the impact of one user, and yield what follows from that."""
    impact = use.impact
    assert impact.head is not None
    if impact.name == change.cause:
        return
    effect = effect_of(impact.head.resource_type, Difference(use.path, use.schema_path, "", "-"))
    action: Action = _ACTION_OF[effect] or "changed"
    if action == "replaced" and not change.certain:
        action = "may be replaced"
    if impact.raise_to(action, ".".join(use.path), change.cause) and action != "changed":
        yield _replaced(impact)._replace(cause=change.cause)
    first = use.path[0]
    if impact.head.resource_type == _NESTED_TYPE and first == "Parameters" and len(use.path) > 1:
        yield _Change(
            f"{impact.stack}/{impact.head.logical_id}", use.path[1], change.certain, None, change.cause
        )
    elif impact.head.resource_type == _PARAMETER_TYPE and first == "Value":
        yield from _to_readers(impact.head, change.certain, change.cause, readers)
        yield _Change(
            impact.stack, impact.head.logical_id, change.certain, frozenset({"Value"}), change.cause
        )


def _to_readers(
    parameter: Resource, certain: bool, cause: str, readers: Mapping[str, list[tuple[str, str]]]
) -> Iterator[_Change]:
    """Yield the template parameters, of any stack, that get their value from an SSM parameter."""
    if parameter.resource_type == _PARAMETER_TYPE:
        for stack, name in readers.get(str(parameter.properties.get("Name")), ()):
            yield _Change(stack, name, certain, None, cause)


def _readers_of_ssm(stacks: Iterable[Stack]) -> Mapping[str, list[tuple[str, str]]]:
    """Return who reads an SSM parameter by its name: stack and template parameter."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for stack in stacks:
        for name, parameter in _maps(stack.template.get("Parameters")).items():
            if _is_ssm(parameter):
                found[str(parameter.get("Default"))].append((stack.name, name))
    return found


def _maps(section: Any) -> Mapping[str, Mapping[str, Any]]:
    """Return the maps of a section by name; what is written otherwise is left out."""
    items = section.items() if isinstance(section, Mapping) else ()
    return {name: value for name, value in items if isinstance(value, Mapping)}


def _is_ssm(parameter: Mapping[str, Any]) -> bool:
    return str(parameter.get("Type", "")).startswith("AWS::SSM::Parameter::Value")


def _through_outputs(stack: Stack, change: _Change) -> Iterator[_Change]:
    """Yield who reads an output that refers to the changed name: the parent of a nested stack, or importers."""
    for name, output in _maps(stack.sections.get("Outputs")).items():
        if not any(
            reference.name == change.name
            and (change.attributes is None or reference.attribute in change.attributes)
            for reference in references_in(output.get("Value"))
        ):
            continue
        if stack.parent and stack.nested_id:
            attribute = frozenset({f"Outputs.{name}"})
            yield _Change(stack.parent, stack.nested_id, change.certain, attribute, change.cause)
        export = output.get("Export")
        if isinstance(export, Mapping) and isinstance(export.get("Name"), str):
            yield _Change(_ANY_STACK, export["Name"], change.certain, None, change.cause)
