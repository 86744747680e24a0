"""Changing values of an environment file: nothing else in it changes."""

from pathlib import Path

import pytest

from sizewell.config.environment_writer import UnchangeableError, set_values
from tests.synthesis import PROJECT_ROOT

PATH = ("workloads", "chat", "traffic", "peak_requests_per_second")
FILE = """\
# of prod
policy:
    removal: retain    # never delete
    nag_packs:
      - aws-solutions

workloads:
    # asks much
    chat:
        description: null
        traffic: {peak_requests_per_second: 120, average_requests_per_second: 2e1}
    other: {description: "on"}

# the end
"""


def test_only_the_value_changes() -> None:
    assert set_values(FILE, {PATH: 14}) == FILE.replace("120", "14")


def test_what_the_file_does_not_say_is_added() -> None:
    text = "policy:\n  removal: retain\n\n# the network\nnetwork:\n  availability_zones: 3\n"
    assert set_values(text, {PATH: 0.14}) == (
        text + "workloads:\n  chat:\n    traffic:\n      peak_requests_per_second: 0.14\n"
    )


def test_a_file_that_says_nothing_becomes_one_that_says_this() -> None:
    assert set_values("{}\n", {PATH: 14}) == (
        "workloads:\n  chat:\n    traffic:\n      peak_requests_per_second: 14\n"
    )


def test_line_ends_stay() -> None:
    assert set_values(FILE.replace("\n", "\r\n"), {PATH: 14}) == FILE.replace("120", "14").replace(
        "\n", "\r\n"
    )


def test_a_value_that_stands_in_two_places_is_not_changed() -> None:
    text = (
        "workloads:\n  chat:\n    traffic: &load {peak_requests_per_second: 120}\n"
        "  other:\n    traffic: *load\n"
    )
    with pytest.raises(UnchangeableError):
        set_values(text, {PATH: 14})


@pytest.mark.parametrize(
    "path",
    sorted([*PROJECT_ROOT.glob("config/*.yaml"), *PROJECT_ROOT.glob("examples/*/config/*.yaml")]),
    ids=lambda path: path.relative_to(PROJECT_ROOT).as_posix(),
)
def test_every_file_of_the_project_keeps_its_other_lines(path: Path) -> None:
    text = path.read_text("utf-8")
    changed = set_values(text, {("workloads", "one-more", *PATH[2:]): 14}).splitlines()
    assert [line for line in text.splitlines() if line not in changed] == []
