"""``make synth`` puts a whole output of one run in the place of the last one, or leaves the last one alone."""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sizewell.cli.main import app
from sizewell.planning import load_plan, plan_to_json
from sizewell.synthesis.installed import installed_packages
from sizewell.synthesis.replace_output import replace
from sizewell.synthesis.unchanged import Synth
from tests.cli.conftest import BASE
from tests.make.conftest import Checkout
from tests.planning.test_network_lookup import answer, group
from tests.synthesis import PROJECT_ROOT

CDK = """\
#!/bin/sh
for output; do
    case $output in --context=env=*) name=${output#--context=env=} ;; env=*) name=${output#env=} ;; esac
done
mkdir -p "$output"
START
if [ "$name" = broken ]; then echo "config/broken.yaml: broken" >&2; exit 1; fi
echo "a warning about $name" >&2
echo "Successfully synthesized to $output" >&2
echo "Supply a stack id (One, Two) to display its template." >&2
mkdir -p "$output"
echo "$name" > "$output/$name.template.json"
cp "$ROOT/.plans/$name.json" "$output/plan.json"
"""
TEMPLATE = Path("cdk.out", "dev.template.json")
UNCHANGED = "Nothing has changed since cdk.out/ was synthesized.\n"
DONE = "Templates and plan.json are in cdk.out/.\n"


