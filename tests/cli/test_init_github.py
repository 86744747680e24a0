"""The scripts of the GitHub action, run against programs that only write down what they are asked."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from review.rendering.comment import MARKER
from tests.cli.ci_runner import (
    FAKE_SIZEWELL,
    REVIEW,
    Runner,
    scripts,
)

#: Answers a list of comments and applies --jq as gh does; everything else is written down.
FAKE_GH = """\
#!{python}
import json, os, subprocess, sys
arguments = sys.argv[1:]
comments = {comments!r}
with open({log!r}, "a") as log:
    log.write(json.dumps(arguments) + "\\n")
if {refuses!r}:
    sys.exit("HTTP 403: Resource not accessible by integration")
if "--method" not in arguments:
    expression = arguments[arguments.index("--jq") + 1]
    subprocess.run(["jq", "--raw-output", expression], input=json.dumps(comments), text=True, check=True)
else:
    assert arguments[arguments.index("--field") + 1].startswith("body=@")
    with open(arguments[arguments.index("--field") + 1].removeprefix("body=@"), "rb") as body:
        open({log!r} + ".body", "wb").write(body.read())
"""


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    (tmp_path / "sizewell-review").mkdir()
    (tmp_path / "sizewell-review" / "review.md").write_text(REVIEW, "utf-8")
    github = {
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "ada/ml",
        "GITHUB_RUN_ID": "7",
        "PULL_REQUEST": "12",
        "IS_FORK": "false",
        "PAGE_URL": "https://github.com/ada/ml/artifacts/3",
        "GH_TOKEN": "secret",
    }
    return Runner(tmp_path, github)


needs_jq = pytest.mark.skipif(not shutil.which("jq"), reason="the fake gh filters with jq")
OTHERS = [{"id": 1, "body": "> quoted\n" + MARKER}, {"id": 2, "body": "looks good"}]
LIST = "repos/ada/ml/issues/12/comments"


@needs_jq
@pytest.mark.parametrize(
    ("comments", "method", "path"),
    [
        (OTHERS, "POST", LIST),
        (
            [*OTHERS, {"id": 3, "body": "<!-- sizewell-review -->\nold"}],
            "PATCH",
            "repos/ada/ml/issues/comments/3",
        ),
        ([{"id": n, "body": MARKER} for n in (5, 6)], "PATCH", "repos/ada/ml/issues/comments/5"),
    ],
    ids=["none yet", "one", "two"],
)
def test_one_comment_is_made_and_then_updated(
    runner: Runner, comments: list[dict[str, Any]], method: str, path: str
) -> None:
    runner.add_program("gh", FAKE_GH, comments=comments, refuses=False)
    result = runner.run(scripts("github")["Comment"])
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    listing, writing = runner.calls("gh")
    assert listing[:3] == ["api", "--paginate", f"{LIST}?per_page=100"]
    assert writing[:5] == ["api", "--silent", "--method", method, path]
    expected = f"{REVIEW}\n[The page with charts](https://github.com/ada/ml/artifacts/3)\n"
    assert runner.read("gh.log.body") == expected
    assert runner.read("summary") == expected


def test_a_fork_gets_no_comment_but_a_summary(runner: Runner) -> None:
    runner.add_program("gh", FAKE_GH, comments=[], refuses=False)
    runner.variables["IS_FORK"] = "true"
    result = runner.run(scripts("github")["Comment"])
    assert result.returncode == 0
    assert runner.calls("gh") == []
    assert runner.read("summary").startswith(REVIEW)
    assert "The token of a pull request from a fork may not comment" in runner.read("summary")


def test_a_token_that_may_not_comment_does_not_decide_about_the_change(runner: Runner) -> None:
    runner.add_program("gh", FAKE_GH, comments=[], refuses=True)
    result = runner.run(scripts("github")["Comment"])
    assert result.returncode == 0
    assert "::warning title=Sizewell review::The comment could not be written" in result.stdout
    assert "pull-requests: write" in runner.read("summary")


def test_without_a_pull_request_the_summary_has_it(runner: Runner) -> None:
    runner.add_program("gh", FAKE_GH, comments=[], refuses=False)
    runner.variables["PULL_REQUEST"] = ""
    assert runner.run(scripts("github")["Comment"]).returncode == 0
    assert runner.calls("gh") == []
    assert runner.read("summary").startswith(REVIEW)


@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_the_review_step_hands_on_the_exit_code(runner: Runner, code: int) -> None:
    runner.add_program("sizewell", FAKE_SIZEWELL, code=code, review=REVIEW)
    hostile = "$(touch evil) ; `touch evil`"
    runner.variables |= {
        "BASE": hostile,
        "CONFIG": "config",
        "ENVIRONMENTS": " dev  prod ",
        "FAIL_ON": "a,b > 10%",
    }
    result = runner.run(scripts("github")["Review"])
    assert result.returncode == 0, result.stderr
    assert runner.read("output") == f"exit-code={code}\n"
    [arguments] = runner.calls("sizewell")
    assert arguments[:13] == [
        *("review", "--base", f"origin/{hostile}", "--head", "HEAD", "--config", "config"),
        *("--env", "dev", "--env", "prod", "--fail-on", "a,b > 10%"),
    ]
    assert not (runner.directory / "evil").exists()
    comment = runner.read("sizewell-review/review.md")
    assert comment.startswith(MARKER)
    assert ("could not review this change" in comment) == (code == 2)
    assert ("https://github.com/ada/ml/actions/runs/7" in comment) == (code == 2)


def test_the_review_step_without_options(runner: Runner) -> None:
    runner.add_program("sizewell", FAKE_SIZEWELL, code=0, review=REVIEW)
    runner.variables |= {"BASE": "main", "CONFIG": "config", "ENVIRONMENTS": "", "FAIL_ON": ""}
    assert runner.run(scripts("github")["Review"]).returncode == 0
    [arguments] = runner.calls("sizewell")
    assert arguments[5:8] == ["--config", "config", "--markdown"]


@pytest.mark.parametrize(("code", "told"), [(0, ""), (1, "is met"), (2, "could not"), (3, "not synthesize")])
def test_the_verdict_is_the_exit_code(runner: Runner, code: int, told: str) -> None:
    runner.variables["EXIT_CODE"] = str(code)
    result = runner.run(scripts("github")["Verdict"])
    assert result.returncode == code
    assert told in result.stdout
    assert bool(result.stdout) == bool(code)


def test_the_set_up_is_a_command_of_whoever_writes_the_workflow(runner: Runner) -> None:
    runner.variables["SETUP"] = "touch 'one file' && false\ntouch never"
    assert runner.run(scripts("github")["Set up"]).returncode == 1
    assert (runner.directory / "one file").exists()
    assert not (runner.directory / "never").exists()
