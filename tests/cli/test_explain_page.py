"""``sizewell explain --html``: one page that needs nothing else, and lets nothing in."""

import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from sizewell.cli.explain_page import MEMORY_BARS, render_page
from sizewell.cli.explanation import Explanation, explain_workload
from sizewell.instance_selection import Rejection
from tests.cli.conftest import Sizewell
from tests.cli.explanations import explained, lock, prod
from tests.html_page import Page
from tests.instance_selection.candidates import job, selection, serving
from tests.synthesis import PROJECT_ROOT

A, B, C = "ml.m5.xlarge", "ml.m6i.xlarge", "ml.p3.2xlarge"
HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7 * 7 }}"


@pytest.fixture(
    scope="module", params=["support-bert", "plant-id", "assistant", "plant-id-train", "assistant-tune"]
)
def real(request: pytest.FixtureRequest) -> Explanation:
    """Return the explanation of each workload of this project."""
    inputs, plan = prod()
    (workload,) = (one for one in plan.on_instances if one.name == request.param)
    return explain_workload(workload, inputs)


def test_page_tells_the_whole_story(real: Explanation) -> None:
    page = Page(render_page(real))
    chosen = real.workload.selection.chosen
    assert f"{real.workload.name} " in page.text
    assert "at most " in page.text
    assert chosen.cost.basis.value in page.text
    for limit in chosen.estimate.near_limits:
        assert f"near its limit: {limit}" in page.text
    ids = [found["id"] for _, found in page.elements if found.get("id")]
    assert len(ids) == len(set(ids))
    for candidate in real.candidates:
        assert ids.count(candidate.instance_type) == 1
    for rejection in real.workload.selection.rejected:
        assert rejection.instance_type in page.text
        assert " ".join(rejection.reason.split()) in page.text
    for assumption in real.workload.selection.assumptions:
        assert " ".join(assumption.split()) in page.text
    assert real.asked.counterfactuals
    for one in real.asked.counterfactuals:
        assert one.change.name in page.text


def test_every_priced_candidate_is_a_link_to_its_row_and_speaks(real: Explanation) -> None:
    page = Page(render_page(real))
    points = [found for found in page.all("a") if found.get("data-rank")]
    priced = [c for c in real.candidates if c.cost.usd_per_month is not None]
    assert {found["href"] for found in points} == {f"#{c.instance_type}" for c in priced}
    assert sorted(int(found["data-rank"] or 0) for found in points) == sorted(
        rank for rank, c in enumerate(real.candidates, 1) if c in priced
    )
    assert all("USD per month" in (found["aria-label"] or "") for found in points)
    ids = {found["id"] for _, found in page.elements if found.get("id")}
    assert {(found["href"] or "")[1:] for found in page.all("a")} <= ids


def test_page_needs_nothing_from_elsewhere(real: Explanation) -> None:
    text = render_page(real)
    page = Page(text)
    assert not re.search(r"https?://|//[a-z]|@import|url\(", text)
    assert [found for _, found in page.elements if "src" in found] == []
    assert page.all("link") == []
    (policy,) = page.all("meta", **{"http-equiv": "Content-Security-Policy"})
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in (
        policy["content"] or ""
    )


def test_page_is_the_same_bytes_every_time(real: Explanation) -> None:
    assert render_page(real) == render_page(real)


def test_hostile_values_stay_text() -> None:
    best = selection(
        serving(A, 10, 90),
        serving(B, 20, 95),
        rejected=(Rejection(instance_type=C, filter="memory", reason=HOSTILE, shortfall=1.5),),
        assumptions=(HOSTILE,),
    )
    told = explained(
        best,
        name=HOSTILE,
        description=HOSTILE,
        lock=lock("infeasible", C, A).model_copy(update={"reason": HOSTILE}),
    )
    page = Page(render_page(told))
    assert len(page.all("script")) == 1
    assert page.all("img") == []
    assert not any(key.startswith("on") for _, found in page.elements for key in found)
    assert page.text.count(HOSTILE) >= 4


def test_badges_say_what_is_sure() -> None:
    measured = Page(render_page(explained(selection(serving(A, 10, 90, measured=("latency",))))))
    assert "measured: latency" in measured.text
    assert "predicted" not in measured.text
    assert "not locked" in measured.text
    for state, words in (
        ("locked", "followed"),
        ("stale", "stale, followed"),
        ("infeasible", "not followed"),
    ):
        told = explained(selection(serving(A, 10, 90)), lock=lock(state, A, A))
        assert f"lock: {words}" in Page(render_page(told)).text


