"""What a serverless endpoint may say, and what is said to somebody who brings the keys of instances."""

from collections.abc import Callable
from typing import Any

import pytest

MessageFor = Callable[[str], str]

WORKLOAD = """\
workloads:
  photos:
    kind: serverless-endpoint
    model: {preset: resnet-50}
    container:
      images: {cpu_x86_64: {account: "763104351884", repository: pytorch-inference, tag: 2.6.0-cpu}}
      artifact: {key: models/photos/model.tar.gz}
    request: {images: 1}
    traffic: {peak_requests_per_second: 1, average_requests_per_second: 0.1}
    latency: {max_p95_ms: 9000}
"""


def with_line(line: str, instead_of: str = "") -> str:
    """Return the workload with one line more, or in place of another."""
    if instead_of:
        return WORKLOAD.replace(f"    {instead_of}\n", f"    {line}\n")
    return f"{WORKLOAD}    {line}\n"


def test_it_is_outside_of_the_vpc_and_not_isolated(load_dev: Callable[[str], Any]) -> None:
    endpoint = load_dev(WORKLOAD).environment.workloads["photos"]
    assert (endpoint.in_vpc, endpoint.container.network_isolation) == (False, False)


ARTIFACT = "  artifact: {key: models/photos/model.tar.gz}"
IMAGES = '  images: {cpu_x86_64: {account: "763104351884", repository: pytorch-inference, tag: 2.6.0-cpu}}'
LATENCY = "latency: {max_p95_ms: 9000}"


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        (with_line("instances: {instance_type: ml.m5.large}"), "instances", "memory_mb says how much memory"),
        (with_line("batching: {max_batch_size: 8, max_delay_ms: 5}"), "batching", "one request at a time"),
        (
            with_line("scaling: {min_instances: 2}"),
            "scaling.min_instances",
            "write min_provisioned_concurrency",
        ),
        (
            with_line("latency: {max_p95_ms: 9000, max_wait_minutes: 5}", LATENCY),
            "latency.max_wait_minutes",
            "waits for the answer",
        ),
        (
            with_line("alarms: {cpu_utilization: {above_percent: 90}}"),
            "alarms.cpu_utilization",
            "does not publish CPUUtilization",
        ),
        (
            with_line(
                '  images: {cuda: {account: "763104351884", repository: pytorch-inference, tag: 2.6.0-gpu}}',
                IMAGES,
            ),
            "container.images.cuda",
            "x86 CPUs only",
        ),
        (
            with_line("  image: {framework: djl, version: NO}", IMAGES),
            "container.image.version",
            "NO",
        ),
        (
            with_line("  images: {}", IMAGES),
            "container.images",
            "give at least one image: cpu_x86_64; or, in place of images, image:",
        ),
        (
            with_line("  artifact: {key: models/photos/model.zip}", ARTIFACT),
            "container.artifact.key",
            "an object that ends in .tar.gz",
        ),
        (with_line("memory_mb: 1500"), "memory_mb", "1024, 2048, 3072, 4096, 5120, 6144"),
        (with_line("max_concurrency: 201"), "max_concurrency", "at most 200"),
        (
            with_line("max_concurrency: 3\n    provisioned_concurrency: 4"),
            "provisioned_concurrency",
            "is 4, above max_concurrency (3)",
        ),
        (
            with_line("provisioned_concurrency: 0\n    scaling: {}"),
            "scaling",
            "has no effect beside provisioned_concurrency: 0",
        ),
        (
            with_line("scaling: {min_provisioned_concurrency: 3, max_provisioned_concurrency: 2}"),
            "scaling.min_provisioned_concurrency",
            "is 3, above max_provisioned_concurrency (2)",
        ),
        (
            with_line("provisioned_concurrency: 5\n    scaling: {max_provisioned_concurrency: 4}"),
            "provisioned_concurrency",
            "is 5, above scaling.max_provisioned_concurrency (4)",
        ),
        (
            with_line("request: {images: 1, payload_mb: 5}", "request: {images: 1}"),
            "request.payload_mb",
            "requests of 4 MB at most",
        ),
        (
            with_line(
                'scaling: {schedules: {nights: {at: "20:00", time_zone: Berlin, max_provisioned_concurrency: 2}}}'
            ),
            "scaling.schedules.nights.time_zone",
            "did you mean Europe/Berlin?",
        ),
    ],
)
def test_what_does_not_go_is_said_at_its_key(
    message_for: MessageFor, text: str, key: str, words: str
) -> None:
    message = message_for(text)
    place = f"workloads.photos.{key}\n"
    assert place in message
    assert words in message.split(place, 1)[1]


def test_of_a_named_image_only_that_for_x86_is_used(load_dev: Callable[[str], Any]) -> None:
    text = with_line('  image: {framework: pytorch, version: "2.6"}', IMAGES)
    images = load_dev(text).environment.part(None).workloads["photos"].container.images
    assert images.by_hardware().keys() == {"cpu_x86_64"}
    assert images.cpu_x86_64.repository == "pytorch-inference"


def test_the_mode_as_a_kind_is_the_kind_of_that_name(message_for: MessageFor) -> None:
    message = message_for(WORKLOAD.replace("serverless-endpoint", "ServerlessInference"))
    assert "write kind: serverless-endpoint" in message


def test_nobody_uses_a_proxy_from_outside_of_the_vpc(message_for: MessageFor) -> None:
    text = f"network: {{proxy: {{url: 'http://proxy.example.com:3128'}}}}\n{WORKLOAD}"
    assert "nobody uses it" in message_for(text)
