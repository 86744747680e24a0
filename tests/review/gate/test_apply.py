from pathlib import Path
from typing import Any

import pytest

from sizewell.review.exposure import EXPOSING_RULES, OPENING_RULES
from sizewell.review.gate import apply_gate, parse_conditions
from sizewell.review.model import (
    CostComponent,
    CostSide,
    EnvironmentCost,
    Grant,
    Hazard,
    IamChange,
    Note,
    PickSide,
    Range,
    ResourceChange,
    Resources,
    Review,
    Security,
    SecurityChange,
    SelectionChange,
    Side,
    Verdict,
    WorkloadCost,
)

RULES = {"alarm-removed": "", "counts-lost": ""}


def review(**given: Any) -> Review:
    sides = {
        "base": Side(label="main", environments=("dev", "prod"), stack_count=1),
        "head": Side(label="worktree", environments=("dev", "prod"), stack_count=1),
    }
    return Review(**sides | {"verdict": Verdict(level="safe", sentence="")} | given)


def failures(given: Review, *conditions: str) -> dict[str, str]:
    gate = apply_gate(given, parse_conditions(conditions, hazard_rules=RULES))
    return {failure.condition: failure.reason for failure in gate.failures}


def hazard(severity: str = "warning", environment: str = "prod", rule: str = "alarm-removed") -> Hazard:
    return Hazard(
        rule=rule, effect="alerting", severity=severity, environment=environment, stack="s", subject="the alarm",
        cause="is gone", consequence="c", what_to_do="w",
    )  # fmt: skip


def resource(action: str, environment: str = "prod", **given: Any) -> ResourceChange:
    return ResourceChange(
        environment=environment, stack="s", logical_id="Bucket", resource_type="AWS::S3::Bucket", path="p", action=action,
        **given,
    )  # fmt: skip


def security(rule: str, direction: str = "weaker", head: str = "") -> Review:
    change = SecurityChange(
        rule=rule,
        direction=direction,
        environment="prod",
        stack="s",
        subject="the bucket",
        base="",
        head=head,
        why="",
    )
    return review(security=Security(others=(change,)))


def grant(**given: Any) -> Grant:
    return Grant(**{"effect": "Allow", "principal": "role", "action": "s3:*", "resource": "*"} | given)


def iam(*grants: Grant, direction: str = "broadened") -> Review:
    change = IamChange(direction=direction, environment="prod", stack="s", policy="app/role", grants=grants)
    return review(security=Security(iam=(change,)))


def amount(expected: float | None) -> Range:
    return Range(minimum=expected, expected=expected, maximum=expected)


def cost(base: float | None, head: float | None, *, new: bool = False, **given: Any) -> Review:
    one = EnvironmentCost(
        environment="prod", region="us-east-1", base=None if new else amount(base), head=amount(head),
        **{"difference": amount(_difference(base, head)), "difference_percent": None} | given,
    )  # fmt: skip
    return review(cost=(one,))


def _difference(base: float | None, head: float | None) -> float | None:
    return None if base is None or head is None else head - base


def test_conditions_that_are_not_met_stop_nothing() -> None:
    conditions = [
        "danger",
        "warning",
        "hazard",
        "hazard:alarm-removed",
        "replace-stateful",
        "remove-stateful",
        "replace",
    ]
    conditions += [
        "iam-broadened",
        "security-weaker",
        "public-exposure",
        "acknowledgement-added",
        "cost-increase>0%",
    ]
    conditions += ["cost-unknown", "selection-changed", "over-budget", "no-base"]
    gate = apply_gate(review(), parse_conditions(conditions, hazard_rules=RULES))
    assert gate.conditions == tuple(conditions)
    assert gate.failures == ()


@pytest.mark.parametrize(
    ("severity", "met"),
    [("danger", {"danger", "warning", "hazard"}), ("warning", {"warning", "hazard"}), ("notice", set())],
)
def test_hazards_count_from_their_severity_on(severity: str, met: set[str]) -> None:
    given = review(hazards=(hazard(severity),))
    assert failures(given, "danger,warning,hazard") == dict.fromkeys(
        met, "prod: the alarm: is gone (alarm-removed)"
    )


