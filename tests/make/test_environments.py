"""An environment comes whole or not at all, whoever is killed and however many makes there are."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.make.conftest import Checkout
from tests.synthesis import PROJECT_ROOT

RUN, DEV = ".venv/.run-ready", ".venv/.dev-ready"
#: Found before the module of the standard library.
VENV = """\
import subprocess, sys
sys.exit(subprocess.call(["sh", "./make_environment", sys.argv[-1]], close_fds=False))
"""
MAKE_ENVIRONMENT = """\
name=venv
rm -rf "$1"
mkdir -p "$1/bin"
START
cp pip "$1/bin/python"
"""
#: Installs one file, by the name of the step, as the last argument tells it.
PIP = """\
#!/bin/sh
for what; do :; done
case $what in
    requirements.lock) name=run ;; requirements-dev.lock) name=dev ;; .) name=project ;; tools/localcloud) name=local-cloud ;;
esac
if [ -e "$name.unreachable" ]; then echo "cannot download $name" >&2; exit 1; fi
site=.venv/lib/python3/site-packages
mkdir -p "$site"
touch "$site/half-$name"
START
mv "$site/half-$name" "$site/$name"
"""
STEPS = ["venv", "run", "project", "dev", "local-cloud"]


@pytest.fixture
def checkout(directory: Path) -> Checkout:
    # A Python without the packages of the project, as that of the system.
    python = os.path.realpath(sys.executable)
    checkout = Checkout(
        directory, {"PYTHON": python, "PYTHONPATH": f"{directory / 'modules'}:{PROJECT_ROOT}"}
    )
    checkout.add_program("modules/venv.py", VENV)
    checkout.add_program("make_environment", MAKE_ENVIRONMENT)
    checkout.add_program("pip", PIP)
    return checkout


def installed(checkout: Checkout) -> set[str]:
    site = checkout.directory / ".venv" / "lib" / "python3" / "site-packages"
    return {path.name for path in site.iterdir()}


def change(checkout: Checkout, name: str, text: str | None = None) -> None:
    """Write a source anew, later than every stamp."""
    file = checkout.directory / name
    file.write_text(file.read_text("utf-8") if text is None else text, "utf-8")
    later = max(path.stat().st_mtime for path in (checkout.directory / ".venv").iterdir()) + 1
    os.utime(file, (later, later))


@pytest.mark.parametrize(("step", "number"), [("venv", signal.SIGINT), ("dev", signal.SIGTERM)])
def test_an_interrupted_environment_is_gone_and_made_again(
    checkout: Checkout, step: str, number: signal.Signals
) -> None:
    gate = checkout.add_gate(step)
    process = checkout.start(DEV)
    waiting = gate.wait(process)
    os.killpg(process.pid, number)
    waiting.wait_for_end()
    _, errors = process.communicate()
    assert process.returncode != 0
    assert "Traceback" not in errors
    assert not (checkout.directory / ".venv").exists()
    checkout.started()
    assert checkout.make(DEV)[0] == 0
    assert checkout.started() == STEPS
    assert installed(checkout) == set(STEPS[1:])


@pytest.mark.parametrize("step", ["venv", "dev"])
def test_a_killed_make_is_waited_for_and_what_it_left_is_made_again(checkout: Checkout, step: str) -> None:
    gate = checkout.add_gate(step)
    process = checkout.start(DEV)
    waiting = gate.wait(process)
    os.killpg(process.pid, signal.SIGKILL)
    checkout.started()
    again = checkout.start(DEV)
    assert again.stderr is not None
    assert again.stderr.readline() == "Another make sets up .venv: waiting until it is done ...\n"
    assert checkout.started() == []
    waiting.open()
    process.communicate()
    again.communicate()
    assert again.returncode == 0
    assert checkout.started() == STEPS
    assert installed(checkout) == set(STEPS[1:])


def test_of_two_makes_at_once_one_works_and_both_succeed(checkout: Checkout) -> None:
    gate = checkout.add_gate("run")
    first = checkout.start(RUN)
    waiting = gate.wait(first)
    second = checkout.start(DEV)
    assert second.stderr is not None
    assert second.stderr.readline() == "Another make sets up .venv: waiting until it is done ...\n"
    waiting.open()
    for process in (first, second):
        process.communicate()
        assert process.returncode == 0
    assert checkout.started() == STEPS
    assert checkout.make(DEV) == (0, f"make: '{DEV}' is up to date.\n", "")


def test_a_changed_lock_updates_what_is_there(checkout: Checkout) -> None:
    checkout.make(DEV)
    checkout.started()
    change(checkout, "requirements.lock", "other pins\n")
    assert checkout.make(RUN)[0] == 0
    assert checkout.started() == ["run", "project"]
    assert checkout.make(DEV)[0] == 0
    assert checkout.started() == ["dev", "local-cloud"]


def test_an_environment_whose_python_is_gone_is_made_again(checkout: Checkout) -> None:
    checkout.make(DEV)
    checkout.started()
    (checkout.directory / ".venv" / "bin" / "python").unlink()
    change(checkout, "requirements-dev.lock", "other pins\n")
    assert checkout.make(DEV)[0] == 0
    assert checkout.started() == STEPS


def test_a_source_that_only_looks_newer_costs_nothing(checkout: Checkout) -> None:
    checkout.make(DEV)
    checkout.started()
    change(checkout, "pyproject.toml")
    assert checkout.make(DEV)[0] == 0
    assert checkout.started() == []


def test_what_cannot_be_downloaded_leaves_the_environment_as_it_was(checkout: Checkout) -> None:
    (checkout.directory / "run.unreachable").touch()
    code, _, errors = checkout.make(RUN)
    assert (code, errors.splitlines()[1]) == (2, "cannot download run")
    assert not (checkout.directory / ".venv").exists()
    (checkout.directory / "run.unreachable").rename(checkout.directory / "dev.unreachable")
    assert checkout.make(DEV)[0] == 2
    checkout.started()
    assert checkout.make(RUN) == (0, f"make: '{RUN}' is up to date.\n", "")
    change(checkout, "requirements.lock", "other pins\n")
    (checkout.directory / "dev.unreachable").rename(checkout.directory / "run.unreachable")
    assert checkout.make(RUN)[0] == 2
    # The old packages stand, but they are not what the lock asks for.
    assert installed(checkout) == {"run", "project"}
    assert checkout.make(RUN)[0] == 2
    (checkout.directory / "run.unreachable").unlink()
    assert checkout.make(RUN)[0] == 0
    assert checkout.started() == ["run", "project"]
