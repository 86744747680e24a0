"""The changes of all environments: the same change in several of them is shown once."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.config_differences import MISSING, Difference, differences
from sizewell.review.configuration.sentences import effect_of
from sizewell.review.model import ConfigChange, Place
from sizewell.review.saved.configuration import Environment, place_of, saved_environment, workloads
from sizewell.review.saved.output import Assembly
from sizewell.review.words import listed, shorten_pair
from sizewell.review.yaml_text import VALUE_LIMIT, key_path, one_line


def compare_configurations(pairs: Sequence[EnvironmentPair]) -> tuple[ConfigChange, ...]:
    """Return what differs in the configuration, by key path; environments are in the order of the pairs.

    A pair with a side that has no configuration has nothing to say.
    """
    found: dict[tuple[tuple[str, ...], str, str], dict[str, str]] = {}
    heads = {pair.name: pair.head for pair in pairs}
    for pair in pairs:
        base, head = saved_environment(pair.base), saved_environment(pair.head)
        if base is None or head is None or base is head:
            continue
        for difference in _differences(base, head):
            key = (difference.path, one_line(difference.base), one_line(difference.head))
            found.setdefault(key, {})[pair.name] = effect_of(difference, base, head)
    return tuple(
        _change(*key, meanings, heads) for key, meanings in sorted(found.items(), key=lambda item: item[0])
    )


def _differences(base: Environment, head: Environment) -> Iterator[Difference]:
    """Yield the differences; a workload that is new, gone or of another kind is one, in a few words."""
    old, new = workloads(base), workloads(head)
    yield from differences(_without_workloads(base), _without_workloads(head))
    for name in sorted({*old, *new}):
        ours, theirs, path = old.get(name), new.get(name), ("workloads", name)
        if ours is not None and theirs is not None and ours.get("kind") == theirs.get("kind"):
            yield from differences(ours, theirs, path)
        else:
            yield Difference(path, _in_short(ours), _in_short(theirs))


def _without_workloads(environment: Environment) -> Environment:
    return {key: value for key, value in environment.items() if key != "workloads"}


def _in_short(workload: Mapping[str, Any] | None) -> Any:
    if workload is None:
        return MISSING
    kind, model = str(workload.get("kind", "workload")), workload.get("model")
    if not isinstance(model, Mapping):
        return kind
    name = model.get("preset") or model.get("architecture")
    return f"{kind} of {name}" if name else kind


def _change(
    path: tuple[str, ...],
    base: str,
    head: str,
    meanings: Mapping[str, str],
    heads: Mapping[str, Assembly | None],
) -> ConfigChange:
    change: Literal["added", "removed", "changed"] = (
        "changed" if base and head else "added" if head else "removed"
    )
    short_base, short_head = shorten_pair(base, head, VALUE_LIMIT)
    return ConfigChange(
        key_path=key_path(path),
        change=change,
        base=short_base,
        head=short_head,
        environments=tuple(meanings),
        meaning=_meaning(meanings),
        places=tuple(
            Place(environment=name, file=place[0], line=place[1])
            for name in meanings
            if (place := place_of(heads[name], path))
        ),
    )


def _meaning(by_environment: Mapping[str, str]) -> str:
    """Return the meaning; where it is not the same everywhere, with the environments of each."""
    by_meaning: dict[str, list[str]] = {}
    for environment, meaning in by_environment.items():
        by_meaning.setdefault(meaning, []).append(environment)
    if len(by_meaning) == 1:
        return next(iter(by_meaning))
    return "; ".join(f"{meaning} ({listed(names)})" for meaning, names in by_meaning.items() if meaning)
