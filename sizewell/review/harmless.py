"""Keys of the configuration whose change is known to do no harm. Whatever is not among them may do some."""

from collections.abc import Sequence
from typing import Any

from sizewell.templates.values import number

_ANY = "*"
#: Texts for people, which nothing that is deployed reads.
_TEXTS = (("workloads", _ANY, "description"),)
#: Days that only reach log groups, where a longer time keeps more.
_LONGER = (("policy", "log_retention_days"),)


def is_harmless_key(key_path: str, base: Any, head: Any) -> bool:
    """Tell whether another value of a key of the configuration, as it is merged, does no harm."""
    path = key_path.split(".")
    if any(_matches(key, path) for key in _TEXTS):
        return True
    return any(_matches(key, path) for key in _LONGER) and _is_longer(base, head)


def _matches(pattern: Sequence[str], path: Sequence[str]) -> bool:
    return len(pattern) == len(path) and all(
        allowed in (_ANY, part) for allowed, part in zip(pattern, path, strict=True)
    )


def _is_longer(base: Any, head: Any) -> bool:
    before, after = number(base), number(head)
    return before is not None and after is not None and after > before
