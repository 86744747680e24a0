"""How often a request finds its model in memory, when an endpoint has more models than memory.

The least recently used models make room. The characteristic-time approximation (Che, Tung and Wang 2002, "Hierarchical web
caching systems", IEEE JSAC 20, equation 6; Fricker, Robert and Roberts 2012, why it holds for nearly any popularity): a model
that gets the share p of the requests is in memory with the probability 1 - exp(-p t), where t is the number of requests after
which an unused model is gone; so many models are in memory as these probabilities add up to.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.requirements import ModelSet

#: Ranks up to here stand for themselves; beyond, those of one class differ by a fiftieth.
_EXACT_RANKS = 200
_CLASS_WIDTH = 1.02
#: Points of the table of miss shares.
_POINTS = 600


@dataclass(frozen=True, eq=False)
class Popularity:
    """Classes of models: how many are in each, and the share of the requests that one of them gets."""

    counts: Array
    shares: Array


def popularity(models: ModelSet) -> Popularity:
    """Return how the requests are spread: over hot models and the rest, by Zipf's law, or equally."""
    if models.hot_count:
        rest = models.count - models.hot_count
        return Popularity(
            np.array([models.hot_count, rest], float),
            np.array([models.hot_share / models.hot_count, (1 - models.hot_share) / rest]),
        )
    if not models.zipf_exponent:
        return Popularity(np.array([float(models.count)]), np.array([1.0 / models.count]))
    edges = [*range(1, min(_EXACT_RANKS, models.count) + 1)]
    while edges[-1] < models.count:
        edges.append(min(models.count, int(edges[-1] * _CLASS_WIDTH) + 1))
    last = np.array(edges, float)
    counts = np.diff(last, prepend=0.0)
    weights = (last - (counts - 1) / 2) ** -models.zipf_exponent
    return Popularity(counts, weights / (counts * weights).sum())


@lru_cache(maxsize=64)
def _table(models: ModelSet) -> tuple[Array, Array]:
    """Return for ascending numbers of models in memory the share of requests that miss."""
    found = popularity(models)
    reach = np.geomspace(0.01, 40 / found.shares.min(), _POINTS)
    gone = np.exp(-found.shares[:, None] * reach)
    held = (found.counts[:, None] * (1 - gone)).sum(0)
    missed = ((found.counts * found.shares)[:, None] * gone).sum(0)
    return np.concatenate([[0.0], held, [models.count]]), np.concatenate([[1.0], missed, [0.0]])


def miss_share(models: ModelSet, in_memory: Array) -> Array:
    """Return the share of requests whose model must be loaded first, by how many models are in memory."""
    if not models.cached:
        return np.ones_like(in_memory)
    return np.where(in_memory >= models.count, 0.0, np.interp(in_memory, *_table(models)))
