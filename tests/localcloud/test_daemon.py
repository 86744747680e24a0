import dataclasses
import os
import signal
from pathlib import Path

import pytest

from localcloud import daemon
from localcloud.identity import start_time
from localcloud.places import MARKER
from localcloud.process import StartError, signal_group
from localcloud.state import Deployment, State, load_state, save_state
from tests.localcloud.processes import child_of, ended


def contents(directory: Path) -> list[str]:
    """Return what is in a state directory besides its marker, which must be there."""
    names = sorted(path.name for path in directory.iterdir())
    names.remove(MARKER)
    return names


def test_it_is_found_again_and_ended_with_its_children(stand_in: tuple[str, ...], directory: Path) -> None:
    state = daemon.start(directory, stand_in)
    child = child_of((directory / "emulator.log").read_text("utf-8"))
    said: list[str] = []
    assert daemon.find(directory) == state
    assert daemon.find_or_clean_up(directory, said.append) == state
    assert said == []
    daemon.end(directory)
    assert ended(state.pid)
    assert ended(child)
    assert contents(directory) == []
    assert daemon.find(directory) is None


def test_deployments_are_remembered_once_and_the_newest_last(directory: Path) -> None:
    dev, prod = Deployment("dev", "1" * 12, "us-east-1"), Deployment("prod", "2" * 12, "eu-west-1")
    state = (
        State(1, "then", 4000, "abc", "secret")
        .with_deployment(dev)
        .with_deployment(prod)
        .with_deployment(dev)
    )
    save_state(state, directory)
    loaded = load_state(directory)
    assert loaded is not None
    assert loaded == state
    assert loaded.deployments == (prod, dev)
    assert loaded.deployment(None) == dev
    assert loaded.deployment("prod") == prod
    assert loaded.deployment("staging") is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"pid": 1}', '{"deployments": [{"x": 1}]}'])
def test_a_state_file_without_sense_is_no_state(text: str, directory: Path) -> None:
    (directory / "state.json").write_text(text, "utf-8")
    assert load_state(directory) is None
    assert daemon.find_or_clean_up(directory, lambda _: None) is None
    assert contents(directory) == []


def test_what_a_dead_process_left_is_cleaned_up_and_said(stand_in: tuple[str, ...], directory: Path) -> None:
    state = daemon.start(directory, stand_in)
    signal_group(state.pid, signal.SIGKILL)
    os.waitpid(state.pid, 0)
    said: list[str] = []
    assert daemon.find(directory) is None
    assert daemon.find_or_clean_up(directory, said.append) is None
    assert said == ["the earlier local cloud is gone (its process has ended): cleaning up after it"]
    assert contents(directory) == []


def test_a_process_id_that_was_given_out_again_is_left_alone(directory: Path) -> None:
    save_state(State(os.getpid(), "another start", 4000, "abc", "secret"), directory)
    assert daemon.find(directory) is None
    daemon.end(directory)
    assert start_time(os.getpid()) is not None
    assert contents(directory) == []


def test_an_emulator_of_older_code_is_replaced(stand_in: tuple[str, ...], directory: Path) -> None:
    state = daemon.start(directory, stand_in)
    save_state(dataclasses.replace(state, code="older"), directory)
    said: list[str] = []
    assert daemon.find_or_clean_up(directory, said.append) is None
    assert said == ["the local cloud that runs is of older code: starting a new, empty one"]
    assert ended(state.pid)


def test_a_failed_start_leaves_no_process(directory: Path) -> None:
    with pytest.raises(StartError):
        daemon.start(directory, ("/bin/false",))
    daemon.end(directory)
    assert contents(directory) == []


def test_only_one_command_at_a_time(directory: Path) -> None:
    with daemon.exclusive(directory), pytest.raises(daemon.BusyError), daemon.exclusive(directory):
        pass
    with daemon.exclusive(directory):
        (directory / "something").touch()
    assert directory.exists(), "it is kept while something is in it"
    (directory / "something").unlink()
    with daemon.exclusive(directory):
        pass
    assert not directory.exists()


def test_files_of_somebody_else_are_never_removed(tmp_path: Path) -> None:
    letters = tmp_path / "letters"
    letters.mkdir()
    (letters / "one").touch()
    for attempt in (
        daemon.remove_files,
        daemon.end,
        daemon.claim,
        lambda d: daemon.find_or_clean_up(d, print),
    ):
        with pytest.raises(
            daemon.ForeignDirectoryError, match=r"letters has files in it, but no \.sizewell-local"
        ):
            attempt(letters)
    with pytest.raises(daemon.ForeignDirectoryError), daemon.exclusive(letters):
        pass
    assert [path.name for path in letters.iterdir()] == ["one"]


def test_the_marker_is_the_last_to_go(directory: Path) -> None:
    (directory / "folder").mkdir()
    (directory / "folder" / "file").touch()
    (directory / ".hidden").touch()
    with daemon.exclusive(directory):
        daemon.remove_files(directory)
        assert contents(directory) == []
    assert not directory.exists()


def test_a_new_or_empty_directory_becomes_ours(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("new", "empty"):
        with daemon.exclusive(tmp_path / name):
            assert contents(tmp_path / name) == []
        assert not (tmp_path / name).exists()
