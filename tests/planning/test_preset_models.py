"""A name is enough for a public model; what is written beside it wins, and what contradicts it is a fault."""

from typing import Any

import pytest

from sizewell.config.ml_model import PresetModel
from sizewell.instance_selection import Architecture, NoFeasibleInstanceError
from sizewell.instance_selection.presets import find_preset, load_presets
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.model_spec import model_assumptions, model_spec
from sizewell.planning.preset_models import described_model, preset_faults
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import (
    endpoint,
    environment,
    llm_endpoint,
    llm_training_job,
    planned_endpoint,
    training_job,
)

LLAMA = {"preset": "llama-3.1-8b", "precision": "bf16"}
PATH = ("workloads", "plants")
#: What every forecaster states.
LENGTHS = {"time-series": {"context_length": 512, "prediction_length": 64}}


def faults(workload: Any) -> list[tuple[str, str]]:
    """Return key, below the workload, and reason of each fault."""
    found = list(preset_faults(("workloads", "plants"), workload))
    assert all(fault.key_path[:2] == PATH for fault in found)
    return [(".".join(fault.key_path[2:]), fault.reason) for fault in found]


def test_every_preset_describes_a_model_with_its_published_facts() -> None:
    for preset in load_presets():
        model = PresetModel(preset=preset.name, **LENGTHS.get(preset.architecture, {}))
        found = model_spec(model)
        assert found.architecture == preset.architecture, preset.name
        assert found.parameters == pytest.approx(preset.parameters), preset.name
        stepwise = found.architecture in (Architecture.RNN, Architecture.TIME_SERIES)
        embedding = 0 if stepwise else preset.embedding_parameters or 0
        assert found.embedding_parameters == pytest.approx(embedding), preset.name
        assert (found.active_parameters or 0) == pytest.approx(preset.active_parameters or 0), preset.name
        if preset.forward_gflops and not found.architecture.generates:
            assert found.forward_flops_per_image == pytest.approx(preset.forward_gflops * 1e9), preset.name
        if preset.layers and preset.hidden_size and found.architecture is Architecture.DECODER:
            assert (found.layers, found.hidden_size) == (preset.layers, preset.hidden_size), preset.name
        assert preset.source in model_assumptions(model)[0]


def test_what_is_written_beside_the_name_wins() -> None:
    found = model_spec(
        PresetModel(preset="meta-llama/Llama-3.1-8B-Instruct", parameters_millions=9000, precision="int4")
    )
    assert (found.parameters, found.precision, found.layers, found.kv_hidden_size) == (9e9, "int4", 32, 1024)


def test_preset_and_its_dimensions_are_planned_alike() -> None:
    preset = find_preset("llama-3.1-8b")
    described = {
        "architecture": "decoder",
        "parameters_millions": preset.parameters / 1e6,
        "embedding_parameters_millions": (preset.embedding_parameters or 0) / 1e6,
        "layers": preset.layers,
        "hidden_size": preset.hidden_size,
        "kv_hidden_size": preset.kv_hidden_size,
        "intermediate_size": preset.intermediate_size,
        "vocabulary_size": preset.vocabulary_size,
        "precision": "bf16",
    }
    types = catalog(gpu_instance(accelerator_memory_gib=80))
    by_name = planned_endpoint(types, llm_endpoint(model=LLAMA))
    by_facts = planned_endpoint(types, llm_endpoint(model=described))
    assert by_name.needs_digest == by_facts.needs_digest
    assert by_name.selection.chosen == by_facts.selection.chosen
    assert by_name.selection.assumptions == (
        *by_facts.selection.assumptions,
        f"the model is the preset llama-3.1-8b: {preset.source}",
    )


def test_model_that_is_described_is_left_as_it_is() -> None:
    workload = endpoint()
    assert described_model(workload.model) is workload.model
    assert faults(workload) == []


def test_good_preset_has_no_fault() -> None:
    assert faults(llm_endpoint(model=LLAMA)) == []
    assert faults(llm_training_job(model=LLAMA, method="lora")) == []


def test_name_of_a_preset_begins_no_line_of_its_own() -> None:
    (fault,) = preset_faults(PATH, endpoint(model={"preset": "a\nb"}))
    assert fault.reason == r'there is no preset "a\nb"'


def test_misspelt_preset_names_the_near_ones() -> None:
    assert list(preset_faults(("workloads", "plants"), endpoint(model={"preset": "lama-3.1-8b"}))) == [
        PlanFault(
            (*PATH, "model", "preset"),
            'there is no preset "lama-3.1-8b"',
            "did you mean llama-3.1-8b or llama-3-8b or llama-3.1-70b? "
            "Or describe the model by architecture and parameters_millions",
        )
    ]


