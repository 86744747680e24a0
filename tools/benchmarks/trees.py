"""Boosted trees: what the columns of a row say of them."""

from dataclasses import dataclass

from tools.benchmarks.cells import Cells

#: Families of frameworks that grow trees.
LIBRARIES = ("xgboost", "lightgbm", "catboost", "h2o")


@dataclass(frozen=True, kw_only=True)
class Trees:
    """The trees of a model and the table that they are grown from; None is not stated."""

    rounds: float | None
    depth: float | None
    leaves: float | None
    bins: float | None
    classes: float | None
    features: float | None
    presorted: bool
    """Whether every distinct value is a split to try: the exact method, and the approximate one."""


def trees_of(cells: Cells) -> Trees:
    """Return what a row says of trees."""
    return Trees(
        rounds=cells.number("rounds"),
        depth=cells.number("depth"),
        leaves=cells.number("leaves"),
        bins=cells.number("bins"),
        classes=cells.number("classes"),
        features=cells.number("features"),
        presorted=cells.word("tree_method", ("hist", "exact", "approx")) in ("exact", "approx"),
    )
