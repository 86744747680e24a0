"""The model in the user's words becomes the units of the selection, and what is assumed of it is said."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from sizewell.config.ml_model import Model, PresetModel
from sizewell.instance_selection import Architecture, ModelSpec, Precision
from sizewell.instance_selection.estimation.work import forward_work, transformer_shape
from sizewell.instance_selection.presets import find_preset
from sizewell.planning.model_spec import model_assumptions, model_spec
from tests.planning.builders import CNN, DECODER

MODEL: TypeAdapter[Model] = TypeAdapter(Model)


def spec(**facts: Any) -> ModelSpec:
    return model_spec(MODEL.validate_python(facts))


def assumptions(**facts: Any) -> tuple[str, ...]:
    return model_assumptions(MODEL.validate_python(facts))


def test_cnn_is_counted_in_whole_units() -> None:
    found = spec(**CNN)
    assert (found.parameters, found.forward_flops_per_image, found.activations_per_image) == (1e6, 10e9, 1e6)


def test_decoder_without_grouped_queries_keeps_all_keys_and_values() -> None:
    assert spec(**DECODER).kv_hidden_size == 1000


def test_decoder_with_grouped_queries_keeps_its_own_size() -> None:
    assert spec(**DECODER, kv_hidden_size=250).kv_hidden_size == 250


def test_encoder_has_no_kv_cache() -> None:
    assert spec(**{**DECODER, "architecture": "encoder"}, kv_hidden_size=250).kv_hidden_size == 0


def test_look_up_tables_are_counted_in_whole_units() -> None:
    assert spec(**DECODER, embedding_parameters_millions=131).multiplied_parameters == 1000e6 - 131e6


def test_mixture_of_experts_multiplies_what_is_active() -> None:
    found = spec(**DECODER, active_parameters_millions=250)
    assert (found.parameters, found.multiplied_parameters) == (1000e6, 250e6)


def test_facts_of_a_transformer_reach_the_selection() -> None:
    found = spec(**DECODER, intermediate_size=4000, vocabulary_size=32000)
    assert (found.layers, found.hidden_size, found.intermediate_size, found.vocabulary_size) == (
        10,
        1000,
        4000,
        32000,
    )


def test_diffusion_has_steps_and_guidance() -> None:
    found = spec(
        architecture="diffusion",
        parameters_millions=3500,
        active_parameters_millions=2600,
        forward_gflops_per_image=6000,
        activations_millions_per_image=1800,
        denoising_steps=4,
        guidance=False,
        precision="int4",
    )
    assert found == ModelSpec(
        architecture=Architecture.DIFFUSION,
        parameters=3500e6,
        layers=0,
        precision=Precision.INT4,
        active_parameters=2600e6,
        forward_flops_per_image=6000e9,
        activations_per_image=1800e6,
        denoising_steps=4,
        guidance=False,
    )


def test_trees_are_counted_by_their_nodes() -> None:
    found = spec(architecture="gradient-boosting", features=30, trees=10, tree_depth=2, framework="lightgbm")
    assert (found.trees, found.tree_depth, found.features, found.framework) == (10, 2, 30, "lightgbm")
    assert (found.parameters, found.precision) == (10 * 8 * 4, Precision.FP32)


def test_linear_model_has_a_weight_for_each_feature() -> None:
    assert spec(architecture="linear", features=30).parameters == 31


def test_row_of_a_recommender_costs_two_operations_for_each_weight_outside_the_tables() -> None:
    facts = {
        "architecture": "recommender",
        "parameters_millions": 2000,
        "embedding_parameters_millions": 1990,
    }
    assert spec(**facts).forward_flops_per_image == 20e6
    assert assumptions(**facts) == ("a forward pass takes 0.02 GFLOP, assumed from the number of weights",)
    assert spec(**facts, forward_gflops_per_row=0.5).forward_flops_per_image == 5e8


@pytest.mark.parametrize("facts", [CNN, DECODER, {"architecture": "linear", "features": 3}])
def test_nothing_is_assumed_of_a_whole_description(facts: dict[str, Any]) -> None:
    assert assumptions(**facts) == ()


def test_shape_that_nobody_states_is_said() -> None:
    facts = {"architecture": "decoder", "parameters_millions": 7000}
    layers, width = transformer_shape(spec(**facts))
    assert assumptions(**facts) == (
        f"the model has {layers:.0f} layers of width {width:.0f}, assumed from the number of weights",
    )


@pytest.mark.parametrize(
    ("architecture", "pixels", "assumed"),
    [
        ("cnn", None, "8 GFLOP, assumed from the number of weights and 50,176 pixels"),
        ("cnn", 4 * 50176, "32 GFLOP, assumed from the number of weights and 200,704 pixels"),
        ("diffusion", None, "157 GFLOP, assumed from the number of weights and 1,048,576 pixels"),
        ("diffusion", 50176, "7.5 GFLOP, assumed from the number of weights and 50,176 pixels"),
    ],
)
def test_arithmetic_that_nobody_states_is_that_of_so_many_weights_and_pixels(
    architecture: str, pixels: int | None, assumed: str
) -> None:
    facts = {"architecture": architecture, "parameters_millions": 25, "image_pixels": pixels}
    assert assumptions(**facts) == (f"a forward pass takes {assumed}",)


@pytest.mark.parametrize(
    ("name", "side"), [("vit-base", 224), ("vit-base-patch16-384", 384), ("vit-large", 224)]
)
def test_images_of_an_encoder_are_patches_of_16_x_16(name: str, side: int) -> None:
    known = find_preset(name)
    facts = {"parameters_millions": known.parameters / 1e6, "image_pixels": side * side}
    found = spec(architecture="encoder", **facts).forward_flops_per_image
    assert found / 1e9 == pytest.approx(known.forward_gflops, rel=0.05)


@pytest.mark.parametrize(
    ("facts", "lines"),
    [
        (
            {},
            (
                "a clip has 320 steps, assumed, as RNN-T in 15 s of sound; model.time_steps changes that",
                "a step goes through 7 cells of width 267, assumed from the number of weights",
            ),
        ),
        (
            {"layers": 2, "hidden_size": 500, "forward_gflops_per_clip": 0.4},
            (
                "a clip has 50 steps, computed from its arithmetic, at two operations for each weight; "
                "model.time_steps changes that",
            ),
        ),
        ({"layers": 2, "hidden_size": 500, "time_steps": 50}, ()),
    ],
)
def test_steps_that_nobody_states_are_said(facts: dict[str, Any], lines: tuple[str, ...]) -> None:
    assert assumptions(architecture="rnn", parameters_millions=4, **facts) == lines


def test_forecaster_is_counted_in_steps() -> None:
    facts = {
        "architecture": "time-series",
        "parameters_millions": 1,
        "context_length": 96,
        "prediction_length": 24,
    }
    recurrent, patched = spec(**facts), spec(**facts, patch_length=8)
    assert (recurrent.time_steps, recurrent.forecast_steps, recurrent.samples) == (96, 24, 100)
    assert (recurrent.sequence_length, patched.sequence_length) == (120, 15)
    assert assumptions(**facts) == (
        "a step goes through 2 cells of width 250, assumed from the number of weights",
    )
    assert assumptions(**facts, patch_length=8)[0].startswith("the model has ")


@given(
    millions=st.floats(1, 10_000_000),
    architecture=st.sampled_from(["encoder", "decoder", "encoder-decoder", "cnn", "diffusion", "rnn"]),
)
def test_any_model_can_be_computed_from_its_weights_alone(millions: float, architecture: str) -> None:
    work = forward_work(spec(architecture=architecture, parameters_millions=millions))
    assert work.flops > 0
    assert work.weights > 0
    assert work.layers > 0


def test_the_images_of_a_pipeline_have_the_pixels_of_its_preset_unless_others_are_stated() -> None:
    usual = model_spec(PresetModel(preset="sd-1.5"))
    larger = model_spec(PresetModel(preset="sd-1.5", image_pixels=768 * 768))

    assert (usual.image_pixels, larger.image_pixels) == (512 * 512, 768 * 768)
    assert larger.activations_per_image == pytest.approx(2.25 * usual.activations_per_image)
    # The arithmetic of other networks stands for their pixels.
    assert model_spec(PresetModel(preset="yolov8n")).image_pixels == 0
