"""What is added to a plain roofline: caches, leaves, and forward passes that are repeated."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.instance_selection.estimation.processors import silicon_of
from sizewell.instance_selection.estimation.roofline import CACHE_SPEED, missed_share

MIB = 2**20


def test_a_small_working_set_costs_what_the_cache_costs_and_a_large_one_a_stream() -> None:
    cache = np.array([40.0 * MIB])
    assert missed_share(0.0, cache) == pytest.approx(1 / CACHE_SPEED)
    assert missed_share(1e4 * cache, cache) == pytest.approx(1.0, abs=1e-3)
    assert missed_share(cache, np.array([0.0])) == 1.0


@given(st.floats(1, 1e12), st.floats(1, 1e12), st.floats(0, 1e9))
def test_more_activations_never_cost_less(small: float, more: float, cache: float) -> None:
    sizes = np.array([small, small + more])
    cost = sizes * missed_share(sizes, np.array([cache, cache]))
    assert cost[0] <= cost[1] * (1 + 1e-12)


@pytest.mark.parametrize(
    ("chip", "silicon"),
    [
        ("A100 40GB", "A100"),
        ("A100 80GB PCIe", "A100 PCIe"),
        ("H200 141GB", "H200"),
        ("L40S", "L40S"),
        ("RTX 4090", "RTX 4090"),
    ],
)
def test_variants_of_memory_share_what_is_known_of_their_silicon(chip: str, silicon: str) -> None:
    assert silicon_of(chip) == silicon
