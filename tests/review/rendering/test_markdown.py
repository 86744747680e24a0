"""The comment: short enough, balanced, and never more than text where somebody else's text stands."""

import re
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from syrupy.assertion import SnapshotAssertion

from sizewell.review.model import Note, Review, Side, Verdict
from sizewell.review.rendering import MARKER, render_markdown
from sizewell.review.rendering.comment import LIMIT, SMALLEST_LIMIT
from sizewell.review.rendering.markdown_text import code, fence, sentence
from tests.review.rendering.any_review import HOSTILE, TEXTS, any_review, crowded, poisoned
from tests.review.rendering.sample_review import sample

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
OUR_BLOCKS = {MARKER, "</details>"}
OUR_SUMMARY = re.compile(r"<details><summary>[\w ,:;()]+</summary>")
OUR_TAGS = {"<code>", "</code>", "<br>"}
NEVER = {"link_open", "image", "hr", "code_block", "s_open", "em_open"}
#: What forges make of plain text: mentions, issues, addresses, emoji.
LINKED = re.compile(r"(?i)[@#!]\w|://|www\.|gh-\d|:[+\w]+:|\$")
SIDE = Side(label="main", environments=("dev",), stack_count=3)


def tokens(markdown: str) -> Iterator[Token]:
    for token in PARSER.parse(markdown):
        yield token
        yield from token.children or ()


def check_is_harmless(markdown: str) -> None:
    outside_code = []
    in_code = False
    opened, lists = 0, 0
    for token in tokens(markdown):
        assert token.type not in NEVER, token
        lists += token.type == "ordered_list_open"
        if token.type == "html_block":
            for line in filter(None, map(str.strip, token.content.split("\n"))):
                assert line in OUR_BLOCKS or OUR_SUMMARY.fullmatch(line), line
                opened += line.startswith("<details>") - (line == "</details>")
        elif token.type == "html_inline":
            assert token.content in OUR_TAGS, token.content
            in_code = token.content == "<code>" if "code" in token.content else in_code
        elif token.type == "text" and not in_code:
            outside_code.append(token.content)
        elif token.type == "heading_open":
            assert token.tag == "h3"
    assert opened == 0
    assert lists <= 1, "the steps alone are numbered"
    text = re.sub(r"\[!(CAUTION|IMPORTANT|NOTE|TIP|WARNING)\]", "", " ".join(outside_code))
    assert not LINKED.search(text), LINKED.search(text)
    for sign in set(markdown) - {"\n"}:
        assert unicodedata.category(sign) not in {"Cc", "Cf", "Zl", "Zp"}, repr(sign)


def check_is_balanced(markdown: str) -> None:
    open_fence, columns = "", 0
    for line in markdown.split("\n"):
        ticks = re.match(r" *(`{3,})", line)
        if open_fence:
            open_fence = "" if line.strip() == open_fence else open_fence
            assert not line.startswith("/"), line
            continue
        assert not line.startswith(("/", "@", "#123")), line
        if ticks:
            open_fence = ticks[1]
        elif line.startswith("|"):
            assert line.endswith("|"), line
            columns = columns or line.count("|")
            assert line.count("|") == columns, line
        else:
            columns = 0
    assert not open_fence


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_values_stay_text(text: str) -> None:
    markdown = render_markdown(poisoned(sample(), text))
    check_is_harmless(markdown)
    check_is_balanced(markdown)
    assert "<summary>Hazards: " in markdown
    assert "<summary>Resources: " in markdown


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_values_in_lists_failures_and_denials_stay_text(text: str) -> None:
    markdown = render_markdown(crowded(sample(), text))
    check_is_harmless(markdown)
    check_is_balanced(markdown)
    assert "26 times" in markdown or "hazards left out here" in markdown
    assert "**Does not synthesize**" in markdown


