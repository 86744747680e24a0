"""What an endpoint of inference components may say, and what is said of keys that have no effect there."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.config.conftest import faults_of

Faults = Callable[[str], list[tuple[str, str]]]
BASE = """\
platform: demo
policy: {account: "111122223333", region: us-east-1, max_endpoint_instances: 5, min_endpoint_instances: 2}
network: {mode: new}
workloads:
  desk:
    kind: inference-component-endpoint
    components:
      guard: &guard
        model: {preset: bert-base}
        container:
          images: {cuda: {account: "763104351884", repository: pytorch-inference, tag: 2.6.0-gpu}}
          artifact: {key: models/guard/model.tar.gz}
        request: {input_tokens: 128}
        traffic: {peak_requests_per_second: 2, average_requests_per_second: 1}
        latency: {max_p95_ms: 500}
      find: *guard
"""


@pytest.fixture
def faults(tmp_path: Path) -> Faults:
    """Return the key path and all that is said of each fault of the keys of the workload in dev.yaml."""

    def load(keys: str) -> list[tuple[str, str]]:
        return faults_of(tmp_path, BASE, f"workloads:\n  desk:\n    {keys}\n")

    return load


@pytest.mark.parametrize(
    "keys",
    [
        "description: It is all there",
        "components: {guard: {scaling: {min_copies: 0, may_fail_while_cold: true}}}",
        "components: {guard: &sleeps {scaling: {min_copies: 0, may_fail_while_cold: true}}, find: *sleeps}\n"
        "    scaling: {min_instances: 0}",
    ],
)
def test_what_is_right(faults: Faults, keys: str) -> None:
    assert faults(keys) == []


@pytest.mark.parametrize(
    ("keys", "path", "words"),
    [
        (
            "components: {guard: {scaling: {min_copies: 0}}}",
            "components.guard.scaling.min_copies",
            "or accept it with may_fail_while_cold: true",
        ),
        (
            "components: {guard: {scaling: {may_fail_while_cold: true}}}",
            "components.guard.scaling.may_fail_while_cold",
            "has no effect: a copy is always there",
        ),
        (
            "scaling: {min_instances: 0}",
            "scaling.min_instances",
            "is 0 and has no effect: a copy is always there of guard, find, on an instance",
        ),
        (
            "components: {guard: {scaling: {min_copies: 1}}}",
            "components.guard.scaling.min_copies",
            "is 1, but policy.min_endpoint_instances asks for 2 copies, each on another instance",
        ),
        (
            "scaling: {max_instances: 6}",
            "scaling.max_instances",
            "6 instances, but policy.max_endpoint_instances is 5",
        ),
        (
            "components: {guard: {scaling: {min_copies: 4, max_copies: 3}}}",
            "components.guard.scaling.min_copies",
            "is 4, above max_copies (3)",
        ),
        (
            "components: {guard: {container: {network_isolation: false}}}",
            "components.find.container.network_isolation",
            "SageMaker isolates all containers of an endpoint or none",
        ),
        (
            "components: {guard: {latency: {max_wait_minutes: 5}}}",
            "components.guard.latency.max_wait_minutes",
            "has no effect: it is for the comparison of modes",
        ),
        (
            "components: {guard: {request: {payload_mb: 30}}}",
            "components.guard.request.payload_mb",
            "is 30, but real-time endpoints take requests of 25 MB at most",
        ),
        ("latency: {max_p95_ms: 5}", "latency", "each component has its own: write it under components.NAME"),
        ("data_capture: {sampling_percent: 5}", "data_capture", "serve the model by a real-time-endpoint"),
        (
            "components: {guard: {container: {environment: {A: '{{resolve:ssm-secure:a}}'}}}}",
            "components.guard.container.environment.A",
            "CloudFormation resolves",
        ),
    ],
)
def test_what_is_wrong_is_said_at_its_key(faults: Faults, keys: str, path: str, words: str) -> None:
    found = faults(keys)
    assert [where for where, _ in found] == [f"workloads.desk.{path}"]
    assert words in found[0][1]
