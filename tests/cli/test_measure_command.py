"""``sizewell measure``: what is sent where, what becomes of it, and every refusal without a trace in the file."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sizewell.cli.measure_target import read_request
from sizewell.load.observations import Observation
from sizewell.load.open_loop import LoadRun
from tests.cli.conftest import Sizewell
from tests.gates import signals_heard
from tests.load.loopback import OK, server
from tests.localcloud.processes import PATIENCE_S, until
from tests.synthesis import PROJECT_ROOT

ACCOUNT, OTHER = "111122223333", "444455556666"
PICK = "ml.c6i.2xlarge"
NOBODY = "http://127.0.0.1:1/"
KEPT_UP = "2 requests/s are what the test asked for, not the most that the instance carries: left out\n"


@dataclass
class Load:
    """What the test is taken to have seen, in place of sending anything after the first request."""

    observations: Sequence[Observation] = ()
    interrupted: bool = False
    most_in_flight: int = 1
    due_s: tuple[float, ...] = ()
    streams: bool | None = None

    def run(
        self,
        _send: Any,
        due_s: tuple[float, ...],
        max_seconds: float,
        _show: Callable[[str], None],
        *,
        streams: bool,
    ) -> LoadRun:
        self.due_s, self.streams = due_s, streams
        unsent = len(due_s) - len(self.observations)
        return LoadRun(
            tuple(self.observations), unsent, self.most_in_flight, self.interrupted, day="2026-11-29"
        )


def answers(count: int, per_second: float, latency_s: float = 0.05, late_s: float = 0.0) -> list[Observation]:
    """Return requests that are due at a rate, and answered after ``latency_s``."""
    at = [i / per_second for i in range(count)]
    return [Observation(due_s, due_s + late_s, due_s + latency_s) for due_s in at]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    load = Load()
    monkeypatch.setattr("sizewell.cli.measure_command.run_load", load.run)
    monkeypatch.setattr("sizewell.cli.measure_command._try", lambda _, streams: None)
    return load


@dataclass
class Account:
    """What SageMaker answers."""

    number: str = ACCOUNT
    status: str = "InService"
    counts: list[int] = field(default_factory=lambda: [1])
    """The instances at each look; the last stays."""
    instance_type: str | None = "ml.c6i.4xlarge"
    refusal: str = ""
    invoked: list[Mapping[str, Any]] = field(default_factory=list)

    def answer(self, _client: Any, operation: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
        if operation == "GetCallerIdentity":
            return {"Account": self.number, "Arn": f"arn:aws:iam::{self.number}:user/ann"}
        if operation == "AssumeRole":
            raise ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, operation)
        if self.refusal:
            raise ClientError({"Error": {"Code": "ValidationException", "Message": self.refusal}}, operation)
        if operation == "DescribeEndpoint":
            count = self.counts.pop(0) if len(self.counts) > 1 else self.counts[0]
            now = {"VariantName": "primary", "CurrentInstanceCount": count}
            return {"EndpointStatus": self.status, "EndpointConfigName": "one", "ProductionVariants": [now]}
        if operation == "DescribeEndpointConfig":
            stated = {"VariantName": "primary", "InstanceType": self.instance_type}
            return {"ProductionVariants": [stated]}
        assert operation == "InvokeEndpoint"
        self.invoked.append(given)
        return {"Body": BytesIO(b"{}")}


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Account:
    account = Account()
    monkeypatch.setattr(
        "botocore.client.BaseClient._make_api_call",
        lambda client, operation, given: account.answer(client, operation, given),
    )
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "dummy")
    return account


@pytest.fixture
def file(directory: Path) -> Path:
    """Return the file of measurements, which is not there; a payload is beside its directory."""
    (directory.parent / "one.json").write_text('{"inputs": "Where is my order?"}', "utf-8")
    return directory / "measurements.yaml"


def measure(sizewell: Sizewell, *arguments: str, workload: str = "support-bert") -> tuple[int, str, str]:
    result = sizewell("measure", workload, "--env", "dev", "--payload", "one.json", *arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def refused(sizewell: Sizewell, file: Path, *arguments: str, workload: str = "support-bert") -> str:
    """Return the last lines of what is said where nothing is measured."""
    code, _, stderr = measure(sizewell, *arguments, workload=workload)
    assert code == 1
    assert not file.exists()
    return stderr


def test_requests_go_to_the_address_and_what_they_measure_into_the_file(
    file: Path, sizewell: Sizewell, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A busy machine sends late: that is not what this is about.
    monkeypatch.setattr("sizewell.load.observations._LATE_S", PATIENCE_S)
    with server(OK) as there:
        arguments = (
            "--url",
            f"{there.url}?key=x",
            "--rate",
            "100",
            "--requests",
            "30",
            "--header",
            "Authorization: of-ann",
        )
        code, stdout, stderr = measure(sizewell, *arguments)

    assert code == 0, stderr
    # One before, to see whether it answers.
    assert there.asked == [("/v1/completions?key=x", b'{"inputs": "Where is my order?"}', "of-ann")] * 31
    assert stderr == (
        f"Sending 30 requests of 32 bytes to {there.url}, whose use may be billed\n"
        f"  100 per second at random times for 290 ms, to 1 instance of {PICK}\n"
        "  first a single one, to see whether it is answered; none is tried again\n"
        "Sending ...\n"
    )
    assert "of-ann" not in stdout + stderr + file.read_text("utf-8")
    assert f"- instance_type: {PICK}\n      environment: dev\n" in file.read_text("utf-8")


@pytest.mark.usefixtures("file")
def test_an_instance_that_keeps_up_is_measured_as_an_import_would(
    file: Path, load: Load, sizewell: Sizewell
) -> None:
    load.observations = answers(200, 2, latency_s=0.04)
    code, stdout, _ = measure(sizewell, "--url", NOBODY)

    assert code == 0
    # The peak of the configuration is 2 requests per second, and one instance carries it.
    assert load.due_s[-1] == pytest.approx(199 / 2)
    assert "200 answered in 99.5 s: 2.009 requests/s of 2 asked for; 0 failed\n" in stdout
    assert stdout.endswith(KEPT_UP.replace("2 ", "2.009 ", 1))
    assert file.read_text("utf-8").partition("workloads:\n")[2] == (
        "  support-bert:\n"
        f"    - instance_type: {PICK}\n"
        "      environment: dev\n"
        "      concurrency: 1\n"
        "      p95_latency_ms: 40\n"
        '      date: "2026-11-29"\n'
        "      source: sizewell measure at 2 requests/s\n"
    )


def test_an_instance_that_falls_behind_shows_its_capacity(file: Path, load: Load, sizewell: Sizewell) -> None:
    # 20 are due in a second, and each takes half of one.
    load.observations = [Observation(i / 20, i / 20, (i + 1) / 2) for i in range(40)]
    arguments = ("--url", NOBODY, "--rate", "20", "--instance-type", "ml.g5.xlarge", "--instance-count", "2")
    assert measure(sizewell, *arguments)[0] == 0

    text = file.read_text("utf-8")
    assert "- instance_type: ml.g5.xlarge\n" in text
    assert "max_requests_per_second: 1\n" in text
    assert "p95_latency_ms" not in text


@pytest.mark.parametrize(
    ("body", "streams"),
    [('{"stream": true}', True), ('{"stream": false}', False), ('{"stream": 1}', False), ("a,b\n", False)],
)
def test_a_body_says_whether_the_answer_is_a_stream(
    file: Path, load: Load, sizewell: Sizewell, body: str, streams: bool
) -> None:
    (file.parent.parent / "one.json").write_text(body, "utf-8")
    load.observations = [
        Observation(i, i, i + 0.5, first_event_s=i + 0.1, last_event_s=i + 0.4, events=4) for i in range(40)
    ]
    assert measure(sizewell, "--url", NOBODY, "--rate", "1")[0] == 0

    assert load.streams is streams
    # All the same what was observed is taken.
    assert "time_to_first_token_ms: 100\n      inter_token_ms: 100\n" in file.read_text("utf-8")


def test_a_dry_run_shows_and_writes_nothing(file: Path, load: Load, sizewell: Sizewell) -> None:
    load.observations = answers(200, 2)
    code, stdout, _ = measure(sizewell, "--url", NOBODY, "--dry-run")

    assert code == 0
    assert "1 added in config/measurements.yaml (dry run: nothing is written)" in stdout
    assert not file.exists()


def test_an_interrupt_shows_what_there_is_and_writes_nothing(
    file: Path, load: Load, sizewell: Sizewell
) -> None:
    load.observations, load.interrupted = answers(100, 2), True
    code, stdout, stderr = measure(sizewell, "--url", NOBODY)

    assert (code, file.exists()) == (1, False)
    assert (
        "100 answered in 49.5 s: 2.018 requests/s of 2 asked for; 0 failed, 100 not sent or not awaited"
        in stdout
    )
    assert stderr.endswith("interrupted: nothing is written\n")


def test_what_is_no_measurement_is_not_written(file: Path, load: Load, sizewell: Sizewell) -> None:
    arguments = ("--url", NOBODY)
    load.observations = answers(19, 2)
    assert refused(sizewell, file, *arguments).endswith(
        "a 95th percentile takes 20 answers, and 19 came: nothing is written. Raise --max-seconds\n"
    )
    load.observations = [Observation(i, i, i, failure="HTTP 503") for i in range(30)]
    assert refused(sizewell, file, *arguments).endswith(
        "nothing is written. Mend what failed, and measure again\n"
    )

    load.observations = answers(200, 2, late_s=0.02)
    assert "this machine sent 5 of 100 requests 20 ms too late or later, and measured itself" in refused(
        sizewell, file, *arguments
    )
    # Where all that may be in flight are, the server is late.
    load.most_in_flight = 256
    assert measure(sizewell, *arguments, "--dry-run")[0] == 0

    load.observations = [*answers(195, 2), *(Observation(99, 99, 99, failure="HTTP 503") for _ in range(5))]
    code, stdout, stderr = measure(sizewell, *arguments)
    assert (code, file.exists()) == (1, False)
    assert stdout.splitlines()[-2].split() == ["5", "HTTP", "503"]
    assert stderr.endswith(
        "support-bert of dev\n"
        "  5 of 200 requests failed; at most 1% may\n"
        "  lower the load of the test, or mend the endpoint, and run it again\n"
    )


def test_a_first_request_that_fails_is_the_only_one(file: Path, sizewell: Sizewell) -> None:
    with server(b"HTTP/1.1 422 No\r\nContent-Length: 16\r\n\r\nno key \x1b[2Jinput") as there:
        said = refused(sizewell, file, "--url", there.url)

    assert said.endswith("the first request failed, so no more are sent\n  HTTP 422: no key \\x1b[2Jinput\n")
    assert len(there.asked) == 1
    assert "Connection refused" in refused(sizewell, file, "--url", NOBODY)


def test_a_first_answer_that_is_no_stream_says_what_to_do(file: Path, sizewell: Sizewell) -> None:
    (file.parent.parent / "one.json").write_text('{"stream": true}', "utf-8")
    broken = b'data: {"error": {"message": "no memory"}}\n\n'
    with server(OK, b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(broken), broken)) as there:
        assert refused(sizewell, file, "--url", there.url).endswith(
            '  no stream of tokens: the payload has "stream": true, but no event came. If the server does not stream, remove it\n'
        )
        assert refused(sizewell, file, "--url", there.url).endswith(
            '  an error in the stream: {"error": {"message": "no memory"}}\n'
        )


def test_an_endpoint_is_measured_on_what_answers_there(
    file: Path, load: Load, account: Account, sizewell: Sizewell
) -> None:
    account.counts = [2]
    load.observations = answers(200, 4)
    code, _, stderr = measure(sizewell)

    assert code == 0, stderr
    # The plan has one instance, which answers 2 requests per second at peak.
    assert load.due_s[-1] == pytest.approx(199 / 4)
    assert stderr.startswith(
        "Sending 200 requests of 32 bytes to the endpoint demo-dev-support-bert in 111122223333, us-east-1: they are billed, and "
        "its scaling and alarms count them\n"
        "  4 per second at random times for 49.8 s, to 2 instances of ml.c6i.4xlarge\n"
    )
    assert "- instance_type: ml.c6i.4xlarge\n" in file.read_text("utf-8")


@pytest.mark.usefixtures("file")
def test_an_endpoint_is_invoked(
    account: Account, sizewell: Sizewell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sizewell.load.observations._LATE_S", PATIENCE_S)
    arguments = ("--rate", "200", "--requests", "20", "--header", "Accept: text/csv", "--dry-run")
    code, _, stderr = measure(sizewell, *arguments)

    assert code == 0, stderr
    expected = {
        "EndpointName": "demo-dev-support-bert",
        "Body": b'{"inputs": "Where is my order?"}',
        "ContentType": "application/json",
        "Accept": "text/csv",
    }
    assert account.invoked == [expected] * 21


def test_of_several_variants_the_own_one_is_measured(
    file: Path, account: Account, sizewell: Sizewell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sizewell.load.observations._LATE_S", PATIENCE_S)
    (file.parent / "dev.yaml").write_text(
        "policy: {removal: destroy}\n"
        "workloads: {support-bert: {variants: {other: {traffic_percent: 10, request: {input_tokens: 64}}}}}\n",
        "utf-8",
    )
    code, _, stderr = measure(sizewell, "--rate", "200", "--requests", "20", "--dry-run")

    assert code == 0, stderr
    assert {given["TargetVariant"] for given in account.invoked} == {"primary"}


@pytest.mark.parametrize(
    ("name", "body", "headers", "expected"),
    [
        ("a.json", "{}", (), {"Content-Type": "application/json"}),
        ("a.csv", "a,b", (), {"Content-Type": "text/csv"}),
        ("a.jpg", "...", (), {"Content-Type": "application/octet-stream"}),
        ("a.json", "{}", ("content-type: a/b", "X: y"), {"content-type": "a/b", "X": "y"}),
    ],
)
def test_a_body_has_one_type(
    tmp_path: Path, name: str, body: str, headers: tuple[str, ...], expected: dict[str, str]
) -> None:
    (tmp_path / name).write_text(body, "utf-8")

    assert read_request(tmp_path / name, headers).headers == expected


def test_an_endpoint_that_scales_meanwhile_is_not_measured(
    file: Path, load: Load, account: Account, sizewell: Sizewell
) -> None:
    load.observations = answers(200, 2)
    account.counts = [1, 2]

    assert refused(sizewell, file).endswith(
        "the endpoint scaled from 1 to 2 instances during the test: nothing is written. Measure again\n"
    )


@pytest.mark.usefixtures("load")
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"number": OTHER}, f"the plan is of account {ACCOUNT}, but the credentials of"),
        (
            {"refusal": "Could not find endpoint"},
            "demo-dev-support-bert is not deployed in 111122223333, us-east-1",
        ),
        ({"refusal": "out of order"}, "demo-dev-support-bert: An error occurred"),
        ({"status": "Updating"}, "demo-dev-support-bert is Updating: measure it when it is InService"),
        ({"instance_type": None}, "has no instances of one type in its variant primary"),
    ],
)
def test_an_endpoint_that_does_not_answer(
    changes: dict[str, Any], said: str, file: Path, account: Account, sizewell: Sizewell
) -> None:
    for name, value in changes.items():
        setattr(account, name, value)
    message = refused(sizewell, file)

    assert said in message
    assert "Traceback" not in message


@pytest.mark.usefixtures("load")
def test_a_workload_that_has_no_latency_or_does_not_exist(file: Path, sizewell: Sizewell) -> None:
    assert refused(sizewell, file, "--url", NOBODY, workload="nightly-lora") == (
        "nightly-lora cannot be measured: latency is measured of an endpoint, but this workload is of the kind training-job\n"
    )
    assert 'there is no workload "support-bret" in dev' in refused(
        sizewell, file, "--url", NOBODY, workload="support-bret"
    )


@pytest.mark.usefixtures("load")
def test_a_type_that_does_not_exist_is_refused_before_anything_is_sent(
    file: Path, sizewell: Sizewell
) -> None:
    assert refused(sizewell, file, "--url", NOBODY, "--instance-type", "ml.g5.xlrge") == (
        'SageMaker has no instance type "ml.g5.xlrge", in any region\n'
        "  did you mean ml.g5.xlarge or ml.g5.8xlarge or ml.g5.4xlarge?\n"
    )


@pytest.mark.usefixtures("load")
def test_a_test_too_short_to_measure_anything_is_refused_before_anything_is_sent(
    file: Path, sizewell: Sizewell
) -> None:
    assert refused(sizewell, file, "--url", NOBODY, "--rate", "1", "--max-seconds", "5") == (
        "a 95th percentile takes 20 answers, and this test has 5 requests: nothing is sent. Raise --rate or --max-seconds\n"
    )


@pytest.mark.usefixtures("load")
def test_a_plan_above_its_budget_is_measured(file: Path, sizewell: Sizewell) -> None:
    (file.parent / "dev.yaml").write_text("policy: {removal: destroy, budget_usd_per_month: 1}\n", "utf-8")
    assert "budget" not in refused(sizewell, file, "--url", NOBODY, "--rate", "1", "--max-seconds", "5")


@pytest.mark.usefixtures("load")
def test_a_payload_that_is_not_there(file: Path, sizewell: Sizewell) -> None:
    (file.parent.parent / "one.json").unlink()

    assert refused(sizewell, file, "--url", NOBODY).startswith("one.json\n  cannot be read: No such file")


@pytest.mark.usefixtures("load", "file", "account")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--instance-type", "ml.g5.xlarge"), "are for --url"),
        (("--instance-count", "2"), "are for --url"),
        (("--url", "ftp://example.com"), "expected http://HOST/PATH"),
        (("--url", NOBODY, "--header", "secret"), "expected NAME: VALUE in ASCII"),
        (("--header", "Authorization: of-ann"), "InvokeEndpoint has no header Authorization"),
        (("--requests", "10001"), "equal to 10000"),
        (("--rate", "1001"), "equal to 1000"),
        (("--rate", "0"), "equal to 0.001"),
    ],
)
def test_a_wrong_call(arguments: tuple[str, ...], said: str, sizewell: Sizewell) -> None:
    code, _, stderr = measure(sizewell, *arguments)
    text = " ".join(stderr.replace("│", " ").split())

    assert code == 2
    assert said in text
    assert "secret" not in text
    assert "of-ann" not in text


def test_ctrl_c_ends_the_process_with_what_there_is(file: Path) -> None:
    with server(OK) as there, signals_heard():
        arguments = ["support-bert", "--env", "dev", "--payload", "one.json", "--url", there.url]
        arguments += ["--rate", "20", "--requests", "10000", "--max-seconds", "3600"]
        process = subprocess.Popen(
            [sys.executable, "-m", "sizewell.cli.main", "measure", *arguments],
            env={**os.environ, "PYTHONPATH": str(PROJECT_ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        until(lambda: len(there.asked), lambda count: count > 5)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 1
    assert stderr.endswith("interrupted: nothing is written\n")
    assert " requests/s of 20 asked for; 0 failed" in stdout
    assert not file.exists()
