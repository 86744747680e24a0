"""What fields allow where a schema sees strings and numbers: a rule for each sort of demand, its fields in ``field_rules.csv``.

A row says of what (``ManifestSet.fields``), which field (``Field.each``), what is demanded, and the page below
https://kubernetes.io/docs/ that says so.
"""

import csv
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from sizewell.targets.eks.legality.fault import Field, ManifestFault, as_word, listed, shortened
from sizewell.targets.eks.legality.forms import form_fault
from sizewell.targets.eks.legality.manifest_set import ManifestSet, Rule


@cache
def _rows() -> tuple[dict[str, str], ...]:
    with Path(__file__).with_name("field_rules.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def _demanded(manifests: ManifestSet, demand: str) -> Iterator[tuple[Field, str]]:
    """Yield the fields of which something is demanded, and what the row says of it."""
    for row in _rows():
        if row["demand"] == demand:
            for holder in manifests.fields(row["of"]):
                for field in holder.each(row["field"]) if row["field"] else (holder,):
                    yield field, row["value"]


def words(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A field that takes one of a few words has one of them."""
    for field, allowed in _demanded(manifests, "words"):
        if field.value not in allowed.split():
            yield field.fault(f"{shortened(field.value)} is not supported: write {listed(allowed.split())}.")


def ranges(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A number is in the range of its field."""
    for field, allowed in _demanded(manifests, "range"):
        smallest, _, largest = allowed.partition(" ")
        number = field.number
        if number is not None and (number < int(smallest) or (largest and number > int(largest))):
            bounds = f"from {smallest} to {largest}" if largest else f"from {smallest}"
            yield field.fault(f"{number} is out of range: write a whole number {bounds}.")


def shares(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A number of pods is a whole number, or a percentage such as 25%."""
    for field, largest in _demanded(manifests, "share"):
        percentage = re.fullmatch(r"(\d{1,9})%", field.text)
        is_percentage = percentage is not None and (not largest or int(percentage[1]) <= int(largest))
        if not is_percentage and (field.number is None or field.number < 0):
            allowed = f"a number from 0 or a percentage{f' up to {largest}%' if largest else ''}"
            yield field.fault(f"{shortened(field.value)} is no number of pods: write {allowed}.")


def forms(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A text has the form that its field asks for."""
    for field, form in _demanded(manifests, "form"):
        if message := form_fault(form, field.value):
            yield field.fault(message)


def needs(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A field that the API server asks for is there, and not empty."""
    for field, keys in _demanded(manifests, "needs"):
        for key in keys.split():
            if field[key].value in (None, "", [], {}):
                yield field[key].fault(f"{key} is required and not there, or empty: write {key}.")


def alternatives(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """Of fields that exclude each other one is given."""
    for demand in ("exactly one of", "at most one of"):
        for field, keys in _demanded(manifests, demand):
            given = [key for key in keys.split() if field[key].value is not None]
            if len(given) > 1 or (not given and demand.startswith("exactly")):
                allowed = f"{demand} {listed(keys.split())}"
                yield field.fault(f"{' and '.join(given) or 'none'} came in: write {allowed}.")


def uniqueness(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """What distinguishes the elements of a list is there once; a row may name the default of a key."""
    seen: set[tuple[str, ...]] = set()
    for field, keys in _demanded(manifests, "unique"):
        parts = [key.partition("=") for key in keys.split()]
        values = [str(field[key].value or default) for key, _, default in parts]
        place = (field.object, field.path.rpartition("[")[0], keys, *values)
        if any(values) and place in seen:
            names = " and ".join(key for key, _, _ in parts)
            yield field.fault(f"{names} {' '.join(values)} is there twice: give each element its own.")
        seen.add(place)


def absences(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A field that the API server forbids is not there."""
    for field, reason in _demanded(manifests, "absent"):
        yield field.fault(f"{shortened(field.value)} is forbidden because {reason}: leave the field out.")


def dependencies(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """What a field demands of its neighbours holds: ``operator=Exists: value=-`` says that with Exists value is absent."""
    for holder, demand in _demanded(manifests, "when"):
        condition, _, consequence = demand.partition(": ")
        conditions = condition.split(" and ")
        if all(_holds(holder, each) for each in conditions) and not _holds(holder, consequence):
            demanded = f"{' and '.join(map(_said, conditions))}, which demands that {_said(consequence)}"
            yield holder.at(consequence.partition("=")[0]).fault(f"{demanded}: change one of them.")


def _holds(holder: Field, statement: str) -> bool:
    path, _, expected = statement.partition("=")
    value = holder.at(path).value
    found = "-" if value in ([], {}) else as_word(value)
    return found in expected.split("|") if expected else found != "-"


def _said(statement: str) -> str:
    path, _, expected = statement.partition("=")
    words = ["absent" if word == "-" else word for word in expected.split("|")]
    return f"{path} is {listed(words)}" if expected else f"{path} is given"


def references(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """An object that a field names is in the set, or is one that each Namespace has."""
    for field, kind_and_defaults in _demanded(manifests, "refers"):
        kind, *defaults = kind_and_defaults.split()
        known = [*manifests.names(kind, field.namespace), *defaults]
        if field.value not in known:
            yield field.fault(f"{kind} {shortened(field.value)} is not in the set: write {listed(known)}.")


RULES: tuple[Rule, ...] = (
    words,
    ranges,
    shares,
    forms,
    needs,
    alternatives,
    uniqueness,
    absences,
    dependencies,
    references,
)
