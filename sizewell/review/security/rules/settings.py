"""Settings that protect: a value of a property is a level, and a lower level protects less."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from sizewell.templates.alternatives import alternatives, items, may_be_missing, texts
from sizewell.templates.values import flag, is_intrinsic, maps, number, show

Level = Callable[[Any], float | None]
"""How much a value protects; the value is None where it is not set, the level None where it is unknown."""

NOT_SET = "not set"


@dataclass(frozen=True)
class Setting:
    """One property of some resource types."""

    types: tuple[str, ...]
    property: str
    """Its path, with ``.`` between the names."""
    level: Level
    lost: str
    """The rule when it protects less."""
    gained: str
    """The rule when it protects more."""
    why_lost: str
    why_gained: str
    weak_when_new: float | None = None
    """A new resource below this level is reported as weaker; None where new ones are silent."""

    def value(self, properties: Mapping[str, Any]) -> Any:
        """Return the value, or None."""
        return at(properties, self.property)

    def level_of(self, properties: Mapping[str, Any]) -> float | None:
        """Return the lowest level that the value may have; None where it is unknown."""
        return lowest(self.level, self.value(properties))

    def shown(self, properties: Mapping[str, Any]) -> str:
        """Return the setting as it may stand in a table."""
        value = self.value(properties)
        return f"{self.property}: {NOT_SET if value is None else show(value)}"


def at(properties: Any, path: str) -> Any:
    """Return what is at a path, with ``.`` between the names, or None."""
    value = properties
    for name in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name, value.get(f"{name}.$"))
    return value


def lowest(level: Level, value: Any) -> float | None:
    """Return the lowest level that a value may have; None where it is unknown."""
    levels = [level(alternative) for alternative in alternatives(value)]
    if may_be_missing(value):
        levels.append(level(None))
    known = [known_level for known_level in levels if known_level is not None]
    return min(known) if len(known) == len(levels) else None


def switch(missing: float | None, *, safe: bool = True) -> Level:
    """Return the levels of a truth value: 1 where it is safe."""

    def level(value: Any) -> float | None:
        if value is None:
            return missing
        known = flag(value)
        return None if known is None else float(known is safe)

    return level


def choice(levels: Mapping[str, float], missing: float | None = None) -> Level:
    """Return the levels of a name; another name is unknown."""
    return lambda value: missing if value is None else levels.get(value) if isinstance(value, str) else None


def attribute(key: str) -> Level:
    """Return the levels of a truth value in a list of keys and values; off where it is not listed."""

    def level(value: Any) -> float | None:
        if value is not None and not isinstance(value, list):
            return None
        return next((switch(0)(item.get("Value")) for _, item in maps(value) if item.get("Key") == key), 0.0)

    return level


def weakest(inner: Level, path: str, missing: float) -> Level:
    """Return the levels of a list: that of the member which protects the least, by what is at a path inside of it."""

    def level(value: Any) -> float | None:
        levels = [lowest(inner, at(member, path)) for member in items(value)]
        known = [known_level for known_level in levels if known_level is not None]
        return min(known, default=missing) if len(known) == len(levels) else None

    return level


def not_open_to_all(is_open: Callable[[str], bool], missing: float) -> Level:
    """Return the levels of a list of texts: 0 where one of them lets everybody in, else 1."""
    return lambda value: missing if value is None else float(not any(map(is_open, texts(value))))


def given(value: Any) -> float:
    """Return 1 where anything is set."""
    return float(value not in (None, "", {}, []))


def amount(value: Any) -> float | None:
    """Return a number of days; without one, for ever."""
    return inf if value is None else number(value)


def public_access_block(value: Any) -> float | None:
    """Return how many of the four flags of a public access block are on; without a block it is S3's own default.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html: new buckets block
    public access, and an update that takes the block away no longer does.
    """
    if value is None:
        return 3.5
    if not isinstance(value, Mapping) or is_intrinsic(value):
        return None
    flags = [flag(item) for item in value.values()]
    return None if None in flags else float(flags.count(True))
