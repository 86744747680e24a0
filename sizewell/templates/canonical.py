"""One spelling for what CloudFormation reads alike, so that order, spelling and asset hashes never look like changes.

Canonical data are maps, lists and texts. Intrinsic functions that give a text are written as in ``Fn::Sub``:
``arn:aws:s3:::${Bucket}/models``, ``${Role.Arn}``; a ``${`` that means itself is ``${!``. Numbers and truth values are
texts (CloudFormation takes either); ``values`` reads them. JSON in a text is data of its own, with types. What is known of a
template before it is deployed (``Place``) stands for itself: then a reference is as good as its value.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sizewell.facts.regions import partition_of, url_suffix_of
from sizewell.templates.resource_schemas import unordered_lists
from sizewell.templates.values import NO_VALUE, escaped, get_att_text, is_intrinsic, substituted

_LISTS = ("CommaDelimitedList", "List<")
_SETS = ("Action", "NotAction", "Resource", "NotResource")
_PRINCIPALS = ("Principal", "NotPrincipal")
_ACCOUNT_ROOT = re.compile(r"arn:(?:aws[a-z-]*|\$\{AWS::Partition\}):iam::(\d{12}|\$\{AWS::AccountId\}):root")
_HIDDEN = re.compile(r"<asset [^<>]*>")
#: What CDK adds to every template for itself: none of it is deployed as such.
_BOOTSTRAP_PARAMETER = "BootstrapVersion"
_METADATA_TYPE = "AWS::CDK::Metadata"
_METADATA_CONDITION = "CDKMetadataAvailable"


@dataclass(frozen=True)
class Place:
    """Where a template is deployed, as far as the app says, and what its own sections say."""

    account: str | None = None
    region: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The section of the template: what has a default has that value, unless somebody gives another one."""
    mappings: Mapping[str, Any] = field(default_factory=dict)
    conditions: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Pseudo parameters and parameters whose value is known, by name."""
        return {**self._pseudo_parameters, **{name: value for name, value, _ in self._defaults}}

    @cached_property
    def lists(self) -> Mapping[str, list[str]]:
        """Parameters that are lists, and whose value is known."""
        return {name: value.split(",") for name, value, is_list in self._defaults if is_list}

    def mapped(self, names: Any) -> Any:
        """Return what ``Fn::FindInMap`` finds by literal names; None where that is not known."""
        found: Any = self.mappings
        if not isinstance(names, list) or len(names) != 3:
            return None
        for name in names:
            if not isinstance(name, str) or not isinstance(found, Mapping) or name not in found:
                return None
            found = found[name]
        return found

    @cached_property
    def _pseudo_parameters(self) -> Mapping[str, str]:
        known: dict[str, str] = {}
        if self.account:
            known["AWS::AccountId"] = self.account
        if self.region:
            known["AWS::Region"] = self.region
            known["AWS::URLSuffix"] = url_suffix_of(self.region)
            known["AWS::Partition"] = partition_of(self.region)
        return known

    @cached_property
    def _defaults(self) -> tuple[tuple[str, str, bool], ...]:
        """Name, value, and whether it is a list; what SSM or a person says at deployment is not known."""
        found = []
        for name, parameter in self.parameters.items():
            if not isinstance(parameter, Mapping) or str(parameter.get("NoEcho", "")).lower() == "true":
                continue
            kind, default = str(parameter.get("Type", "")), parameter.get("Default")
            if isinstance(default, str | int | float) and not kind.startswith("AWS::SSM::"):
                text = str(default).lower() if isinstance(default, bool) else str(default)
                found.append((name, text, kind.startswith(_LISTS)))
        return tuple(found)


#: Where nothing is known.
NOWHERE = Place()


def truth_of(name: Any, place: Place, spelled: Callable[[Any], Any]) -> bool | None:
    """Return whether a condition holds; None where only the deployment knows. ``spelled`` gives canonical values."""
    return _named(name, place, spelled, frozenset()) if isinstance(name, str) else None


def _named(name: str, place: Place, spelled: Callable[[Any], Any], above: frozenset[str]) -> bool | None:
    if name in above or name not in place.conditions:
        return None
    return _holds(place.conditions[name], place, spelled, above | {name})


def _holds(value: Any, place: Place, spelled: Callable[[Any], Any], above: frozenset[str]) -> bool | None:
    if not isinstance(value, Mapping) or len(value) != 1:
        return None
    ((function, arguments),) = value.items()
    if function == "Condition" and isinstance(arguments, str):
        return _named(arguments, place, spelled, above)
    if function == "Fn::Equals" and isinstance(arguments, list) and len(arguments) == 2:
        one, other = (spelled(argument) for argument in arguments)
        if all(isinstance(side, str) and "${" not in side for side in (one, other)):
            return bool(one == other)
        return None
    if not isinstance(arguments, list):
        return None
    parts = [_holds(argument, place, spelled, above) for argument in arguments]
    if function == "Fn::Not" and len(parts) == 1:
        return None if parts[0] is None else not parts[0]
    if function == "Fn::And":
        return False if False in parts else None if None in parts else True
    if function == "Fn::Or":
        return True if True in parts else None if None in parts else False
    return None


def is_policy(value: Any) -> bool:
    """Tell whether a canonical map is a policy document."""
    if not isinstance(value, dict) or "Statement" not in value:
        return False
    statements = value["Statement"]
    statements = statements if isinstance(statements, list) else [statements]
    return all(isinstance(s, Mapping) and "Effect" in s for s in statements)


def canonical_policy(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document whose statements, actions, resources, principals and values are sorted lists."""
    statements = document["Statement"]
    canonical = [_statement(s) for s in (statements if isinstance(statements, list) else [statements])]
    rest = {key: value for key, value in document.items() if key not in ("Statement", "Id")}
    return {**rest, "Statement": sorted(canonical, key=repr)}


