import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sizewell_localcloud.cloud import LocalCloud
from sizewell_localcloud.process import StartError, free_port, healthy, request
from tests.localcloud.processes import PATIENCE_S, child_of, ended
from tests.synthesis import PROJECT_ROOT


def test_a_free_port_is_of_this_machine_and_free() -> None:
    port = free_port()
    assert 1024 < port < 65536
    assert not healthy(port, "secret")


def test_it_runs_for_the_length_of_the_block(stand_in: tuple[str, ...]) -> None:
    with LocalCloud(command=stand_in) as cloud:
        pid, child, folder = cloud.pid, child_of(cloud.log()), cloud.folder
        assert cloud.endpoint_url == f"http://127.0.0.1:{cloud.port}"
        assert request(cloud.port, cloud.secret, "GET", "/nowhere") == 404
        cloud.reset()
        assert "POST /_ministack/reset" in cloud.log()
        assert cloud.environment("111122223333", "us-east-1")["AWS_ENDPOINT_URL"] == cloud.endpoint_url
    assert ended(pid)
    assert ended(child)
    assert not folder.exists()
    cloud.stop()


def test_two_of_them_do_not_meet(stand_in: tuple[str, ...]) -> None:
    with LocalCloud(command=stand_in) as first, LocalCloud(command=stand_in) as second:
        assert first.port != second.port
        assert first.folder != second.folder


def test_a_failed_start_shows_the_end_of_the_log_and_leaves_nothing() -> None:
    cloud = LocalCloud(command=(sys.executable, "-c", "raise SystemExit('no such plugin')"))
    with pytest.raises(StartError, match=r"the emulator ended with code 1\nno such plugin"):
        cloud.start()
    assert not cloud.folder.exists()


def test_a_port_that_somebody_took_meanwhile_is_given_up(
    stand_in: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    with LocalCloud(command=stand_in) as first:
        ports = iter([first.port, free_port()])
        monkeypatch.setattr("sizewell_localcloud.process.free_port", lambda: next(ports))
        with LocalCloud(command=stand_in) as second:
            assert second.port != first.port


def test_it_listens_on_loopback_only(stand_in: tuple[str, ...]) -> None:
    with LocalCloud(command=stand_in) as cloud:
        table = Path("/proc/net/tcp")
        if not table.exists():
            pytest.skip("no /proc/net/tcp here")
        sockets = [line.split()[1] for line in table.read_text().splitlines()[1:]]
        assert [s for s in sockets if s == f"00000000:{cloud.port:04X}"] == []
        assert f"0100007F:{cloud.port:04X}" in sockets


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_it_never_outlives_the_process_that_started_it(
    number: signal.Signals, stand_in: tuple[str, ...], tmp_path: Path
) -> None:
    program = (
        # A shell starts background commands with SIGINT ignored, and children inherit that.
        "import signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from sizewell_localcloud.cloud import LocalCloud\n"
        f"cloud = LocalCloud(command={stand_in!r}).start()\n"
        "print(cloud.pid, flush=True)\n"
        "signal.pause()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=PROJECT_ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as parent:
        assert parent.stdout is not None
        server = int(parent.stdout.readline())
        log = next(tmp_path.glob("sizewell-local-cloud-*/emulator.log"))
        child = child_of(log.read_text("utf-8"))
        parent.send_signal(number)
        parent.wait(PATIENCE_S)
    assert ended(server)
    if number == signal.SIGINT:
        assert ended(child)
    else:
        # The real server ends its workers itself when its input closes; the stand-in does not.
        os.kill(child, signal.SIGKILL)