def test_unknown_preset_without_a_relative() -> None:
    (fault,) = preset_faults(("workloads", "plants"), endpoint(model={"preset": "zzzqqq"}))
    assert fault.hint is not None
    assert fault.hint.startswith("describe the model by architecture and parameters_millions")


@pytest.mark.parametrize(
    ("workload", "expected"),
    [
        (
            llm_endpoint(model={**LLAMA, "architecture": "cnn"}),
            [("model.architecture", "is cnn, but the preset llama-3.1-8b is of architecture decoder")],
        ),
        (
            endpoint(model=LLAMA),
            [("request", "a decoder needs input_tokens and output_tokens, but images is given")],
        ),
        (
            llm_endpoint(model={"preset": "vit-base"}, engine="eager"),
            [("request", "an encoder needs images, but input_tokens and output_tokens is given")],
        ),
        (
            endpoint(model={"preset": "resnet50", "hidden_size": 5, "guidance": True}),
            [
                ("model.hidden_size", "does not go with resnet50, which is of architecture cnn"),
                ("model.guidance", "does not go with resnet50, which is of architecture cnn"),
            ],
        ),
        (
            llm_endpoint(model={**LLAMA, "parameters_millions": 1}),
            [("model.embedding_parameters_millions", "must be less than parameters_millions")],
        ),
        (
            endpoint(model={"preset": "resnet50"}, engine="llm-engine"),
            [("engine", "an llm-engine serves a decoder, not a cnn")],
        ),
        (
            training_job(model=LLAMA),
            [("dataset.tokens_millions", "is missing: a decoder needs it")],
        ),
        (
            training_job(model={"preset": "resnet50"}, method="lora"),
            [("method", "lora is for transformers and diffusion, a cnn is trained in full")],
        ),
    ],
)
def test_what_the_preset_contradicts(workload: Any, expected: list[tuple[str, str]]) -> None:
    assert sorted(faults(workload)) == sorted(expected)


def test_faults_of_all_presets_come_at_once_with_those_of_the_plan() -> None:
    workloads = {
        "chat": llm_endpoint(model={"preset": "lama-3.1-8b"}),
        "photos": llm_endpoint(model={"preset": "resnet50"}),
        "fast": endpoint(latency={"max_p95_ms": 0.001}),
    }
    with pytest.raises(PlanError) as raised:
        build_plan(environment(workloads), catalog(gpu_instance()))
    assert [".".join(fault.key_path) for fault in raised.value.faults] == [
        "workloads.chat.model.preset",
        "workloads.photos.request",
        "workloads.fast.latency.max_p95_ms",
    ]


def test_bound_below_the_fastest_possible_says_what_is_possible() -> None:
    types = catalog(gpu_instance())
    with pytest.raises(PlanError) as raised:
        build_plan(environment({"plants": endpoint(latency={"max_p95_ms": 0.001})}), types)
    (fault,) = raised.value.faults
    assert fault.hint is not None
    least = float(fault.hint.partition("max_p95_ms: ")[2].partition(" ")[0])
    lone = {"peak_requests_per_second": 0.001, "average_requests_per_second": 0.001}
    assert planned_endpoint(types, endpoint(latency={"max_p95_ms": least}, traffic=lone))
    with pytest.raises(NoFeasibleInstanceError):
        planned_endpoint(types, endpoint(latency={"max_p95_ms": least * 0.98}, traffic=lone))


def test_forecaster_states_its_lengths() -> None:
    forecaster = endpoint(model={"preset": "chronos-bolt-small"}, request={"series": 1})
    assert faults(forecaster) == [
        ("model.context_length", "Field required"),
        ("model.prediction_length", "Field required"),
    ]
    model = {"preset": "chronos-bolt-small", **LENGTHS["time-series"]}
    assert faults(endpoint(model=model, request={"series": 1})) == []
    assert model_spec(PresetModel.model_validate(model)).sequence_length == (512 + 64) / 16


@pytest.mark.parametrize(
    ("name", "length"),
    [
        ("phi-3-mini", 4096),
        ("microsoft/Phi-3-mini-128k-instruct", 131072),
        ("llama-2-7b-32k", 32768),
        ("t5-small", None),
    ],
)
def test_a_name_may_say_how_long_the_context_is(name: str, length: int | None) -> None:
    found = described_model(PresetModel(preset=name))
    assert getattr(found, "max_context_tokens", None) == length


def test_a_preset_of_images_of_another_size_does_so_much_more() -> None:
    usual = described_model(PresetModel(preset="yolov8n"))
    larger = described_model(PresetModel(preset="yolov8n", image_pixels=4 * 640 * 640))
    for key in ("forward_gflops_per_image", "activations_millions_per_image"):
        assert getattr(larger, key) == pytest.approx(4 * getattr(usual, key))
