"""How a model may be described, and the exact message where a description is wrong."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from sizewell.config.ml_model import DescribedModel, Model, PresetModel

MessageFor = Callable[[str], str]
#: The least that describes a model of each architecture, and how a request and a dataset count for it.
LEAST: dict[str, tuple[dict[str, Any], set[str], str]] = {
    "encoder": ({"parameters_millions": 110}, {"input_tokens"}, "tokens_millions"),
    "decoder": ({"parameters_millions": 8000}, {"input_tokens", "output_tokens"}, "tokens_millions"),
    "encoder-decoder": ({"parameters_millions": 800}, {"input_tokens", "output_tokens"}, "tokens_millions"),
    "cnn": ({"parameters_millions": 25}, {"images"}, "examples"),
    "diffusion": ({"parameters_millions": 3500}, {"images"}, "examples"),
    "rnn": ({"parameters_millions": 50}, {"clips"}, "examples"),
    "time-series": (
        {"parameters_millions": 1, "context_length": 48, "prediction_length": 24},
        {"series"},
        "examples",
    ),
    "recommender": (
        {"parameters_millions": 2000, "embedding_parameters_millions": 1990},
        {"rows"},
        "examples",
    ),
    "gradient-boosting": ({"features": 20}, {"rows"}, "examples"),
    "linear": ({"features": 20}, {"rows"}, "examples"),
}
MODEL = TypeAdapter(Model)
DESCRIBED: TypeAdapter[DescribedModel] = TypeAdapter(DescribedModel)
DECODER = {"architecture": "decoder", "parameters_millions": 1000}


def reasons(model: dict[str, Any]) -> list[tuple[str, str]]:
    """Return key and reason of each rule that a model breaks."""
    with pytest.raises(ValidationError) as raised:
        MODEL.validate_python(model)
    errors = raised.value.errors()
    return [(error["ctx"]["key"], error["ctx"]["reason"]) for error in errors if error["type"] == "rule"]


@pytest.mark.parametrize("architecture", LEAST)
def test_each_architecture_says_how_requests_and_datasets_count(architecture: str) -> None:
    facts, request, dataset = LEAST[architecture]
    model = DESCRIBED.validate_python({"architecture": architecture, **facts})
    assert model.request_keys == request
    assert model.dataset_key == dataset


@pytest.mark.parametrize("architecture", LEAST)
def test_none_of_the_least_facts_can_be_left_out(architecture: str) -> None:
    facts, _, _ = LEAST[architecture]
    for key in facts:
        rest = {other: value for other, value in facts.items() if other != key}
        with pytest.raises(ValidationError, match="Field required"):
            MODEL.validate_python({"architecture": architecture, **rest})


def test_encoder_with_the_arithmetic_of_an_image_reads_images() -> None:
    model = DESCRIBED.validate_python(
        {"architecture": "encoder", "parameters_millions": 86, "forward_gflops_per_image": 35}
    )
    assert model.request_keys == {"images"}
    assert model.dataset_key == "examples"


@pytest.mark.parametrize(
    ("facts", "key", "reason"),
    [
        ({"layers": 5}, "hidden_size", "is missing beside layers"),
        ({"hidden_size": 5}, "layers", "is missing beside hidden_size"),
        ({"embedding_parameters_millions": 1000}, "embedding_parameters_millions", "must be less than"),
        ({"active_parameters_millions": 1001}, "active_parameters_millions", "must be at most"),
        (
            {"active_parameters_millions": 5, "embedding_parameters_millions": 6},
            "active_parameters_millions",
            "must be above embedding_parameters_millions",
        ),
        ({"forward_gflops_per_image": 5}, "forward_gflops_per_image", "is for encoders of images"),
    ],
)
def test_facts_that_exclude_each_other(facts: dict[str, Any], key: str, reason: str) -> None:
    ((broken, text),) = reasons({**DECODER, **facts})
    assert broken == key
    assert reason in text


@pytest.mark.parametrize(
    ("facts", "key", "reason"),
    [
        ({"samples": 10}, "samples", "has no effect beside patch_length: a transformer draws none"),
        ({"patch_length": 49}, "patch_length", "is 49, above context_length (48)"),
        ({"layers": 3}, "hidden_size", "is missing beside layers"),
    ],
)
def test_facts_that_a_forecaster_of_patches_excludes(facts: dict[str, Any], key: str, reason: str) -> None:
    least, _, _ = LEAST["time-series"]
    ((broken, text),) = reasons({"architecture": "time-series", **least, "patch_length": 8, **facts})
    assert broken == key
    assert reason in text
    recurrent = {name: value for name, value in facts.items() if name != "patch_length"}
    assert MODEL.validate_python({"architecture": "time-series", **least, **recurrent})


def test_images_have_no_context() -> None:
    images = {"architecture": "encoder", "parameters_millions": 86, "forward_gflops_per_image": 35}
    assert reasons({**images, "max_context_tokens": 512})[0][0] == "max_context_tokens"


@pytest.mark.parametrize("architecture", ["encoder", "cnn", "diffusion"])
def test_images_have_a_size_or_stated_arithmetic(architecture: str) -> None:
    images = {"architecture": architecture, "parameters_millions": 86, "image_pixels": 50_176}
    model = MODEL.validate_python(images)
    assert not isinstance(model, PresetModel)
    assert model.request_keys == {"images"}
    ((key, reason),) = reasons({**images, "forward_gflops_per_image": 35})
    assert (key, "no effect beside forward_gflops_per_image" in reason) == ("image_pixels", True)


def test_an_encoder_of_text_has_no_images() -> None:
    text = {"architecture": "encoder", "parameters_millions": 110, "max_context_tokens": 512}
    ((key, reason),) = reasons({**text, "image_pixels": 50_176})
    assert (key, "reads text" in reason) == ("image_pixels", True)


@pytest.mark.parametrize("architecture", ["decoder", "encoder-decoder"])
def test_what_writes_text_reads_no_images(architecture: str) -> None:
    text = {"architecture": architecture, "parameters_millions": 86, "image_pixels": 50_176}
    assert reasons(text)[0][0] == "image_pixels"


def test_encoder_may_use_its_weights_several_times() -> None:
    albert = {"architecture": "encoder", "parameters_millions": 11.7, "active_parameters_millions": 85}
    assert MODEL.validate_python(albert)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (
            "{architecture: null}",
            [
                "config/base.yaml:10  workloads.support-bert.model.architecture",
                "  is missing; expected one of: cnn, decoder, diffusion, encoder, encoder-decoder, "
                "gradient-boosting, linear, recommender, rnn, time-series",
                "  for a public model its name is enough: preset: llama-3.1-8b",
            ],
        ),
        (
            "{architecture: encodr}",
            [
                "config/dev.yaml:3  workloads.support-bert.model.architecture",
                '  got "encodr" (text); expected one of: cnn, decoder, diffusion, encoder, encoder-decoder, '
                "gradient-boosting, linear, recommender, rnn, time-series",
                "  did you mean encoder?",
            ],
        ),
        (
            "{precision: bfloat16}",
            [
                "config/dev.yaml:3  workloads.support-bert.model.precision",
                '  got "bfloat16" (text); expected one of: fp32, tf32, fp16, bf16, fp8, int8, int4',
                "  did you mean bf16?",
            ],
        ),
        (
            "{preset: bert-large, precision: bfloat16}",
            [
                "config/dev.yaml:3  workloads.support-bert.model.precision",
                '  got "bfloat16" (text); expected one of: fp32, tf32, fp16, bf16, fp8, int8, int4',
                "  did you mean bf16?",
            ],
        ),
        (
            "{trees: 5}",
            [
                "config/dev.yaml:3  workloads.support-bert.model.trees",
                "  the key is out of place",
                "  it does not go with architecture encoder; remove it",
            ],
        ),
        (
            "{parameters_millions: -5}",
            [
                "config/dev.yaml:3  workloads.support-bert.model.parameters_millions",
                "  got -5; expected a number of at least 0.000001 and at most 10,000,000 million",
                "  The number of weights, in millions: 8000 for a model of 8 billion.",
            ],
        ),
        (
            "{parameters_millions: 0}",
            [
                "config/dev.yaml:3  workloads.support-bert.model.parameters_millions",
                "  got 0; expected a number of at least 0.000001 and at most 10,000,000 million",
                "  The number of weights, in millions: 8000 for a model of 8 billion.",
            ],
        ),
        (
            "{parameters_millions: 1000000000000000000}",
            [
                "config/dev.yaml:3  workloads.support-bert.model.parameters_millions",
                "  got 1000000000000000000; expected a number of at least 0.000001 and at most 10,000,000 million",
                "  The number of weights, in millions: 8000 for a model of 8 billion.",
            ],
        ),
        (
            "{hidden_size: 1000000000000000000}",
            [
                "config/dev.yaml:3  workloads.support-bert.model.hidden_size",
                "  got 1000000000000000000; expected a whole number above 0 and at most 1,000,000",
                "  The width of a block (d_model); without it and layers, those of published models of the same size.",
            ],
        ),
        (
            "[encoder]",
            [
                "config/dev.yaml:3  workloads.support-bert.model",
                "  got a list; expected a map of keys",
                "  for a public model its name is enough: preset: llama-3.1-8b",
            ],
        ),
    ],
)
def test_message(message_for: MessageFor, model: str, expected: list[str]) -> None:
    assert message_for(f"workloads:\n  support-bert:\n    model: {model}\n") == "\n".join(expected)


def test_all_that_is_missing_comes_at_once(message_for: MessageFor) -> None:
    text = "workloads:\n  support-bert:\n    model: {architecture: recommender, parameters_millions: null}\n"
    message = message_for(text.replace("architecture", "hidden_size: null, layers: null, architecture"))
    assert [line.split()[1] for line in message.splitlines() if line.startswith("config/")] == [
        "workloads.support-bert.model.embedding_parameters_millions",
        "workloads.support-bert.model.parameters_millions",
    ]


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        (
            "request: {images: 2, input_tokens: null}",
            "request",
            "an encoder needs input_tokens, but images is given; "
            "an encoder of images states model.forward_gflops_per_image or model.image_pixels",
        ),
        (
            "request: {output_tokens: 5}",
            "request",
            "an encoder needs input_tokens, but input_tokens and output",
        ),
        ("engine: llm-engine", "engine", "an llm-engine serves a decoder, not an encoder"),
        ("engine: vllm", "engine", "expected one of: eager, compiled, optimized-runtime, llm-engine"),
        ("request: {input_tokens: 1000000000000}", "request.input_tokens", "above 0 and at most 10,000,000"),
        ("margin: 10", "margin", "got 10; expected a number of at least 0 and at most 1"),
        ("max_usd_per_month: -1", "max_usd_per_month", "got -1; expected a number of at least 0.01"),
        ("max_usd_per_month: $500", "max_usd_per_month", "write it without quotes: max_usd_per_month: 500"),
        ("objective: least-latancy", "objective", "did you mean least-latency?"),
        (
            "{kind: endpoint, mode: serverless, instances: {instance_type: ml.g5.xlarge}}",
            "mode",
            "serverless has no instances to choose, but instances.instance_type asks for ml.g5.xlarge",
        ),
        (
            "capacity_reservation_arn: arn:aws:sagemaker:us-east-1:111122223333:ml-reservation/abc",
            "instances.instance_type",
            "is missing beside capacity_reservation_arn: a reservation holds instances of one type",
        ),
        (
            "{capacity_reservation_arn: arn:aws:sagemaker:eu-west-1:111122223333:ml-reservation/abc, "
            "instances: {instance_type: ml.p5.48xlarge}}",
            "capacity_reservation_arn",
            "the reservation is in the region eu-west-1, but this environment is in us-east-1",
        ),
        (
            "capacity_reservation_arn: cr-0123",
            "capacity_reservation_arn",
            "expected text of at most 258 characters such as arn:aws:sagemaker:us-east-1:111122223333:ml-reservation",
        ),
        ("max_usd_per_run: 5", "max_usd_per_run", "it does not go with kind real-time-endpoint"),
    ],
)
def test_contradictions_of_an_endpoint(message_for: MessageFor, changes: str, key: str, message: str) -> None:
    body = changes if changes.startswith("{") else f"\n      {changes}"
    found = message_for(f"workloads:\n  support-bert: {body}\n")
    assert f"workloads.support-bert.{key}\n" in found
    assert message in found


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        ("max_usd_per_month: 5", "max_usd_per_month", "it does not go with kind training-job"),
        ("model: {architecture: cnn, layers: 5, hidden_size: null}", "dataset.examples", "a cnn needs it"),
        (
            "{model: {architecture: cnn, hidden_size: null}, dataset: {examples: 5, tokens_millions: null}}",
            "method",
            "lora is for transformers and diffusion, a cnn is trained in full",
        ),
    ],
)
def test_contradictions_of_a_training_job(
    message_for: MessageFor, changes: str, key: str, message: str
) -> None:
    body = changes if changes.startswith("{") else f"\n      {changes}"
    found = message_for(f"workloads:\n  nightly-lora: {body}\n")
    assert f"workloads.nightly-lora.{key}\n" in found
    assert message in found


def test_the_request_of_a_preset_waits_for_the_plan(load_dev: Callable[[str], Any]) -> None:
    text = "workloads:\n  support-bert:\n    model: {preset: resnet50, architecture: null}\n"
    workload = load_dev(text).environment.workloads["support-bert"]
    assert workload.model.preset == "resnet50"
    assert workload.model.layers == 12, "what the base writes beside the name stays"


def test_savings_plan_is_no_more_than_aws_gives(message_for: MessageFor) -> None:
    assert "got 70; expected a number of at least 0 and at most 64" in message_for(
        "policy:\n  savings_plan: {discount_percent: 70}\n"
    )
