"""The scripts of the GitLab pipeline, run against a server on loopback."""

import json
import re
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from sizewell.cli.init_command import ci_files
from sizewell.facts.days import DAY_PATTERN
from sizewell.review.rendering.comment import MARKER
from tests.cli.ci_runner import (
    FAKE_PYTHON,
    FAKE_SIZEWELL,
    PIPELINE,
    REVIEW,
    STRICT_BASH,
    Runner,
    load,
    make_merge,
    scripts,
)
from tests.synthesis_of_refs.projects import git


@dataclass
class Forge:
    """The notes of a merge request, two on a page, as GitLab serves them."""

    notes: list[dict[str, Any]]
    refuses: tuple[str, ...] = ()
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    tokens: set[str | None] = field(default_factory=set)
    url: str = ""


#: The user whom the token belongs to.
BOT = 70


def note(number: int, body: str, *, author: int = BOT) -> dict[str, Any]:
    return {"id": number, "body": body, "author": {"id": author}}


@pytest.fixture
def forge() -> Iterator[Forge]:
    state = Forge([note(1, "looks good", author=7), note(2, "> " + MARKER), note(3, MARKER, author=7)])

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/user":
                self.answer("", {"id": BOT})
                return
            page = int(parse_qs(urlsplit(self.path).query)["page"][0])
            last = page * 2 >= len(state.notes)
            self.answer("", state.notes[page * 2 - 2 : page * 2], "" if last else str(page + 1))

        def do_POST(self) -> None:
            self.answer(self.body(), {})

        def do_PUT(self) -> None:
            self.answer(self.body(), {})

        def body(self) -> str:
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            return form["body"][0]

        def answer(self, body: str, data: Any, next_page: str = "") -> None:
            state.requests.append((self.command, self.path, body))
            state.tokens.add(self.headers["PRIVATE-TOKEN"])
            content = json.dumps(data).encode()
            self.send_response(403 if self.command in state.refuses else 200)
            self.send_header("X-Next-Page", next_page)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield state
        server.shutdown()
        thread.join()


@pytest.fixture
def gitlab(tmp_path: Path, forge: Forge) -> Runner:
    runner = Runner(
        tmp_path,
        {
            "CI_PROJECT_DIR": str(tmp_path),
            "CI_API_V4_URL": forge.url,
            "CI_PROJECT_ID": "99",
            "CI_MERGE_REQUEST_PROJECT_ID": "42",
            "CI_MERGE_REQUEST_IID": "5",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": "abc123",
            "CI_PIPELINE_URL": "https://gitlab.example/pipelines/1",
            "CI_COMMIT_SHA": "abc123",
            "PROJECT": ".",
            "SIZEWELL_CONFIG": "config",
            "SIZEWELL_ENVIRONMENTS": "",
            "SIZEWELL_FAIL_ON": "",
            "no_proxy": "127.0.0.1",
        },
    )
    runner.add_program("make", "#!/bin/sh\n")
    runner.add_program("git", "#!/bin/sh\n")
    runner.add_program("python", FAKE_PYTHON, code=0)
    runner.add_program("sizewell", FAKE_SIZEWELL, code=0, review=REVIEW)
    return runner


def run_pipeline(
    gitlab: Runner, shell: tuple[str, ...] = STRICT_BASH
) -> tuple[CompletedProcess[str], CompletedProcess[str]]:
    """Run the jobs as GitLab does, and return the last two: only the note gets the token."""
    jobs = scripts("gitlab")
    gitlab.run(jobs["sizewell-synthesize"], shell)
    review = gitlab.run(jobs["sizewell-review"], shell)
    return review, replace(gitlab, variables=gitlab.variables | TOKEN).run(jobs["sizewell-note"], shell)


TOKEN = {"SIZEWELL_GITLAB_TOKEN": "secret"}
NOTES = "/projects/42/merge_requests/5/notes"
ALL_NOTES = [
    ("GET", "/user"),
    ("GET", f"{NOTES}?per_page=100&page=1"),
    ("GET", f"{NOTES}?per_page=100&page=2"),
]
needs_curl = pytest.mark.skipif(not shutil.which("curl"), reason="the pipeline asks GitLab with curl")


def asked(forge: Forge) -> list[tuple[str, str]]:
    return [(command, path) for command, path, _ in forge.requests]


