"""The page: self-contained, well-formed, and never more than text where somebody else's text stands."""

import re
import unicodedata
from base64 import b64encode
from hashlib import sha256

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from sizewell.review.model import Note, Review, Side, Verdict
from sizewell.review.rendering import render_html
from tests.html_page import Page
from tests.review.rendering.any_review import HOSTILE, any_review, crowded, poisoned
from tests.review.rendering.sample_review import sample

OURS = {
    "html", "head", "meta", "title", "style", "body", "a", "header", "h1", "h2", "h3", "p", "code", "span",
    "b", "section", "ul", "li", "nav", "main", "article", "details", "summary", "pre", "dl", "div", "dt",
    "dd", "small", "del", "ins", "figure", "figcaption", "svg", "desc", "line", "text", "rect", "path",
    "circle", "defs", "marker", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


def check_is_harmless(text: str) -> Page:
    page = Page(text)
    assert {tag for tag, _ in page.elements} <= OURS
    for _, attributes in page.elements:
        assert not any(name.startswith("on") or name in {"src", "style"} for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")
    ids = [attributes["id"] for _, attributes in page.elements if attributes.get("id")]
    assert len(ids) == len(set(ids))
    assert {(attributes["href"] or "")[1:] for attributes in page.all("a")} <= set(ids)
    for sign in set(text) - {"\n"}:
        assert unicodedata.category(sign) not in {"Cc", "Cf", "Zl", "Zp"}, repr(sign)
    return page


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_values_stay_text(text: str) -> None:
    page = check_is_harmless(render_html(poisoned(sample(), text)))
    if text.isprintable() and len(text) < 100 and text.isascii():
        assert page.text.count(" ".join(text.split())) >= 50


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_values_in_lists_failures_and_denials_stay_text(text: str) -> None:
    page = check_is_harmless(render_html(crowded(sample(), text)))
    assert "26 times" in page.text
    assert "no longer denied" in page.text


@given(any_review())
@settings(
    max_examples=25,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
def test_any_review_is_a_page(review: Review) -> None:
    check_is_harmless(render_html(review))


def test_page_needs_nothing_from_elsewhere_and_runs_nothing() -> None:
    text = render_html(sample())
    page = Page(text)
    assert not re.search(r"https?://|@import|url\((?!#)", text)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    (policy,) = (meta["content"] for meta in page.all("meta") if "http-equiv" in meta)
    assert policy == (f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")


def test_page_is_the_same_bytes_every_time() -> None:
    assert render_html(sample()) == render_html(sample())


def test_page_tells_everything_that_a_reviewer_needs() -> None:
    review = sample()
    text = Page(render_html(review)).text
    for hazard in review.hazards:
        for part in (hazard.subject, hazard.rule, hazard.cause, hazard.consequence, hazard.what_to_do):
            assert part in text
    assert "Allow s3:DeleteObject, s3:PutObject on arn:aws:s3:::demo-prod-models/*" in text
    assert "8,910 10,703 +1,793 +20% 6,100 – 24,300 5,934 – 33,946 9,500, exceeded" in text  # noqa: RUF001
    assert "41 of 43 components priced; prices of 2026-10-31; unknown: S3 requests of assistant" in text
    assert "2,212 → 4,092 USD per month; p95 at peak 14.6 s → 11.2 s" in text
    assert "workloads.assistant.scaling.min_instances 2 → 1 loses the second zone" in text
    assert "replaced may lose data demo-prod-foundation/CaptureBucket" in text
    assert "611 resources unchanged" in text


def test_findings_of_several_environments_are_said_once() -> None:
    text = Page(render_html(sample())).text
    assert text.count("A rollback starts only when users wait twice as long.") == 1
    assert "alarm LatencyAlarm prod and staging · alarm-loosened" in text


def test_navigation_names_the_sections_that_there_are_with_counts() -> None:
    text = Page(render_html(sample())).text
    assert (
        "Cost 3 Instance types 3 Hazards 6 Security 4 About this review 1 Configuration 4 Resources 15"
        in text
    )


def test_review_without_any_change_has_no_sections() -> None:
    side = Side(label="main", environments=("dev",), stack_count=3)
    page = Page(
        render_html(
            Review(
                base=side,
                head=side,
                verdict=Verdict(level="no change", sentence="Nothing changes."),
                cost=sample().cost,
            )
        )
    )
    assert "No change Nothing changes." in page.text
    assert page.all("nav") == []
    assert page.all("h2") == []


def test_charts_speak_and_have_their_numbers_in_a_table() -> None:
    page = Page(render_html(sample()))
    charts = [found for found in page.all("svg") if found.get("role") == "img"]
    assert [found["aria-labelledby"] for found in charts] == [
        "choice-1-title choice-1-desc",
        "choice-2-title choice-2-desc",
    ]
    ids = {found.get("id") for _, found in page.elements}
    assert {name for found in charts for name in (found["aria-labelledby"] or "").split()} <= ids
    assert "ml.inf2.8xlarge candidate 3,592 14.1 s" in page.text


def test_counts_of_headings_and_navigation_agree() -> None:
    text = Page(render_html(sample())).text
    assert "Hazards 2 dangers, 3 warnings, 1 notice (5 findings in 6 places)" in text
    assert (
        "Security 1 finding weaker, 1 policy broadened, 1 finding stronger, 1 policy narrowed, "
        "148 grants of changed stacks unchanged"
    ) in text
    assert "Instance types 3 picks changed" in text
    assert "4 added; 2 stacks" in text


def test_why_head_does_not_synthesize_is_open_and_first() -> None:
    failure = Note(severity="danger", environment="prod", text="prod of head fails", detail="first\n  second")
    text = render_html(sample().model_copy(update={"notes": (*sample().notes, failure)}))
    assert '<pre tabindex="0">first\n  second\n</pre>\n</article>' in text
    assert '<summary>Show the details</summary><pre tabindex="0">plan.json: No such file' in text
    assert text.index('id="failures"') < text.index('id="cost"') < text.index('id="hazards"')
    shown = Page(text).text
    assert "Does not synthesize 1 Cost 3 Instance types 3 Hazards 6" in shown


def test_the_same_of_several_things_is_told_once_with_all_names() -> None:
    first = sample().hazards[0]
    names = [f"bucket B{i:02}" for i in range(30)]
    many = tuple(first.model_copy(update={"subject": name, "stack": name}) for name in names)
    text = Page(render_html(sample().model_copy(update={"hazards": many}))).text
    assert text.count(first.consequence) == 1
    assert all(name in text for name in names)
    assert "Hazards 30 dangers (1 finding in 30 places)" in text


def test_labels_of_the_picks_stand_below_the_chart() -> None:
    text = render_html(sample())
    charts = re.findall(r'<svg class="plot".*?</svg>\n</div>', text, re.DOTALL)
    assert charts
    assert not any('<text class="label"' in chart for chart in charts)
    shown = Page(text).text
    assert (
        "base: ml.g5.2xlarge, 2,212 USD per month, 14.6 s head: ml.g6e.2xlarge, 4,092 USD per month, 11.2 s"
        in shown
    )
