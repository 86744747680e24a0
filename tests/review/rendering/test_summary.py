"""The lines that are read before anything is unfolded."""

import pytest

from sizewell.review.model import Grant, IamChange, Review, Security, Side, Verdict
from sizewell.review.rendering.summary import security_lines

SIDE = Side(label="x", environments=("prod",), stack_count=1)


def grant(principal: str, action: str) -> Grant:
    return Grant(effect="Allow", principal=principal, action=action, resource="*")


@pytest.mark.parametrize(
    ("grants", "says"),
    [
        ((grant("app/role", "s3:GetObject"),), "app/role may now s3:GetObject (prod)."),
        (
            (grant("everybody", "s3:GetObject"), grant("everybody", "s3:PutObject")),
            "everybody may now s3:GetObject and s3:PutObject on app/role (prod).",
        ),
    ],
)
def test_who_may_do_what(grants: tuple[Grant, ...], says: str) -> None:
    change = IamChange(direction="broadened", environment="prod", stack="s", policy="app/role", grants=grants)
    review = Review(
        base=SIDE,
        head=SIDE,
        verdict=Verdict(level="look", sentence=""),
        security=Security(iam=(change,)),
    )
    assert list(security_lines(review)) == [says]