@pytest.fixture
def checkout(directory: Path) -> Checkout:
    checkout = Checkout(directory, {"PYTHONPATH": str(PROJECT_ROOT)})
    checkout.add_program(".venv/bin/cdk", CDK)
    checkout.add_program(".venv/bin/python", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (directory / ".venv" / ".run-ready").touch()
    (directory / "config").mkdir()
    (directory / "config" / "base.yaml").write_text(BASE, "utf-8")
    for name in ("dev", "staging", "prod", "broken"):
        (directory / "config" / f"{name}.yaml").write_text("policy: {removal: destroy}\n", "utf-8")
        change(f".plans/{name}.json", plan_to_json(load_plan(directory / "config", name)))(checkout)
    return checkout


def plan_of(checkout: Checkout, environment: str) -> str:
    """Return what ``sizewell plan`` prints."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(checkout.directory)
        result = CliRunner().invoke(app, ["plan", "--env", environment])
    assert result.exit_code == 0, result.stderr
    return result.stdout


def written(checkout: Checkout) -> dict[str, str]:
    """Return the files of the output and what they hold."""
    return {path.name: path.read_text("utf-8").strip() for path in (checkout.directory / "cdk.out").iterdir()}


def whole(checkout: Checkout, environment: str) -> dict[str, str]:
    plan = (checkout.directory / ".plans" / f"{environment}.json").read_text("utf-8").strip()
    return {f"{environment}.template.json": environment, "plan.json": plan}


def left_over(checkout: Checkout) -> list[str]:
    return [path.name for path in checkout.directory.glob("cdk.out?*")]


def test_an_output_takes_the_place_of_the_last_one(checkout: Checkout) -> None:
    for name in ("dev", "prod"):
        said = f"Synthesizing {name} ...\na warning about {name}\n{DONE}"
        assert checkout.make("synth", f"ENV={name}") == (0, plan_of(checkout, name), said)
        assert written(checkout) == whole(checkout, name)
    assert left_over(checkout) == []
    os.umask(umask := os.umask(0))
    assert (checkout.directory / "cdk.out").stat().st_mode & 0o777 == 0o777 & ~umask


def test_faults_of_the_configuration_come_at_once_and_before_cdk_starts(checkout: Checkout) -> None:
    (checkout.directory / "config" / "dev.yaml").write_text("policy: {removal: no}\nnetwok: {}\n", "utf-8")
    code, output, errors = checkout.make("synth", "ENV=dev")
    assert (code, output, checkout.started()) == (2, "", [])
    for part in ("config/dev.yaml:1  policy.removal\n", "config/dev.yaml:2  netwok\n"):
        assert part in errors
    assert "Synthesizing" not in errors


def test_where_nothing_has_changed_nothing_is_started_and_all_is_said_again(checkout: Checkout) -> None:
    first = checkout.make("synth", "ENV=dev")
    assert checkout.started() == ["dev"]
    again = f"a warning about dev\n{UNCHANGED}{DONE}"
    assert checkout.make("synth", "ENV=dev") == (0, first[1], again)
    assert checkout.started() == []
    assert written(checkout) == whole(checkout, "dev")


def test_what_is_printed_is_the_plan_that_was_written(checkout: Checkout) -> None:
    shutil.copy(checkout.directory / ".plans" / "prod.json", checkout.directory / ".plans" / "dev.json")
    for _ in range(2):
        assert checkout.make("synth", "ENV=dev")[1] == plan_of(checkout, "prod")


def test_a_network_that_nobody_has_looked_up_is_left_to_cdk(checkout: Checkout) -> None:
    network = "network: {mode: lookup, vpc_tags: {Name: ml}, subnet_tag: {tier: ml}}\n"
    (checkout.directory / "config" / "dev.yaml").write_text(network, "utf-8")
    (checkout.directory / "found.json").write_text(json.dumps(answer(group("ml", "a", "b"))), "utf-8")
    checkout.add_program(".venv/bin/cdk", CDK.replace("mkdir", "cp found.json cdk.context.json\nmkdir", 1))
    code, _, errors = checkout.make("synth", "ENV=dev")
    assert (code, checkout.started()) == (0, ["dev"]), errors


def change(path: str, text: str) -> Callable[[Checkout], None]:
    def write(checkout: Checkout) -> None:
        (checkout.directory / path).parent.mkdir(parents=True, exist_ok=True)
        (checkout.directory / path).write_text(text, "utf-8")

    return write


def install(_checkout: Checkout) -> None:
    metadata = Path(sys.path[0], "thing-2.dist-info", "METADATA")
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: thing\nVersion: 2\n", "utf-8")


def set_context_of_user(_checkout: Checkout) -> None:
    Path("~", ".cdk.json").expanduser().write_text("{}", "utf-8")


def set_variable(_checkout: Checkout) -> None:
    os.environ["STAGE"] = "blue"


def link(checkout: Checkout) -> None:
    (checkout.directory / "linked" / "code.py").write_text("another", "utf-8")


def remove(path: Path) -> Callable[[Checkout], None]:
    return lambda checkout: (checkout.directory / path).unlink()


def forge_time(checkout: Checkout) -> None:
    """Change a file that keeps its size and its time."""
    file = checkout.directory / "config" / "prod.yaml"
    status = file.stat()
    file.write_text(file.read_text("utf-8").replace("destroy", "retain "), "utf-8")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns)


#: Each follows on the one before.
CHANGES = (
    change("config/dev.yaml", "policy: {removal: retain}\n"),
    change("config/selection.lock.yaml", "schema_version: 1\nenvironments: {}\n"),
    change("app.py", "another app"),
    change("constructs_lib/new.py", ""),
    change("cdk.json", "{}"),
    change(".env", "STAGE=blue"),
    set_context_of_user,
    change("elsewhere/module.py", ""),
    change("cdk.out/dev.template.json", "another"),
    change("cdk.out/more.json", ""),
    change(".sizewell/synth.json", "{}"),
    change(".sizewell/synth.json", "[]"),
    change(".sizewell/synth.json", "half of"),
    remove(TEMPLATE),
    install,
    link,
    set_variable,
    forge_time,
)


def test_whatever_may_have_changed_is_synthesized_again(
    checkout: Checkout, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "code.py").write_text("some", "utf-8")
    (checkout.directory / "linked").symlink_to(outside)
    (checkout.directory / "elsewhere").mkdir()
    (checkout.directory / TEMPLATE).parent.mkdir()
    monkeypatch.chdir(checkout.directory)
    monkeypatch.setenv("PYTHONPATH", str(checkout.directory / "elsewhere"))
    # Without the hundred packages of these tests, which take most of the time.
    others = [place for place in sys.path if "site-packages" not in place]
    monkeypatch.setattr(sys, "path", [str(tmp_path_factory.mktemp("packages")), *others])
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.setenv("STAGE", "green")

    for number, touch in enumerate(CHANGES):
        TEMPLATE.write_text("dev", "utf-8")
        synth = Synth.of_now("dev", "config")
        synth.remember(Path("cdk.out"), b"said")
        assert (number, synth.last_said(Path("cdk.out"))) == (number, "said")
        touch(checkout)
        installed_packages.cache_clear()
        assert (number, Synth.of_now("dev", "config").last_said(Path("cdk.out"))) == (number, None)


def test_another_environment_or_directory_is_synthesized(checkout: Checkout) -> None:
    shutil.copytree(checkout.directory / "config", checkout.directory / "same")
    for arguments, name in (
        (["ENV=dev"], "dev"),
        (["ENV=prod"], "prod"),
        (["ENV=prod", "CONFIG=same"], "prod"),
    ):
        checkout.make("synth", *arguments)
        assert checkout.started() == [name]


def test_what_changes_during_a_synth_is_synthesized_again(checkout: Checkout) -> None:
    before = (checkout.directory / "config" / "dev.yaml").read_text("utf-8")
    gate = checkout.add_gate("dev")
    process = checkout.start("synth", "ENV=dev")
    waiting = gate.wait(process)
    change("config/dev.yaml", "policy: {removal: retain}\n")(checkout)
    waiting.open()
    process.communicate()
    change("config/dev.yaml", before)(checkout)
    checkout.started()
    assert UNCHANGED not in checkout.make("synth", "ENV=dev")[2]
    assert checkout.started() == ["dev"]


def test_a_project_that_keeps_nothing_is_synthesized_each_time(checkout: Checkout) -> None:
    change(".sizewell", "in the way")(checkout)
    for _ in range(2):
        assert checkout.make("synth", "ENV=dev")[0] == 0
        assert checkout.started() == ["dev"]


def test_what_cdk_says_against_an_environment_leaves_the_last_output_alone(checkout: Checkout) -> None:
    change("cdk.out/dev.template.json", "dev")(checkout)
    code, output, errors = checkout.make("synth", "ENV=broken")
    assert (code, output) == (2, "")
    assert errors.startswith("Synthesizing broken ...\nconfig/broken.yaml: broken\nmake: *** ")
    assert written(checkout) == {"dev.template.json": "dev"}
    assert left_over(checkout) == []


@pytest.mark.parametrize("killed", ["make alone", "make and what it started"])
def test_what_a_killed_run_left_running_writes_into_no_other_output(checkout: Checkout, killed: str) -> None:
    dev, prod = checkout.add_gate("dev"), checkout.add_gate("prod")
    first = checkout.start("synth", "ENV=dev")
    orphan = dev.wait(first)
    if killed == "make alone":
        first.kill()
    else:
        os.killpg(first.pid, signal.SIGKILL)
    second = checkout.start("synth", "ENV=prod")
    waiting = prod.wait(second)
    orphan.open()
    # The streams are at their ends when all processes have ended that had them.
    first.communicate()
    waiting.open()
    _, errors = second.communicate()
    assert second.returncode == 0, errors
    assert written(checkout) == whole(checkout, "prod")
    checkout.make("clean")
    assert left_over(checkout) == []


def test_the_next_run_removes_what_a_killed_one_left_behind_and_not_what_another_one_writes(
    checkout: Checkout,
) -> None:
    killed, going_on = checkout.add_gate("dev"), checkout.add_gate("staging")
    first = checkout.start("synth", "ENV=dev")
    orphan = killed.wait(first)
    os.killpg(first.pid, signal.SIGKILL)
    orphan.open()
    first.communicate()
    assert len(left_over(checkout)) == 1
    second = checkout.start("synth", "ENV=staging")
    waiting = going_on.wait(second)
    (of_second,) = left_over(checkout)
    assert checkout.make("synth", "ENV=prod")[0] == 0
    assert left_over(checkout) == [of_second]
    waiting.open()
    _, errors = second.communicate()
    assert second.returncode == 0, errors
    assert left_over(checkout) == []


def test_a_killed_run_that_ends_last_replaces_nothing(checkout: Checkout) -> None:
    dev = checkout.add_gate("dev")
    first = checkout.start("synth", "ENV=dev")
    orphan = dev.wait(first)
    first.kill()
    assert checkout.make("synth", "ENV=prod")[0] == 0
    orphan.open()
    first.communicate()
    assert written(checkout) == whole(checkout, "prod")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_leaves_the_last_output_and_nothing_else(
    checkout: Checkout, number: signal.Signals
) -> None:
    change("cdk.out/prod.template.json", "prod")(checkout)
    dev = checkout.add_gate("dev")
    process = checkout.start("synth", "ENV=dev")
    waiting = dev.wait(process)
    os.killpg(process.pid, number)
    waiting.wait_for_end()
    _, errors = process.communicate()
    assert process.returncode != 0
    assert "Traceback" not in errors
    assert written(checkout) == {"prod.template.json": "prod"}
    assert left_over(checkout) == []


def test_of_two_runs_at_once_both_succeed_and_one_output_is_there(checkout: Checkout) -> None:
    gates = [checkout.add_gate(name) for name in ("dev", "prod")]
    runs = [checkout.start("synth", f"ENV={name}") for name in ("dev", "prod")]
    for waiting in [gate.wait(run) for gate, run in zip(gates, runs, strict=True)]:
        waiting.open()
    for process in runs:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    assert written(checkout) in (whole(checkout, "dev"), whole(checkout, "prod"))
    assert left_over(checkout) == []


def test_an_output_that_another_run_puts_there_meanwhile_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new, other, aside = (tmp_path / name for name in ("old", "new", "other", "aside"))
    for directory in (old, new, other, aside):
        directory.mkdir()
        (directory / directory.name).touch()
    rename = Path.rename

    def rename_after_the_other_run(path: Path, target: Path) -> Path:
        if path == new and other.exists():
            rename(other, target)
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", rename_after_the_other_run)
    replace(old, new, aside)
    assert [path.name for path in old.iterdir()] == ["new"]
    assert not other.exists()
