"""Numbers, unknowns and groups, as every format says them."""

from sizewell.review.model import Approval, Grant, Note, Range, Security, SecurityChange
from sizewell.review.rendering.fitting import Block, fit
from sizewell.review.rendering.groups import (
    failures,
    permissions,
    remarks,
    security_changes,
    security_counts,
    selection_title,
)
from sizewell.review.rendering.lines import (
    approval_line,
    lock_line,
    per_1000_requests,
    picks_line,
    reasons,
    types_line,
)
from sizewell.review.rendering.visible import visible
from sizewell.review.rendering.words import bounds, listed, percent, usd, usd_difference
from sizewell.review.words import counted, shorten
from tests.review.rendering.sample_review import grant, sample


def test_dollars() -> None:
    assert [usd(value) for value in (None, 0, 0.001, 0.4, 9.99, 10, 1234.5, 5e13)] == [
        *("unknown", "0", "0", "0.40", "9.99", "10", "1,234", "5e+13"),
    ]
    assert [usd_difference(value) for value in (None, 0, 0.004, -0.004, 3, -1500)] == [
        *("unknown", "0", "0", "0", "+3.00", "−1,500"),  # noqa: RUF001
    ]
    assert [percent(value) for value in (None, 0, 4.25, -40, 1e7)] == [
        "",
        "+0.0%",
        "+4.2%",
        "−40%",  # noqa: RUF001
        "+1e+07%",
    ]


def test_bounds() -> None:
    assert bounds(None) == "—"
    assert bounds(Range(minimum=10, expected=20, maximum=30)) == "10 – 30"  # noqa: RUF001
    assert bounds(Range(minimum=10, expected=10, maximum=10)) == "10"
    assert bounds(Range(minimum=None, expected=None, maximum=30)) == "unknown – 30"  # noqa: RUF001


def test_lists_and_counts() -> None:
    assert listed(("a", "b", "c"), 2) == "a, b and 1 more"
    assert listed(()) == ""
    assert counted(1, "stack") == "1 stack"
    assert counted(2000, "policy", "policies") == "2,000 policies"


def test_what_hides_becomes_visible() -> None:
    assert visible("plain") == "plain"
    assert visible("a\u202eb\u200b\n\tc\u00a0\ufe0f") == "a⟨U+202E⟩b⟨U+200B⟩⏎⇥c⟨U+00A0⟩⟨U+FE0F⟩"
    assert visible("日本 é Ω") == "日本 é Ω"
    assert shorten("abcdef", 4) == "abcd… (2 more characters)"
    assert shorten("abcd", 4) == "abcd"


def test_grants_are_put_together_by_action_then_by_resource() -> None:
    grants = [
        grant("role", "s3:Get", "a"),
        grant("role", "s3:Put", "a"),
        grant("role", "s3:Get", "b"),
        grant("role", "s3:Put", "b"),
        grant("role", "s3:Get", "c"),
        Grant(effect="Deny", principal="*", action="s3:*", resource="a", condition="if"),
    ]
    assert [(one.effect, one.actions, one.resources) for one in permissions(grants)] == [
        ("Allow", ("s3:Get", "s3:Put"), ("a", "b")),
        ("Allow", ("s3:Get",), ("c",)),
        ("Deny", ("s3:*",), ("a",)),
    ]


def test_costs_of_requests() -> None:
    assistant = sample().cost[0].workloads[0]
    assert per_1000_requests(assistant) == "0.214 → 0.396"
    assert per_1000_requests(assistant.model_copy(update={"head": None})) == "0.214 → unknown"
    assert per_1000_requests(sample().cost[0].workloads[1]) == ""


def test_what_happened_to_a_choice() -> None:
    change = sample().selection[0]
    head = change.head
    assert head is not None
    alike = change.model_copy(update={"base": head})
    assert selection_title(change) == "another type"
    assert selection_title(change.model_copy(update={"base_kind": "training-job"})) == "another service"
    assert selection_title(change.model_copy(update={"base": None})) == "new workload"
    assert selection_title(change.model_copy(update={"head": None})) == "workload removed"
    assert selection_title(alike) == "another price or estimate"
    assert types_line(alike) == "ml.g6e.2xlarge × 2"  # noqa: RUF001
    more = head.model_copy(update={"instance_count": 3})
    assert selection_title(change.model_copy(update={"base": more})) == "another number of instances"
    unlocked = head.model_copy(update={"lock": "unlocked"})
    assert (
        selection_title(change.model_copy(update={"base": unlocked}))
        == "the same type, but the lock is stale"
    )


