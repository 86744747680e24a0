"""The properties of a resource as a flat map: from the path of each setting to what it says."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sizewell.checks.state_language import Scope
from sizewell.review.parity.grants import grants
from sizewell.templates.iam.statements import is_document

SettingPath = tuple[str, ...]

#: What tells the items of a list apart, in the order of preference.
_ITEM_NAMES = (
    "Name",
    "Key",
    "VariantName",
    "ChannelName",
    "PolicyName",
    "ScheduledActionName",
    "Id",
    "SettingName",
    "AttributeName",
    "name",
    "alert",
    "key",
)
#: Lists of texts whose order is part of what they say.
_ORDERED = frozenset({"Command", "EntryPoint", "ContainerEntrypoint", "ContainerArguments"})
#: Lists of alternatives, the best first: how many there are is a size.
_RANKED = frozenset({"InstancePools"})
_STATES = "States"
#: A file of a ConfigMap whose content is JSON.
_JSON_FILE = ".json"
_NUMBERED = re.compile(r"(.*?)\d+")


@dataclass(frozen=True)
class Setting:
    """What is set at a path."""

    values: Mapping[str, str]
    """As they are written, by what of them counts: the keys are normalised."""
    is_policy: bool = False
    """Whether the values are grants."""


Settings = Mapping[SettingPath, Setting]


def settings_of(properties: Mapping[str, Any], normalise: Callable[[str], str]) -> Settings:
    """Return the settings of a resource.

    Numbered states of a state machine, the tries of a ladder, are one: ``Train#`` holds the values of all of them.
    """
    found: dict[SettingPath, dict[str, str]] = {}
    policies: set[SettingPath] = set()

    def walk(value: Any, path: SettingPath) -> None:
        if isinstance(value, Mapping) and value:
            if is_document(value):
                policies.add(path)
                found.setdefault(path, {}).update(grants(value, normalise))
                return
            for key, item in value.items():
                numbered = _NUMBERED.fullmatch(key) if path[-1] == _STATES else None
                walk(item, (*path, f"{numbered[1]}#" if numbered else normalise(key)))
        elif isinstance(value, list) and value and path[-1] in _RANKED:
            for item in value:
                walk(item, (*path, "#"))
        elif isinstance(value, list) and any(isinstance(item, Mapping | list) for item in value):
            for name, item in _named(value, normalise):
                walk(item, (*path, name))
        elif isinstance(value, list):
            texts = [_text(item) for item in value]
            if path[-1] in _ORDERED:
                texts = [" ".join(texts)]
            found.setdefault(path, {}).update({normalise(text): text for text in texts or ["[]"]})
        elif isinstance(value, str) and (content := _json_content(path[-1], value)) is not None:
            walk(content, path)
        elif value is not None:
            text = "{}" if isinstance(value, Mapping) else _text(value)
            found.setdefault(path, {})[normalise(text)] = text

    for name, item in properties.items():
        walk(item, (name,))
    return {path: Setting(values, path in policies) for path, values in found.items()}


def numbered_states(properties: Mapping[str, Any]) -> int:
    """Return how many tries a state machine makes: the most states that differ in their number only."""
    definition = properties.get("DefinitionString")
    return _numbered_states(Scope("", definition)) if isinstance(definition, Mapping) else 0


def _numbered_states(scope: Scope) -> int:
    families = Counter(numbered[1] for name in scope.states if (numbered := _NUMBERED.fullmatch(name)))
    inner = (_numbered_states(inner_scope) for inner_scope in scope.inner_scopes())
    return max((*families.values(), *inner), default=0)


def _named(items: list[Any], normalise: Callable[[str], str]) -> Iterator[tuple[str, Any]]:
    for key in _ITEM_NAMES:
        names = [normalise(str(item.get(key))) for item in items if isinstance(item, Mapping) and key in item]
        if len(names) == len(items) == len(set(names)):
            yield from zip(names, items, strict=True)
            return
    yield from ((str(index), item) for index, item in enumerate(items))


def _json_content(name: str, text: str) -> Any:
    """Return what a file holds that is JSON by its name; None where it is none."""
    try:
        return json.loads(text) if name.endswith(_JSON_FILE) else None
    except ValueError:
        return None


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        # A product of two figures may end in a digit that means nothing.
        return str(int(value)) if value.is_integer() else f"{value:.12g}"
    return str(value)
