"""``make synth`` puts a whole output of one run in the place of the last one, or leaves the last one alone."""

import os
import signal
import sys
from pathlib import Path

import pytest

from sizewell.synthesis.replace_output import replace
from tests.make.conftest import Checkout
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
echo "$name" > "$output/plan.json"
"""
SIZEWELL = """\
#!/bin/sh
echo "sizewell $*"
"""
DONE = "Templates and plan.json are in cdk.out/.\n"


@pytest.fixture
def checkout(directory: Path) -> Checkout:
    checkout = Checkout(directory, {"PYTHONPATH": str(PROJECT_ROOT)})
    checkout.add_program(".venv/bin/cdk", CDK)
    checkout.add_program(".venv/bin/sizewell", SIZEWELL)
    checkout.add_program(".venv/bin/python", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (directory / ".venv" / ".run-ready").touch()
    return checkout


def written(checkout: Checkout) -> dict[str, str]:
    """Return the files of the output and what they hold."""
    return {path.name: path.read_text("utf-8").strip() for path in (checkout.directory / "cdk.out").iterdir()}


def whole(environment: str) -> dict[str, str]:
    return {f"{environment}.template.json": environment, "plan.json": environment}


def left_over(checkout: Checkout) -> list[str]:
    return [path.name for path in checkout.directory.glob("cdk.out?*")]


def test_an_output_takes_the_place_of_the_last_one(checkout: Checkout) -> None:
    plan = "sizewell plan --env {} --config config\n"
    for name in ("dev", "prod"):
        said = f"Synthesizing {name} ...\na warning about {name}\n{DONE}"
        assert checkout.make("synth", f"ENV={name}") == (0, plan.format(name), said)
        assert written(checkout) == whole(name)
    assert left_over(checkout) == []
    os.umask(umask := os.umask(0))
    assert (checkout.directory / "cdk.out").stat().st_mode & 0o777 == 0o777 & ~umask


def test_what_cdk_says_against_an_environment_leaves_the_last_output_alone(checkout: Checkout) -> None:
    checkout.make("synth", "ENV=dev")
    code, output, errors = checkout.make("synth", "ENV=broken")
    assert (code, output) == (2, "")
    assert errors.startswith("Synthesizing broken ...\nconfig/broken.yaml: broken\nmake: *** ")
    assert written(checkout) == whole("dev")
    assert left_over(checkout) == []


@pytest.mark.parametrize("killed", ["make alone", "make and what it started"])
def test_what_a_killed_run_left_running_writes_into_no_other_output(checkout: Checkout, killed: str) -> None:
    dev, prod = checkout.add_gate("dev"), checkout.add_gate("prod")
    first = checkout.start("synth", "ENV=dev")
    orphan = dev.wait()
    if killed == "make alone":
        first.kill()
    else:
        os.killpg(first.pid, signal.SIGKILL)
    second = checkout.start("synth", "ENV=prod")
    waiting = prod.wait()
    orphan.open()
    # The streams are at their ends when all processes have ended that had them.
    first.communicate()
    waiting.open()
    _, errors = second.communicate()
    assert second.returncode == 0, errors
    assert written(checkout) == whole("prod")
    checkout.make("clean")
    assert left_over(checkout) == []


def test_a_killed_run_that_ends_last_replaces_nothing(checkout: Checkout) -> None:
    dev = checkout.add_gate("dev")
    first = checkout.start("synth", "ENV=dev")
    orphan = dev.wait()
    first.kill()
    assert checkout.make("synth", "ENV=prod")[0] == 0
    orphan.open()
    first.communicate()
    assert written(checkout) == whole("prod")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_leaves_the_last_output_and_nothing_else(
    checkout: Checkout, number: signal.Signals
) -> None:
    checkout.make("synth", "ENV=prod")
    dev = checkout.add_gate("dev")
    process = checkout.start("synth", "ENV=dev")
    waiting = dev.wait()
    os.killpg(process.pid, number)
    waiting.wait_for_end()
    _, errors = process.communicate()
    assert process.returncode != 0
    assert "Traceback" not in errors
    assert written(checkout) == whole("prod")
    assert left_over(checkout) == []


def test_of_two_runs_at_once_both_succeed_and_one_output_is_there(checkout: Checkout) -> None:
    gates = [checkout.add_gate(name) for name in ("dev", "prod")]
    runs = [checkout.start("synth", f"ENV={name}") for name in ("dev", "prod")]
    for waiting in [gate.wait() for gate in gates]:
        waiting.open()
    for process in runs:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    assert written(checkout) in (whole("dev"), whole("prod"))
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
