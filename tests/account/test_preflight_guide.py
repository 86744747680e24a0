"""The guide says what each check asks, and which actions it needs."""

import re

from sizewell.account.before.checks import CHECKS
from tests.synthesis import PROJECT_ROOT

GUIDE = (PROJECT_ROOT / "docs" / "guides" / "preflight.md").read_text("utf-8")


def test_the_table_of_the_guide_has_all_checks_in_their_order_with_their_actions() -> None:
    rows = re.findall(r"^\| ([a-z]+) \| .+ \| ((?:`[a-z0-9]+:\w+`(?:, )?)+) \|$", GUIDE, re.MULTILINE)
    assert [(name, tuple(re.findall(r"`([^`]+)`", actions))) for name, actions in rows] == [
        (check.name, check.actions) for check in CHECKS
    ]
