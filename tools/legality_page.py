"""The page of what AWS allows of each way to serve, from the tables of ``sizewell/facts/serving_features.py``."""

from collections.abc import Iterable, Iterator

from sizewell.facts.serving_features import (
    Feature,
    FeaturePair,
    Relation,
    ServedAs,
    ServingFeature,
    Support,
    feature_of,
    feature_pairs,
    serving_features,
)

_INTRODUCTION = """# What goes with what

What AWS allows of each way to serve a model: ✓ yes, ✗ no, ? not known. A ✓ may have [a condition](#conditions), a ✗ has [a reason
and a way out](#why-not), and a ? says [what was read](#not-known), which decides nothing. Then come features that
[exclude](#what-excludes-what) or [need](#what-needs-what) each other. The date behind a source is that of the text that was
read: of AWS's own feature matrix, a copy of 2023. `lambda` is a function on Lambda's default compute: of Lambda Managed
Instances, which have instance types and GPUs, nothing is said here.

What Sizewell builds of all this: [Features](features.md). `make docs` writes this page from `sizewell/facts/serving_features.csv`
and `sizewell/facts/serving_feature_pairs.csv`.
"""
_MARKS = {Support.YES: "✓", Support.NO: "✗", Support.UNKNOWN: "?"}
#: Each group by its first feature; it ends where the next begins.
_GROUPS = {
    Feature.SEVERAL_VARIANTS: "Variants and capacity",
    Feature.SCALE_TO_ZERO: "Scaling",
    Feature.BLUE_GREEN_ALL_AT_ONCE: "Rollout",
    Feature.DATA_CAPTURE: "Monitoring",
    Feature.NETWORK_ISOLATION: "Network and access",
    Feature.GPU: "Hardware",
    Feature.MODEL_PACKAGE: "Model and container",
}


def legality_page() -> str:
    """Return the page."""
    return "\n".join(
        [
            _INTRODUCTION,
            *_matrix(),
            _reasons("Why not", Support.NO, ("why not", "instead")),
            _reasons("Conditions", Support.YES, ("condition",)),
            _reasons("Not known", Support.UNKNOWN, ("what was read",)),
            _related("What excludes what", Relation.EXCLUDES),
            _related("What needs what", Relation.NEEDS),
        ]
    )


def _matrix() -> Iterator[str]:
    for feature in Feature:
        if feature in _GROUPS:
            yield f"## {_GROUPS[feature]}\n\n{_table('feature', *ServedAs)}"
        marks = (_MARKS[feature_of(mode, feature).supported] for mode in ServedAs)
        yield _row(feature.words, *marks) + ("\n" if _ends_group(feature) else "")


def _ends_group(feature: Feature) -> bool:
    following = list(Feature)[list(Feature).index(feature) + 1 :]
    return not following or following[0] in _GROUPS


def _reasons(title: str, supported: Support, columns: tuple[str, ...]) -> str:
    """Return what stands behind one mark: modes, and then features, that share a reason share a row."""
    modes_of: dict[tuple[str, ...], list[ServedAs]] = {}
    for row in serving_features():
        if row.supported is supported and row.because:
            texts = (row.because, row.instead)[: len(columns)]
            modes_of.setdefault((row.feature.words, *texts, _source(row)), []).append(row.mode)
    words_of: dict[tuple[str, ...], list[str]] = {}
    for (feature, *reasons), modes in modes_of.items():
        words_of.setdefault((", ".join(modes), *reasons), []).append(feature)
    rows = (_row("; ".join(words), *cells) for cells, words in words_of.items())
    return _section(title, _table("feature", "of", *columns, "source"), rows)


def _related(title: str, relation: Relation) -> str:
    rows = (
        _row(
            pair.feature.words,
            pair.other.words,
            "all" if pair.modes == frozenset(ServedAs) else ", ".join(sorted(pair.modes)),
            pair.because,
            pair.instead,
            _source(pair),
        )
        for pair in feature_pairs()
        if pair.relation is relation
    )
    return _section(title, _table("feature", relation, "of", "because", "to do", "source"), rows)


def _section(title: str, head: str, rows: Iterable[str]) -> str:
    return "\n".join([f"## {title}\n\n{head}", *rows]) + "\n"


def _table(*columns: str) -> str:
    return f"{_row(*columns)}\n|{'---|' * len(columns)}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _source(row: ServingFeature | FeaturePair) -> str:
    name = row.source.rstrip("/").rpartition("/")[2].removesuffix(".html").removesuffix(".md")
    return f"[{name}]({row.source}), {row.as_of}"
