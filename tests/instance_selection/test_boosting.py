"""Training of trees: many rows scale with cores, few do not."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.instance_selection.estimation.boosting import (
    CORE_OF_ANOTHER_SOCKET,
    CORES_OF_A_WAIT,
    MAX_LEAVES,
    NODE_CYCLES,
    REFERENCE_BANDWIDTH,
    REFERENCE_GHZ,
    ROWS_PER_LEAF,
    WAIT_OF_A_LEAF,
    answer_seconds,
    boosting_labels,
    training_seconds,
)
from tests.instance_selection.known_coefficients import known

laws = settings(derandomize=True, max_examples=100)
PLACES = [("cpu", "xgboost"), ("cpu", "lightgbm"), ("cuda", "xgboost"), ("cuda", "lightgbm")]
#: Everything costs something, in the proportions of a server.
USUAL = {
    "bin_ns": 2.0, "serial": 0.1, "row_ns": 4.0, "split_ns": 3.0, "level_us": 150.0, "launch_us": 500.0, "gpu_cores": 15.0,
}  # fmt: skip
#: Nothing but the work that is shared.
WORK = USUAL | {"level_us": 0.0, "launch_us": 0.0}


def seconds(
    cores: float = 1.0,
    kind: str = "cpu",
    k: dict[str, float] | None = None,
    library: str = "xgboost",
    **changes: Any,
) -> float:
    """Return the seconds of 100 trees of depth 6 over a million rows of 10,000 features: histograms take nearly all."""
    defaults = {"rows": 1e6, "features": 1e4, "rounds": 100.0, "depth": 6.0}
    machine = {"core_ghz": REFERENCE_GHZ, "socket_cores": np.inf, "bandwidth": REFERENCE_BANDWIDTH}
    found = training_seconds(
        known("boosting", **(k or {})),
        boosting_labels((kind,), (library,)),
        cores=np.array([cores]),
        **({name: np.array([value]) for name, value in machine.items()} | defaults | changes),
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
    k = WORK | {"serial": serial}
    few, many = (
        seconds(cores, kind, k, library, rows=rows, features=50.0, host_cores=cores, socket_cores=48.0)
        for cores in sorted((one, other))
    )

    assert many <= few * (1 + 1e-9)
    if kind == "cpu":
        assert many >= serial * seconds(1.0, kind, k, library, rows=rows, features=50.0) * 0.99


def test_a_core_of_another_socket_adds_less_than_one_of_the_first() -> None:
    # 24 cores of each of two sockets.
    two = seconds(cores=48, socket_cores=np.array([24.0]))

    assert two == pytest.approx(3000.0 / (24 + 24 * CORE_OF_ANOTHER_SOCKET), rel=0.01)
    assert seconds(cores=24, socket_cores=np.array([24.0])) == pytest.approx(3000.0 / 24, rel=0.01)


@pytest.mark.parametrize("waits", [0.0, 100.0])
def test_a_faster_core_works_and_waits_less(waits: float) -> None:
    small: dict[str, Any] = {"rows": 1e4, "features": 10.0, "k": USUAL | {"level_us": waits}}

    # Gradients of so few rows lie in the cache, whose clock is that of the core.
    slow, fast = (seconds(core_ghz=np.array([ghz]), **small) for ghz in (2.0, 4.0))
    assert slow == pytest.approx(2 * fast, rel=0.01)
    slow, fast = (seconds(core_ghz=np.array([ghz]), k={"bin_ns": 0.0}, rows=1e8) for ghz in (2.0, 4.0))
    assert slow == pytest.approx(fast)
    assert slow > 0


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


def test_each_step_looks_at_all_bins_however_few_rows_there_are() -> None:
    # 100 trees x 6 levels, a parent and its smaller child, 10^4 features of 256 bins.
    assert added("split_ns", 3.0) == pytest.approx(100 * 6 * 2 * 1e4 * 256 * 3e-9)
    assert added("split_ns", 3.0, rows=1e5) == pytest.approx(added("split_ns", 3.0))
    assert added("split_ns", 3.0, bins=64.0) == pytest.approx(added("split_ns", 3.0) / 4)
    # Leaf by leaf: 64 of them, or as many as have rows enough.
    by_leaf = added("split_ns", 3.0, library="lightgbm")
    assert by_leaf == pytest.approx(100 * 64 * 2 * 1e4 * 256 * 3e-9)
    few = added("split_ns", 3.0, library="lightgbm", rows=ROWS_PER_LEAF * 32)
    assert few == pytest.approx(by_leaf / 2)


@pytest.mark.parametrize(("name", "shared"), [("row_ns", True), ("split_ns", True), ("bin_ns", False)])
def test_the_host_does_what_a_library_leaves_to_it(name: str, shared: bool) -> None:
    table: dict[str, Any] = {"kind": "cuda", "rows": 1e4, "features": 100.0}

    few, many = (added(name, 4.0, library="lightgbm", host_cores=cores, **table) for cores in (4.0, 16.0))
    assert few == pytest.approx(4 * many if shared else many)
    few, many = (added(name, 4.0, host_cores=cores, **table) for cores in (4.0, 16.0))
    assert few == many > 0


@pytest.mark.parametrize("cores", [1.0, 48.0])
def test_each_level_of_each_tree_waits_for_all_cores(cores: float) -> None:
    wait = 100e-6 * (1 + cores / CORES_OF_A_WAIT)

    assert added("level_us", 100.0, cores=cores) == pytest.approx(100 * 6 * wait)
    # Leaf by leaf there are as many steps as leaves, up to a number that libraries stop at.
    leaf_wise: dict[str, Any] = {"library": "lightgbm", "cores": cores}
    after_a_leaf = WAIT_OF_A_LEAF * wait
    assert added("level_us", 100.0, **leaf_wise) == pytest.approx(100 * 64 * after_a_leaf)
    assert added("level_us", 100.0, leaves=31.0, **leaf_wise) == pytest.approx(100 * 31 * after_a_leaf)
    assert added("level_us", 100.0, depth=20.0, **leaf_wise) == pytest.approx(100 * MAX_LEAVES * after_a_leaf)


def test_a_gpu_waits_for_its_host_at_each_level_whatever_its_size() -> None:
    assert added("launch_us", 100.0, kind="cuda", cores=80.0) == pytest.approx(100 * 6 * 100e-6)
    assert added("level_us", 100.0, kind="cuda") == added("launch_us", 100.0) == 0


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


def test_a_gpu_is_as_fast_as_its_memory_allows() -> None:
    slow, fast = (seconds(kind="cuda", bandwidth=np.array([rate])) for rate in (300e9, 1200e9))

    assert slow == pytest.approx(3000.0)
    assert fast == pytest.approx(1500.0)
    # A GPU of the reference does the work of so many cores.
    assert seconds(kind="cuda", k={"gpu_cores": 15.0}) == pytest.approx(200.0)


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

    assert answer(1.0) == pytest.approx(1000 * 500 * 8 * NODE_CYCLES / (REFERENCE_GHZ * 1e9))
    assert answer(4.0) == pytest.approx(answer(1.0) / 4)
    assert answer(1.0, core_ghz=2 * REFERENCE_GHZ) == pytest.approx(answer(1.0) / 2)
    # One row is answered by one core.
    assert answer(4.0, rows=1.0) == answer(1.0, rows=1.0)
