"""An image of AWS that cannot serve the model is a fault, at the line that names it; images of others are not looked at."""

from typing import Any

import pytest

from sizewell.instance_selection.catalog import load_catalog
from sizewell.kinds.pipeline.config import Pipeline
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError, PlanFault
from tests.planning.builders import CNN, IMAGE, container, endpoint, environment, training_job

CATALOG = load_catalog("us-east-1")
TREES = {"architecture": "gradient-boosting", "features": 20}
ROWS = {"prefix": "datasets/plants/", "size_gib": 1, "examples": 1000}


def of(repository: str, *hardware: str, **changes: Any) -> dict[str, Any]:
    """Return a container with images of one repository of AWS."""
    image = {**IMAGE, "repository": repository}
    if repository == "djl-inference":
        image["tag"] = "0.36.0-lmi18.0.0-cu128"
    artifact = {"key": "models/plants/model.tar.gz"}
    return container(images=dict.fromkeys(hardware or ("cuda",), image), artifact=artifact, **changes)


def faults_of(*workloads: Any) -> list[PlanFault]:
    named = dict(zip(("plants", "nightly"), workloads, strict=False))
    try:
        build_plan(environment(named), CATALOG)
    except PlanError as error:
        return list(error.faults)
    return []


@pytest.mark.parametrize(
    ("repository", "hardware", "model", "request_", "reason", "hint"),
    [
        (
            "vllm",
            "cuda",
            {"preset": "sdxl"},
            {"images": 1},
            "vllm serves decoder, encoder, encoder-decoder, image-encoder, not diffusion",
            "name an image that does: huggingface-pytorch, pytorch, tensorflow, triton; of an image that is not AWS's nothing "
            "is asked",
        ),
        (
            "djl-inference",
            "cuda",
            {"preset": "sdxl"},
            {"images": 1},
            "djl-inference serves decoder, encoder, encoder-decoder, not diffusion",
            "name an image that does: huggingface-pytorch, pytorch, tensorflow, triton; or state OPTION_ENTRYPOINT in "
            "container.environment, by which it serves others; of an image that is not AWS's nothing is asked",
        ),
        (
            "tei",
            "cuda",
            {"preset": "resnet-50"},
            {"images": 1},
            "tei serves encoder, not cnn",
            None,
        ),
        (
            "tei",
            "cuda",
            {"preset": "vit-base"},
            {"images": 1},
            "tei serves encoder, not image-encoder",
            None,
        ),
        (
            "pytorch-inference",
            "cpu_x86_64",
            TREES,
            {"rows": 1},
            "pytorch-inference serves neural networks, sklearn, lightgbm, catboost, not xgboost",
            "name an image that does: scikit-learn, triton, xgboost; of an image that is not AWS's nothing is asked",
        ),
        (
            "sagemaker-xgboost",
            "cpu_x86_64",
            CNN,
            {"images": 1},
            "sagemaker-xgboost serves models of tables, not cnn",
            None,
        ),
    ],
)
def test_an_image_that_cannot_serve_the_model_is_a_fault(
    repository: str, hardware: str, model: Any, request_: Any, reason: str, hint: str | None
) -> None:
    (found,) = faults_of(endpoint(model=model, request=request_, container=of(repository, hardware)))
    assert found.key_path == ("workloads", "plants", "container", "images", hardware, "repository")
    assert found.reason == reason
    assert hint is None or found.hint == hint


@pytest.mark.parametrize(
    ("repository", "model", "request_", "variables"),
    [
        ("pytorch-inference", {**TREES, "framework": "lightgbm"}, {"rows": 1}, {}),
        ("sagemaker-tritonserver", TREES, {"rows": 1}, {}),
        ("a-server-of-ours", TREES, {"rows": 1}, {}),
        ("djl-inference", CNN, {"images": 1}, {"OPTION_ENTRYPOINT": "model.py"}),
        ("sglang", {"preset": "sdxl"}, {"images": 1}, {"SM_SGLANG_ENGINE": "diffusion"}),
        ("vllm", {"preset": "vit-base"}, {"images": 1}, {}),
    ],
)
def test_what_may_serve_a_model_is_not_refused(
    repository: str, model: Any, request_: Any, variables: dict[str, str]
) -> None:
    hardware = "cpu_x86_64" if request_ == {"rows": 1} else "cuda"
    stated = of(repository, hardware, environment=variables)
    slow = {"max_p95_ms": 60_000}
    assert faults_of(endpoint(model=model, request=request_, container=stated, latency=slow)) == []


def test_an_image_of_ones_own_is_not_looked_at() -> None:
    own = {**IMAGE, "account": "111122223333", "repository": "tei"}
    stated = container(images={"cuda": own}, artifact={"key": "models/plants/model.tar.gz"})
    assert faults_of(endpoint(container=stated)) == []


def test_an_image_that_is_named_is_refused_at_its_name() -> None:
    stated = container(artifact={"key": "models/plants/model.tar.gz"})
    del stated["images"]
    named = {**stated, "image": {"framework": "huggingface-tei", "version": "1.9.4"}}
    (found,) = faults_of(endpoint(container=named))
    assert found.key_path == ("workloads", "plants", "container", "image", "framework")


def test_a_model_is_registered_with_an_image_that_serves_it() -> None:
    trees = training_job(
        model=TREES,
        container=container(images={"cpu_x86_64": {**IMAGE, "repository": "sagemaker-xgboost"}}),
        dataset=ROWS,
    )
    register: dict[str, Any] = {
        "registers": "train",
        "group": "plants",
        "container": {"images": {"cpu_x86_64": {**IMAGE, "repository": "pytorch-inference"}}},
    }
    steps = {"train": {"runs": "plants"}, "register": register}
    pipeline = Pipeline.model_validate({"kind": "pipeline", "steps": steps})
    (found,) = faults_of(trees, pipeline)
    assert found.key_path == (
        "workloads",
        "nightly",
        "steps",
        "register",
        "container",
        "images",
        "cpu_x86_64",
        "repository",
    )
    assert "not xgboost" in found.reason
    register["container"]["images"]["cpu_x86_64"]["repository"] = "sagemaker-xgboost"
    assert faults_of(trees, Pipeline.model_validate({"kind": "pipeline", "steps": steps})) == []
