"""A model is found by any usual spelling of its name; a typo is answered with the names that were perhaps meant."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.instance_selection.presets import Preset, UnknownPresetError, find_preset, load_presets

PRESETS = load_presets()


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("BERT base (bert-base-cased)", "bert-base"),
        ("bert-base-uncased", "bert-base"),
        ("Llama-2-7b-chat-hf", "llama-2-7b"),
        ("meta-llama/Llama-2-7b", "llama-2-7b"),
        ("llama3.1:8b", "llama-3.1-8b"),
        ("some-vendor/Meta-Llama-3.1-8B-Instruct-FP8", "llama-3.1-8b"),
        ("Mistral-7B-Instruct-v0.2", "mistral-7b"),
        ("google/gemma-2-9b-it", "gemma-2-9b"),
        ("Resnet-50", "resnet50"),
        ("ssd-resnet34 1200x1200", "ssd-resnet34"),
        ("Stable Diffusion XL Base", "sdxl"),
        ("deepseek-ai/DeepSeek-R1", "deepseek-v3"),
        ("DeepSeek-R1-Distill-Llama-8B", "llama-3.1-8b"),
    ],
)
def test_a_usual_spelling_is_found(spelling: str, name: str) -> None:
    assert find_preset(spelling).name == name


@given(
    preset=st.sampled_from(PRESETS),
    separator=st.sampled_from(["-", "_", " ", ""]),
    change=st.sampled_from([str.upper, str.lower, str.title]),
    suffix=st.sampled_from(["", "-Instruct", "-chat-hf", "_fp16", "-AWQ", "-v0.1"]),
)
def test_case_separators_and_endings_make_no_difference(
    preset: Preset, separator: str, change: Callable[[str], str], suffix: str
) -> None:
    written = change(preset.name).replace("-", separator) + suffix
    found = find_preset(written)
    # An ending may be a name of its own, such as the 0.1 of a version: then the facts are still the same.
    assert found.name == preset.name or found.layers == preset.layers


@given(preset=st.sampled_from(PRESETS))
def test_every_alias_leads_to_its_model(preset: Preset) -> None:
    assert {find_preset(alias) for alias in preset.aliases} <= {preset}


def test_a_longer_name_of_its_own_is_not_shortened() -> None:
    assert find_preset("llama-3.2-11b-vision-instruct").name == "llama-3.2-11b-vision"
    assert find_preset("vit-base-patch16-384").name == "vit-base-patch16-384"
    assert find_preset("yolo11n-seg").parameters != find_preset("yolo11n").parameters


def test_a_typo_is_answered_with_near_names() -> None:
    with pytest.raises(UnknownPresetError) as error:
        find_preset("lama-3.1-8b")
    assert error.value.near_matches[0] == "llama-3.1-8b"
    assert str(error.value).startswith("unknown model preset 'lama-3.1-8b': did you mean llama-3.1-8b or ")


@pytest.mark.parametrize("name", ["", "-", "(no name)", "0123456789" * 50, "xgboost"])
def test_what_is_no_model_is_refused(name: str) -> None:
    with pytest.raises(UnknownPresetError, match="needs its parameters"):
        find_preset(name)