@needs_curl
@pytest.mark.parametrize("shell", [STRICT_BASH, ("sh", "-e")], ids=["bash", "sh"])
def test_the_note_is_made_where_there_is_none(gitlab: Runner, forge: Forge, shell: tuple[str, ...]) -> None:
    review, posting = run_pipeline(gitlab, shell)
    assert (review.returncode, review.stdout) == (0, "")
    assert (posting.returncode, posting.stdout, posting.stderr) == (0, "", "")
    assert asked(forge) == [*ALL_NOTES, ("POST", NOTES)]
    assert forge.requests[-1][2] == REVIEW
    assert forge.tokens == {"secret"}
    head, base = gitlab.calls("python")
    saved = str(gitlab.directory / "sizewell-head")
    assert head == ["-m", "sizewell.cli.save_side", "--config", "config", "--output", saved]
    assert base[:5] == ["-m", "sizewell.cli.save_side", "--config", "config", "--output"]
    [arguments] = gitlab.calls("sizewell")
    assert arguments[:7] == ["review", "--base", "base", "--head", "head", "--config", "config"]
    assert (gitlab.directory / "sizewell-review" / "review.html").is_file()


@needs_curl
def test_the_note_is_found_on_a_later_page_and_updated(gitlab: Runner, forge: Forge) -> None:
    forge.notes += [note(4, f"{MARKER}\nold"), note(5, MARKER)]
    assert run_pipeline(gitlab)[1].returncode == 0
    assert asked(forge) == [*ALL_NOTES, ("PUT", f"{NOTES}/4")]
    assert forge.requests[-1][2] == REVIEW


ASKED = "<!-- sizewell-approvals -->\n@ada, @company/owners: this change needs your approval. The review says why."
DATA = json.dumps({"approvals": [{"by": ["company/owners", "ada"]}, {"by": ["ada", "not @a\\name"]}]})


@needs_curl
@pytest.mark.parametrize(
    ("author", "asked_before"), [(BOT, True), (7, False)], ids=["asked before", "note of another"]
)
def test_who_must_approve_is_asked_once_in_a_note_of_its_own(
    gitlab: Runner, forge: Forge, author: int, asked_before: bool
) -> None:
    forge.notes += [note(4, MARKER), note(5, ASKED, author=author)]
    gitlab.variables["DATA"] = DATA
    assert run_pipeline(gitlab)[1].returncode == 0
    written = [(command, path, body) for command, path, body in forge.requests if command != "GET"]
    expected = [("PUT", f"{NOTES}/4", REVIEW)]
    assert written == (expected if asked_before else [*expected, ("POST", NOTES, ASKED)])
    assert re.fullmatch(DAY_PATTERN, gitlab.read("sizewell.log.date"))


@needs_curl
def test_a_note_that_cannot_be_updated_is_made_anew(gitlab: Runner, forge: Forge) -> None:
    forge.notes.append(note(4, MARKER))
    forge.refuses = ("PUT",)
    result = run_pipeline(gitlab)[1]
    assert (result.returncode, result.stdout) == (0, "")
    assert asked(forge)[-2:] == [("PUT", f"{NOTES}/4"), ("POST", NOTES)]
    assert forge.requests[-1][2] == REVIEW


@needs_curl
@pytest.mark.parametrize("code", [1, 2, 3])
def test_the_job_fails_as_the_review_does_and_the_note_says_it(
    gitlab: Runner, forge: Forge, code: int
) -> None:
    gitlab.add_program("sizewell", FAKE_SIZEWELL, code=code, review=REVIEW)
    gitlab.variables |= {"SIZEWELL_ENVIRONMENTS": "dev prod", "SIZEWELL_FAIL_ON": "a,b > 10%"}
    review, posting = run_pipeline(gitlab)
    assert (review.returncode, posting.returncode) == (code, 0)
    assert forge.requests[-1][0] == "POST"
    assert ("could not review" in forge.requests[-1][2]) == (code == 2)
    [arguments] = gitlab.calls("sizewell")
    assert arguments[:13] == [
        *(
            "review",
            "--base",
            "base",
            "--head",
            "head",
            "--config",
            "config",
            "--env",
            "dev",
            "--env",
            "prod",
        ),
        *("--fail-on", "a,b > 10%"),
    ]