@given(any_review(), st.integers(min_value=1, max_value=60), st.sampled_from([SMALLEST_LIMIT, LIMIT]))
@settings(
    max_examples=30,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
def test_any_review_fits_and_is_balanced(review: Review, times: int, limit: int) -> None:
    long = review.model_copy(
        update={
            name: getattr(review, name) * times
            for name in ("notes", "hazards", "cost", "selection", "config")
        }
        | {"resources": review.resources.model_copy(update={"changes": review.resources.changes * times})}
    )
    markdown = render_markdown(long, limit=limit)
    assert len(markdown) <= limit
    assert markdown.startswith(f"{MARKER}\n")
    check_is_balanced(markdown)
    check_is_harmless(markdown)


@given(TEXTS)
def test_value_is_one_code_span_with_the_same_text(text: str) -> None:
    shown = str(code(text))
    rendered = PARSER.render(f"before {shown} after")
    if "| " * 100 not in text and "more characters" not in shown and shown != "—":
        assert rendered.count("<code>") == 1
        assert rendered.startswith("<p>before <code>")
        assert rendered.endswith("</code> after</p>\n")


def test_plain_words_stay_words_and_everything_else_becomes_code() -> None:
    assert str(sentence("Threshold rises from 15,000 to 30,000 ms (+20%).")) == (
        "Threshold rises from 15,000 to 30,000 ms (+20%)."
    )
    assert str(sentence('grants s3:* to "@team", see (a_b).')) == 'grants `s3:*` to "`@team`", see (`a_b`).'
    assert str(sentence("the commit 3f1c9a2 and 1234567")) == "the commit `3f1c9a2` and 1234567"
    assert str(sentence("/close")) == "\\/close"
    assert str(sentence("a|b")) == "<code>a&#124;b</code>"
    assert str(code("")) == "—"
    assert str(sentence(" ")) == "—", "an empty item of a list would underline the line above it"
    assert str(code("a\u202eb\nc")) == "`a⟨U+202E⟩b⏎c`"


def test_fence_is_longer_than_any_run_of_ticks_in_it() -> None:
    assert str(fence("a\n`````\nb", "diff")) == "``````diff\na\n`````\nb\n``````"
    assert str(fence("\n".join("ab"))).count("```") == 2
    assert "… 20 more lines" in str(fence("\n".join(["x"] * 100)))
    assert "… (100 more characters)" in str(fence("x" * 300))


def test_review_without_any_change_says_nothing_else() -> None:
    planned = SIDE.model_copy(update={"catalog_versions": ("3f0c2a9be1d4",)})
    still = Review(
        base=planned,
        head=planned.model_copy(update={"label": "worktree"}),
        verdict=Verdict(level="no change", sentence="Nothing that is deployed changes."),
        cost=sample().cost,
    )
    assert render_markdown(still) == f"{MARKER}\n**No change** between `main` and `worktree`.\n"


def test_head_alone_says_why_and_shows_the_errors_of_base() -> None:
    review = sample().model_copy(update={"base": None})
    markdown = render_markdown(review)
    assert "Nothing to compare with → `worktree`: prod, dev and staging; 19 stacks" in markdown
    assert "  expected beside manifest.json" in markdown


def test_what_is_left_out_is_said_and_least_important_goes_first() -> None:
    review = sample()
    many = review.resources.changes * 200
    markdown = render_markdown(
        review.model_copy(update={"resources": review.resources.model_copy(update={"changes": many})})
    )
    assert len(markdown) <= LIMIT
    assert "**1,200 of 1,200 templates left out here**: a comment holds 65,000 characters." in markdown
    assert re.search(r"\*\*[\d,]+ of 2,000 resources left out here", markdown)
    for name in ("replace-stateful", "autoscaled-type-change", "s3:DeleteObject", "+1,793", "min_instances"):
        assert name in markdown
    assert len(markdown) > LIMIT * 0.95


def test_short_limit_is_refused() -> None:
    with pytest.raises(ValueError, match=r"limit is 500 characters; the least that makes sense is 20,000"):
        render_markdown(sample(), limit=500)


def test_comment_of_the_sample(snapshot: SnapshotAssertion) -> None:
    assert render_markdown(sample()) == snapshot


def test_lines_of_a_diff_never_begin_with_a_command() -> None:
    review = sample()
    evil = review.resources.changes[0].model_copy(update={"diff": "/merge\n@bot merge\n@@ -1 +1 @@\n+x"})
    markdown = render_markdown(
        review.model_copy(update={"resources": review.resources.model_copy(update={"changes": (evil,)})})
    )
    assert "```diff\n /merge\n @bot merge\n@@ -1 +1 @@\n+x\n```" in markdown


def test_why_head_does_not_synthesize_is_open_and_first() -> None:
    failure = Note(severity="danger", environment="prod", text="prod of head fails", detail="first\n  second")
    markdown = render_markdown(sample().model_copy(update={"notes": (*sample().notes, failure)}))
    assert (
        "**Does not synthesize**\n\n- **Danger** in prod: prod of head fails\n\n"
        "  ```\n    first\n      second\n  ```\n"
    ) in markdown
    assert markdown.index("**Does not synthesize**") < markdown.index("<details>")
    about = markdown.partition("<details><summary>About this review</summary>")[2].partition("</details>")[0]
    assert "plan.json: No such file" in about


def test_the_same_of_several_things_is_told_once() -> None:
    first = sample().hazards[0]
    where = (("prod", "key A"), ("prod", "log group B"), ("dev", "bucket C"))
    many = tuple(first.model_copy(update={"environment": at, "subject": name}) for at, name in where)
    markdown = render_markdown(sample().model_copy(update={"hazards": many}))
    assert (
        "- **Danger** in prod and dev: 3 times (`replace-stateful`)\n"
        "  - In prod:\n    - key A\n    - log group B\n  - In dev:\n    - bucket C\n  - Cause: "
    ) in markdown
    assert markdown.count(first.consequence) == 1


def test_most_above_the_budget_is_said_below_the_table() -> None:
    assert "- prod: at most 33,946, above the budget of 9,500 (was 24,300)\n" in render_markdown(sample())
