"""Containers take the requests, the answers and the times that the configuration states, by their own server's variables."""

from typing import Any

import pytest

from sizewell.facts.model_servers import MODEL_DIRECTORY
from sizewell.instance_selection.catalog import load_catalog
from sizewell.kinds.asynchronous_endpoint.config import AsynchronousEndpoint
from sizewell.kinds.batch_transform.config import BatchTransform
from sizewell.planning.build import build_plan
from sizewell.planning.endpoint_plan_model import EndpointPlan
from tests.planning.builders import (
    CNN,
    DECODER,
    IMAGE,
    container,
    endpoint,
    environment,
    llm_endpoint,
)

CATALOG = load_catalog("us-east-1")
ENCODER = {"architecture": "encoder", "parameters_millions": 300}
TREES = {"architecture": "gradient-boosting", "features": 20}
MIB = 2**20
LMI = "0.36.0-lmi18.0.0-cu128"
WHERE = {"kind": "asynchronous-endpoint", "latency": {"max_wait_minutes": 20}}
ROWS = {"prefix": "datasets/plants/", "size_gib": 1, "examples": 1000}


def of(repository: str, *hardware: str, **changes: Any) -> dict[str, Any]:
    """Return a container with images of one repository of AWS."""
    image = {**IMAGE, "repository": repository, "tag": LMI if repository == "djl-inference" else "1"}
    return container(
        images=dict.fromkeys(hardware or ("cuda",), image),
        artifact={"key": "models/plants/model.tar.gz"},
        **changes,
    )


def planned(workload: Any) -> Any:
    return build_plan(environment({"plants": workload}), CATALOG).workloads[0]


def asked(repository: str, *, environment: dict[str, str] | None = None, **request: float) -> EndpointPlan:
    stated = of(repository, environment=environment or {})
    plan = planned(endpoint(container=stated, request={"images": 1, **request}))
    assert isinstance(plan, EndpointPlan)
    return plan


def asynchronous(repository: str, **changes: Any) -> EndpointPlan:
    stated = endpoint(container=of(repository)).model_dump(exclude_unset=True) | WHERE | changes
    plan = planned(AsynchronousEndpoint.model_validate(stated))
    assert isinstance(plan, EndpointPlan)
    return plan


@pytest.mark.parametrize(
    ("repository", "variables"),
    [
        ("pytorch-inference", {"TS_MAX_REQUEST_SIZE": 20 * MIB, "TS_MAX_RESPONSE_SIZE": 10 * MIB}),
        (
            "huggingface-pytorch-inference",
            {"MMS_MAX_REQUEST_SIZE": 20 * MIB, "MMS_MAX_RESPONSE_SIZE": 10 * MIB},
        ),
        ("tensorflow-inference", {"SAGEMAKER_GUNICORN_TIMEOUT_SECONDS": 60}),
        ("sagemaker-tritonserver", {}),
        ("a-server-of-ours", {}),
    ],
)
def test_the_server_is_told_what_it_would_refuse(repository: str, variables: dict[str, int]) -> None:
    plan = asked(repository, payload_mb=20, response_mb=10)
    assert plan.environment == {name: str(value) for name, value in variables.items()}


def test_what_a_server_takes_anyway_is_not_set() -> None:
    assert asked("pytorch-inference", payload_mb=6, response_mb=6).environment == {}
    assert asked("pytorch-inference").environment == {}


def test_a_stated_value_wins_whatever_its_name() -> None:
    plan = asked("pytorch-inference", payload_mb=20, environment={"TS_MAX_REQUEST_SIZE": "1"})
    assert plan.environment == {"TS_MAX_REQUEST_SIZE": "1"}
    stated = of("huggingface-pytorch-inference", environment={"SAGEMAKER_MODEL_SERVER_TIMEOUT": "100"})
    plan = asynchronous("huggingface-pytorch-inference", container=stated)
    assert plan.environment == {"SAGEMAKER_MODEL_SERVER_TIMEOUT": "100"}


def test_a_queue_waits_for_an_answer_as_long_as_it_says_to_callers() -> None:
    plan = asynchronous("pytorch-inference")
    assert plan.asynchronous is not None
    assert plan.asynchronous.invocation_timeout_s == 1200
    assert plan.environment == {"TS_DEFAULT_RESPONSE_TIMEOUT": "1200"}
    # In half a minute no server gives up.
    assert asynchronous("pytorch-inference", latency={"max_wait_minutes": 0.5}).environment == {}