@needs_curl
def test_an_earlier_note_does_not_stand_when_the_set_up_fails(gitlab: Runner, forge: Forge) -> None:
    forge.notes.append(note(4, MARKER))
    gitlab.add_program("make", "#!/bin/sh\nexit 7\n")
    review, posting = run_pipeline(gitlab)
    assert (review.returncode, posting.returncode) == (2, 0)
    assert review.stdout == "There is nothing to review: the log of sizewell-synthesize says why.\n"
    assert forge.requests[-1] == (
        "PUT",
        f"{NOTES}/4",
        f"{MARKER}\n### Sizewell could not review this change\n\n"
        "The log says why: https://gitlab.example/pipelines/1\n",
    )


@needs_curl
@pytest.mark.parametrize("link", ["sizewell-review/review.md", "sizewell-review"])
def test_a_link_in_the_artifact_leads_to_no_secret(gitlab: Runner, forge: Forge, link: str) -> None:
    secret = gitlab.directory / "secret"
    secret.mkdir()
    (secret / "review.md").write_text("the token")
    place = gitlab.directory / link
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(secret / "review.md" if link.endswith(".md") else secret)
    gitlab.variables |= TOKEN
    assert gitlab.run(scripts("gitlab")["sizewell-note"]).returncode == 0
    assert "could not review" in forge.requests[-1][2]


def test_the_code_of_a_merge_request_does_not_run_with_the_token(gitlab: Runner, forge: Forge) -> None:
    gitlab.add_program("make", "#!/bin/sh\ntouch ran\n")
    gitlab.variables |= TOKEN
    result = gitlab.run(scripts("gitlab")["sizewell-synthesize"])
    assert result.returncode == 2
    assert "limit the variable to the environment scope sizewell-note" in result.stdout
    assert not (gitlab.directory / "ran").exists()
    assert gitlab.calls("python") == []


@pytest.mark.parametrize(
    ("head", "kind", "base"),
    [
        ("merge", "merged_result", "base"),
        ("merge", "merge_train", "base"),
        ("merge", "detached", "fork"),
        ("topic", "merged_result", "fork"),
    ],
)
def test_a_change_is_compared_with_the_base_that_it_was_made_for(
    gitlab: Runner, head: str, kind: str, base: str
) -> None:
    (gitlab.directory / "bin" / "git").unlink()
    commits = make_merge(gitlab.directory)
    git(gitlab.directory, "checkout", "--quiet", "--detach", commits[head])
    gitlab.variables |= {
        "CI_COMMIT_SHA": commits[head],
        "CI_MERGE_REQUEST_EVENT_TYPE": kind,
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": commits["fork"],
    }
    (gitlab.directory / "sizewell-head").mkdir()
    assert gitlab.run(scripts("gitlab")["sizewell-review"]).returncode == 0
    assert git(gitlab.directory, "rev-parse", "HEAD").strip() == commits[base]


@pytest.mark.parametrize("job", ["sizewell-synthesize", "sizewell-review", "sizewell-note"])
def test_outside_a_merge_request_nothing_happens(gitlab: Runner, forge: Forge, job: str) -> None:
    del gitlab.variables["CI_MERGE_REQUEST_IID"]
    result = gitlab.run(scripts("gitlab")[job])
    assert (result.returncode, result.stderr) == (0, "")
    assert "This is no merge request" in result.stdout
    assert gitlab.calls("sizewell") == []
    assert forge.requests == []


def test_without_a_token_there_is_no_note(gitlab: Runner, forge: Forge) -> None:
    result = gitlab.run(scripts("gitlab")["sizewell-note"])
    assert result.returncode == 0
    assert "There is no SIZEWELL_GITLAB_TOKEN" in result.stdout
    assert forge.requests == []


@needs_curl
@pytest.mark.parametrize("refused", ["GET", "POST"])
def test_a_token_that_may_not_write_does_not_decide_about_the_change(
    gitlab: Runner, forge: Forge, refused: str
) -> None:
    forge.refuses = (refused,)
    review, posting = run_pipeline(gitlab)
    assert (review.returncode, posting.returncode) == (0, 1)
    assert "does SIZEWELL_GITLAB_TOKEN have the role Reporter and the scope api?" in posting.stdout
    assert load(ci_files("gitlab")[PIPELINE])["sizewell-note"]["allow_failure"] is True
