"""What people see of the checks of an account, in a terminal and in a pipe."""

import json
from io import StringIO

from rich.console import Console

from sizewell.account.finding import Finding, Outcome
from sizewell.cli.findings_view import findings_to_json, print_findings

HERE = "111122223333, us-east-1"
COMMAND = (
    "aws service-quotas request-service-quota-increase --region us-east-1 --service-code sagemaker --quota-code L-1194F27D "
    "--desired-value 4"
)
QUOTA = Finding(
    check="quotas",
    place=HERE,
    subject="ml.g5.xlarge for endpoint usage",
    outcome=Outcome.FAIL,
    says="0 allowed, 4 needed",
    to_do=COMMAND,
)
OTHER = Finding(
    check="quotas", place=HERE, subject="of all", outcome=Outcome.PASS, says="20 allowed, 4 needed"
)
IMAGE = Finding(
    check="images", place=HERE, subject="an image", outcome=Outcome.UNKNOWN, says="no " * 60, to_do="allow it"
)


def printed(*findings: Finding, width: int = 140, terminal: bool = False) -> str:
    file = StringIO()
    print_findings(findings, Console(file=file, width=width, force_terminal=terminal, color_system=None))
    return file.getvalue()


def test_the_worst_comes_last_before_the_summary() -> None:
    lines = printed(QUOTA, OTHER, IMAGE).rstrip().splitlines()
    assert lines[-1] == "1 fail, 1 unknown, 1 pass: mend what fails, then run it again"
    assert lines[-5:-2] == [
        "fail quotas: ml.g5.xlarge for endpoint usage",
        "  0 allowed, 4 needed",
        f"  {COMMAND}",
    ]
    assert printed(QUOTA, OTHER, IMAGE).index("unknown images") < printed(QUOTA, OTHER, IMAGE).index(
        "fail quotas"
    )


def test_each_check_has_a_row_with_how_it_went() -> None:
    rows = [line.split() for line in printed(QUOTA, OTHER, IMAGE).splitlines()]
    assert rows[0] == HERE.split()
    assert ["check", "pass", "unknown", "warn", "fail"] in rows
    assert ["quotas", "1", "1"] in rows
    assert ["images", "1"] in rows


def test_nothing_is_wider_than_a_terminal_but_commands_that_people_copy() -> None:
    for width in (80, 120):
        lines = printed(QUOTA, OTHER, IMAGE, width=width, terminal=True).splitlines()
        assert [line for line in lines if len(line) > width] == [f"  {COMMAND}"]


def test_where_all_passes_nothing_is_to_do() -> None:
    assert printed(OTHER).rstrip().splitlines()[-1] == "1 pass"
    assert printed().rstrip() == "nothing to look at"


def test_of_several_places_each_line_says_which() -> None:
    elsewhere = Finding(**{**vars(QUOTA), "place": "111122223333, eu-west-1"})
    text = printed(QUOTA, elsewhere)
    assert f"ml.g5.xlarge for endpoint usage ({HERE})" in text
    assert "ml.g5.xlarge for endpoint usage (111122223333, eu-west-1)" in text


def test_json_has_what_passes_as_well() -> None:
    data = json.loads(findings_to_json("prod", (QUOTA, OTHER)))
    assert data["environment"] == "prod"
    assert [(one["outcome"], one["to_do"]) for one in data["findings"]] == [("fail", COMMAND), ("pass", "")]
