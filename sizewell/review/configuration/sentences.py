"""What follows from a change of a key: the sentence of its effect for two values, on and off, more and less, what a list lost.

A field above that speaks for all keys below has effects as well.
"""

from collections.abc import Iterator, Mapping
from typing import Any, assert_never

from sizewell.config.effects import (
    Below,
    Computed,
    Effect,
    OnBudget,
    OnChange,
    OnFactor,
    OnImage,
    OnItems,
    OnNumber,
    OnPeriod,
    OnToggle,
    OnValue,
)
from sizewell.planning.saved_workload import saved_kind
from sizewell.review.config_differences import MISSING, Difference, KeyChange
from sizewell.review.configuration.computed_effects import COMPUTED
from sizewell.review.saved.configuration import Environment, number, value_at
from sizewell.review.words import listed
from sizewell.review.yaml_text import one_line


def effect_of(difference: Difference, base: Environment, head: Environment) -> str:
    """Return what follows from a difference; empty where the values say it all."""
    change = KeyChange(difference, base, head)
    return next(filter(None, (_sentence(effect, change) for effect in _effects(change))), "")


def _effects(change: KeyChange) -> Iterator[Effect]:
    # Not at the top: the models of the configuration take a tenth of a second, and mostly nothing differs.
    from sizewell.config.reviewed_keys import effects_at

    path = change.path
    kind = value_at(change.head_environment, *path[:2], "kind") if path[0] == "workloads" else None
    yield from effects_at(path, kind)
    for depth in range(len(path) - 1, 0, -1):
        above = effects_at(path[:depth], kind)
        yield from (effect for effect in above if isinstance(effect, Below | OnImage))


def _sentence(effect: Effect, change: KeyChange) -> str:
    """Return what an effect says of a difference; empty where it says nothing."""
    match effect:
        case Computed():
            return COMPUTED[effect](change)
        case Below():
            return _sentence(effect.effect, change)
        case OnChange():
            return _on_change(effect, change)
        case OnValue():
            return _on_value(effect, change)
        case OnToggle():
            return effect.on if change.head is True else effect.off if change.head is False else ""
        case OnNumber():
            return _lower_or_higher(effect.lower, effect.higher, change)
        case OnPeriod():
            return _with_value(_lower_or_higher(effect.shorter, effect.longer, change), change)
        case OnBudget():
            return _on_budget(effect, change)
        case OnFactor():
            return _factor(change)
        case OnItems():
            return _on_items(effect, change)
        case OnImage():
            return _on_image(effect, change)
        case _:
            assert_never(effect)


def _on_change(effect: OnChange, change: KeyChange) -> str:
    if change.head is MISSING:
        return effect.removed
    return _with_value(effect.added if change.base is MISSING else effect.changed, change)


def _on_value(effect: OnValue, change: KeyChange) -> str:
    if change.base is MISSING:
        return ""
    return next((text for value, text in effect.sentences if value == change.head), "")


def _with_value(text: str, change: KeyChange) -> str:
    return text.replace("{}", one_line(change.head))


def _lower_or_higher(lower: str, higher: str, change: KeyChange) -> str:
    base, head = number(change.base), number(change.head)
    if base is None or head is None:
        return ""
    return lower if head < base else higher


def _on_budget(effect: OnBudget, change: KeyChange) -> str:
    base, head = number(change.base), number(change.head)
    if base is None or head is None or base <= 0:
        return effect.added if change.base is MISSING else effect.removed if change.head is MISSING else ""
    percent = (head - base) / base * 100
    return f"{percent:+,.0f} %" if abs(percent) >= 1 else f"{percent:+.2g} %"


def _factor(change: KeyChange) -> str:
    base, head = number(change.base), number(change.head)
    if base is None or head is None or base <= 0:
        return ""
    factor = head / base
    return f"x{factor:,.1f}" if factor >= 1.1 else f"x{factor:.3g}"


def _on_items(effect: OnItems, change: KeyChange) -> str:
    base, head = _texts(change.base), _texts(change.head)
    if change.base is MISSING and effect.added:
        return _filled(effect.added, head)
    if change.head is MISSING and effect.removed:
        return _filled(effect.removed, base)
    gone = [item for item in base if item not in head]
    new = [item for item in head if item not in base]
    sentences = [_filled(text, some) for text, some in ((effect.lost, gone), (effect.gained, new)) if some]
    return "; ".join(sentences)


def _on_image(effect: OnImage, change: KeyChange) -> str:
    if change.path[-2] == "images":  # Hardware without an image is never picked.
        if any(_named(side, change.path) for side in (change.base_environment, change.head_environment)):
            return ""  # The name of all images says it.
        return f"{effect.hardware} may {'be picked' if change.base is MISSING else 'not be picked any more'}"
    workload = value_at(change.head_environment, "workloads", change.workload)
    kind = workload.get("kind") if isinstance(workload, Mapping) else None
    return f"another image {saved_kind(kind).image_goes} on {effect.hardware}"


def _named(environment: Environment, path_of_image: tuple[str, ...]) -> bool:
    return isinstance(value_at(environment, *path_of_image[:-2], "image"), Mapping)


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list):
        return []
    return [item if isinstance(item, str) else one_line(item) for item in value]


def _filled(text: str, named: list[str]) -> str:
    return text.format(items=listed(named) or "nothing", are="is" if len(named) < 2 else "are")
