"""A whole template in canonical spelling."""

import json
from collections.abc import Mapping
from typing import Any

from sizewell.templates.conditions import truth_of
from sizewell.templates.intrinsics import NO_VALUE, escaped, get_att_text, is_intrinsic, substituted
from sizewell.templates.place import Place
from sizewell.templates.policy_documents import canonical_policy, is_policy
from sizewell.templates.resource_schemas import unordered_lists

#: What CDK adds to every template for itself: none of it is deployed as such.
_BOOTSTRAP_PARAMETER = "BootstrapVersion"
_METADATA_TYPE = "AWS::CDK::Metadata"
_METADATA_CONDITION = "CDKMetadataAvailable"


def canonical_sections(template: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """Return all but the resources of a template, without CDK's boilerplate, in canonical spelling."""
    result = {
        section: _canonical(body, place)
        for section, body in template.items()
        if section not in ("Resources", "Rules")
    }
    for section, name in (("Parameters", _BOOTSTRAP_PARAMETER), ("Conditions", _METADATA_CONDITION)):
        if isinstance(result.get(section), dict):
            result[section].pop(name, None)
            if not result[section]:
                del result[section]
    rules = template.get("Rules")
    if isinstance(rules, Mapping) and (
        own := {k: v for k, v in rules.items() if k != "CheckBootstrapVersion"}
    ):
        result["Rules"] = _canonical(own, place)
    return result


def place_of(
    template: Mapping[str, Any], account: str | None, region: str | None, *, nested: bool = False
) -> Place:
    """Return what is known of a template; the parameters of a nested stack are given by its parent."""
    sections = {name: template.get(name) for name in ("Parameters", "Mappings", "Conditions")}
    maps = {name: dict(value) if isinstance(value, Mapping) else {} for name, value in sections.items()}
    return Place(account, region, {} if nested else maps["Parameters"], maps["Mappings"], maps["Conditions"])


def resource_bodies(template: Mapping[str, Any], place: Place) -> dict[str, Mapping[str, Any]]:
    """Return the resources of a template as they were written, sorted by logical id.

    CDK's own are left out, and those whose condition does not hold. A loop counts as one resource of the type
    ``Fn::ForEach``: what it makes, only CloudFormation knows.
    """
    resources = template.get("Resources")
    found: dict[str, Mapping[str, Any]] = {}
    for logical_id, body in sorted(resources.items() if isinstance(resources, Mapping) else ()):
        if logical_id.startswith("Fn::"):
            found[logical_id] = {
                "Type": logical_id.partition("Fn::ForEach")[1] or logical_id,
                "Properties": {"Loop": body},
            }
        elif (
            isinstance(body, Mapping)
            and body.get("Type") != _METADATA_TYPE
            and condition_holds(body.get("Condition"), place) is not False
        ):
            found[logical_id] = body
    return found


def condition_holds(name: Any, place: Place) -> bool | None:
    """Return whether a condition of the template holds; None where only the deployment knows, or there is none."""
    return truth_of(name, place, lambda value: _plain(value, place))


def canonical_resource(body: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """Return one resource in canonical spelling; it has ``Properties``, if only empty ones."""
    return _resource(body, place)


def canonical_value(value: Any, place: Place) -> Any:
    """Return a value of a template in canonical spelling; ``AWS::NoValue`` is None."""
    return _canonical(value, place)


def _resource(body: Mapping[str, Any], place: Place) -> dict[str, Any]:
    resource = {key: _canonical(value, place) for key, value in body.items() if key != "Properties"}
    properties = _canonical(body.get("Properties") or {}, place)
    if not isinstance(properties, dict):
        properties = {"": properties}  # a function that gives all properties: one value, under no name
    for path in unordered_lists(str(body.get("Type"))):
        _sort(properties, path)
    if isinstance(tags := properties.get("Tags"), list):
        properties["Tags"] = sorted(tags, key=repr)
        if not tags:
            del properties["Tags"]
    resource["Properties"] = properties
    depends_on = resource.get("DependsOn")
    if depends_on is not None:
        resource["DependsOn"] = sorted(depends_on if isinstance(depends_on, list) else [depends_on], key=str)
        if not resource["DependsOn"]:
            del resource["DependsOn"]
    return resource


def _sort(node: Any, path: tuple[str, ...]) -> None:
    """Sort the list at a path; ``*`` in it is every item of a list."""
    first, rest = path[0], path[1:]
    if first == "*":
        for item in node if isinstance(node, list) else ():
            _sort(item, rest)
    elif isinstance(node, dict) and first in node:
        if rest:
            _sort(node[first], rest)
        elif isinstance(node[first], list):
            node[first] = sorted(node[first], key=repr)


def _canonical(value: Any, place: Place) -> Any:
    # By exact type, the most frequent first: this runs for every value of every resource that has changed.
    kind = type(value)
    if kind is str:
        return _embedded(escaped(value))
    if kind is dict:
        if is_intrinsic(value):
            return _intrinsic(value, place)
        result = {
            key: spelled
            for key, item in sorted(value.items())
            if (spelled := _canonical(item, place)) is not None
        }
        return canonical_policy(result) if is_policy(result) else result
    if kind is list:
        return [spelled for item in value if (spelled := _canonical(item, place)) is not None]
    if kind is bool:
        return "true" if value else "false"
    return _number(value) if kind in (int, float) else value


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else str(value)


def _intrinsic(value: Mapping[str, Any], place: Place) -> Any:
    ((name, arguments),) = value.items()
    if value == NO_VALUE:
        return None
    if name == "Ref" and isinstance(arguments, str):
        if arguments in place.lists:
            return list(place.lists[arguments])
        return place.texts.get(arguments, "${" + arguments + "}")
    if name == "Fn::GetAtt" and (
        isinstance(arguments, str)
        or (isinstance(arguments, list) and all(isinstance(a, str) for a in arguments))
    ):
        return get_att_text(arguments)
    if name == "Fn::Sub":
        return _sub(arguments, place)
    if name == "Fn::If":
        return _if(arguments, place)
    inner = _plain(arguments, place)
    if name == "Fn::FindInMap" and (found := place.mapped(inner)) is not None:
        return _canonical(found, place)
    if name == "Fn::Join" and isinstance(inner, list) and len(inner) == 2:
        separator, parts = inner
        if isinstance(parts, list) and all(isinstance(part, str) for part in parts):
            return _embedded(str(separator).join(parts))
    if name == "Fn::Select" and isinstance(inner, list) and len(inner) == 2:
        index, items = inner
        if isinstance(items, list) and str(index).isdecimal() and int(index) < len(items):
            return items[int(index)]
    return {name: inner}


def _if(arguments: Any, place: Place) -> Any:
    """Return the branch that is known to be taken, else the function; a branch may be ``AWS::NoValue``."""
    if not isinstance(arguments, list) or len(arguments) != 3:
        return {"Fn::If": _plain(arguments, place)}
    name, if_true, if_false = arguments
    holds = condition_holds(name, place)
    if holds is not None:
        return _canonical(if_true if holds else if_false, place)
    branches = (NO_VALUE if branch == NO_VALUE else _plain(branch, place) for branch in (if_true, if_false))
    return {"Fn::If": [name, *branches]}


def _plain(value: Any, place: Place) -> Any:
    """Return canonical arguments of a function: its texts are parts, and never JSON of their own."""
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, list):
        return [_plain(item, place) for item in value if item != NO_VALUE]
    if isinstance(value, Mapping) and is_intrinsic(value):
        result = _intrinsic(value, place)
        return (
            _dumped(result) if value.keys() & {"Fn::Join", "Fn::Sub"} and not is_intrinsic(result) else result
        )
    return _canonical(value, place)


def _dumped(value: Any) -> Any:
    return json.dumps(value, separators=(",", ":")) if isinstance(value, dict | list) else value


def _sub(arguments: Any, place: Place) -> Any:
    text, given = (
        (arguments[0], arguments[1])
        if isinstance(arguments, list) and len(arguments) == 2
        else (arguments, {})
    )
    variables = (
        {name: _plain(item, place) for name, item in given.items()}
        if isinstance(given, dict)
        else {"": given}
    )
    if not isinstance(text, str) or not all(isinstance(item, str) for item in variables.values()):
        return {"Fn::Sub": [text, variables]}
    return _embedded(substituted(text, variables, place.texts))


def _embedded(text: str) -> Any:
    """Return JSON that is written in a text as data, so that its own order and spelling do not count."""
    if len(text) < 2 or text[0] not in "{[" or text[-1] not in "}]":
        return text
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return _sorted_json(data) if isinstance(data, dict | list) else text


def _sorted_json(value: Any) -> Any:
    if isinstance(value, dict):
        result = {key: _sorted_json(item) for key, item in sorted(value.items())}
        return canonical_policy(result) if is_policy(result) else result
    return [_sorted_json(item) for item in value] if isinstance(value, list) else value
