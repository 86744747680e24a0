"""Training of trees: many rows scale with cores, few do not."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.instance_selection.estimation.boosting import (
    MAX_LEAVES,
    REFERENCE_BANDWIDTH_PER_CORE,
    ROWS_PER_CORE,
    training_seconds,
)
from tests.instance_selection.known_coefficients import known

laws = settings(derandomize=True, max_examples=100)


def seconds(
    cores: float = 1.0, kind: str = "cpu", k: dict[str, float] | None = None, **changes: Any
) -> float:
    """Return the seconds of 100 trees of depth 6 over a million rows of 10,000 features: histograms take nearly all."""
    defaults = {"rows": 1e6, "features": 1e4, "trees": 100.0, "depth": 6.0}
    bandwidth = np.array([REFERENCE_BANDWIDTH_PER_CORE * cores])
    found = training_seconds(
        known("boosting", **(k or {})),
        kinds=(kind,),
        cores=np.array([cores]),
        **({"bandwidth": bandwidth} | defaults | changes),
    )
    return float(found[0])


def test_half_of_the_passes_of_each_level_are_done() -> None:
    # 10^6 x 10^4 x 100 x 6 / 2 updates, 10^9 of them in a second.
    assert seconds() == pytest.approx(3000.0, rel=0.01)


def test_many_rows_are_shared_by_the_cores_but_for_what_is_done_by_one() -> None:
    # Amdahl's law: a twentieth is serial, so that 16 cores do the work of 16 / (1 + 15 / 20).
    assert seconds(cores=16) == pytest.approx(3000.0 / 16, rel=0.01)
    assert seconds(cores=16, k={"serial": 0.05}) == pytest.approx(3000.0 / 16 * 1.75, rel=0.01)


@laws
@given(st.floats(1, 192), st.floats(1, 192), st.floats(0.001, 0.5), st.floats(1e3, 1e8))
def test_more_cores_are_never_slower_and_never_faster_than_the_serial_part(
    one: float, other: float, serial: float, rows: float
) -> None:
    few, many = (seconds(cores, k={"serial": serial}, rows=rows) for cores in sorted((one, other)))

    assert many <= few * (1 + 1e-9)
    assert many >= serial * seconds(1.0, rows=rows) * 0.99


def test_few_rows_keep_few_cores_busy() -> None:
    rows = 2 * ROWS_PER_CORE

    two, sixty_four = (seconds(cores=cores, rows=rows) for cores in (2, 64))

    assert two == pytest.approx(sixty_four, rel=0.01)
    assert seconds(cores=1, rows=rows) > two


@pytest.mark.parametrize("kind", ["cpu", "cuda"])
def test_gradients_that_no_cache_holds_cost_a_line_each_on_a_cpu(kind: str) -> None:
    few, many = (seconds(8.0, kind, rows=rows, features=8.0) for rows in (1e6, 1e7))

    assert 10.0 * few <= many * (1 + 1e-9)
    assert (many > 10.1 * few) == (kind == "cpu")


def test_each_level_of_each_tree_waits_for_all_cores() -> None:
    waits = {"level_us": 100.0}

    assert seconds(k=waits) - seconds() == pytest.approx(100 * 6 * 100e-6)
    # Leaf by leaf there are as many steps as leaves, up to a number that libraries stop at.
    assert seconds(k=waits, leaf_wise=True) - seconds() == pytest.approx(100 * 64 * 100e-6)
    deep = {"depth": 20.0, "leaf_wise": True}
    assert seconds(k=waits, **deep) - seconds(**deep) == pytest.approx(100 * MAX_LEAVES * 100e-6)


def test_the_table_is_binned_once() -> None:
    assert seconds(k={"setup_ns": 40.0}) - seconds() == pytest.approx(1e10 * 40e-9)


def test_a_gpu_is_as_fast_as_its_memory_allows() -> None:
    slow, fast = (seconds(kind="cuda", bandwidth=np.array([rate])) for rate in (300e9, 1200e9))

    assert slow == pytest.approx(3000.0)
    assert fast == pytest.approx(1500.0)


@laws
@given(
    st.sampled_from(["rows", "features", "trees", "depth"]),
    st.floats(1, 50),
    st.floats(1, 1e3),
    st.sampled_from(["cpu", "cuda"]),
)
def test_more_of_anything_never_takes_less(name: str, factor: float, rows: float, kind: str) -> None:
    base = {"rows": rows * 1e4, "features": 10.0, "trees": 100.0, "depth": 6.0}

    assert seconds(4, kind, **base) <= seconds(4, kind, **(base | {name: base[name] * factor})) * (1 + 1e-9)
