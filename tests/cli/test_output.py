"""What the commands write: whole or not at all, one at a time, and one message where the system refuses."""

import ast
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sizewell.cli.output import RefusedError, write_file
from tests.cli.conftest import Sizewell
from tests.cli.saved_outputs import TABLE, TOPIC, save
from tests.synthesis import PROJECT_ROOT

RESULTS = "instance_type,concurrency,p95_latency_ms\nml.g4dn.xlarge,8,31\n"
OTHER_RESULTS = RESULTS.replace("31", "29").replace("ml.g4dn", "ml.g5")
IMPORTS = tuple(
    ("import-measurement", name, "--workload", "support-bert") for name in ("results.csv", "other.csv")
)
LOCKS = tuple(("lock", "--env", name) for name in ("dev", "prod"))
#: Runs the command, but stops between reading and writing: says so through one FIFO, and waits for another.
PAUSED = """\
import os, sys
from sizewell.cli.main import main
replace = os.replace
def pause(*arguments):
    open("reached", "w").close()
    open("go").close()
    replace(*arguments)
os.replace = pause
main()
"""


@contextmanager
def full_disk() -> Iterator[None]:
    """Let no file grow: Python ignores the signal, and the system says EFBIG."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def start(
    *arguments: str, program: tuple[str, ...] = ("-m", "sizewell.cli.main"), **options: Any
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *program, *arguments],
        env={**os.environ, "PYTHONPATH": str(PROJECT_ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.mark.parametrize(
    ("arguments", "file", "code"),
    [
        (("lock",), "config/selection.lock.yaml", 1),
        (("import-measurement", "results.csv", "--workload", "support-bert"), "config/measurements.yaml", 1),
        (("explain", "support-bert", "--env", "dev", "--html", "page.html"), "page.html", 1),
        (("review", "--base", "base", "--head", "head", "--markdown", "page.md"), "page.md", 2),
        (("init", "--ci", "gitlab"), ".gitlab/sizewell-review.gitlab-ci.yml", 1),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else None,
)
def test_a_full_disk_is_one_message(
    directory: Path, sizewell: Sizewell, arguments: tuple[str, ...], file: str, code: int
) -> None:
    Path("results.csv").write_text(RESULTS, "utf-8")
    save(Path("base"), Topic=TOPIC)
    save(Path("head"), Topic=TOPIC, Table=TABLE)
    before = files(directory.parent)
    with full_disk():
        result = sizewell(*arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    place, *said = result.stderr.splitlines()
    assert place.endswith(file)
    assert said == [
        "  cannot be written: File too large",
        "  raise the limit of the size of files (ulimit -f), then run it again",
    ]
    assert files(directory.parent) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("schema",), 1),
        (("--help",), 1),
        (("review", "--base", "base", "--head", "head"), 2),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else None,
)
def test_a_full_standard_output_is_one_message(
    directory: Path, arguments: tuple[str, ...], code: int
) -> None:
    save(Path("base"), Topic=TOPIC)
    save(Path("head"), Topic=TOPIC, Table=TABLE)
    with Path("/dev/full").open("w") as full:
        process = start(*arguments, stdout=full)
        _, errors = process.communicate()
    assert (process.returncode, errors) == (
        code,
        "the standard output\n  cannot be written: No space left on device\n"
        "  make room on the disk, then run it again\n",
    )


def test_a_file_is_replaced_as_a_whole_or_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, link = tmp_path / "größe 1.md", tmp_path / "link.md"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        with pytest.raises(KeyboardInterrupt):
            write_file(link, "new")
    assert target.read_text() == "old"
    assert write_file(link, "new")
    assert (target.read_text(), link.is_symlink()) == ("new", True)
    assert target.stat().st_mode & 0o777 == 0o640
    written = target.stat().st_mtime_ns
    assert not write_file(link, "new")
    assert target.stat().st_mtime_ns == written
    assert len(list(tmp_path.iterdir())) == 2
    write_file(Path(os.devnull), "anything")


def test_a_new_file_has_the_usual_permissions_also_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    (tmp_path / "link").symlink_to("target")
    write_file(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"
    assert (tmp_path / "target").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("file/page.html", "Not a directory\n  name a file in a directory that exists"),
        ("gone/page.html", "No such file or directory\n  name a file in a directory that exists"),
        ("loop", "Too many levels of symbolic links\n  remove the link: it leads to itself"),
        ("directory", "Is a directory\n  name a file: this is a directory"),
        ("a" * 300, "File name too long\n  take a shorter name"),
    ],
)
def test_a_place_that_takes_no_file_is_one_message(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "directory").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(RefusedError) as refused:
        write_file(tmp_path / name, "new")
    assert str(refused.value) == f"{tmp_path}/{name}\n  cannot be written: {said}"


def test_the_longest_name_is_no_hindrance(tmp_path: Path) -> None:
    write_file(tmp_path / ("a" * 255), "new")
    assert files(tmp_path) == {"a" * 255: b"new"}


@pytest.mark.parametrize(
    ("first", "second", "file", "both", "is_killed"),
    [
        (*IMPORTS, "measurements.yaml", ("ml.g4dn.xlarge", "ml.g5.xlarge"), False),
        (*IMPORTS, "measurements.yaml", ("ml.g4dn.xlarge", "ml.g5.xlarge"), True),
        (*LOCKS, "selection.lock.yaml", ("  dev:", "  prod:"), False),
    ],
    ids=["import-measurement", "import-measurement is killed", "lock"],
)
def test_two_commands_at_once_lose_nothing(
    directory: Path,
    first: tuple[str, ...],
    second: tuple[str, ...],
    file: str,
    both: tuple[str, str],
    is_killed: bool,
) -> None:
    (directory / "prod.yaml").write_text("policy: {min_endpoint_instances: 2}\n", "utf-8")
    Path("results.csv").write_text(RESULTS, "utf-8")
    Path("other.csv").write_text(OTHER_RESULTS, "utf-8")
    os.mkfifo("reached")
    os.mkfifo("go")
    one = start(*first, program=("-c", PAUSED), stdout=subprocess.DEVNULL)
    Path("reached").read_bytes()
    other = start(*second, stdout=subprocess.DEVNULL)
    assert other.stderr is not None
    # Without a lock the other one would end here, and the first one overwrite what it wrote.
    waiting = other.stderr.readline()
    if is_killed:
        one.send_signal(signal.SIGKILL)
    else:
        Path("go").write_bytes(b"")
    one.communicate()
    _, errors = other.communicate()
    assert (other.returncode, errors) == (0, "")
    text = (directory / file).read_text("utf-8")
    assert [name in text for name in both] == [not is_killed, True]
    assert waiting == f"waiting for another command that changes config/{file} ...\n"
    if not is_killed:
        assert one.returncode == 0
        assert {path.name for path in directory.iterdir()} == {"base.yaml", "dev.yaml", "prod.yaml", file}


def test_commands_write_in_one_place() -> None:
    for path in (PROJECT_ROOT / "sizewell" / "cli").glob("*.py"):
        calls = (
            node.func for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)
        )
        for call in calls:
            name = ast.unparse(call)
            if path.name != "output.py":
                assert name not in ("typer.echo", "print", "open"), path.name
                assert not name.endswith((".write_text", ".write_bytes", ".open")), path.name