def test_a_rule_counts_whatever_its_severity() -> None:
    given = review(hazards=(hazard("notice"),))
    assert set(failures(given, "hazard:alarm-removed", "hazard:counts-lost")) == {"hazard:alarm-removed"}


def test_a_condition_of_an_environment_is_met_there_only() -> None:
    given = review(hazards=(hazard(environment="dev"),))
    assert set(failures(given, "warning@prod,warning@dev,warning")) == {"warning@dev", "warning"}


def test_a_head_that_does_not_synthesize_is_a_danger() -> None:
    note = Note(severity="danger", environment="prod", text="prod of head does not synthesize")
    given = review(notes=(note, Note(severity="warning", environment="dev", text="t")))
    conditions = "danger,danger@dev,warning,hazard,hazard:alarm-removed"
    assert failures(given, conditions) == dict.fromkeys(
        ("danger", "warning", "hazard"), "prod: prod of head does not synthesize"
    )


def test_findings_beyond_three_are_counted() -> None:
    reason = failures(review(hazards=(hazard(),) * 5), "hazard")["hazard"]
    assert reason == "; ".join(["prod: the alarm: is gone (alarm-removed)"] * 3 + ["2 more"])


@pytest.mark.parametrize(
    ("action", "stateful", "met"),
    [
        ("replaced", True, {"replace", "replace-stateful"}),
        ("may be replaced", True, {"replace", "replace-stateful"}),
        ("replaced", False, {"replace"}),
        ("removed", True, {"remove-stateful"}),
        ("removed", False, set()),
        ("changed", True, set()),
        ("added", True, set()),
    ],
)
def test_resources(action: str, stateful: bool, met: set[str]) -> None:
    given = review(resources=Resources(changes=(resource(action, stateful=stateful),)))
    assert set(failures(given, "replace,replace-stateful,remove-stateful")) == met


def test_a_resource_that_is_kept_is_told_so() -> None:
    given = review(resources=Resources(changes=(resource("removed", stateful=True, retained=True),)))
    assert failures(given, "remove-stateful") == {
        "remove-stateful": "prod: s/Bucket (AWS::S3::Bucket) is removed, and the old one or its snapshot is kept"
    }


def test_a_stack_at_another_place_is_made_anew() -> None:
    given = review(hazards=(hazard(rule="stack-relocated"),))
    reason = "prod: the alarm: is gone, and everything is created anew there"
    assert failures(given, "replace,replace-stateful,remove-stateful") == dict.fromkeys(
        ("replace", "replace-stateful", "remove-stateful"), reason
    )


def test_permissions() -> None:
    given = iam(grant(), grant(action="kms:*"))
    assert failures(given, "iam-broadened") == {"iam-broadened": "prod: app/role: Allow s3:* on * and 1 more"}
    assert failures(iam(grant(), direction="narrowed"), "iam-broadened") == {}


@pytest.mark.parametrize(
    ("rule", "head", "met"),
    [
        (
            "security-group-opened",
            "tcp 22 from 0.0.0.0/0 (everybody)",
            {"security-weaker", "public-exposure"},
        ),
        ("security-group-opened", "tcp 22 from 10.0.0.0/8", {"security-weaker"}),
        ("security-group-opened", "-1 to 0.0.0.0/0 (everybody)", {"security-weaker"}),
        ("public-principal", "s3:GetObject", {"security-weaker", "public-exposure"}),
        ("encryption-lost", "", {"security-weaker"}),
        ("acknowledgement-added", "", {"security-weaker", "acknowledgement-added"}),
    ],
)
def test_security(rule: str, head: str, met: set[str]) -> None:
    conditions = "security-weaker,public-exposure,acknowledgement-added"
    assert set(failures(security(rule, head=head), conditions)) == met
    assert "public-exposure" not in failures(security(rule, "stronger", head), conditions)