def test_candidates_say_what_they_cost_against_the_pick() -> None:
    told = explained(
        selection(
            serving(A, 20, 90), serving(B, 15, 95), serving(C, 32, 95), serving("ml.g5.xlarge", None, 1)
        )
    )
    page = Page(render_page(told))
    assert "−5.00" in page.text  # noqa: RUF001
    assert "+12" in page.text
    assert "Not drawn, because the price is unknown: 1." in page.text
    assert "unknown, 2026-01-31: 1" in page.text


def test_memory_parts_of_the_first_candidates_add_up_to_their_need() -> None:
    told = explained(selection(*(job(f"ml.t{i}.xlarge", 10 + i, 5) for i in range(9))), bound=24)
    page = Page(render_page(told))
    bars = page.all("svg", role="img")
    assert len(bars) == MEMORY_BARS
    assert bars[0]["aria-label"] == "ml.t0.xlarge: 7.0 of 10.0 GiB usable"
    assert "weights 1.00, activations 2.00, gradients 1.00, optimizer 3.00" in page.text
    parts = [found for found in page.all("rect") if str(found.get("width")).endswith("%")]
    widths = [float(str(found["width"]).rstrip("%")) for found in parts if found.get("class") != "usable"]
    assert sum(widths) == pytest.approx(70 * MEMORY_BARS)


def test_nothing_to_draw_without_prices() -> None:
    text = Page(render_page(explained(selection(serving(A, None, 90))))).text
    assert "No candidate has a known price, so there is nothing to draw." in text


PROD = ("--env", "prod", "--config", str(PROJECT_ROOT / "config"))


def test_command_writes_the_page_and_says_so(tmp_path: Path, sizewell: Sizewell) -> None:
    file = tmp_path / "story.html"
    result = sizewell("explain", "support-bert", *PROD, "--html", str(file))
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"{file} is written: open it in a browser.\n"
    assert file.read_bytes().startswith(b"<!DOCTYPE html>\n")


def test_page_that_cannot_be_written_is_one_message(tmp_path: Path, sizewell: Sizewell) -> None:
    file = tmp_path / "nowhere" / "story.html"
    result = sizewell("explain", "support-bert", *PROD, "--html", str(file))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f"{file}\n  cannot be written: No such file or directory\n  name a file in a directory that exists\n"
    )


def test_data_and_page_are_not_asked_for_together(tmp_path: Path, sizewell: Sizewell) -> None:
    result = sizewell("explain", "support-bert", *PROD, "--json", "--html", str(tmp_path / "a.html"))
    assert result.exit_code == 2
    assert "ask for one of them" in result.stderr


CHROMIUM = shutil.which("chromium")


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on PATH to show the page with")
@pytest.mark.parametrize("width", [400, 1400])
def test_browser_shows_the_page_without_sideways_scrolling(tmp_path: Path, width: int) -> None:
    inputs, plan = prod()
    page = tmp_path / "story.html"
    page.write_text(render_page(explain_workload(plan.endpoints[0], inputs)), "utf-8")
    # A window is never narrower than 500 pixels: a frame is. It reports what its content measures.
    frame = tmp_path / "frame.html"
    frame.write_text(
        f"<body><iframe src='story.html' style='border:0;width:{width}px;height:900px'></iframe><script>"
        "onload = () => { const inside = frames[0].document; inside.querySelector('a.pick').focus();"
        "document.title = [inside.documentElement.scrollWidth, inside.querySelector('#detail').textContent]"
        ".join('|'); }</script></body>",
        "utf-8",
    )
    assert CHROMIUM is not None
    shown = subprocess.run(
        [
            CHROMIUM,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--allow-file-access-from-files",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--window-size=1500,1000",
            "--dump-dom",
            frame.as_uri(),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,  # against hanging only
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
    ).stdout
    measured = re.search(r"<title>(\d+)\|(.*?)</title>", shown)
    assert measured is not None, shown[:500]
    assert int(measured[1]) <= width
    chosen = plan.endpoints[0].selection.chosen.instance_type
    assert measured[2].startswith(f"1. {chosen}: ")
