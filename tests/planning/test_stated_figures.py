"""A stated figure always matters: twice as much of it is another time of a request, or at least another memory or training.

Where it is nothing of that, its description says so.
"""

from typing import Any, get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from sizewell.config.ml_model import DescribedModel
from sizewell.instance_selection import Catalog, select_endpoint_instance, select_training_instance
from sizewell.kinds.real_time_endpoint.needs import endpoint_requirements
from sizewell.planning.translate import training_requirements
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import endpoint, policy, training_job

MODEL: TypeAdapter[DescribedModel] = TypeAdapter(DescribedModel)
#: What says how the model is written, and not how large it is.
WORDS = {"architecture", "precision", "framework"}
_TRANSFORMER = {
    "parameters_millions": 300,
    "layers": 24,
    "hidden_size": 1024,
    "kv_hidden_size": 512,
    "intermediate_size": 4096,
    "vocabulary_size": 32_000,
    "max_context_tokens": 8192,
    "active_parameters_millions": 150,
    "embedding_parameters_millions": 30,
}
_IMAGES = {"forward_gflops_per_image": 40, "activations_millions_per_image": 20}
#: Every figure of every architecture, by the architecture and what distinguishes its kinds.
WHOLE: dict[str, dict[str, Any]] = {
    "encoder": _TRANSFORMER,
    "encoder of images": {"parameters_millions": 86, "layers": 12, "hidden_size": 768, **_IMAGES},
    "encoder of images by their size": {"parameters_millions": 86, "image_pixels": 160_000},
    "decoder": _TRANSFORMER,
    "encoder-decoder": _TRANSFORMER,
    "cnn": {"parameters_millions": 25, "layers": 50, **_IMAGES},
    "cnn by its size": {"parameters_millions": 25, "image_pixels": 160_000},
    "diffusion by its size": {"parameters_millions": 100, "image_pixels": 160_000},
    "diffusion": {
        "parameters_millions": 1000,
        "active_parameters_millions": 400,
        "layers": 60,
        "denoising_steps": 20,
        "guidance": True,
        **_IMAGES,
    },
    "rnn": {
        "parameters_millions": 8,
        "layers": 2,
        "hidden_size": 700,
        "time_steps": 50,
        "forward_gflops_per_clip": 0.8,
    },
    "time-series": {
        "parameters_millions": 8,
        "layers": 2,
        "hidden_size": 700,
        "context_length": 48,
        "prediction_length": 24,
        "samples": 50,
    },
    "time-series of stated arithmetic": {
        "parameters_millions": 8,
        "context_length": 48,
        "prediction_length": 24,
        "forward_gflops_per_series": 5,
    },
    "time-series of patches": {
        "parameters_millions": 8,
        "layers": 4,
        "hidden_size": 256,
        "context_length": 512,
        "prediction_length": 96,
        "patch_length": 16,
    },
    "recommender": {
        "parameters_millions": 500,
        "embedding_parameters_millions": 200,
        "forward_gflops_per_row": 0.5,
    },
    "gradient-boosting": {"features": 50, "trees": 300, "tree_depth": 6},
    "linear": {"features": 50},
}
#: Keys that decide memory or training, and not how long a request takes.
NOT_THE_TIME = {
    # Beside active_parameters_millions all weights are stored, and those are multiplied.
    *((kind, "parameters_millions") for kind in ("encoder", "decoder", "encoder-decoder", "diffusion")),
    *((kind, "vocabulary_size") for kind in ("decoder", "encoder-decoder")),
    ("decoder", "intermediate_size"),
    *((kind, "features") for kind in ("gradient-boosting", "linear")),
}
#: Keys that decide no estimate of an architecture, and the words of their descriptions that say so.
UNDECIDING = {
    ("encoder", "kv_hidden_size"): "an encoder keeps none",
    ("encoder", "intermediate_size"): "parameters_millions counts its weights",
    ("encoder-decoder", "intermediate_size"): "parameters_millions counts its weights",
    ("encoder", "vocabulary_size"): "of a model that writes text",
    **dict.fromkeys(
        ((name, "max_context_tokens") for name in ("encoder", "decoder", "encoder-decoder")),
        "more is an error",
    ),
}
#: One type that holds everything.
LARGE: Catalog = catalog(gpu_instance(accelerator_memory_gib=10_000, memory_gib=100_000, vcpus=64))


FIGURES = [(kind, key) for kind, facts in WHOLE.items() for key in facts]


def estimates(kind: str, facts: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the estimates of an endpoint and of a training job; raises ValidationError for facts that are no model."""
    described = MODEL.validate_python({"architecture": kind.partition(" ")[0], **facts})
    asked = endpoint(
        model=described,
        request=dict.fromkeys(described.request_keys, 7),
        traffic={"peak_requests_per_second": 0.01, "average_requests_per_second": 0.01},
        latency={"max_p95_ms": 60_000},
    )
    data = {"tokens_millions": 100} if described.dataset_key == "tokens_millions" else {"examples": 10**6}
    job = training_job(
        model=described, dataset={"prefix": "data/", "size_gib": 1, **data}, deadline_hours=600
    )
    served = select_endpoint_instance(endpoint_requirements(asked, policy()), LARGE)
    trained = select_training_instance(training_requirements(job, policy(), "full"), LARGE)
    return served.chosen.estimate.model_dump(), trained.chosen.estimate.model_dump()


def test_every_key_of_every_architecture_is_tried() -> None:
    tried: dict[str, set[str]] = {}
    for kind, facts in WHOLE.items():
        tried.setdefault(kind.partition(" ")[0], set()).update(facts)
    for model in get_args(get_args(DescribedModel)[0]):
        for architecture in get_args(model.model_fields["architecture"].annotation):
            images = {"forward_gflops_per_image", "activations_millions_per_image", "image_pixels"}
            # Of the transformers, only an encoder reads images without text.
            apart = images if architecture in ("decoder", "encoder-decoder") else set()
            assert tried[architecture] == model.model_fields.keys() - WORDS - apart, architecture


@pytest.mark.parametrize(("kind", "key"), FIGURES)
def test_a_stated_figure_matters(kind: str, key: str) -> None:
    facts = WHOLE[kind]
    if words := UNDECIDING.get((kind, key)):
        model = MODEL.validate_python({"architecture": kind, **facts})
        assert words in type(model).model_json_schema()["properties"][key]["description"]
        return
    value = facts[key]
    try:
        changed = estimates(kind, {**facts, key: (not value) if value is True else 2 * value})
    except ValidationError:  # a part of something else, which is no larger
        changed = estimates(kind, {**facts, key: value // 2})
    stated = estimates(kind, facts)
    assert changed != stated
    if (kind, key) not in NOT_THE_TIME:
        assert changed[0]["service_time_ms"] != stated[0]["service_time_ms"]