def test_least_important_items_go_first_and_only_as_many_as_must() -> None:
    parts: list[str | Block] = [
        "start\n",
        Block(("a" * 50,) * 10, "as", 2),
        Block(("b" * 50,) * 10, "bs", 1, "<", ">"),
    ]
    assert fit(parts, 2000) == f"start\n{'a' * 500}<{'b' * 500}>"
    shorter = fit(parts, 900)
    assert len(shorter) <= 900
    assert shorter.count("a" * 50) == 10
    assert "**4 of 10 bs left out here**: a comment holds 900 characters." in shorter
    shortest = fit(parts, 400)
    assert "<" not in shortest
    assert "**10 of 10 bs left out here**" in shortest
    assert "of 10 as left out here" in shortest
    assert len(shortest) <= 400


def test_the_same_of_several_things_is_said_once() -> None:
    def shorter(subject: str, environment: str = "prod", head: str = "14") -> SecurityChange:
        return SecurityChange(
            rule="log-retention-shortened",
            direction="weaker",
            environment=environment,
            stack=f"s-{subject}",
            subject=subject,
            base="365",
            head=head,
            why="Older events are deleted.",
        )

    changes = (shorter("a"), shorter("b"), shorter("a", "dev"), shorter("b", "dev"), shorter("c", head="30"))
    review = sample().model_copy(update={"security": Security(others=changes)})
    said = [(shared.finding.subject, shared.environments) for shared in security_changes(review, "weaker")]
    assert said == [("2 times: a and b", ("prod", "dev")), ("c", ("prod",))]


def test_reason_that_repeats_why_the_lock_is_refused_is_dropped() -> None:
    slow = "latency: p95 of 9.5 ms on an idle instance, 5.0 ms asked"
    said = (
        f"the locked type ml.g4dn.xlarge cannot be used: {slow}",
        f"ml.g4dn.xlarge no longer meets the needs: {slow}",
        "latency.max_p95_ms 100 → 5",
    )
    change = sample().selection[0].model_copy(update={"reasons": said})
    assert reasons(change) == (said[0], said[2])
    other = (said[0], f"ml.g5.xlarge no longer meets the needs: {slow}", "ml.g4dn.xlarge: too slow", said[2])
    assert reasons(change.model_copy(update={"reasons": other})) == other
    assert reasons(change.model_copy(update={"reasons": said[1:]})) == said[1:]


def test_lock_that_does_not_hold_says_what_to_do() -> None:
    change = sample().selection[0]
    assert lock_line(change) == "locked → stale; run: sizewell lock"
    assert change.head is not None
    refused = change.head.model_copy(update={"lock": "infeasible"})
    assert lock_line(change.model_copy(update={"head": refused})).endswith("infeasible; run: sizewell lock")
    assert lock_line(change.model_copy(update={"head": change.base})) == "locked"
    assert lock_line(change.model_copy(update={"base": change.head, "head": None})) == "stale"


def test_picks_are_counted_as_the_verdict_counts_them() -> None:
    changes = sample().selection
    kept = changes[0].model_copy(update={"base": changes[0].head})
    assert picks_line(changes) == "3 picks changed"
    assert picks_line((*changes, kept)) == "3 picks changed, 1 kept"
    assert picks_line((kept,)) == "1 kept"


def test_security_is_counted_in_findings_and_places() -> None:
    def found(way: str, subject: str, why: str = "Why.") -> SecurityChange:
        return SecurityChange.model_validate(
            {
                "rule": "r",
                "direction": way,
                "environment": "prod",
                "stack": "s",
                "subject": subject,
                "base": "a",
                "head": "b",
                "why": why,
            }
        )

    others = (
        found("weaker", "a"),
        found("weaker", "b"),
        found("weaker", "c", "Else."),
        found("stronger", "a"),
    )
    security = sample().security.model_copy(update={"others": others})
    review = sample().model_copy(update={"security": security})
    assert security_counts(review) == (
        "2 findings weaker in 3 places, 1 policy broadened, 1 finding stronger, 1 policy narrowed, "
        "148 grants of changed stacks unchanged"
    )
    nothing = security.model_copy(update={"iam": (), "unchanged_grant_count": 0, "others": others[:1]})
    assert security_counts(review.model_copy(update={"security": nothing})) == "1 finding weaker"


def test_notes_are_failures_of_head_or_remarks() -> None:
    failure = Note(severity="danger", environment="prod", text="prod of head fails", detail="line 1")
    plain = Note(severity="danger", text="no detail")
    review = sample().model_copy(update={"notes": (*sample().notes, failure, plain)})
    assert failures(review) == (failure,)
    assert remarks(review) == (*sample().notes, plain)


def test_an_approval_is_a_short_line() -> None:
    approval = Approval(condition="danger@prod", by=("ada", "company/owners"), findings=("x" * 120, "y"))
    assert (
        approval_line(approval)
        == f"Needs approval of ada and company/owners ({'x' * 100}… (20 more characters) and 1 more)"
    )