def test_with_batching_torchserve_takes_another_variable_for_the_time() -> None:
    batching = {"max_batch_size": 4, "max_delay_ms": 5}
    plan = asynchronous("pytorch-inference", batching=batching)
    assert plan.environment["SAGEMAKER_TS_RESPONSE_TIMEOUT"] == "1200"
    stated = of("pytorch-inference", environment={"SAGEMAKER_TS_RESPONSE_TIMEOUT": "7"})
    plan = asynchronous("pytorch-inference", batching=batching, container=stated)
    assert plan.environment["SAGEMAKER_TS_RESPONSE_TIMEOUT"] == "7"
    assert "SAGEMAKER_TS_RESPONSE_TIMEOUT" not in asynchronous("pytorch-inference").environment


def test_a_batch_transform_sends_and_waits_as_it_says() -> None:
    stated = {
        "kind": "batch-transform",
        "model": CNN,
        "container": of("pytorch-inference"),
        "request": {"images": 1},
        "data": {
            "prefix": "in/",
            "content_type": "image/png",
            "rows_per_run": 1000,
            "kb_per_row": 100,
            "split": "none",
        },
        "deadline_hours": 10,
        "max_payload_mb": 50,
        "invocation_timeout_s": 700,
    }
    plan = planned(BatchTransform.model_validate(stated))
    assert plan.environment == {
        "TS_DEFAULT_RESPONSE_TIMEOUT": "700",
        "TS_MAX_REQUEST_SIZE": str(50 * MIB),
        "TS_MAX_RESPONSE_SIZE": str(50 * MIB),
    }


def test_containers_beside_the_model_take_the_same() -> None:
    step = {
        "name": "features",
        "images": {"cpu_x86_64": {**IMAGE, "repository": "sagemaker-xgboost"}},
        "processing_ms": 1,
        "memory_gib": 0.1,
    }
    plan = planned(endpoint(pipeline={"before": [step]}, request={"images": 1, "payload_mb": 20}))
    assert plan.pipeline.before[0].environment == {"MAX_CONTENT_LENGTH": str(20 * MIB)}


@pytest.mark.parametrize("repository", ["sagemaker-tritonserver", "a-server-of-ours"])
def test_the_plan_says_where_nobody_knows_what_a_server_takes(repository: str) -> None:
    note = (
        f"nobody says how large a request the server of {repository} takes, and requests have 3 MB: set it in "
        "container.environment where it takes less"
    )
    assert note in asked(repository, payload_mb=3).selection.assumptions
    assert note not in asked(repository, payload_mb=1.5).selection.assumptions


def test_the_plan_says_what_no_variable_changes() -> None:
    plan = asked("tensorflow-inference", response_mb=20, payload_mb=20)
    assert not any("tensorflow-inference" in one for one in plan.selection.assumptions)
    stated = endpoint(
        model=TREES, request={"rows": 1, "response_mb": 7}, container=of("sagemaker-xgboost", "cpu_x86_64")
    )
    assert (
        "the server of sagemaker-xgboost answers 6.25 MiB at most, and no variable changes it: answers have 7 MB"
        in planned(stated).selection.assumptions
    )


@pytest.mark.parametrize(
    ("repository", "model"),
    [("tei", ENCODER), ("huggingface-pytorch-tgi-inference", DECODER)],
)
def test_a_server_that_must_be_told_loads_the_artifact(repository: str, model: dict[str, Any]) -> None:
    make = llm_endpoint if model is DECODER else endpoint
    request = {"input_tokens": 100, **({"output_tokens": 100} if model is DECODER else {})}
    plan = planned(make(model=model, container=of(repository), request=request))
    assert plan.environment == {"HF_MODEL_ID": MODEL_DIRECTORY}
    stated = of(repository, environment={"HF_MODEL_ID": "BAAI/bge-m3"}, network_isolation=False)
    assert planned(make(model=model, container=stated, request=request)).environment == {
        "HF_MODEL_ID": "BAAI/bge-m3"
    }
