"""A fault of a manifest, and fields that know where they stand."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, order=True)
class ManifestFault:
    """Why an API server would refuse an object, or why the object could never work."""

    object: str
    """Its kind, namespace and name: ``Deployment ml/support-bert``."""
    path: str
    """``spec.template.spec.containers[0].resources``"""
    message: str
    """What came in, what is allowed and what to do, in one sentence."""


@dataclass(frozen=True, slots=True)
class Field:
    """A value somewhere in a manifest. The value of a field that is absent is ``None``."""

    object: str
    namespace: str
    path: str
    value: Any

    def __getitem__(self, key: str) -> "Field":
        inside = self.value.get(key) if isinstance(self.value, Mapping) else None
        step = key if key.isidentifier() else f'["{key}"]'
        path = f"{self.path}.{step}".lstrip(".").replace(".[", "[")
        return Field(self.object, self.namespace, path, inside)

    def at(self, path: str) -> "Field":
        """Return the field at a path of keys without dots: ``spec.template.metadata``."""
        field = self
        for key in path.split("."):
            field = field[key]
        return field

    def each(self, path: str) -> Iterator["Field"]:
        """Yield the given fields at a path; ``[]`` is each element of a list, ``{}`` each value of a map."""
        step, _, rest = path.partition(".")
        inside = self[step.rstrip("[]{}")]
        several = {"[]": inside.elements, "{}": inside.entries}
        for field in several.get(step[-2:], [inside]):
            if field.value is not None:
                yield from field.each(rest) if rest else (field,)

    def walk(self) -> Iterator["Field"]:
        """Yield this field and all below it."""
        yield self
        for field in (*self.elements, *self.entries):
            yield from field.walk()

    @property
    def elements(self) -> list["Field"]:
        """The elements of a list; none of anything else."""
        listed = self.value if isinstance(self.value, list) else []
        return [
            Field(self.object, self.namespace, f"{self.path}[{i}]", value) for i, value in enumerate(listed)
        ]

    @property
    def entries(self) -> list["Field"]:
        """The values of a map; none of anything else."""
        return [self[str(key)] for key in self.value] if isinstance(self.value, Mapping) else []

    @property
    def keys(self) -> list[str]:
        """The keys of a map; none of anything else."""
        return [str(key) for key in self.value] if isinstance(self.value, Mapping) else []

    @property
    def text(self) -> str:
        """The value of a string; empty for anything else."""
        return self.value if isinstance(self.value, str) else ""

    @property
    def number(self) -> int | None:
        """The value of a whole number; none for anything else."""
        return self.value if isinstance(self.value, int) and not isinstance(self.value, bool) else None

    @property
    def strings(self) -> dict[str, str]:
        """The entries of a map whose values are strings, as labels are."""
        return {key: self[key].text for key in self.keys if isinstance(self[key].value, str)}

    def fault(self, message: str) -> ManifestFault:
        """Return a fault of this field."""
        return ManifestFault(self.object, self.path, message)


def listed(words: Iterable[object]) -> str:
    """Return words as a sentence lists them, in their order: ``A, B or C``."""
    *first, last = [str(word) for word in words] or ["nothing"]
    return f"{', '.join(first)} or {last}" if first else last


def shortened(value: object) -> str:
    """Return a value as a sentence quotes it."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:30]}... ({len(text)} characters)"


def as_word(value: object) -> str:
    """Return a value as the tables write it: ``true`` as YAML does, and ``-`` for what is absent or empty."""
    if isinstance(value, bool):
        return str(value).lower()
    return "-" if value is None or value == "" else str(value)
