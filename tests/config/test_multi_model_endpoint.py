"""What a multi-model endpoint may say, and what is said of keys that other endpoints would have."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sizewell.config import load_environment
from sizewell.kinds.multi_model_endpoint.config import MultiModelEndpoint
from tests.config.conftest import faults_of

BASE = """\
platform: demo
policy: {account: "111122223333", region: us-east-1, max_endpoint_instances: 5}
network: {mode: new}
workloads:
  sort:
    kind: multi-model-endpoint
    model: {preset: minilm-l6}
    models: {count: 300}
    container: {artifact: {key: models/sort/}, IMAGE}
    request: {input_tokens: 128}
    traffic: {peak_requests_per_second: 2, average_requests_per_second: 1}
    latency: {max_p95_ms: 500}
"""
PYTORCH = 'image: {framework: pytorch, version: "2.6"}'
ONE = {"account": "763104351884", "repository": "pytorch-inference", "tag": "2.6.0-cpu"}
Faults = Callable[..., list[tuple[str, str]]]


@pytest.fixture
def faults(tmp_path: Path) -> Faults:
    """Return the key path and all that is said of each fault of the keys of the workload in dev.yaml."""

    def load(keys: str, image: str = PYTORCH) -> list[tuple[str, str]]:
        return faults_of(tmp_path, BASE.replace("IMAGE", image), f"workloads:\n  sort:\n    {keys}\n")

    return load


def test_the_least_is_enough(faults: Faults) -> None:
    assert faults("description: It is all there") == []


@pytest.mark.parametrize(
    ("keys", "path", "words"),
    [
        ("models: {count: 1}", "models.count", "expected a whole number of at least 2"),
        ("models: {hot_count: 20}", "models.hot_share_percent", "is missing: so many hot models"),
        (
            "models: {hot_count: 300, hot_share_percent: 90}",
            "models.hot_count",
            "is 300, but there are 300 models in all",
        ),
        (
            "models: {zipf_exponent: 1, hot_count: 20, hot_share_percent: 90}",
            "models.zipf_exponent",
            "and hot_count both say how the requests are spread; remove it",
        ),
        (
            "models: {cache: false, zipf_exponent: 1}",
            "models.zipf_exponent",
            "has no effect without a cache: every request loads its model; remove it",
        ),
        (
            "container: {artifact: {key: models/sort/model.tar.gz}}",
            "container.artifact.key",
            "is models/sort/model.tar.gz, but a multi-model endpoint loads any object below a prefix, which ends in '/'",
        ),
        ("container: {artifact: {compression: none}}", "container.artifact.compression", "expected: gzip"),
        (
            "container: {image: null, images: {neuron: {framework: pytorch, version: '2.8'}}}",
            "container.images.neuron",
            "has no effect: a multi-model endpoint runs on CPUs and GPUs",
        ),
        (
            "container: {images: {cuda: {account: '763104351884', repository: pytorch-inference, tag: 2.6.0-gpu}}, image: null}",
            "container.images.cuda",
            "serves one model on a GPU: of AWS's images, sagemaker-tritonserver serves several",
        ),
        ("latency: {max_cold_ms: 400}", "latency.max_cold_ms", "is 400, below max_p95_ms (500)"),
        ("latency: {max_cold_ms: 70000}", "latency.max_cold_ms", "at most 60,000"),
        (
            "latency: {max_wait_minutes: 5}",
            "latency.max_wait_minutes",
            "waits for the answer: remove the key",
        ),
        (
            "batching: {max_batch_size: 4, max_delay_ms: 5}",
            "batching",
            "model by model whether it batches (Triton: config.pbtxt)",
        ),
        ("engine: llm-engine", "engine", "an llm-engine"),
        ("data_capture: {sampling_percent: 5}", "data_capture", "no page of AWS says whether"),
        ("similar_models: 20", "similar_models", "write it as models.count"),
        ("request: {payload_mb: 26}", "request.payload_mb", "take requests of 25 MB at most"),
        (
            "scaling: {max_instances: 9}",
            "scaling.max_instances",
            "9 instances, but policy.max_endpoint_instances is 5",
        ),
        (
            "container: {environment: {SAGEMAKER_MODEL_SERVER_WORKERS: '2'}}",
            "container.environment.SAGEMAKER_MODEL_SERVER_WORKERS",
            "the variable is set for you, by models.workers_per_model; remove it here",
        ),
    ],
)
def test_each_fault_says_what_to_do(faults: Faults, keys: str, path: str, words: str) -> None:
    ((found_path, said),) = faults(keys)
    assert found_path == f"workloads.sort.{path}"
    assert words in said


def test_a_name_stands_for_the_images_that_serve_several_models(tmp_path: Path) -> None:
    def hardware(image: str) -> set[str]:
        (tmp_path / "base.yaml").write_text(BASE.replace("IMAGE", image), "utf-8")
        (tmp_path / "dev.yaml").write_text("{}\n", "utf-8")
        workload = load_environment(tmp_path, "dev").environment.workloads["sort"]
        assert isinstance(workload, MultiModelEndpoint)
        return set(workload.container.in_region("us-east-1").images.by_hardware())

    assert hardware(PYTORCH) == {"cpu_x86_64", "cpu_arm64"}
    assert hardware('image: {framework: triton, version: "25.04"}') == {"cuda"}
