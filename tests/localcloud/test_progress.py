import io

import pytest

from sizewell_localcloud.cdk import StackProgress, error_lines
from sizewell_localcloud.progress import ERASE_LINE, Progress

OUTPUT = """\
demo-dev-foundation: creating CloudFormation changeset...
demo-dev-foundation |  0/58 | 2:31:52 PM | CREATE_IN_PROGRESS | AWS::S3::Bucket | Storage/Bucket
demo-dev-foundation | 58/58 | 2:31:53 PM | CREATE_COMPLETE    | AWS::S3::Bucket | Storage/Bucket

 ✅  demo-dev-foundation

 ✅  demo-dev-plant-id (no changes)
demo-dev-assistant |  18 | 2:32:09 PM | DELETE_COMPLETE | AWS::CloudWatch::Alarm | Alarm
✅  demo-dev-assistant: destroyed
✅  Environment aws://111122223333/us-east-1 bootstrapped.
"""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_each_stack_is_one_line() -> None:
    stream = io.StringIO()
    stacks = StackProgress(Progress(stream))
    for line in OUTPUT.splitlines(keepends=True):
        stacks.read(line)
    assert [line[2:].split("   ")[0].strip() for line in stream.getvalue().splitlines()] == [
        "demo-dev-foundation, 58 resources",
        "demo-dev-plant-id, unchanged",
        "demo-dev-assistant, 18 resources",
    ]


def test_a_pipe_gets_plain_lines() -> None:
    stream = io.StringIO()
    progress = Progress(stream)
    with progress.phase("synthesizing dev"):
        progress.detail("half")
    assert "\x1b" not in stream.getvalue()
    assert stream.getvalue().splitlines()[0] == "synthesizing dev ..."
    assert stream.getvalue().splitlines()[1].startswith("✓ synthesizing dev")


def test_a_terminal_gets_a_line_that_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    progress = Progress(stream)
    with progress.phase("deploying dev"):
        progress.detail("3/58")
    last_shown = stream.getvalue().split(ERASE_LINE)
    assert last_shown[1] == "· deploying dev ..."
    assert last_shown[2] == "· deploying dev 3/58 ..."
    assert last_shown[-1].startswith("✓ deploying dev")


def test_a_failure_is_told_by_its_lines_or_by_the_last_ones() -> None:
    assert (
        error_lines("all is well\n\nx | CREATE_FAILED | y\nx | CREATE_FAILED | y\n")
        == "  x | CREATE_FAILED | y"
    )
    assert error_lines("one\ntwo\n") == "  one\n  two"
