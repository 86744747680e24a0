"""The page and the table of metrics say what the code does."""

import csv

from constructs_lib.endpoint_metrics import ENDPOINT_METRICS
from sizewell.checks import RULE_IDS
from sizewell.checks.registry import RULES
from sizewell.checks.rules.alarm_metrics import METRICS_FILE, known_metrics


def test_every_rule_says_where_it_comes_from() -> None:
    assert all("https://" in rule.why or "catalog" in rule.why for rule in RULES)
    assert len(set(RULE_IDS)) == len(RULE_IDS)


def test_metrics_are_unique_and_sourced() -> None:
    with METRICS_FILE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len({(row["namespace"], row["metric"]) for row in rows}) == len(rows)
    assert all(row["source"] and row["kinds"] for row in rows)


def test_metrics_that_our_alarms_use_are_known() -> None:
    known = known_metrics()
    for metric in ENDPOINT_METRICS.values():
        assert "variant" in known[metric.namespace][metric.name]
