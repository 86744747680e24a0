"""The engine of an endpoint that states none is that of its images, and what is assumed is said."""

from typing import Any

import pytest

from sizewell.facts.models import Engine
from sizewell.instance_selection.catalog import Catalog
from sizewell.kinds.real_time_endpoint.config import RealTimeEndpoint
from sizewell.kinds.real_time_endpoint.needs import endpoint_requirements
from sizewell.planning.alarm_thresholds import plan_alarms
from sizewell.planning.engines import engine_assumptions, engine_of
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import DECODER, IMAGE, endpoint, planned_endpoint, policy

LMI = {**IMAGE, "repository": "djl-inference", "tag": "0.36.0-lmi18.0.0-cu128"}
TOKENS = {"input_tokens": 100, "output_tokens": 100}


def asked(*images: dict[str, str], model: dict[str, Any] = DECODER, **changes: Any) -> RealTimeEndpoint:
    kinds = dict(zip(("cuda", "neuron"), images, strict=False))
    container = {"images": kinds, "artifact": {"key": "models/plants/model.tar.gz"}}
    request = TOKENS if model["architecture"] != "cnn" else {"images": 1}
    return endpoint(model=model, request=request, container=container, **changes)


@pytest.mark.parametrize(
    ("repository", "tag"),
    [
        ("djl-inference", "0.36.0-lmi18.0.0-cu128"),
        ("vllm", "0.12-gpu-py312-cu129-ubuntu22.04-sagemaker"),
        ("sglang", "0.5.6-gpu-py312-cu129-ubuntu22.04-sagemaker"),
        ("huggingface-pytorch-tgi-inference", "2.7.0-tgi3.3.6-gpu-py311-cu124-ubuntu22.04"),
        ("company/my-vllm", "1"),
        ("triton", "25.04-trtllm-py3"),
    ],
)
def test_images_of_llm_engines_make_a_decoder_one(repository: str, tag: str) -> None:
    found = asked({**IMAGE, "repository": repository, "tag": tag})
    assert engine_of(found) is Engine.LLM_ENGINE
    assert endpoint_requirements(found, policy()).engine is Engine.LLM_ENGINE
    assert engine_assumptions(found) == (f"the engine is llm-engine, as the images say ({repository}:{tag})",)


@pytest.mark.parametrize("repository", ["pytorch-inference", "company/elmira", "films", "stgim"])
def test_other_images_leave_the_framework_as_it_is(repository: str) -> None:
    found = asked({**IMAGE, "repository": repository})
    assert engine_of(found) is Engine.EAGER
    assert engine_assumptions(found) == (
        "the engine is eager, as none is stated; compiled, optimized-runtime or llm-engine may need far less",
    )


ENCODER = {"architecture": "encoder", "parameters_millions": 300}


def embeddings(*images: dict[str, str]) -> RealTimeEndpoint:
    kinds = dict(zip(("cuda", "cpu_x86_64"), images, strict=False))
    container = {"images": kinds, "artifact": {"key": "models/plants/model.tar.gz"}}
    return endpoint(model=ENCODER, request={"input_tokens": 100}, container=container)


def test_images_of_optimized_runtimes_name_their_engine() -> None:
    gpu = {**IMAGE, "repository": "tei", "tag": "2.0.1-tei1.9.4-gpu-py310-cu129-ubuntu24.04"}
    cpu = {**IMAGE, "repository": "tei-cpu", "tag": "2.0.1-tei1.9.4-cpu-py310-ubuntu24.04"}
    found = embeddings(gpu, cpu)
    assert engine_of(found) is Engine.OPTIMIZED_RUNTIME
    assert endpoint_requirements(found, policy()).engine is Engine.OPTIMIZED_RUNTIME
    assert engine_assumptions(found)[0].startswith(
        "the engine is optimized-runtime, as the images say (tei:2.0.1"
    )
    assert engine_of(embeddings(gpu, IMAGE)) is Engine.EAGER
    assert engine_of(asked(gpu, engine="eager")) is Engine.EAGER


@pytest.mark.parametrize("repository", ["company/onnxruntime-cpu", "openvino"])
def test_a_runtime_in_the_name_of_an_image_counts_for_every_network(repository: str) -> None:
    seen = asked({**IMAGE, "repository": repository}, model={"architecture": "cnn", "parameters_millions": 1})
    assert engine_of(seen) is Engine.OPTIMIZED_RUNTIME


def test_one_image_that_names_none_leaves_the_framework_as_it_is() -> None:
    assert engine_of(asked(LMI, IMAGE)) is Engine.EAGER


def test_a_stated_engine_is_taken_and_nothing_is_assumed() -> None:
    found = asked(LMI, engine="eager")
    assert engine_of(found) is Engine.EAGER
    assert engine_assumptions(found) == ()


def test_only_a_decoder_has_an_llm_engine() -> None:
    assert (
        engine_of(asked(LMI, model={"architecture": "encoder-decoder", "parameters_millions": 1}))
        is Engine.EAGER
    )
    seen = asked(LMI, model={"architecture": "cnn", "parameters_millions": 1})
    assert engine_of(seen) is Engine.EAGER
    assert "llm-engine" not in engine_assumptions(seen)[0]


def test_tables_are_scored_without_an_engine() -> None:
    assert (
        engine_assumptions(endpoint(model={"architecture": "linear", "features": 1}, request={"rows": 1}))
        == ()
    )


def test_the_plan_says_it_and_its_alarms_follow() -> None:
    known: Catalog = catalog(gpu_instance(accelerator_memory_gib=80))
    found = asked(LMI, latency={"max_p95_ms": 20_000}, traffic={"peak_concurrent_users": 2})
    plan = planned_endpoint(known, found)
    assert plan.selection.assumptions[-1].startswith("the engine is llm-engine")
    _, off = plan_alarms(found, found.alarms, 1, 1.0)
    assert "gpu_utilization" in off