def _statement(statement: Mapping[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in sorted(statement.items()):
        if key == "Sid":
            continue
        if key in _SETS:
            result[key] = _set(value)
        elif key in _PRINCIPALS:
            result[key] = _principal(value)
        elif key == "Condition" and isinstance(value, Mapping):
            result[key] = {
                operator: {name: _set(values) for name, values in sorted(keys.items())}
                if isinstance(keys, Mapping)
                else keys
                for operator, keys in sorted(value.items())
            }
        else:
            result[key] = value
    return result


def _principal(value: Any) -> Any:
    if value == "*":
        return {"AWS": ["*"]}
    if not isinstance(value, Mapping) or any(key.startswith("Fn::") for key in value):
        return value
    return {kind: [_account(p) for p in _set(names)] for kind, names in sorted(value.items())}


def _account(principal: Any) -> Any:
    found = _ACCOUNT_ROOT.fullmatch(principal) if isinstance(principal, str) else None
    return found[1] if found else principal


def _set(value: Any) -> list[Any]:
    values = value if isinstance(value, list) else [value]
    unique = {repr(item): item for item in values}
    return [unique[key] for key in sorted(unique)]


def mark_assets(text: str, digests: Mapping[str, str]) -> str:
    """Return a text with ``<asset DIGEST>`` in the place of each hash that has a digest of its content."""
    for hash_, digest in digests.items():
        if hash_ in text:
            text = text.replace(hash_, f"<asset {digest}>")
    return text


def hide_assets(text: str) -> str:
    """Return a text to show: where an asset is meant, and not which content it has."""
    return _HIDDEN.sub("<asset>", text)


def canonical_sections(template: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """Return all but the resources of a template, without CDK's boilerplate, in canonical spelling."""
    result = {
        section: canonical_value(body, place)
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
        result["Rules"] = canonical_value(own, place)
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
    resource = {key: canonical_value(value, place) for key, value in body.items() if key != "Properties"}
    properties = canonical_value(body.get("Properties") or {}, place)
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


def canonical_value(value: Any, place: Place) -> Any:
    """Return a value of a template in canonical spelling; ``AWS::NoValue`` is None."""
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
            if (spelled := canonical_value(item, place)) is not None
        }
        return canonical_policy(result) if is_policy(result) else result
    if kind is list:
        return [spelled for item in value if (spelled := canonical_value(item, place)) is not None]
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
        return canonical_value(found, place)
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
        return canonical_value(if_true if holds else if_false, place)
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
    return canonical_value(value, place)


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
        # Since Python 3.12, a parser in C goes deeper than code in Python may.
        return _sorted_json(data) if isinstance(data, dict | list) else text
    except (ValueError, RecursionError):
        return text


def _sorted_json(value: Any) -> Any:
    if isinstance(value, dict):
        result = {key: _sorted_json(item) for key, item in sorted(value.items())}
        return canonical_policy(result) if is_policy(result) else result
    return [_sorted_json(item) for item in value] if isinstance(value, list) else value
