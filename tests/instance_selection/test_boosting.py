"""Training of trees: many rows scale with cores, few do not."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.instance_selection.estimation.boosting import (
    BIN_BYTES,
    COPY_BANDWIDTH,
    CORES_OF_A_WAIT,
    MAX_LEAVES,
    NODE_S,
    REFERENCE_BANDWIDTH,
    REFERENCE_BANDWIDTH_PER_CORE,
    ROWS_PER_CORE,
    ROWS_PER_LEAF,
    answer_seconds,
    boosting_labels,
    training_seconds,
)
from tests.instance_selection.known_coefficients import known

laws = settings(derandomize=True, max_examples=100)
PLACES = [("cpu", "xgboost"), ("cpu", "lightgbm"), ("cuda", "xgboost"), ("cuda", "lightgbm")]
#: Everything costs something, in the proportions of a server.
USUAL = {"bin_rate": 0.5, "serial": 0.1, "row_ns": 4.0, "split_ns": 3.0, "level_us": 150.0, "setup_ns": 40.0}


def seconds(
    cores: float = 1.0,
    kind: str = "cpu",
    k: dict[str, float] | None = None,
    library: str = "xgboost",
    **changes: Any,
) -> float:
    """Return the seconds of 100 trees of depth 6 over a million rows of 10,000 features: histograms take nearly all."""
    defaults = {"rows": 1e6, "features": 1e4, "rounds": 100.0, "depth": 6.0}
    bandwidth = np.array([REFERENCE_BANDWIDTH if kind == "cuda" else REFERENCE_BANDWIDTH_PER_CORE * cores])
    found = training_seconds(
        known("boosting", **(k or {})),
        boosting_labels((kind,), (library,)),
        cores=np.array([cores]),
        **({"bandwidth": bandwidth} | defaults | changes),
    )
    return float(found[0])


def added(name: str, value: float, **changes: Any) -> float:
    """Return what one cost adds."""
    return seconds(k={name: value}, **changes) - seconds(**changes)


def test_half_of_the_passes_of_each_level_are_done() -> None:
    # 10^6 x 10^4 x 100 x 6 / 2 updates, 10^9 of them in a second.
    assert seconds() == pytest.approx(3000.0, rel=0.01)


def test_many_rows_are_shared_by_the_cores_but_for_what_is_done_by_one() -> None:
    # Amdahl's law: a twentieth is serial, so that 16 cores do the work of 16 / (1 + 15 / 20).
    assert seconds(cores=16) == pytest.approx(3000.0 / 16, rel=0.01)
    assert seconds(cores=16, k={"serial": 0.05}) == pytest.approx(3000.0 / 16 * 1.75, rel=0.01)


@laws
@given(
    st.floats(1, 192), st.floats(1, 192), st.floats(0.001, 0.5), st.floats(1e3, 1e8), st.sampled_from(PLACES)
)
def test_but_for_waits_more_cores_are_never_slower_and_never_faster_than_the_serial_part(
    one: float, other: float, serial: float, rows: float, place: tuple[str, str]
) -> None:
    kind, library = place
    k = USUAL | {"serial": serial, "level_us": 0.0, "setup_ns": 0.0}
    few, many = (
        seconds(cores, kind, k, library, rows=rows, features=50.0, host_cores=cores)
        for cores in sorted((one, other))
    )

    assert many <= few * (1 + 1e-9)
    if kind == "cpu":
        assert many >= serial * seconds(1.0, kind, k, library, rows=rows, features=50.0) * 0.99


def test_few_rows_keep_few_cores_busy() -> None:
    rows = 2 * ROWS_PER_CORE

    two, sixty_four = (seconds(cores=cores, rows=rows) for cores in (2, 64))

    assert two == pytest.approx(sixty_four, rel=0.01)
    assert seconds(cores=1, rows=rows) > two


@pytest.mark.parametrize("kind", ["cpu", "cuda"])
def test_a_row_is_sorted_at_each_level_however_many_features_it_has(kind: str) -> None:
    narrow, wide = (added("row_ns", 4.0, kind=kind, features=features) for features in (8.0, 800.0))

    # 10^6 rows x 100 trees x 6 levels.
    assert narrow == pytest.approx(wide, rel=1e-6)
    assert narrow == pytest.approx(6e8 * 4e-9)


@pytest.mark.parametrize(("kind", "library"), PLACES)
def test_gradients_that_no_cache_holds_are_waited_for_where_rows_are_sorted(kind: str, library: str) -> None:
    few, many = (seconds(8.0, kind, library=library, rows=rows, features=8.0) for rows in (1e6, 1e7))

    assert 10.0 * few <= many * (1 + 1e-9)
    assert (many > 10.1 * few) == ((kind, library) != ("cuda", "xgboost"))


def test_the_bins_of_every_leaf_are_looked_at_however_few_rows_it_has() -> None:
    # 100 trees x 64 leaves and as many before them, 10^4 features of 256 bins.
    assert added("split_ns", 3.0) == pytest.approx(100 * 128 * 1e4 * 256 * 3e-9)
    assert added("split_ns", 3.0, rows=1e5) == pytest.approx(added("split_ns", 3.0))
    assert added("split_ns", 3.0, bins=64.0) == pytest.approx(added("split_ns", 3.0) / 4)
    # A leaf has rows, and a feature is looked at by one core.
    full = added("split_ns", 3.0, rows=ROWS_PER_LEAF * 32)
    assert full == pytest.approx(added("split_ns", 3.0) / 2)
    two, many = (added("split_ns", 3.0, cores=cores, features=2.0) for cores in (2, 64))
    assert two == pytest.approx(many)


def test_the_host_does_what_a_library_leaves_to_it() -> None:
    k = USUAL | {"bin_rate": 100.0, "level_us": 0.0, "setup_ns": 0.0}
    table: dict[str, Any] = {"kind": "cuda", "rows": 1e7, "features": 8.0, "k": k}

    few, many = (seconds(library="lightgbm", host_cores=cores, **table) for cores in (4.0, 16.0))

    assert few > 1.5 * many
    few, many = (
        added("split_ns", 3.0, kind="cuda", library="lightgbm", host_cores=cores) for cores in (4.0, 16.0)
    )
    assert few == pytest.approx(4 * many)
    assert seconds(host_cores=4.0, **table) == seconds(host_cores=16.0, **table)


def test_a_gpu_sends_the_histogram_of_each_new_leaf_to_a_host_that_wants_it() -> None:
    table: dict[str, Any] = {"kind": "cuda", "rows": 1e4, "rounds": 1.0}

    # 64 leaves, 10^4 features of 256 bins.
    found = seconds(library="lightgbm", **table) - seconds(**table)
    assert found == pytest.approx(64 * 1e4 * 256 * BIN_BYTES / COPY_BANDWIDTH, rel=0.01)


@pytest.mark.parametrize("cores", [1.0, 48.0])
def test_each_level_of_each_tree_waits_for_all_cores(cores: float) -> None:
    wait = 100e-6 * (1 + cores / CORES_OF_A_WAIT)

    assert added("level_us", 100.0, cores=cores) == pytest.approx(100 * 6 * wait)
    # Leaf by leaf there are as many steps as leaves, up to a number that libraries stop at.
    leaf_wise: dict[str, Any] = {"library": "lightgbm", "cores": cores}
    assert added("level_us", 100.0, **leaf_wise) == pytest.approx(100 * 64 * wait)
    assert added("level_us", 100.0, leaves=31.0, **leaf_wise) == pytest.approx(100 * 31 * wait)
    assert added("level_us", 100.0, depth=20.0, **leaf_wise) == pytest.approx(100 * MAX_LEAVES * wait)


def test_a_small_table_takes_longer_on_a_large_machine() -> None:
    small: dict[str, Any] = {"k": USUAL, "rows": 1e4, "features": 10.0}

    assert seconds(cores=64, **small) > seconds(cores=8, **small)


@pytest.mark.parametrize(("library", "waits"), [("xgboost", 7.0), ("lightgbm", 7.0), ("catboost", 1.0)])
def test_classes_have_trees_or_share_them(library: str, waits: float) -> None:
    assert seconds(classes=7.0, library=library) == pytest.approx(7 * seconds(library=library))
    one, seven = (added("level_us", 100.0, classes=classes, library=library) for classes in (1.0, 7.0))
    assert seven == pytest.approx(waits * one)


def test_a_tree_is_as_deep_as_its_leaves_need() -> None:
    assert seconds(leaves=32.0) == pytest.approx(seconds(depth=5.0))
    assert seconds(leaves=32.0, depth=4.0) == pytest.approx(seconds(depth=4.0))


def test_a_method_without_histograms_reads_a_gradient_for_each_value_of_each_level() -> None:
    table: dict[str, Any] = {"rows": 1e4, "features": 1000.0}

    # 10^4 x 1000 values x 100 trees x 6 levels; nothing is subtracted, and there are no bins.
    found = added("row_ns", 4.0, presorted=True, **table)
    assert found == pytest.approx(6e9 * 4e-9, rel=0.01)
    assert added("split_ns", 3.0, presorted=True, **table) == 0
    assert seconds(kind="cuda", presorted=True, **table) == seconds(kind="cuda", **table)


def test_the_table_is_binned_once() -> None:
    assert added("setup_ns", 40.0) == pytest.approx(1e10 * 40e-9)


def test_a_gpu_is_as_fast_as_its_memory_allows() -> None:
    slow, fast = (seconds(kind="cuda", bandwidth=np.array([rate])) for rate in (300e9, 1200e9))

    assert slow == pytest.approx(3000.0)
    assert fast == pytest.approx(1500.0)


@laws
@given(
    st.sampled_from(["rows", "features", "rounds", "depth", "classes", "leaves", "bins"]),
    st.floats(1, 50),
    st.floats(1, 1e3),
    st.sampled_from(PLACES),
)
def test_more_of_anything_never_takes_less(
    name: str, factor: float, rows: float, place: tuple[str, str]
) -> None:
    kind, library = place
    base = {"rows": rows * 1e4, "features": 10.0, "rounds": 100.0, "depth": 6.0, "classes": 2.0}
    base |= {"leaves": 16.0, "bins": 64.0}

    less, more = (
        seconds(4, kind, USUAL, library, **table) for table in (base, base | {name: base[name] * factor})
    )

    assert less <= more * (1 + 1e-9)


def test_an_answer_takes_a_branch_at_each_level_of_each_tree() -> None:
    def answer(cores: float, **changes: float) -> float:
        batch = {"rows": 1000.0, "trees": 500.0, "depth": 8.0} | changes
        return float(answer_seconds(cores=cores, **batch))

    assert answer(1.0) == pytest.approx(1000 * 500 * 8 * NODE_S)
    assert answer(4.0) == pytest.approx(answer(1.0) / 4)
    # One row is answered by one core.
    assert answer(4.0, rows=1.0) == answer(1.0, rows=1.0)
