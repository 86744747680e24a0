"""What is added to a plain roofline: caches, kernels of a mixture, leaves, and forward passes that are repeated."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.instance_selection.estimation.boosting import MAX_LEAVES, training_seconds
from sizewell.instance_selection.estimation.generation import KERNELS_OF_MIXTURE, decoder_of, step_seconds
from sizewell.instance_selection.estimation.machines import cache_bytes_of, silicon_of
from sizewell.instance_selection.estimation.roofline import CACHE_SPEED, missed_share
from tests.instance_selection.builders import ROUND_DECODER, gpu_instance, machines
from tests.instance_selection.known_coefficients import known

MIB = 2**20


@pytest.mark.parametrize(
    ("chip", "mib"),
    [
        ("A10G", 6),
        ("A100 80GB", 40),
        ("L4", 48),
        ("L40S", 96),
        ("RTX 4090", 64),
        ("H20", 50),
        ("B200", 126),
        ("K80", 0),
        ("Trainium2", 0),
    ],
)
def test_a_chip_has_the_cache_of_its_architecture(chip: str, mib: float) -> None:
    assert cache_bytes_of(chip) == mib * MIB


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


def test_a_mixture_launches_more_kernels_than_a_dense_model_of_its_active_weights() -> None:
    dense, mixture = (
        decoder_of(model)
        for model in (ROUND_DECODER, replace(ROUND_DECODER, active_parameters=ROUND_DECODER.parameters / 4))
    )
    k = known("generation", step_us=1e6)
    times = [
        float(step_seconds(d, machines(gpu_instance()), k, sequences=1.0, context=0.0, degree=1.0)[0])
        for d in (dense, mixture)
    ]
    assert times[1] / times[0] == pytest.approx(KERNELS_OF_MIXTURE, rel=1e-3)


@pytest.mark.parametrize(("depth", "steps"), [(5.0, 32.0), (12.0, MAX_LEAVES)])
def test_growing_leaf_by_leaf_takes_a_step_for_each_leaf(depth: float, steps: float) -> None:
    level, leaf = (
        training_seconds(
            known("boosting", level_us=1e6, bin_rate=1e12),
            rows=1.0,
            features=1.0,
            trees=1.0,
            depth=depth,
            kinds=("cpu",),
            cores=np.array([1.0]),
            bandwidth=np.array([5e9]),
            leaf_wise=leaf_wise,
        )[0]
        for leaf_wise in (False, True)
    )
    assert (level, leaf) == (pytest.approx(depth), pytest.approx(steps))


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
