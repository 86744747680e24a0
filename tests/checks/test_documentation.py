"""Every rule says where it comes from."""

from sizewell.checks import RULE_IDS
from sizewell.checks.registry import RULES


def test_every_rule_says_where_it_comes_from() -> None:
    assert all("https://" in rule.why or "catalog" in rule.why for rule in RULES)
    assert len(set(RULE_IDS)) == len(RULE_IDS)
