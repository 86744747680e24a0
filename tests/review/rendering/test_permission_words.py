"""Permissions in words."""

import pytest

from sizewell.review.model import Grant, IamChange, Review, Security
from sizewell.review.rendering import render_html, render_markdown
from sizewell.review.rendering.groups import policy_changes
from sizewell.review.rendering.permission_words import said
from tests.review.rendering.sample_review import sample


def review_of(direction: str, effect: str, principal: str) -> Review:
    grant = Grant.model_validate(
        {
            "effect": effect,
            "principal": principal,
            "action": "s3:GetObject",
            "resource": "arn:aws:s3:::a/*",
            "condition": "Bool aws:SecureTransport: false",
        }
    )
    change = IamChange.model_validate(
        {
            "direction": direction,
            "environment": "prod",
            "stack": "s",
            "policy": "s/Bucket",
            "grants": (grant,),
        }
    )
    return sample().model_copy(update={"security": Security(iam=(change,))})


@pytest.mark.parametrize(
    ("direction", "effect", "principal", "expected"),
    [
        ("broadened", "Deny", "*", ("no longer denied:", "", "")),
        ("narrowed", "Deny", "AWS: *", ("now denied:", "", "")),
        ("broadened", "Deny", "s/Bucket", ("no longer denied:", "", "")),
        ("narrowed", "Deny", "111122223333", ("now denied to", "111122223333", ":")),
        ("broadened", "Allow", "*", ("everybody may", "", "")),
        ("broadened", "Allow", "AWS: *", ("everybody may", "", "")),
        ("narrowed", "Allow", "*", ("everybody may no longer", "", "")),
        ("broadened", "Allow", "111122223333", ("Allow", "111122223333", "")),
        ("narrowed", "Allow", "s/Bucket", ("Allow", "", "")),
    ],
)
def test_permission_is_a_sentence(
    direction: str, effect: str, principal: str, expected: tuple[str, str, str]
) -> None:
    (change,) = policy_changes(review_of(direction, effect, principal), direction)
    (found,) = said(change)
    assert (found.lead, found.principal, found.after_principal) == expected


def test_formats_print_the_sentence() -> None:
    review = review_of("broadened", "Deny", "111122223333")
    assert (
        "<b>no longer denied to</b> <code>111122223333</code>: <code>s3:GetObject</code> on "
        "<code>arn:aws:s3:::a/*</code> if <code>Bool aws:SecureTransport: false</code>"
    ) in render_html(review)
    assert (
        "| no longer denied to `111122223333`: `s3:GetObject` | `arn:aws:s3:::a/*`<br>if "
        "`Bool aws:SecureTransport: false` |"
    ) in render_markdown(review)
    assert "| everybody may `s3:GetObject` |" in render_markdown(review_of("broadened", "Allow", "*"))
