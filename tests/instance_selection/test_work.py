from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.instance_selection import Architecture, ModelSpec, Precision
from sizewell.instance_selection.estimation.work import (
    attention_flops,
    forward_work,
    transformer_shape,
)
from tests.instance_selection.builders import BERT_BASE, DIFFUSION, LLAMA_3_8B, RESNET_50

laws = settings(derandomize=True, max_examples=100)
STABLE_DIFFUSION = replace(DIFFUSION, layers=0, denoising_steps=20)


def test_a_stated_shape_is_taken_as_it_is() -> None:
    assert transformer_shape(BERT_BASE) == (12, 768)


@pytest.mark.parametrize(
    ("known", "tolerance"), [(BERT_BASE, 0.3), (LLAMA_3_8B, 0.3)], ids=["BERT-base", "Llama 3 8B"]
)
def test_a_shape_that_is_not_stated_is_near_that_of_a_published_model(
    known: ModelSpec, tolerance: float
) -> None:
    layers, width = transformer_shape(replace(known, layers=0, hidden_size=0))

    assert layers == pytest.approx(known.layers, rel=tolerance)
    assert width == pytest.approx(known.hidden_size, rel=tolerance)


@laws
@given(st.floats(1.0, 1e18), st.sampled_from([Architecture.ENCODER, Architecture.DECODER]))
def test_every_size_has_a_shape_with_about_that_many_weights(parameters: float, kind: Architecture) -> None:
    layers, width = transformer_shape(
        ModelSpec(architecture=kind, parameters=parameters, layers=0, precision=Precision.FP16)
    )

    assert layers >= 2
    assert width >= 64
    assert width % 64 == 0
    if parameters > 1e8:
        assert 12 * layers * width**2 == pytest.approx(parameters, rel=0.3)


def test_attention_is_halved_where_no_token_looks_ahead() -> None:
    # Kaplan et al. 2020, table 1: 4 x layers x width x tokens^2.
    assert attention_flops(12, 768, 128, causal=False) == 4 * 12 * 768 * 128**2
    assert attention_flops(12, 768, 128, causal=True) == 2 * 12 * 768 * 128**2


def test_a_transformer_multiplies_every_weight_but_the_look_up_tables_with_every_token() -> None:
    work = forward_work(BERT_BASE, tokens=128)

    assert work.weights == 110e6 - 23.8e6
    assert work.flops == 2 * (110e6 - 23.8e6) * 128 + 4 * 12 * 768 * 128**2
    assert (work.layers, work.width, work.rows, work.passes) == (12, 768, 128, 1)


def test_a_mixture_of_experts_multiplies_the_active_weights_only() -> None:
    dense, sparse = (
        forward_work(replace(LLAMA_3_8B, parameters=56e9, active_parameters=active), tokens=10)
        for active in (None, 14e9)
    )

    assert float(sparse.flops) < 0.3 * float(dense.flops)


def test_an_image_model_does_what_it_states() -> None:
    work = forward_work(RESNET_50)

    assert (work.flops, work.activations, work.weights, work.width) == (8.2e9, 11.1e6, 25.6e6, 0)


def test_an_image_model_that_states_no_operations_has_those_of_its_kind() -> None:
    silent = replace(RESNET_50, forward_flops_per_image=0.0, activations_per_image=0.0)

    work = forward_work(silent)

    assert 0.2 * 8.2e9 < float(work.flops) < 5 * 8.2e9
    assert float(work.activations) > 0


def test_an_image_brings_its_pixels_and_a_text_or_the_noise_of_an_image_brings_nothing() -> None:
    # Three colours of four bytes.
    assert forward_work(replace(RESNET_50, image_pixels=1000)).input_bytes == 12_000
    assert forward_work(RESNET_50).input_bytes == 224 * 224 * 12
    assert forward_work(BERT_BASE).input_bytes == forward_work(STABLE_DIFFUSION).input_bytes == 0


