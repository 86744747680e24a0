"""The script of the GitLab pipeline, run against a server on loopback."""

import json
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from review.rendering.comment import MARKER
from tests.cli.ci_runner import (
    FAKE_SIZEWELL,
    REVIEW,
    STRICT_BASH,
    Runner,
    scripts,
)


@dataclass
class Forge:
    """The notes of a merge request, two on a page, as GitLab serves them."""

    notes: list[dict[str, Any]]
    refuses: bool = False
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    tokens: set[str | None] = field(default_factory=set)
    url: str = ""


@pytest.fixture
def forge() -> Iterator[Forge]:
    state = Forge([{"id": 1, "body": "looks good"}, {"id": 2, "body": "> " + MARKER}])

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
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
            self.send_response(403 if state.refuses else 200)
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
            "CI_JOB_URL": "https://gitlab.example/jobs/1",
            "PROJECT": ".",
            "SIZEWELL_ENVIRONMENTS": "",
            "SIZEWELL_FAIL_ON": "",
            "SIZEWELL_GITLAB_TOKEN": "secret",
            "no_proxy": "127.0.0.1",
        },
    )
    runner.add_program("make", "#!/bin/sh\n")
    runner.add_program("sizewell", FAKE_SIZEWELL, code=0, review=REVIEW)
    return runner


def pipeline() -> str:
    return "\n".join(scripts("gitlab").values())


NOTES = "/projects/42/merge_requests/5/notes"
needs_curl = pytest.mark.skipif(not shutil.which("curl"), reason="the pipeline asks GitLab with curl")


@needs_curl
@pytest.mark.parametrize("shell", [STRICT_BASH, ("sh", "-e")], ids=["bash", "sh"])
def test_the_note_is_made_where_there_is_none(gitlab: Runner, forge: Forge, shell: tuple[str, ...]) -> None:
    result = gitlab.run(pipeline(), shell)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert forge.requests == [("GET", f"{NOTES}?per_page=100&page=1", ""), ("POST", NOTES, REVIEW)]
    assert forge.tokens == {"secret"}
    [arguments] = gitlab.calls("sizewell")
    assert arguments[:5] == ["review", "--base", "abc123", "--head", "HEAD"]
    assert (gitlab.directory / "sizewell-review" / "review.html").is_file()


@needs_curl
def test_the_note_is_found_on_a_later_page_and_updated(gitlab: Runner, forge: Forge) -> None:
    forge.notes += [{"id": 3, "body": "."}, {"id": 4, "body": f"{MARKER}\nold"}, {"id": 5, "body": MARKER}]
    assert gitlab.run(pipeline()).returncode == 0
    assert [request[:2] for request in forge.requests] == [
        ("GET", f"{NOTES}?per_page=100&page=1"),
        ("GET", f"{NOTES}?per_page=100&page=2"),
        ("PUT", f"{NOTES}/4"),
    ]
    assert forge.requests[-1][2] == REVIEW


@needs_curl
@pytest.mark.parametrize("code", [1, 2, 3])
def test_the_job_fails_as_the_review_does_after_the_note(gitlab: Runner, forge: Forge, code: int) -> None:
    gitlab.add_program("sizewell", FAKE_SIZEWELL, code=code, review=REVIEW)
    gitlab.variables |= {"SIZEWELL_ENVIRONMENTS": "dev prod", "SIZEWELL_FAIL_ON": "a,b > 10%"}
    gitlab.variables["CI_MERGE_REQUEST_TARGET_BRANCH_SHA"] = "def456"
    assert gitlab.run(pipeline()).returncode == code
    assert forge.requests[-1][0] == "POST"
    assert ("could not review" in forge.requests[-1][2]) == (code == 2)
    [arguments] = gitlab.calls("sizewell")
    assert arguments[:11] == [
        *("review", "--base", "def456", "--head", "HEAD", "--env", "dev", "--env", "prod"),
        *("--fail-on", "a,b > 10%"),
    ]


def test_without_a_token_there_is_no_note(gitlab: Runner, forge: Forge) -> None:
    del gitlab.variables["SIZEWELL_GITLAB_TOKEN"]
    result = gitlab.run(pipeline())
    assert result.returncode == 0
    assert "There is no SIZEWELL_GITLAB_TOKEN" in result.stdout
    assert forge.requests == []


@needs_curl
def test_a_token_that_may_not_write_does_not_decide_about_the_change(gitlab: Runner, forge: Forge) -> None:
    forge.refuses = True
    result = gitlab.run(pipeline())
    assert result.returncode == 0
    assert "does SIZEWELL_GITLAB_TOKEN have the scope api?" in result.stdout
