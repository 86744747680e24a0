import dataclasses
import json
import os
import signal
from pathlib import Path

import pytest

from sizewell_localcloud import daemon
from sizewell_localcloud.identity import start_time
from sizewell_localcloud.places import MARKER
from sizewell_localcloud.process import StartError, healthy, signal_group
from sizewell_localcloud.state import Deployment, State, load_state, save_state
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


def test_each_start_has_a_secret_of_its_own_that_nobody_else_reads(
    stand_in: tuple[str, ...], directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory.chmod(0o777)
    umask = os.umask(0)
    modes: list[int] = []
    replace = os.replace

    def replace_and_look(new: Path, old: Path) -> None:
        modes.append(new.stat().st_mode & 0o777)
        replace(new, old)

    monkeypatch.setattr(os, "replace", replace_and_look)
    try:
        states = []
        for _ in range(2):
            with daemon.exclusive(directory):
                states.append(daemon.start(directory, stand_in))
            modes.append((directory / "state.json").stat().st_mode & 0o777)
            modes.append(directory.stat().st_mode & 0o077)
            assert healthy(states[-1].port, states[-1].secret)
            assert [healthy(states[-1].port, old.secret) for old in states[:-1]] == [False] * len(states[:-1])
            assert states[-1].secret not in repr(states[-1])
            assert states[-1].secret not in (directory / "emulator.log").read_text("utf-8")
            daemon.end(directory)
    finally:
        os.umask(umask)
    assert modes == [0o600, 0o600, 0] * 2
    assert min(len(state.secret) for state in states) >= 43, "256 bits"


def test_an_emulator_that_has_no_secret_yet_is_found_and_replaced(
    stand_in: tuple[str, ...], directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.token_urlsafe", lambda: "")
    state = daemon.start(directory, stand_in)
    fields = json.loads((directory / "state.json").read_text("utf-8"))
    del fields["secret"]
    (directory / "state.json").write_text(json.dumps(fields | {"code": "older"}), "utf-8")
    assert daemon.find_or_clean_up(directory, lambda _: None) is None
    assert ended(state.pid)


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


def test_a_directory_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: tmp_path.stat().st_uid + 1)
    with (
        pytest.raises(daemon.ForeignDirectoryError, match="belongs to another user"),
        daemon.exclusive(tmp_path),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


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
