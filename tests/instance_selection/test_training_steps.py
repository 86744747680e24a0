"""One step of a training: passes, exchange and update, worked out with round coefficients."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.instance_selection import Architecture, Precision
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.estimation.coefficients import coefficients
from sizewell.instance_selection.estimation.training import (
    TrainingWork,
    exchange_bandwidth,
    step_seconds,
    training_work,
)
from sizewell.instance_selection.labels import training_labels
from tests.instance_selection.builders import (
    BERT_BASE,
    GPU,
    LLAMA_3_8B,
    RECOMMENDER,
    RESNET_50,
    ROUND_DECODER,
    gpu_instance,
    machines,
    neuron_instance,
)
from tests.instance_selection.known_coefficients import known

laws = settings(derandomize=True, max_examples=60)
#: 10^10 operations of a forward pass, none of them attention, and hardly a weight.
WORK = TrainingWork(
    forward_flops=1e10, attention_flops=0.0, activations=0.0, layers=10.0, width=0.0, parameters=1.0
)
#: The same with 10^9 weights, whose states are updated at 80 % of 1,000 GB/s, 16 bytes each.
LARGE, UPDATE_S = replace(WORK, parameters=1e9), 20e-3


def seconds(
    work: TrainingWork = WORK,
    instance_type: InstanceType | None = None,
    precision: Precision = Precision.BF16,
    k: dict[str, float] | None = None,
    **changes: Any,
) -> float:
    """Return the seconds of a step of one image on one GPU, unless something else is said."""
    columns = machines(instance_type or gpu_instance(), precision=precision)
    defaults: dict[str, Any] = {
        "micro_batch": 1.0,
        "accumulation": 1.0,
        "workers": 1.0,
        "split": 1.0,
        "link_bandwidth": np.array([100e9]),
        "trainable_share": 1.0,
        "frozen": False,
        "sharded": False,
        "recompute": False,
    }
    return float(step_seconds(work, columns, known("training", **(k or {})), **(defaults | changes))[0])


def test_of_look_up_tables_a_step_changes_the_rows_alone_that_it_reads() -> None:
    larger = replace(RECOMMENDER, parameters=10 * RECOMMENDER.parameters)
    larger = replace(larger, embedding_parameters=larger.parameters - RECOMMENDER.multiplied_parameters)

    assert training_work(larger, 1.0) == training_work(RECOMMENDER, 1.0)


def test_training_takes_three_forward_passes() -> None:
    # 3 x 10^10 at half of 10^13.
    assert seconds() == pytest.approx(6e-3)


def test_frozen_weights_need_no_gradients_of_their_own() -> None:
    assert seconds(frozen=True) == pytest.approx(4e-3)


def test_recomputation_repeats_the_forward_pass() -> None:
    # Seven tenths of 2 ms.
    assert seconds(recompute=True) == pytest.approx(7.4e-3)


def test_micro_batches_and_accumulation_multiply() -> None:
    assert seconds(micro_batch=4.0, accumulation=2.0) == pytest.approx(8 * seconds())


def test_a_narrow_product_reaches_less() -> None:
    wide = replace(WORK, width=1200.0)

    # 1,200 / (1,200 + 200).
    assert seconds(wide) == pytest.approx(6e-3 * 14 / 12)
    # Convolutions have no width.
    assert seconds(WORK) == pytest.approx(6e-3)


def test_a_neuron_core_reaches_less_of_its_peak_than_a_gpu() -> None:
    # 3 x 10^10 at half of two fifths of the 5 x 10^12 operations per second of one of two cores.
    assert seconds(WORK, neuron_instance()) == pytest.approx(30e-3)


def test_activations_pass_through_memory_three_times() -> None:
    # 3 x 10^9 values of two bytes at 80 % of 1,000 GB/s.
    assert seconds(replace(WORK, activations=1e9), k={"traffic": 1.0}) == pytest.approx(6e-3 + 7.5e-3)


def test_no_kernel_computes_attention_in_fp8() -> None:
    both = gpu_instance(accelerator=replace(GPU, fp8_dense_tflops=20))
    all_attention = replace(WORK, attention_flops=1e10)

    assert seconds(WORK, both, Precision.FP8) == pytest.approx(3e-3)
    # Six tenths of the peak of half precision.
    assert seconds(all_attention, both, Precision.FP8) == pytest.approx(5e-3)


def test_launches_of_the_host_are_a_floor() -> None:
    assert seconds(replace(WORK, forward_flops=1.0), k={"launch_us": 1000.0}) == pytest.approx(10e-3)


def test_recomputation_writes_its_activations_and_starts_its_kernels_again() -> None:
    moved = replace(WORK, activations=1e9)
    # A fourth pass beside three, and a third of the launches of a step.
    assert seconds(moved, k={"traffic": 1.0}, recompute=True) == pytest.approx(7.4e-3 + 10e-3)
    idle = replace(WORK, forward_flops=1.0)
    assert seconds(idle, k={"launch_us": 1000.0}, recompute=True) == pytest.approx(10e-3 * 4 / 3)


def test_gradients_are_exchanged_beside_the_backward_pass() -> None:
    # 7 of 8 parts of 10^9 gradients of two bytes there and back at 10^11 bytes per second: 35 ms beside two thirds of 6.
    assert seconds(LARGE, workers=8.0) == pytest.approx(2e-3 + (4e-3**2 + 35e-3**2) ** 0.5 + UPDATE_S)
    assert seconds(LARGE, workers=1.0) == pytest.approx(6e-3 + UPDATE_S)


def test_an_exchange_that_is_much_faster_than_the_backward_pass_hides() -> None:
    hidden = seconds(LARGE, workers=8.0, link_bandwidth=np.array([100e12]))

    assert hidden == pytest.approx(6e-3 + UPDATE_S, rel=1e-3)


def test_adapters_exchange_their_own_gradients_only() -> None:
    # 0.35 ms beside 4 ms, and a hundredth of the update.
    found = seconds(LARGE, workers=8.0, trainable_share=0.01)

    assert found == pytest.approx(2e-3 + (4e-3**2 + 0.35e-3**2) ** 0.5 + UPDATE_S / 100)


def test_shards_are_exchanged_three_times_and_overlap_the_arithmetic() -> None:
    # 7 of 8 parts of 3 x 10^9 x 2 bytes at 10^11 bytes per second: 52.5 ms beside 6 ms of arithmetic.
    found = seconds(LARGE, workers=8.0, sharded=True)
    assert found == pytest.approx((52.5e-3**2 + 6e-3**2) ** 0.5 + UPDATE_S / 8)
    assert seconds(LARGE, workers=1.0, sharded=True) == pytest.approx(6e-3 + UPDATE_S)


def test_frozen_shards_are_gathered_for_both_passes_as_they_are_stored() -> None:
    frozen: dict[str, Any] = {"workers": 8.0, "sharded": True, "frozen": True, "trainable_share": 0.0}

    # 7 of 8 parts of 2 x 10^9 weights: 35 ms in half precision, 8.75 ms in four bits, beside 4 ms of arithmetic.
    assert seconds(LARGE, **frozen) == pytest.approx((35e-3**2 + 4e-3**2) ** 0.5)
    # In four bits, five times 3.125 ms of each pass expand them.
    assert seconds(LARGE, **frozen, stored_bytes=0.5) == pytest.approx((8.75e-3**2 + 35.25e-3**2) ** 0.5)


def test_narrow_weights_are_expanded_before_each_use() -> None:
    narrow: dict[str, Any] = {"frozen": True, "trainable_share": 0.0}

    # Half a byte read and two written of 10^9 weights at 80 % of 1,000 GB/s, five times: 15.625 ms for each pass.
    assert seconds(LARGE, **narrow) == pytest.approx(4e-3)
    assert seconds(LARGE, **narrow, stored_bytes=0.5) == pytest.approx(4e-3 + 2 * 15.625e-3)
    repeated = seconds(LARGE, **narrow, stored_bytes=0.5, recompute=True)
    assert repeated == pytest.approx(5.4e-3 + 3 * 15.625e-3)


def test_cards_without_links_of_their_own_exchange_through_host_memory() -> None:
    linked, plain = (
        machines(gpu_instance(accelerator=replace(GPU, interconnect=link, interconnect_gb_s=30.0)))
        for link in ("nvlink", "pcie")
    )

    assert exchange_bandwidth(linked)[0] == pytest.approx(30e9)
    assert exchange_bandwidth(plain)[0] == pytest.approx(10e9)


def test_attention_that_is_not_fused_writes_its_scores() -> None:
    fused, unfused = (
        training_work(LLAMA_3_8B, 1024.0, fused_attention=fused).activations for fused in (True, False)
    )

    # Five values for each of 32 layers, 64 heads of width 64 and 1,024 x 1,024 pairs.
    assert unfused - fused == pytest.approx(5 * 32 * 64 * 1024**2)
    assert training_work(BERT_BASE, 512.0, fused_attention=False) == training_work(BERT_BASE, 512.0)


def test_the_update_passes_over_the_states_that_a_device_has() -> None:
    assert seconds(LARGE) == pytest.approx(6e-3 + UPDATE_S)
    at_once = np.array([1e20])
    sharded = seconds(LARGE, sharded=True, workers=8.0, link_bandwidth=at_once)
    assert sharded == pytest.approx(6e-3 + UPDATE_S / 8)
    assert seconds(LARGE, trainable_share=0.01) == pytest.approx(6e-3 + UPDATE_S / 100)


def test_a_model_that_is_split_over_devices_takes_a_part_of_the_time() -> None:
    assert seconds(split=4.0) == pytest.approx(1.5e-3)


def test_work_of_a_sequence() -> None:
    work = training_work(LLAMA_3_8B, 2048.0)

    assert work.parameters == 8.03e9
    assert work.attention_flops == 4 * 32 * 4096 * 2048**2
    assert work.forward_flops == 2 * (8.03e9 - 525.3e6) * 2048 + float(work.attention_flops)
    # Fused attention of a decoder writes no scores.
    assert work.activations == pytest.approx(32 * 2048 * 34 / 3 * 4096)


def test_an_encoder_writes_its_scores() -> None:
    short, long = (float(training_work(BERT_BASE, length).activations) for length in (128.0, 512.0))

    assert long > 4 * short


def test_work_of_an_image() -> None:
    work = training_work(RESNET_50, 0.0)

    assert (work.forward_flops, work.attention_flops, work.activations) == (8.2e9, 0, 11.1e6)
    assert work.width == 0


@pytest.mark.parametrize("architecture", Architecture)
def test_every_architecture_has_work(architecture: Architecture) -> None:
    work = training_work(replace(ROUND_DECODER, architecture=architecture, layers=0, hidden_size=0), 128.0)

    assert work.forward_flops > 0
    assert work.layers > 0


@laws
@given(st.floats(1, 64), st.floats(1, 64), st.booleans(), st.booleans(), st.floats(1, 512))
def test_a_larger_batch_takes_longer_and_more_workers_are_never_slower_in_all(
    one: float, other: float, sharded: bool, recompute: bool, workers: float
) -> None:
    columns = machines(gpu_instance())
    k = coefficients("training").values(training_labels(Architecture.DECODER), 1)

    def step_s(batch: float) -> float:
        found = step_seconds(
            training_work(ROUND_DECODER, 512.0), columns, k, micro_batch=batch, accumulation=1.0, workers=workers,
            split=1.0, link_bandwidth=np.array([100e9]), trainable_share=1.0, frozen=False, sharded=sharded,
            recompute=recompute,
        )  # fmt: skip
        return float(found[0])

    small, large = sorted((one, other))
    assert step_s(small) <= step_s(large) * (1 + 1e-9)
    assert step_s(large) / large <= step_s(small) / small * (1 + 1e-9)
