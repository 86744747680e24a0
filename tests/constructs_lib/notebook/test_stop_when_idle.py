"""What a notebook instance runs, against a Jupyter on loopback: it ends, and so stops the instance, when nobody works."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest

from constructs_lib.notebook import stop_when_idle
from constructs_lib.notebook.stop_when_idle import last_work, watch

T0 = 1_700_000_000.0


def at(seconds: float) -> str:
    """As Jupyter writes it."""
    return datetime.fromtimestamp(T0 + seconds, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


@contextmanager
def jupyter(answers: dict[str, Any]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = answers.get(self.path.rpartition("/")[2])
            self.send_response(404 if found is None else 200)
            self.end_headers()
            self.wfile.write(json.dumps(found).encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/api/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def minutes_until_it_stops(answers: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> float:
    """Return after how many minutes a watch of 10 minutes ends, by a clock that only its own pauses move."""
    now = [T0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    with jupyter(answers) as address:
        watch(10, address)
    return (now[0] - T0) / 60


@pytest.mark.parametrize(
    ("answers", "minutes"),
    [
        ({"kernels": [], "terminals": []}, 10),
        # What does not answer is idle.
        ({}, 10),
        ({"kernels": [{"execution_state": "idle", "last_activity": at(180)}], "terminals": []}, 13),
        ({"kernels": [], "terminals": [{"name": "1", "last_activity": at(240)}]}, 14),
        ({"kernels": [{"execution_state": "idle", "last_activity": at(-9000)}]}, 10),
    ],
)
def test_it_stops_ten_minutes_after_the_last_work(
    answers: dict[str, Any], minutes: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert minutes_until_it_stops(answers, monkeypatch) == minutes


def test_a_kernel_that_computes_is_at_work_whenever_it_began() -> None:
    busy = {"execution_state": "busy", "last_activity": at(-90_000)}
    assert last_work([busy, {"last_activity": at(-10)}], T0) == T0
    assert last_work([], T0) == 0


def test_the_name_and_the_region_are_those_of_the_instance(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    arn = "arn:aws:sagemaker:eu-west-1:111122223333:notebook-instance/demo-dev-explore"
    metadata = tmp_path / "resource-metadata.json"
    metadata.write_text(json.dumps({"ResourceArn": arn, "ResourceName": "demo-dev-explore"}), "utf-8")
    monkeypatch.setattr(stop_when_idle, "METADATA", str(metadata))
    calls: list[tuple[str, dict[str, str]]] = []

    class Client:
        def __init__(self, service: str, region_name: str) -> None:
            calls.append((service, {"region": region_name}))

        def stop_notebook_instance(self, **request: str) -> None:
            calls.append(("stop", request))

    monkeypatch.setattr("boto3.client", Client)
    stop_when_idle.stop()
    assert calls == [
        ("sagemaker", {"region": "eu-west-1"}),
        ("stop", {"NotebookInstanceName": "demo-dev-explore"}),
    ]
