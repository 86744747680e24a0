"""The scripts of the GitHub workflow, run against programs that only write down what they are asked."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from sizewell.facts.days import DAY_PATTERN
from sizewell.review.rendering.comment import MARKER
from tests.cli.ci_runner import (
    FAKE_PYTHON,
    FAKE_SIZEWELL,
    REVIEW,
    Runner,
    make_merge,
    scripts,
)
from tests.synthesis_of_refs.projects import git

BOT = "github-actions[bot]"
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
    if "PATCH" in arguments and {refuses_patch!r}:
        sys.exit("HTTP 404: Not Found")
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
        "COMMENTER": BOT,
        "OUTCOME": "success",
    }
    return Runner(tmp_path, github)


needs_jq = pytest.mark.skipif(not shutil.which("jq"), reason="the fake gh filters with jq")


def comment(number: int, body: str, login: str = BOT) -> dict[str, Any]:
    return {"id": number, "body": body, "user": {"login": login}}


OTHERS = [
    comment(1, "> quoted\n" + MARKER),
    comment(2, "looks good", "eve"),
    comment(4, MARKER, "eve"),
    comment(9, MARKER, "github-actions"),
]
LIST = "repos/ada/ml/issues/12/comments"


@needs_jq
@pytest.mark.parametrize(
    ("comments", "method", "path"),
    [
        (OTHERS, "POST", LIST),
        (
            [*OTHERS, comment(3, "<!-- sizewell-review -->\nold")],
            "PATCH",
            "repos/ada/ml/issues/comments/3",
        ),
        ([comment(n, MARKER) for n in (5, 6)], "PATCH", "repos/ada/ml/issues/comments/5"),
    ],
    ids=["none yet", "one", "two"],
)
def test_one_comment_is_made_and_then_updated(
    runner: Runner, comments: list[dict[str, Any]], method: str, path: str
) -> None:
    runner.add_program("gh", FAKE_GH, comments=comments, refuses=False, refuses_patch=False)
    result = runner.run(scripts("github")["Comment"])
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    listing, writing = runner.calls("gh")
    assert listing[:3] == ["api", "--paginate", f"{LIST}?per_page=100"]
    assert writing[:5] == ["api", "--silent", "--method", method, path]
    expected = f"{REVIEW}\n[The page with charts](https://github.com/ada/ml/artifacts/3)\n"
    assert runner.read("gh.log.body") == expected
    assert runner.read("summary") == expected


@needs_jq
def test_a_comment_that_cannot_be_updated_is_made_anew(runner: Runner) -> None:
    runner.add_program("gh", FAKE_GH, comments=[comment(3, MARKER)], refuses=False, refuses_patch=True)
    result = runner.run(scripts("github")["Comment"])
    assert (result.returncode, result.stdout) == (0, "")
    assert [call[3] for call in runner.calls("gh")[1:]] == ["PATCH", "POST"]
    assert runner.read("gh.log.body").startswith(REVIEW)


@needs_jq
def test_the_comments_of_another_user_where_the_token_is_theirs(runner: Runner) -> None:
    runner.add_program("gh", FAKE_GH, comments=OTHERS, refuses=False, refuses_patch=False)
    runner.variables["COMMENTER"] = "eve"
    assert runner.run(scripts("github")["Comment"]).returncode == 0
    assert runner.calls("gh")[1][4] == "repos/ada/ml/issues/comments/4"


@needs_jq
@pytest.mark.parametrize("outcome", ["failure", "cancelled", "skipped", "", "success"])
def test_an_earlier_comment_does_not_stand_when_there_is_no_review(runner: Runner, outcome: str) -> None:
    runner.add_program("gh", FAKE_GH, comments=[comment(3, MARKER)], refuses=False, refuses_patch=False)
    runner.variables |= {"OUTCOME": outcome, "PAGE_URL": ""}
    if outcome == "success":
        (runner.directory / "sizewell-review" / "review.md").write_text("")
    elif outcome == "skipped":
        shutil.rmtree(runner.directory / "sizewell-review")
    assert runner.run(scripts("github")["Comment"]).returncode == 0
    assert runner.read("gh.log.body") == (
        f"{MARKER}\n### Sizewell could not review this change\n\n"
        "The log says why: https://github.com/ada/ml/actions/runs/7\n"
    )


def test_a_fork_gets_no_comment_but_a_summary(runner: Runner) -> None:
    runner.add_program("gh", FAKE_GH, comments=[], refuses=False, refuses_patch=False)
    runner.variables["IS_FORK"] = "true"
    result = runner.run(scripts("github")["Comment"])
    assert result.returncode == 0
    assert runner.calls("gh") == []
    assert runner.read("summary").startswith(REVIEW)
    assert "The token of a pull request from a fork may not comment" in runner.read("summary")


def test_a_token_that_may_not_comment_does_not_decide_about_the_change(runner: Runner) -> None:
    runner.add_program("gh", FAKE_GH, comments=[], refuses=True, refuses_patch=True)
    result = runner.run(scripts("github")["Comment"])
    assert result.returncode == 0
    assert "::warning title=Sizewell review::The comment could not be written" in result.stdout
    assert "pull-requests: write" in runner.read("summary")


#: Lists who has reviewed, and refuses to ask some.
FAKE_REVIEWERS = """\
#!{python}
import json, sys
arguments = sys.argv[1:]
with open({log!r}, "a") as log:
    log.write(json.dumps(arguments) + "\\n")
if "--method" not in arguments:
    print("Grace")
elif arguments[-1] in {refuses!r}:
    sys.exit("HTTP 422: Validation Failed")
