"""The page and the table of metrics say what the code does."""

import csv
import re

from constructs_lib.endpoint_metrics import ENDPOINT_METRICS
from sizewell.checks import RULE_IDS
from sizewell.checks.alarm_metrics import METRICS_FILE, known_metrics
from tests.synthesis import PROJECT_ROOT

PAGE = (PROJECT_ROOT / "docs" / "guides" / "template-checks.md").read_text("utf-8")


def test_every_rule_has_a_row_in_the_order_of_the_checks() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| (.+) \| (.+) \|$", PAGE, re.MULTILINE)
    assert [rule_id for rule_id, _, _ in rows] == list(RULE_IDS)
    assert all("https://" in why or "catalog" in why for _, _, why in rows)


def test_metrics_are_unique_and_sourced() -> None:
    with METRICS_FILE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len({(row["namespace"], row["metric"]) for row in rows}) == len(rows)
    assert all(row["source"] and row["kinds"] for row in rows)


def test_metrics_that_our_alarms_use_are_known() -> None:
    known = known_metrics()
    for metric in ENDPOINT_METRICS.values():
        assert "variant" in known[metric.namespace][metric.name]
