"""What contradicts itself in a batch transform is refused at its line, with what to do."""

from collections.abc import Callable
from typing import Any

import pytest

MessageFor = Callable[[str], str]
LoadDev = Callable[[str], Any]
SCORES = """\
workloads:
  scores:
    kind: batch-transform
    model: {architecture: linear, features: 10}
    container:
      images:
        cpu_x86_64: {account: "763104351884", repository: pytorch-inference, tag: "2.6.0-cpu"}
      artifact: {key: models/scores/model.tar.gz}
    request: {rows: 1}
"""
DATA = {
    "prefix": "rows/in",
    "rows_per_run": 1000,
    "kb_per_row": 2,
    "content_type": "text/csv",
    "split": "line",
}


def scores(more: str = "deadline_hours: 2", **data: Any) -> str:
    """Return a batch transform with lines of its own, and with other data."""
    stated = ", ".join(f"{key}: {value}" for key, value in (DATA | data).items())
    lines = "".join(f"    {line}\n" for line in more.splitlines())
    hours = "" if "deadline_hours" in more else "    deadline_hours: 2\n"
    return f"{SCORES}    data: {{{stated}}}\n{hours}{lines}"


@pytest.mark.parametrize(
    ("more", "data", "key", "reason"),
    [
        ("strategy: multi-record", {"split": "none"}, "strategy", "multi-record needs data.split"),
        ("strategy: single-record", {"split": "none"}, "strategy", "single-record needs data.split"),
        (
            "max_payload_mb: 20\nmax_concurrent_transforms: 6",
            {},
            "max_concurrent_transforms",
            "6 requests of 20 MB are 120 MB, but SageMaker sends an instance 100 MB at a time: 5 at most",
        ),
        (
            "max_payload_mb: 1",
            {"kb_per_row": 3000},
            "max_payload_mb",
            "is 1, but a row has 2.93 MB; raise it to 3",
        ),
        ("", {"kb_per_row": 200_000}, "data.kb_per_row", "a row of 195.3 MB does not fit into a request"),
        (
            "",
            {"kb_per_row": 200_000, "split": "none"},
            "data.kb_per_row",
            "which holds 100 MB at most; split the objects with data.split",
        ),
        ("max_instances: 4", {}, "max_instances", "is 4, but the rows lie in 1 object(s)"),
        ("max_instances: 4", {"objects": 3}, "max_instances", "lie in 3 object(s)"),
        ("", {"objects": 2000}, "data.objects", "is 2,000, above rows_per_run (1,000)"),
        ("", {"objects": 2, "split": "none"}, "data.objects", "has no effect with split: none"),
        ("input_filter: $", {}, "input_filter", "has no effect: $ is everything"),
        (
            "output_filter: $.SageMakerOutput",
            {"content_type": "application/json"},
            "output_filter",
            "names what only a joined row has; write join: input",
        ),
        (
            "join: input",
            {"content_type": "application/x-image"},
            "join",
            "reads text/csv, application/json, application/jsonlines, but data.content_type is application/x-image",
        ),
        ("join: input", {"split": "tf-record"}, "join", "reads text, but data.split is tf-record"),
        (
            "join: input\naccept: application/json",
            {},
            "accept",
            "a result that is joined has the type of its row",
        ),
        ("output_prefix: rows/in/out", {}, "output_prefix", "lie in each other"),
        ("output_prefix: rows", {}, "output_prefix", "lie in each other"),
        (
            "deadline_hours: 0.05",
            {},
            "deadline_hours",
            "is 0.05 (3 minutes), but the instances of a job take 5 minutes to start: state more than 0.0833",
        ),
        (
            "deadline_hours: 30\nschedule: {every: day}",
            {},
            "deadline_hours",
            "is 30, but the schedule starts the next run after 24 hours: two would run at a time",
        ),
        ("schedule: {every: day}\nruns_per_month: 2", {}, "runs_per_month", "the schedule says how often"),
        (
            "schedule: {every: day, time_zone: Europe/Hamburg}",
            {},
            "schedule.time_zone",
            '"Europe/Hamburg" is no name of the IANA time-zone database',
        ),
    ],
)
def test_contradiction(
    message_for: MessageFor, more: str, data: dict[str, Any], key: str, reason: str
) -> None:
    message = message_for(scores(more, **data))
    assert f"  workloads.scores.{key}\n" in message
    assert reason in message


def test_keys_of_a_request_that_is_a_call_are_refused(message_for: MessageFor) -> None:
    message = message_for(scores().replace("request: {rows: 1}", "request: {rows: 1, payload_mb: 2}"))
    assert "workloads.scores.request.payload_mb\n" in message
    assert "data.kb_per_row says how large a row is" in message


def test_a_driver_is_refused(message_for: MessageFor) -> None:
    driver = 'tag: "2.6.0-gpu", inference_ami_version: al2-ami-sagemaker-inference-gpu-3-1'
    message = message_for(scores().replace("cpu_x86_64", "cuda").replace('tag: "2.6.0-cpu"', driver))
    assert "workloads.scores.container.images.cuda.inference_ami_version\n" in message


def test_a_name_of_images_brings_no_driver(load_dev: LoadDev) -> None:
    images = """\
      images:
        cpu_x86_64: {account: "763104351884", repository: pytorch-inference, tag: "2.6.0-cpu"}
"""
    named = scores().replace(images, '      image: {framework: pytorch, version: "2.6"}\n')
    transform = load_dev(named).environment.workloads["scores"].in_region("us-east-1")
    assert transform.container.images.cuda.tag == "2.6.0-gpu-py312-cu124-ubuntu22.04-sagemaker"
    assert transform.container.images.cuda.inference_ami_version is None
    assert transform.container.images.cpu_x86_64 is not None


@pytest.mark.parametrize("kind", ["batch", "BatchInference"])
def test_the_kind_is_named_to_whoever_writes_a_mode(message_for: MessageFor, kind: str) -> None:
    message = message_for(scores().replace("kind: batch-transform", f"kind: {kind}"))
    assert "write kind: batch-transform" in message


@pytest.mark.parametrize(
    ("more", "data", "payload_mb", "rows"),
    [
        ("", {}, 6, 1000),
        ("", {"rows_per_run": 10**6}, 6, 3072),
        ("", {"rows_per_run": 10**6, "objects": 1000}, 6, 1000),
        ("", {"kb_per_row": 10_000}, 10, 1),
        ("max_concurrent_transforms: 50", {"rows_per_run": 10**6}, 2, 1024),
        ("strategy: single-record", {}, 1, 1),
        ("", {"split": "none", "kb_per_row": 3000}, 3, 1),
    ],
)
def test_what_a_request_holds(
    load_dev: LoadDev, more: str, data: dict[str, Any], payload_mb: int, rows: int
) -> None:
    transform = load_dev(scores(more, **data)).environment.workloads["scores"]
    assert (transform.payload_mb, transform.rows_per_request) == (payload_mb, rows)
