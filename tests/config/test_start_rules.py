"""Runs that start each other without end are refused, at the key that closes the circle."""

from pathlib import Path

import pytest

from tests.config.conftest import faults_of

_TOP = """\
platform: demo
network: {mode: new}
policy: {account: "111122223333", region: us-east-1}
workloads:
"""


def job(name: str, reads: str | None, writes: str, more: str = "") -> str:
    """Return a processing job that the object ``reads`` starts, and that writes to a prefix."""
    starts_on = f"    starts_on: {{object: {reads}}}\n" if reads else ""
    return (
        f"  {name}:\n    kind: processing-job\n    vcpus: 2\n    memory_gib: 4\n    deadline_hours: 1\n"
        "    container: {images: {cpu_x86_64: {account: '111122223333', repository: a, tag: '1'}}}\n"
        f"    outputs: {{made: {{prefix: {writes}}}}}\n{starts_on}{more}"
    )


@pytest.mark.parametrize(
    ("workloads", "key", "reason"),
    [
        (
            job("one", "data/a/_SUCCESS", "data/"),
            "one",
            "data/a/_SUCCESS lies in what one.outputs.made writes, so that each run may start the next one, without end "
            "(one starts itself); name an object that none of them writes",
        ),
        (
            job("one", "a/_SUCCESS", "b") + job("two", "b/_SUCCESS", "c") + job("three", "c/_SUCCESS", "a"),
            "one",
            "a/_SUCCESS lies in what three.outputs.made writes, so that each run may start the next one, without end "
            "(one starts two starts three starts one)",
        ),
        (
            job("step", None, "a")
            + "  steps:\n    kind: pipeline\n    steps: {first: {runs: step}}\n    starts_on: {object: a/_SUCCESS}\n",
            "steps",
            "a/_SUCCESS lies in what step.outputs.made writes, so that each run may start the next one, without end "
            "(steps starts itself)",
        ),
    ],
)
def test_circle(directory: Path, workloads: str, key: str, reason: str) -> None:
    ((path, message),) = faults_of(directory, _TOP + workloads, "{}\n")
    assert path == f"workloads.{key}.starts_on.object"
    assert reason in message


@pytest.mark.parametrize(
    ("workloads", "dev"),
    [
        (job("one", "a/_SUCCESS", "b") + job("two", "b/_SUCCESS", "c"), "{}\n"),
        (job("one", "data/_SUCCESS", "data-of-others"), "{}\n"),
        (
            job("one", "a/_SUCCESS", "b") + job("two", "b/_SUCCESS", "a", "    place: eu\n"),
            "places: {eu: {region: eu-west-1, network: {mode: new}}}\n",
        ),
    ],
    ids=["a chain", "a prefix that only begins alike", "the bucket of another place"],
)
def test_no_circle(directory: Path, workloads: str, dev: str) -> None:
    assert faults_of(directory, _TOP + workloads, dev) == []
