"""The lines that are read before anything is unfolded."""

import pytest

from sizewell.review.model import Grant, Hazard, IamChange, Review, Security, Side, Verdict
from sizewell.review.rendering.summary import security_lines, steps

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


def test_a_step_that_only_names_another_stack_is_one() -> None:
    hazards = tuple(
        Hazard(
            rule="endpoint-removed", effect="availability", severity="warning", environment=name, stack=f"demo-{name}-chat",
            subject=f"endpoint demo-{name}-chat", cause="the endpoint leaves the app", consequence="It stays.",
            what_to_do=f"Run aws cloudformation delete-stack --stack-name demo-{name}-chat.",
        )
        for name in ("prod", "dev")
    )  # fmt: skip
    review = Review(base=SIDE, head=SIDE, verdict=Verdict(level="look", sentence=""), hazards=hazards)
    (step,) = steps(review)
    assert step.place == "prod and dev, endpoint demo-prod-chat and endpoint demo-dev-chat"