def test_security_that_a_setting_costs() -> None:
    conditions = "security-weaker,public-exposure"
    opened, weakened = (
        hazard(rule=rule).model_copy(update={"effect": "security"})
        for rule in ("publicly-reachable", "less-secure")
    )
    assert set(failures(review(hazards=(opened,)), conditions)) == {"security-weaker", "public-exposure"}
    assert set(failures(review(hazards=(weakened,)), conditions)) == {"security-weaker"}
    assert failures(review(hazards=(hazard(),)), conditions) == {}


@pytest.mark.parametrize(
    ("base", "head", "met"),
    [
        (100.0, 111.0, {"cost-increase>10%", "cost-increase>10usd"}),
        (100.0, 110.0, set()),
        (1000.0, 1050.0, {"cost-increase>10usd"}),
        (10.0, 15.0, {"cost-increase>10%"}),
        (100.0, 50.0, set()),
        (0.0, 5.0, {"cost-increase>10%"}),
        (0.0, 50.0, {"cost-increase>10%", "cost-increase>10usd"}),
        (0.0, 0.0, set()),
        (None, 5.0, {"cost-increase>10%", "cost-increase>10usd"}),
        (100.0, None, set()),
    ],
)
def test_cost_increases(base: float | None, head: float | None, met: set[str]) -> None:
    assert set(failures(cost(base, head), "cost-increase>10%,cost-increase>10usd")) == met


def test_the_most_may_rise_where_the_expected_cost_stays() -> None:
    stays, rises = (Range(minimum=1.0, expected=10.0, maximum=most) for most in (100.0, 300.0))
    difference = Range(minimum=0.0, expected=0.0, maximum=200.0)
    given = (
        cost(10.0, 10.0).cost[0].model_copy(update={"base": stays, "head": rises, "difference": difference})
    )
    found = failures(review(cost=(given,)), "cost-increase>0%,most-increase>100%,most-increase>200usd")
    assert found == {"most-increase>100%": "prod: 100 → 300 USD per month (+200, +200.0%)"}


def test_what_nobody_knows_and_what_is_not_known_to_be_harmless() -> None:
    unknown = resource("changed", unknown=("Mode",))
    known, harmless = resource("changed"), resource("changed", harmless=True)
    assert failures(review(resources=Resources(changes=(unknown, harmless))), "unknown,not-safe@prod") == {
        "unknown": "prod: Mode of s/Bucket (AWS::S3::Bucket)",
        "not-safe@prod": "prod: s/Bucket (AWS::S3::Bucket) is changed",
    }
    assert set(failures(review(resources=Resources(changes=(known,))), "unknown,not-safe")) == {"not-safe"}
    assert failures(review(resources=Resources(changes=(harmless,))), "unknown,not-safe") == {}


def test_a_cost_increase_says_from_where_to_where() -> None:
    assert failures(cost(1000.0, 1500.0), "cost-increase>10%") == {
        "cost-increase>10%": "prod: 1,000 → 1,500 USD per month (+500, +50.0%)"
    }
    assert failures(cost(None, 1500.0, new=True), "cost-increase>10%") == {
        "cost-increase>10%": "prod: 1,500 USD per month, and the cost of base is unknown"
    }


def test_what_becomes_unknown_hides_no_increase() -> None:
    given = cost(5529.0, 4423.0, difference=amount(2211.9))
    assert failures(given, "cost-increase>1%,cost-increase>1usd,cost-increase>41%") == dict.fromkeys(
        ("cost-increase>1%", "cost-increase>1usd"),
        "prod: of what is known on both sides (+2,212 USD per month, +40.0%)",
    )
    assert failures(cost(1000.0, 1500.0, difference=amount(-20.0)), "cost-increase>1%") == {}


