"""The exact message for what is wrong with the files themselves, before any value is looked at."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sizewell.config import ConfigError, load_environment

MessageFor = Callable[[str], str]


def message_of(directory: Path, name: str = "dev") -> str:
    with pytest.raises(ConfigError) as raised:
        load_environment(directory, name)
    return str(raised.value)


def lines(*text: str) -> str:
    return "\n".join(text)


def test_unknown_environment(directory: Path) -> None:
    (directory / "staging.yaml").write_text("policy: {production: false}\n", "utf-8")
    (directory / "selection.lock.yaml").write_text("{}\n", "utf-8")
    assert message_of(directory, "stagign") == lines(
        "config/stagign.yaml",
        '  there is no environment "stagign"; environments with a file: dev, staging',
        "  did you mean staging?",
    )


def test_missing_directory_is_one_fault(directory: Path) -> None:
    hint = "  a configuration is a directory with base.yaml and a file for each environment"
    assert message_of(directory / "absent", "dve") == lines(
        "config/absent", "  there is no such directory", hint
    )
    assert message_of(directory / "dev.yaml") == lines(
        "config/dev.yaml", "  this is a file, not a directory", hint
    )


@pytest.mark.parametrize(
    ("name", "file", "message", "hint"),
    [
        (
            "base",
            "config/base.yaml",
            'there is no environment "base"',
            "base.yaml holds what all environments share; it is no environment itself",
        ),
        ("../config/dev", "config", 'there is no environment "../config/dev"', "did you mean dev?"),
        ("dev.yaml", "config", 'there is no environment "dev.yaml"', "did you mean dev?"),
        (
            "us/qa",
            "config",
            'there is no environment "us/qa"',
            "a name is that of a file without .yaml: two to eight lower-case letters and digits, first a letter",
        ),
        (
            "",
            "config",
            "the name of the environment is empty",
            "a name is that of a file without .yaml: two to eight lower-case letters and digits, first a letter",
        ),
    ],
)
def test_word_that_can_be_no_environment(
    directory: Path, name: str, file: str, message: str, hint: str
) -> None:
    assert message_of(directory, name) == lines(
        file, f"  {message}; environments with a file: dev", f"  {hint}"
    )


def test_no_environment_at_all(directory: Path) -> None:
    (directory / "dev.yaml").unlink()
    assert message_of(directory) == lines(
        "config/dev.yaml",
        "  there is no environment file",
        "  to add it, write config/dev.yaml with what differs from base.yaml",
    )


def test_name_that_is_too_long(directory: Path) -> None:
    (directory / "production.yaml").write_text("policy: {production: false}\n", "utf-8")
    assert message_of(directory, "production") == lines(
        "config/production.yaml:1  name",
        '  got "production" (text); expected text such as dev',
        "  The name of the environment; the loader takes it from the file name.",
    )


def test_missing_base_file(directory: Path) -> None:
    (directory / "base.yaml").unlink()
    assert message_of(directory) == lines(
        "config/base.yaml",
        "  the file is missing",
        "  it describes what all environments share: platform, network, workloads",
    )


def test_name_key(message_for: MessageFor) -> None:
    assert message_for("name: dev\n") == lines(
        "config/dev.yaml:1  name",
        "  the name of an environment is the name of its file",
        "  remove the key; rename the file to rename the environment",
    )


def test_tab(message_for: MessageFor) -> None:
    assert message_for("policy:\n\tproduction: true\n") == lines(
        "config/dev.yaml:2:1",
        "  not valid YAML: found character that cannot start any token (while scanning for the next token)",
        "  YAML indents with spaces: replace the tab",
    )


def test_syntax_error(message_for: MessageFor) -> None:
    assert message_for("policy:\n  region: us-east-1\n    account: 1\n") == lines(
        "config/dev.yaml:3:12",
        "  not valid YAML: mapping values are not allowed in this context",
        "  check the indentation; a text that holds ': ' needs quotes",
    )


def test_unclosed_bracket(message_for: MessageFor) -> None:
    assert message_for("policy:\n  nag_packs: [hipaa-security\n") == lines(
        "config/dev.yaml:3:1",
        "  not valid YAML: did not find expected ',' or ']' (while parsing a flow sequence from line 2)",
        "  a bracket or brace is opened and never closed, or a comma is missing",
    )


def test_file_that_is_not_utf8(directory: Path) -> None:
    (directory / "dev.yaml").write_bytes(b"policy:\n  region: caf\xe9\n")
    assert message_of(directory) == lines(
        "config/dev.yaml:2", "  the byte at offset 21 is not UTF-8", "  save the file as UTF-8"
    )


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n"])
def test_empty_file(message_for: MessageFor, text: str) -> None:
    assert message_for(text) == lines(
        "config/dev.yaml:1",
        "  the file is empty",
        "  write the keys of the configuration, for example platform: demo",
    )


def test_list_at_the_top(message_for: MessageFor) -> None:
    assert message_for("- policy\n") == lines(
        "config/dev.yaml:1", "  the file must hold a map of keys, not a list or a single value"
    )


def test_second_document(message_for: MessageFor) -> None:
    assert message_for("policy: {allow_spot: true}\n---\nplatform: demo\n") == lines(
        "config/dev.yaml:2:1", "  a second document begins here", "  remove the line ---"
    )


def test_duplicate_keys_are_all_reported(message_for: MessageFor) -> None:
    text = "policy:\n  region: eu-west-1\n  region: eu-west-2\npolicy:\n  allow_spot: true\n"
    assert message_for(text) == lines(
        "config/dev.yaml:3:3  policy.region",
        "  the key stands twice; the first is on line 2",
        "  keep one of the two",
        "config/dev.yaml:4:1  policy",
        "  the key stands twice; the first is on line 1",
        "  keep one of the two",
    )


def test_syntax_error_of_one_file_does_not_hide_the_other(directory: Path, message_for: MessageFor) -> None:
    (directory / "base.yaml").write_text("a: [\n", "utf-8")
    assert [line for line in message_for("b: @\n").splitlines() if line.startswith("config/")] == [
        "config/base.yaml:2:1",
        "config/dev.yaml:1:4",
    ]
