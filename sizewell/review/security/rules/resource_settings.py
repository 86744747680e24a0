"""Every setting that protects, compared on every resource that is not the same."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from sizewell.review.model import SecurityChange
from sizewell.review.security.rule import ABSENT, StackChange, stack_rule
from sizewell.review.security.rules.exposure import EXPOSURE
from sizewell.review.security.rules.isolation import ISOLATION
from sizewell.review.security.rules.records import RECORDS
from sizewell.review.security.rules.safeguards import SAFEGUARDS
from sizewell.review.security.rules.settings import Setting
from sizewell.review.words import Direction
from sizewell.templates.template import ResourcePair

_UNKNOWN = "The deployment decides the value. Look it up."


def _by_type(settings: Iterator[Setting]) -> Mapping[str, tuple[Setting, ...]]:
    found: dict[str, list[Setting]] = {}
    for setting in settings:
        for resource_type in setting.types:
            found.setdefault(resource_type, []).append(setting)
    return {resource_type: tuple(rows) for resource_type, rows in found.items()}


_SETTINGS = _by_type(chain(EXPOSURE, RECORDS, SAFEGUARDS, ISOLATION))


@stack_rule
def resource_settings(stack: StackChange) -> Iterator[SecurityChange]:
    """Yield the settings that protect less, or more, than they did; of new resources those that let anybody in."""
    for pair in stack.changed:
        for setting in _SETTINGS.get(pair.either.resource_type, ()):
            if pair.head is None or _is_preflight(pair.head.properties):
                continue
            if pair.base is None:
                yield from _new(stack, setting, pair)
            else:
                yield from compare_setting(
                    stack, setting, pair.either.logical_id, pair.base.properties, pair.head.properties
                )


def compare_setting(
    stack: StackChange,
    setting: Setting,
    logical_id: str,
    base: Mapping[str, Any],
    head: Mapping[str, Any],
    place: str = "",
) -> Iterator[SecurityChange]:
    """Yield the change of one setting between two maps; ``place`` says where they stand in the resource."""
    before, after = setting.level_of(base), setting.level_of(head)
    if before == after:
        return
    direction: Direction
    if before is None or after is None:
        direction, rule, why = "neutral", setting.lost if before else setting.gained, _UNKNOWN
    elif after < before:
        direction, rule, why = "weaker", setting.lost, setting.why_lost
    else:
        direction, rule, why = "stronger", setting.gained, setting.why_gained
    yield stack.change(
        rule,
        direction,
        logical_id,
        base=place + setting.shown(base),
        head=place + setting.shown(head),
        why=why,
    )


def _new(stack: StackChange, setting: Setting, pair: ResourcePair) -> Iterator[SecurityChange]:
    properties = pair.either.properties
    level = setting.level_of(properties)
    if setting.weak_when_new is not None and level is not None and level < setting.weak_when_new:
        yield stack.change(
            setting.lost,
            "weaker",
            pair.either.logical_id,
            base=ABSENT,
            head=setting.shown(properties),
            why=setting.why_lost,
        )


def _is_preflight(properties: Mapping[str, Any]) -> bool:
    """Tell whether it is what browsers ask without authorization before they call an API (CORS)."""
    route = str(properties.get("RouteKey", ""))
    return properties.get("HttpMethod") == "OPTIONS" or route.startswith("OPTIONS ")