def test_a_cost_that_nobody_knows_does_not_pass() -> None:
    given = cost(100.0, 100.0, difference=amount(None), unknown_changes=("chat: ml.p9.xlarge instances",))
    reason = "prod: the cost of chat: ml.p9.xlarge instances is unknown and counts as too high"
    conditions = ("cost-increase>10%", "cost-increase>1000usd")
    assert failures(given, *conditions) == dict.fromkeys(conditions, reason)


def test_a_budget() -> None:
    assert failures(cost(1.0, 120.0, budget_usd_per_month=100.0), "over-budget") == {
        "over-budget": "prod: 120 USD per month, the budget is 100"
    }
    assert failures(cost(1.0, 100.0, budget_usd_per_month=100.0), "over-budget") == {}
    assert failures(cost(1.0, None, budget_usd_per_month=100.0), "over-budget") == {
        "over-budget": "prod: the cost is unknown and counts as too high: no part of it has a known price"
    }


@pytest.mark.parametrize(("basis", "met"), [("unknown", True), ("usage", False), ("published", False)])
def test_unknown_costs(basis: str, met: bool) -> None:
    component = CostComponent(
        service="SageMaker",
        name="ml.p6 instances",
        quantity="",
        unit_price="",
        usd_per_month=amount(None),
        basis=basis,
    )
    side = CostSide(components=(component,), usd_per_month=amount(None))
    workload = WorkloadCost(
        environment="prod", workload="chat", base=None, head=side, difference=amount(None)
    )
    given = cost(1.0, 1.0, workloads=(workload,))
    expected = {"cost-unknown": "prod: chat: ml.p6 instances"} if met else {}
    assert failures(given, "cost-unknown") == expected


def test_types_that_nobody_prices_are_unknown() -> None:
    assert failures(cost(1.0, 1.0, not_priced=("AWS::RDS::DBInstance",)), "cost-unknown") == {
        "cost-unknown": "prod: AWS::RDS::DBInstance (Sizewell has no price for it)"
    }


def test_nothing_known_is_unknown() -> None:
    assert failures(cost(1.0, None), "cost-unknown") == {
        "cost-unknown": "prod: no part of it has a known price"
    }


def pick(instance_type: str, count: int = 2, usd: float = 1.0) -> PickSide:
    return PickSide(
        instance_type=instance_type, instance_count=count, usd_per_hour=usd, usd_per_month=None, time=1, runner_up=None,
        lock="unlocked",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("base", "head", "reason"),
    [
        (pick("ml.a"), pick("ml.b"), "prod: chat: 2 x ml.a → 2 x ml.b"),
        (pick("ml.a"), pick("ml.a", 3), "prod: chat: 2 x ml.a → 3 x ml.a"),
        (pick("ml.a"), pick("ml.a", usd=2), None),
        (None, pick("ml.a"), None),
        (pick("ml.a"), None, None),
    ],
)
def test_selections(base: PickSide | None, head: PickSide | None, reason: str | None) -> None:
    change = SelectionChange(
        environment="prod",
        workload="chat",
        kind="real-time-endpoint",
        time_of="latency",
        base=base,
        head=head,
        reasons=("x",),
    )
    expected = {"selection-changed": reason} if reason else {}
    assert failures(review(selection=(change,)), "selection-changed") == expected


def test_an_environment_without_base() -> None:
    base = Side(label="main", environments=("dev",), stack_count=1)
    for given in (review(base=base), cost(None, 5.0, new=True)):
        assert failures(given, "no-base,no-base@dev") == {"no-base": "prod: it has no base to compare with"}
    assert set(failures(review(base=None), "no-base,no-base@dev")) == {"no-base", "no-base@dev"}


def test_rules_of_exposure_are_rules_of_the_security_section(project_root: Path) -> None:
    source = "".join(
        path.read_text("utf-8")
        for path in sorted((project_root / "sizewell" / "review" / "security").rglob("*.py"))
    )
    assert {rule for rule in (*EXPOSING_RULES, *OPENING_RULES) if f'"{rule}"' not in source} == set()