"""


def approvals(*by: str) -> str:
    return json.dumps({"approvals": [{"by": by}, {"by": by[:1]}]})


@needs_jq
def test_people_and_teams_are_asked_once(runner: Runner) -> None:
    data = approvals("ada", "company/owners", "grace")
    (runner.directory / "sizewell-review" / "review.json").write_text(data)
    runner.add_program("gh", FAKE_REVIEWERS, refuses=["team_reviewers[]=owners"])
    result = runner.run(scripts("github")["Ask for approvals"])
    assert result.returncode == 0, result.stderr
    _, *asked = runner.calls("gh")
    assert [call[3:] for call in asked] == [
        ["POST", "repos/ada/ml/pulls/12/requested_reviewers", "--raw-field", reviewer]
        for reviewer in ("reviewers[]=ada", "team_reviewers[]=owners")
    ]
    assert result.stdout.startswith("::warning title=Sizewell review::GitHub did not ask company/owners")


@needs_jq
@pytest.mark.parametrize(
    ("data", "outcome"), [("{}", "success"), ("", "success"), (approvals("ada"), "failure")]
)
def test_nobody_is_asked_without_approvals(runner: Runner, data: str, outcome: str) -> None:
    (runner.directory / "sizewell-review" / "review.json").write_text(data)
    runner.variables["OUTCOME"] = outcome
    runner.add_program("gh", FAKE_REVIEWERS, refuses=[])
    assert runner.run(scripts("github")["Ask for approvals"]).returncode == 0
    assert [call for call in runner.calls("gh") if "--method" in call] == []


@pytest.fixture
def judge(runner: Runner) -> Runner:
    """Return a runner of the job that judges."""
    runner.add_program("python", FAKE_PYTHON, code=0)
    runner.add_program("sizewell", FAKE_SIZEWELL, code=0, review=REVIEW)
    runner.variables |= {"CONFIG": "config", "ENVIRONMENTS": "", "FAIL_ON": ""}
    (runner.directory / "sizewell-sides" / "head").mkdir(parents=True)
    return runner


@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_the_review_step_hands_on_the_exit_code(judge: Runner, code: int) -> None:
    judge.add_program("sizewell", FAKE_SIZEWELL, code=code, review=REVIEW)
    hostile = "$(touch evil)`touch evil`"
    judge.variables |= {"ENVIRONMENTS": f" dev  {hostile} ", "FAIL_ON": "a,b > 10%"}
    result = judge.run(scripts("github")["Review"])
    assert result.returncode == 0, result.stderr
    assert judge.read("output") == f"exit-code={code}\n"
    # Split at blanks, and nothing else happens to it.
    environments = ["--env", "dev", "--env", "$(touch", "--env", "evil)`touch", "--env", "evil`"]
    sides = judge.directory / "sizewell-sides"
    [saved], [arguments] = judge.calls("python"), judge.calls("sizewell")
    assert saved == [
        *(
            "-m",
            "sizewell.cli.save_side",
            "--config",
            "config",
            *environments,
            "--output",
            str(sides / "base"),
        )
    ]
    assert arguments[:17] == [
        *("review", "--base", "base", "--head", "head", "--config", "config", *environments),
        *("--fail-on", "a,b > 10%"),
    ]
    assert not list(judge.directory.rglob("evil"))
    # What an earlier use left there is gone.
    assert (judge.directory / "sizewell-review" / "review.md").exists() == (code != 2)


def test_the_review_gets_the_day(judge: Runner) -> None:
    assert judge.run(scripts("github")["Review"]).returncode == 0
    assert re.fullmatch(DAY_PATTERN, judge.read("sizewell.log.date"))
    assert "--date" not in judge.calls("sizewell")[0], "an older release of base would refuse it"


def test_the_review_step_without_options(judge: Runner) -> None:
    # Also where base does not synthesize, in one environment or more.
    judge.add_program("python", FAKE_PYTHON, code=3)
    assert judge.run(scripts("github")["Review"]).returncode == 0
    [arguments] = judge.calls("sizewell")
    assert arguments[5:8] == ["--config", "config", "--markdown"]


def test_without_a_base_there_is_no_review(judge: Runner) -> None:
    judge.add_program("python", FAKE_PYTHON, code=2)
    assert judge.run(scripts("github")["Review"]).returncode != 0
    assert judge.calls("sizewell") == []


@pytest.mark.parametrize(("code", "ends"), [(0, 0), (3, 0), (2, 1)])
def test_what_does_not_synthesize_is_for_the_review_to_say(runner: Runner, code: int, ends: int) -> None:
    runner.add_program("make", "#!/bin/sh\n")
    runner.add_program("python", FAKE_PYTHON, code=code)
    runner.variables |= {"CONFIG": "settings", "ENVIRONMENTS": "dev prod"}
    assert runner.run(scripts("github")["Synthesize"]).returncode == ends
    output = str(runner.directory / "sizewell-head")
    assert runner.calls("python") == [
        [
            *("-m", "sizewell.cli.save_side", "--config", "settings", "--output", output),
            *("--env", "dev", "--env", "prod"),
        ]
    ]


def test_base_is_the_one_that_the_merge_commit_was_made_with(runner: Runner) -> None:
    commits = make_merge(runner.directory)
    assert runner.run(scripts("github")["Take base"]).returncode == 0
    assert git(runner.directory, "rev-parse", "HEAD").strip() == commits["base"]
    # What is no merge commit has no base.
    assert runner.run(scripts("github")["Take base"]).returncode != 0


@pytest.mark.parametrize(("code", "told"), [(0, ""), (1, "is met"), (2, "could not"), (3, "not synthesize")])
def test_the_verdict_is_the_exit_code(runner: Runner, code: int, told: str) -> None:
    runner.variables["EXIT_CODE"] = str(code)
    result = runner.run(scripts("github")["Verdict"])
    assert result.returncode == code
    assert told in result.stdout
    assert bool(result.stdout) == bool(code)
