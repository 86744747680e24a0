"""What follows from a change of a key: the effect of its field, or of a field above that speaks for all keys below."""

from collections.abc import Iterator

from sizewell.config.effects import Below, Effect, OnImage
from sizewell.review.config_differences import Difference, KeyChange
from sizewell.review.configuration.sentences import sentence
from sizewell.review.saved.configuration import Environment


def effect_of(difference: Difference, base: Environment, head: Environment) -> str:
    """Return what follows from a difference; empty where the values say it all."""
    change = KeyChange(difference, base, head)
    return next(filter(None, (sentence(effect, change) for effect in _effects(change))), "")


def _effects(change: KeyChange) -> Iterator[Effect]:
    # Not at the top: the models of the configuration take a tenth of a second, and mostly nothing differs.
    from sizewell.config.reviewed_keys import effects_at

    path = change.path
    yield from effects_at(path)
    for depth in range(len(path) - 1, 0, -1):
        yield from (effect for effect in effects_at(path[:depth]) if isinstance(effect, Below | OnImage))
