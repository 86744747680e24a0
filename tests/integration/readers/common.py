"""What all readers share."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

Properties = dict[str, Any]
ClientFactory = Callable[[str], Any]
Reader = Callable[[ClientFactory, str, Properties], Properties]

NOTHING: tuple[Any, ...] = (None, "", [], {})


def present(**properties: Any) -> Properties:
    """Return the properties that have a value: an API leaves out, or answers empty, what was never set."""
    return {name: value for name, value in properties.items() if value not in NOTHING}


def picked(found: Mapping[str, Any], *names: str) -> Properties:
    """Return the named members that have a value."""
    return present(**{name: found.get(name) for name in names})


def user_tags(tags: Iterable[Mapping[str, str]] | Mapping[str, str]) -> dict[str, str]:
    """Return tags by key, however the service spells them, without those of CloudFormation itself."""
    if isinstance(tags, Mapping):
        pairs = dict(tags)
    else:
        lowered = ({key.lower().removeprefix("tag"): value for key, value in tag.items()} for tag in tags)
        pairs = {tag["key"]: tag["value"] for tag in lowered}
    return {key: value for key, value in pairs.items() if not key.startswith("aws:")}


def capitalized(value: Any) -> Any:
    """Return the value with member names as CloudFormation writes them: ``kmsKeyId`` becomes ``KmsKeyId``."""
    if isinstance(value, dict):
        return {key[:1].upper() + key[1:]: capitalized(item) for key, item in value.items()}
    if isinstance(value, list):
        return [capitalized(item) for item in value]
    return value
