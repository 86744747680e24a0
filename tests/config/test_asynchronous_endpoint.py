"""What an asynchronous endpoint may say, and what is said of keys that a real-time endpoint would have."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.config.conftest import faults_of

BASE = """\
platform: demo
policy: {account: "111122223333", region: us-east-1, max_endpoint_instances: 5}
network: {mode: new}
workloads:
  transcribe:
    kind: asynchronous-endpoint
    model: {preset: whisper-large-v3}
    container:
      images: {cuda: {account: "763104351884", repository: pytorch-inference, tag: 2.6.0-gpu}}
      artifact: {key: models/transcribe/model.tar.gz}
    request: {input_tokens: 1500, output_tokens: 200}
    traffic: {peak_requests_per_second: 2, average_requests_per_second: 1}
    latency: {max_wait_minutes: 30}
"""


@pytest.fixture
def faults(tmp_path: Path) -> Callable[[str], list[tuple[str, str]]]:
    """Return the key path and all that is said of each fault of the keys of the workload in dev.yaml."""

    def load(keys: str) -> list[tuple[str, str]]:
        return faults_of(tmp_path, BASE, f"workloads:\n  transcribe:\n    {keys}\n")

    return load


def test_the_least_is_enough(faults: Callable[[str], list[tuple[str, str]]]) -> None:
    assert faults("description: It is all there") == []


@pytest.mark.parametrize(
    ("keys", "path", "words"),
    [
        (
            "latency: {max_p95_ms: 100}",
            "latency.max_p95_ms",
            "nobody waits for an answer of a queue: write max_wait_minutes, from the request to its answer in S3",
        ),
        (
            "latency: {max_time_to_first_token_ms: 100}",
            "latency.max_time_to_first_token_ms",
            "an answer comes as a whole, in S3: write max_wait_minutes; kind: real-time-endpoint streams",
        ),
        (
            "traffic: {peak_concurrent_users: 10}",
            "traffic.peak_concurrent_users",
            "nobody waits for an answer of a queue: write peak_requests_per_second, what all of them send",
        ),
        ("mode: auto", "mode", "kind: asynchronous-endpoint says how it is served; remove the key"),
        (
            "latency: {max_wait_minutes: 421}",
            "latency.max_wait_minutes",
            "expected a number of at least 0.01 and at most 420 minutes",
        ),
        (
            'scaling: {schedules: {nights: {at: "20:00", max_instances: 0}}}',
            "scaling.schedules.nights.max_instances",
            "1 at least: kept at zero, requests would wait for the next schedule",
        ),
        ("scaling: {max_instances: 6}", "scaling.max_instances", "policy.max_endpoint_instances is 5"),
        (
            'scaling: {max_instances: 2, schedules: {days: {at: "08:00", min_instances: 3}}}',
            "scaling.schedules.days.min_instances",
            "leaves 3 instances at least and 2 at most, as max_instances is that of scaling",
        ),
        (
            "notifications: {error_topic_arn: 'arn:aws:sns:eu-west-1:111122223333:failures'}",
            "notifications.error_topic_arn",
            "the topic is in the region eu-west-1, but this environment is in us-east-1",
        ),
        (
            "{batching: {max_batch_size: 8, max_delay_ms: 1000}, latency: {max_wait_minutes: 0.01}}",
            "batching.max_delay_ms",
            "which leaves nothing of max_wait_minutes (0.01)",
        ),
        (
            'scaling: {schedules: {early: {at: "08:00"}, first: {at: "08:00"}}}',
            "scaling.schedules.first.at",
            "begins at the same moment as early",
        ),
    ],
)
def test_what_is_said_of_a_fault(
    faults: Callable[[str], list[tuple[str, str]]], keys: str, path: str, words: str
) -> None:
    ((where, said),) = faults(keys)
    assert where == f"workloads.transcribe.{path}"
    assert words in said


def test_the_policy_of_production_keeps_no_queue_awake(
    faults: Callable[[str], list[tuple[str, str]]],
) -> None:
    assert faults("scaling: {min_instances: 0}\npolicy: {min_endpoint_instances: 2}") == []
