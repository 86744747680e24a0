"""``sizewell review``: what cannot be reviewed, and files that are written as a whole."""

import errno
from pathlib import Path

import pytest

from sizewell.review.rendering.comment import MARKER
from tests.cli.conftest import Sizewell
from tests.cli.saved_outputs import TABLE, TOPIC, changes, save
from tests.synthesis_of_refs.projects import Project, starts


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--base", "mian"), '--base: there is no ref "mian" in this repository\n  did you mean main?\n'),
        (("--base", "main", "--head", "topic"), '--head: there is no ref "topic" in this repository\n'),
        (("--base", "./out"), '--base: there is no directory "./out"\n'),
        (("--base", ""), '--base: there is no directory ""\n'),
        (
            ("--base", "main", "--env", "prd", "--env", "nothing"),
            '--env: neither side has an environment "prd"\n  did you mean prod?\n'
            '--env: neither side has an environment "nothing"\n  there are: dev, prod\n',
        ),
        (("--base", "main", "--config", "confg"), '--config: there is no directory "confg" in either side\n'),
        (("--base", "main", "--config", ".git"), '--config: there is no directory ".git" in either side\n'),
        (
            ("--base", "main", "--config", "../elsewhere"),
            "--base: ../elsewhere is outside of the project, so git does not know what it was; "
            "name a configuration directory inside\n",
        ),
    ],
)
def test_bad_input_is_exit_code_2_and_starts_nothing(
    project: Project, sizewell: Sizewell, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = sizewell("review", *arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", message)
    assert starts(tmp_path) == []


def test_environments_that_no_directory_has(sizewell: Sizewell, tmp_path: Path) -> None:
    base, head = save(tmp_path / "base" / "prod", Topic=TOPIC), save(tmp_path / "head" / "prod", Topic=TOPIC)
    result = sizewell("review", "--base", str(base.parent), "--head", str(head.parent), "--env", "prd")
    assert (result.exit_code, result.stderr) == (
        2,
        '--env: neither side has an environment "prd"\n  did you mean prod?\n',
    )


def test_no_environment_at_all(project: Project, sizewell: Sizewell) -> None:
    project.write("empty/base.yaml", "")
    result = sizewell("review", "--base", "worktree", "--config", "empty")
    assert (result.exit_code, result.stderr) == (
        2,
        "there is no environment in empty/ in either side: no file like dev.yaml\n",
    )


def test_no_repository(sizewell: Sizewell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = sizewell("review", "--base", "main")
    assert result.exit_code == 2
    assert result.stderr == (
        '--base: there is no directory "main", and this is no git repository\n'
        "  compare two directories that cdk synth wrote: --base DIR --head DIR\n"
    )
    result = sizewell("review", "--base", "one", "--head", "two", "--json", "nothing/a")
    assert [line for line in result.stderr.splitlines() if line[0] != " "] == [
        '--base: there is no directory "one", and this is no git repository',
        '--head: there is no directory "two", and this is no git repository',
        '--json "nothing/a": name a file in a directory that exists',
    ]
    assert not (tmp_path / ".sizewell").exists()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (("--json", "-", "--html", "-"), "one format goes to standard output"),
        (("--json", "a", "--html", "./a"), "each format needs a file of its own"),
        (("--json", "nothing/a.json"), "name a file in a directory that exists"),
        (("--html", "config"), "name a file in a directory that exists"),
    ],
)
def test_files_are_checked_before_anything_starts(
    project: Project, sizewell: Sizewell, tmp_path: Path, files: tuple[str, ...], message: str
) -> None:
    result = sizewell("review", "--base", "main", *files)
    assert result.exit_code == 2
    assert message in result.stderr
    assert starts(tmp_path) == []


def test_every_fault_is_said_at_once(project: Project, sizewell: Sizewell, tmp_path: Path) -> None:
    result = sizewell(
        *("review", "--base", "main", "--head", "worktree", "--env", "prd"),
        *("--fail-on", "dangr,danger@nothing"),
        *("--json", "nothing/a", "--html", "config"),
    )
    assert (result.exit_code, result.stdout) == (2, "")
    assert [line.partition(": ")[0] for line in result.stderr.splitlines() if line[0] != " "] == [
        *("--env", "--fail-on", "--fail-on", '--html "config"', '--json "nothing/a"')
    ]
    result = sizewell(
        *("review", "--base", "mian", "--head", "nothing", "--fail-on", "dangr", "--json", "a", "--html", "a")
    )
    assert [line.partition(": ")[0] for line in result.stderr.splitlines() if line[0] != " "] == [
        *("--base", "--head", "--fail-on", "--html and --json")
    ]
    assert starts(tmp_path) == []


def test_a_fault_of_an_output_is_said_with_those_of_the_options(sizewell: Sizewell, tmp_path: Path) -> None:
    base, head = save(tmp_path / "base", Topic=TOPIC), save(tmp_path / "head", Topic=TOPIC)
    (base / "demo.template.json").write_text("{")
    (head / "demo.template.json").write_text("[")
    result = sizewell("review", "--base", str(base), "--head", str(head), "--fail-on", "dangr")
    assert result.exit_code == 2
    assert [line.partition(": ")[0] for line in result.stderr.splitlines()] == [
        *(f"{base}/demo.template.json", f"{head}/demo.template.json", "--fail-on")
    ]


@pytest.mark.parametrize(
    "arguments", [("review", "--base", "HEAD"), ("parity", "--env", "dev", "--like", "prod")]
)
@pytest.mark.parametrize(("below", "up"), [("config", ".."), ("docs/größe 1", "../..")])
def test_below_the_directory_of_the_project(
    project: Project,
    sizewell: Sizewell,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    below: str,
    up: str,
) -> None:
    place = project.directory / below
    place.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(place)
    result = sizewell(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"there is no cdk.json here; it is in {up}: run it there\n"
    assert not list(tmp_path.rglob(".sizewell"))
    assert starts(tmp_path) == []


# The last resort.


@pytest.mark.parametrize(
    ("broken", "what"),
    [
        ("sizewell.review.compare.compare_outputs", "comparing {base} with {head}"),
        ("sizewell.review.rendering.render_html", "rendering the review as html"),
        ("sizewell.cli.review_view.print_review", "printing the review"),
    ],
)
def test_what_nobody_foresaw_is_one_message_and_exit_code_2(
    sizewell: Sizewell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str, what: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("Properties\n  of nothing")

    monkeypatch.setattr(broken, fail)
    base, head = save(tmp_path / "base", Topic=TOPIC), save(tmp_path / "head", Topic=TOPIC)
    result = sizewell(
        "review", "--base", str(base), "--head", str(head), "--html", str(tmp_path / "review.html")
    )
    assert (result.exit_code, result.stdout) == (2, "")
    first, *rest = result.stderr.splitlines()
    assert first.startswith(f"sizewell stopped while {what.format(base=base, head=head)}: KeyError: ")
    assert first.endswith(f"(tests/cli/{Path(__file__).name}:{fail.__code__.co_firstlineno + 1})")
    assert rest == [
        f"  {base}",
        f"  {head}",
        "this is a fault of sizewell: please report it with this message and the two outputs",
    ]


def test_an_output_that_breaks_the_reader_is_named(
    sizewell: Sizewell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RecursionError

    base, head = save(tmp_path / "base", Topic=TOPIC), save(tmp_path / "head", Topic=TOPIC)
    monkeypatch.setattr("sizewell.review.saved.reading.OutputReader.read", fail)
    result = sizewell("review", "--base", str(base), "--head", str(head))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"sizewell stopped while reading {base}: RecursionError (tests/cli/")
    assert "Traceback" not in result.stderr


def test_a_synthesis_that_the_system_refuses(
    project: Project, sizewell: Sizewell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("sizewell.synthesis.synthesize.started", fail)
    result = sizewell("review", "--base", "main")
    assert result.exit_code == 2
    assert result.stderr.endswith(
        "sizewell stopped while synthesizing main and worktree\n  No space left on device\n"
        "  make room on the disk, then run it again\n"
    )


# Files.


def test_every_format_has_its_file_and_the_terminal_the_rest(sizewell: Sizewell, tmp_path: Path) -> None:
    base = save(tmp_path / "base", Topic=TOPIC)
    head = save(tmp_path / "head", Topic=TOPIC, Table=TABLE)
    files = {name: tmp_path / f"review.{name}" for name in ("markdown", "html", "json")}
    options = [part for name, path in files.items() for part in (f"--{name}", str(path))]
    before = {path.name for path in tmp_path.iterdir()}
    result = sizewell("review", "--base", str(base), "--head", str(head), *options)
    assert result.exit_code == 0, result.stderr
    assert "Table" in result.stdout
    assert files["markdown"].read_text("utf-8").startswith(MARKER)
    assert files["html"].read_text("utf-8").lower().startswith("<!doctype html>")
    assert changes(files["json"].read_text("utf-8")) == [("app", "Table", "added")]
    assert {path.name for path in tmp_path.iterdir()} - before == {path.name for path in files.values()}
    result = sizewell("review", "--base", str(base), "--head", str(head), "--markdown", "-")
    assert result.stdout == files["markdown"].read_text("utf-8")


def test_exit_codes_are_in_the_help(sizewell: Sizewell) -> None:
    text = sizewell("review", "--help").stdout
    assert [line.split()[0] for line in text.partition("Exit codes:")[2].splitlines()[1:5]] == list("0123")
