"""Files that nobody should write: each ends in a message of one fault, on lines of its own, that steers nothing."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sizewell.config import ConfigError, load_environment
from sizewell.config.faults import Fault
from sizewell.config.files import MAX_FILE_BYTES, read_text
from sizewell.config.measurements import read_measurements
from sizewell.planning.lock_file import read_lock_file

MessageFor = Callable[[str], str]


def refusal(path: Path) -> str:
    with pytest.raises(ConfigError) as raised:
        read_text(path, "f.yaml")
    return str(raised.value)


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "f.yaml")
    assert refusal(tmp_path / "f.yaml") == "f.yaml\n  this is a pipe or a device, not a file"


def test_a_link_to_a_device_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "f.yaml").symlink_to("/dev/zero")
    assert refusal(tmp_path / "f.yaml") == "f.yaml\n  this is a pipe or a device, not a file"


def test_a_large_file_is_refused_and_the_largest_is_read(tmp_path: Path) -> None:
    (tmp_path / "f.yaml").write_bytes(b"#" * MAX_FILE_BYTES)
    assert len(read_text(tmp_path / "f.yaml", "f.yaml")) == MAX_FILE_BYTES
    (tmp_path / "f.yaml").write_bytes(b"#" * (MAX_FILE_BYTES + 1))
    assert refusal(tmp_path / "f.yaml") == "f.yaml\n  the file is larger than 1 MiB"


def test_a_link_to_nothing_is_no_missing_file(directory: Path) -> None:
    (directory / "measurements.yaml").symlink_to("gone.yaml")
    (_, faults) = read_measurements(directory)
    assert [fault.render() for fault in faults] == [
        "config/measurements.yaml\n  the file cannot be read: No such file or directory\n  it is a link to gone.yaml"
    ]
    (directory / "selection.lock.yaml").symlink_to("gone.yaml")
    with pytest.raises(ConfigError, match=r"selection\.lock\.yaml\n  the file cannot be read"):
        read_lock_file(directory)


def test_a_lock_with_half_a_character(directory: Path) -> None:
    (directory / "selection.lock.yaml").write_text(
        'schema_version: 1\nenvironments: {"\\ud800": {}}\n', "utf-8"
    )
    with pytest.raises(
        ConfigError, match=r"selection\.lock\.yaml:2:19\n  not valid YAML: found invalid Unicode"
    ):
        read_lock_file(directory)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'policy:\n  region: "\\U00110000"\n',
            "config/dev.yaml:2:14\n"
            "  not valid YAML: found invalid Unicode character escape code (while parsing a quoted scalar)\n"
            "  a text holds characters up to U+10FFFF, and no halves of one",
        ),
        (
            'policy:\n  region: "\\ud800"\n',
            "config/dev.yaml:2:14\n"
            "  not valid YAML: found invalid Unicode character escape code (while parsing a quoted scalar)\n"
            "  a text holds characters up to U+10FFFF, and no halves of one",
        ),
        (
            'policy:\n  region: "us\\0"\n',
            "config/dev.yaml:2:11  policy.region\n  the character U+0000 is not allowed\n  remove it",
        ),
        (
            'policy:\n  region: "us\\e[31m"\n',
            "config/dev.yaml:2:11  policy.region\n  the character U+001B is not allowed\n  remove it",
        ),
        (
            'policy:\n  region: "\u202eus"\n',
            "config/dev.yaml:2:12\n  the character U+202E is not allowed\n  remove it",
        ),
        (
            '"x\\n::error::forged": 1\n',
            "config/dev.yaml:1:1\n  a key must be one line\n  write it without a line break",
        ),
        (
            "policy: {region: !x%0A::error::forged us-east-1}\n",
            "config/dev.yaml:1:18  policy.region\n"
            "  the tag !x\\n::error::forged is not used here\n"
            "  remove it; quotes make a text",
        ),
        (
            "policy: {region: 'us\n\n  ::error::forged'}\n",
            "config/dev.yaml:1  policy.region\n"
            '  got "us\\n::error::forged" (text); expected text of at most 20 characters such as us-east-1\n'
            "  The AWS region that is deployed to, for example us-east-1.",
        ),
    ],
)
def test_characters_that_steer_a_terminal_or_a_log(message_for: MessageFor, text: str, expected: str) -> None:
    assert expected in message_for(text)


@pytest.mark.parametrize(
    "text",
    [
        f"{'k' * 10**6}: 1\n",
        f"policy: {{{'k' * 10**6}: 1}}\n",
        f"policy: {{region: {'v' * 10**6}}}\n",
        f"policy: {{region: !{'t' * 10**5} x}}\n",
        f"policy: {{region: *{'a' * 10**5}}}\n",
        f"notifications: {{emails: [{', '.join(['x'] * 10**5)}]}}\n",
        f"network: {{mode: {'n' * 10**6}}}\n",
    ],
    ids=["key", "nested key", "value", "tag", "alias", "list", "variant"],
)
def test_what_is_long_is_cut(message_for: MessageFor, text: str) -> None:
    assert len(message_for(text)) < 30_000


def test_whatever_stands_in_a_fault_is_printed_on_its_lines() -> None:
    evil = "x\n::error::forged\x1b[31m\u202e"
    fault = Fault(evil, 1, 2, (evil, evil), evil, evil, (evil, evil), evil, (evil,))
    lines = fault.render().split("\n")
    assert len(lines) == 4
    assert all(line.isprintable() for line in lines)
    assert not any(line.strip().startswith("::") for line in lines)


def test_many_allowed_words_are_counted() -> None:
    fault = Fault("f", None, None, (), None, "expected one of", tuple(f"w{n}" for n in range(100)))
    assert fault.render().endswith("w58, w59, and 40 more")


def test_a_directory_in_place_of_the_lock(directory: Path) -> None:
    (directory / "selection.lock.yaml").mkdir()
    with pytest.raises(ConfigError, match="this is a directory, not a file"):
        read_lock_file(directory)


def test_megabytes_of_yaml_are_read_whole(directory: Path, base_text: str) -> None:
    comments = "".join(f"# {'c' * 70}\n" for _ in range(10_000))
    (directory / "base.yaml").write_text(base_text + comments, "utf-8")
    assert load_environment(directory, "dev").environment.platform == "demo"
