"""The page says what the code does."""

import re

from sizewell.checks import RULE_IDS
from tests.synthesis import PROJECT_ROOT

PAGE = (PROJECT_ROOT / "docs" / "guides" / "template-checks.md").read_text("utf-8")


def test_every_rule_has_a_row_in_the_order_of_the_checks() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| (.+) \| (.+) \|$", PAGE, re.MULTILINE)
    assert [rule_id for rule_id, _, _ in rows] == list(RULE_IDS)
    assert all("https://" in why or "catalog" in why for _, _, why in rows)