def test_a_diffusion_repeats_its_step_and_guidance_doubles_it() -> None:
    guided, plain = (forward_work(replace(STABLE_DIFFUSION, guidance=guidance)) for guidance in (True, False))

    assert guided.passes == plain.passes == 20
    assert (guided.flops, plain.flops) == (1.6e12, 8e11)
    assert (guided.activations, plain.activations) == (4e8, 2e8)
    # The text encoder and the decoder of images are not part of a step.
    assert guided.weights == 860e6


LSTM = ModelSpec(
    architecture=Architecture.RNN, parameters=8e6, layers=2, precision=Precision.FP32, hidden_size=700
)
DEEP_AR = replace(
    LSTM, architecture=Architecture.TIME_SERIES, time_steps=48, forecast_steps=24, samples=100
)  # fmt: skip


def test_a_recurrent_model_waits_for_each_cell_of_each_time_step() -> None:
    work = forward_work(replace(LSTM, time_steps=30))

    # One kernel of the 25 of a block for each cell.
    assert work.layers == pytest.approx(2 * 30 / 25)
    assert work.flops == 2 * 8e6 * 30
    assert work.activations == 6 * 700 * 2 * 30
    # One product over 2 x width for each cell, where a block has six.
    assert 6 * work.width * work.layers == pytest.approx(2 * 700 * 2 * 30)


def test_weights_are_read_at_each_step_unless_a_cache_holds_them() -> None:
    large, small = (
        forward_work(replace(LSTM, parameters=parameters, time_steps=101)) for parameters in (9e9, 9e3)
    )

    assert large.weights == pytest.approx(101 * 9e9, rel=0.01)
    assert small.weights == pytest.approx(9e3, rel=0.2)


def test_arithmetic_tells_the_steps_that_nobody_states() -> None:
    stated = replace(LSTM, forward_flops_per_image=2 * 8e6 * 30)

    assert forward_work(stated) == forward_work(replace(LSTM, time_steps=30))
    # Stated steps are taken as they are, and so is the arithmetic.
    both = forward_work(replace(stated, time_steps=10))
    assert both.layers == pytest.approx(2 * 10 / 25)
    assert both.flops == 2 * 8e6 * 30


def test_cells_that_nobody_states_have_the_weights_of_the_model() -> None:
    work = forward_work(replace(LSTM, layers=0, hidden_size=0, time_steps=30))

    # Seven cells, as RNN-T has; 8 x width^2 weights each.
    assert work.layers == pytest.approx(7 * 30 / 25)
    assert 7 * 8 * (float(work.activations) / 6 / 7 / 30) ** 2 == pytest.approx(8e6)


def test_a_recurrent_forecaster_draws_all_its_paths_side_by_side() -> None:
    work, single = (forward_work(replace(DEEP_AR, samples=samples)) for samples in (100, 1))

    assert (work.flops, single.flops) == (2 * 8e6 * (48 + 100 * 24), 2 * 8e6 * (48 + 24))
    # What is drawn is the input of the next step: the program starts each of the 24.
    assert single.layers == pytest.approx(2 * (48 + 24) / 25)
    assert work.layers == pytest.approx(2 * (48 + 24) / 25 + 24)


def test_a_forecaster_of_patches_takes_a_token_for_each() -> None:
    patched = replace(DEEP_AR, time_steps=512, forecast_steps=96, patch_length=16)
    encoder = replace(patched, architecture=Architecture.ENCODER)

    assert forward_work(patched) == forward_work(encoder, tokens=(512 + 96) / 16)
    assert patched.sequence_length == 38


def test_a_recommender_looks_up_what_it_does_not_multiply() -> None:
    work = forward_work(
        replace(RESNET_50, architecture=Architecture.RECOMMENDER, parameters=10e9, embedding_parameters=9.9e9)
    )

    assert work.weights == pytest.approx(0.1e9)


@laws
@given(st.sampled_from([BERT_BASE, LLAMA_3_8B]), st.integers(1, 4096), st.integers(1, 4096))
def test_longer_texts_are_more_work(model: ModelSpec, one: int, other: int) -> None:
    short, long = (forward_work(model, tokens=float(n)) for n in sorted((one, other)))

    assert short.flops <= long.flops
    assert short.activations <= long.activations
    assert short.weights == long.weights
