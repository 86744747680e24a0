"""How carefully to look, and why: the one thing that nobody may overlook comes first."""

from typing import Any

import pytest

from sizewell.review.model import (
    ConfigChange,
    CostSide,
    EnvironmentCost,
    Grant,
    Hazard,
    IamChange,
    Range,
    ResourceChange,
    Resources,
    Review,
    Security,
    SecurityChange,
    Side,
    Verdict,
    WorkloadCost,
)
from sizewell.review.verdict import verdict_of

SIDE = Side(label="x", environments=("prod",), stack_count=1)
NOTHING = Verdict(level="no change", sentence="")


def judged(**sections: Any) -> tuple[str, str]:
    verdict = verdict_of(Review(base=SIDE, head=SIDE, verdict=NOTHING, **sections))
    return verdict.level, verdict.sentence


def amounts(value: float | None, most: float | None = None) -> Range:
    return Range(minimum=value, expected=value, maximum=value if most is None else most)


def cost(base: Range, head: Range, *workloads: WorkloadCost, budget: float | None = None) -> EnvironmentCost:
    moved = None if None in (base.expected, head.expected) else head.expected - base.expected  # type: ignore[operator]
    return EnvironmentCost(
        environment="prod",
        region="us-east-1",
        base=base,
        head=head,
        difference=amounts(moved),
        difference_percent=None,
        budget_usd_per_month=budget,
        workloads=workloads,
    )


def workload(base: Range | None, head: Range | None, difference: Range) -> WorkloadCost:
    sides = (None if one is None else CostSide(components=(), usd_per_month=one) for one in (base, head))
    return WorkloadCost(
        environment="prod", workload="chat", base=next(sides), head=next(sides), difference=difference
    )


def test_what_everybody_can_reach_is_dangerous() -> None:
    change = SecurityChange(
        rule="security-group-opened",
        direction="weaker",
        environment="prod",
        stack="s",
        subject="group Web",
        base="",
        head="tcp 22 from 0.0.0.0/1 (everybody)",
        why="",
    )
    level, sentence = judged(security=Security(others=(change,)))
    assert (level, sentence) == ("danger", "In prod, everybody can reach group Web.")
    inside = change.model_copy(update={"head": "tcp 22 from 10.0.0.0/8"})
    assert judged(security=Security(others=(inside,)))[0] == "look"


@pytest.mark.parametrize(
    ("action", "resource", "condition", "level"),
    [
        ("*", "*", "", "danger"),
        ("iam:PassRole", "*", "", "danger"),
        ("iam:PassRole", "*", "StringEquals iam:PassedToService: sagemaker.amazonaws.com", "look"),
        ("iam:PassRole", "arn:aws:iam::1:role/x", "", "look"),
        ("everything of arn:aws:iam::aws:policy/AdministratorAccess", "*", "", "danger"),
        ("everything of arn:aws:iam::aws:policy/ReadOnlyAccess", "*", "", "look"),
        ("s3:*", "*", "", "look"),
    ],
)
def test_who_may_do_everything_is_dangerous(action: str, resource: str, condition: str, level: str) -> None:
    grant = Grant(effect="Allow", principal="r", action=action, resource=resource, condition=condition)
    change = IamChange(
        direction="broadened", environment="prod", stack="s", policy="app/Role", grants=(grant,)
    )
    assert judged(security=Security(iam=(change,)))[0] == level


def test_a_most_above_the_budget_is_worth_a_look() -> None:
    level, sentence = judged(cost=(cost(amounts(4, 6603), amounts(4, 9829), budget=8000),))
    assert level == "look"
    assert (
        sentence
        == "Nothing that is deployed gets worse. Prod may cost 9,829 (was 6,603), above its budget of 8,000."
    )
    assert judged(cost=(cost(amounts(4, 9829), amounts(4, 9829), budget=8000),))[0] == "no change"


def test_what_is_gone_from_the_app_is_paid_until_it_is_deleted() -> None:
    gone = workload(amounts(300), None, amounts(-300))
    _, sentence = judged(cost=(cost(amounts(1000), amounts(700), gone),))
    assert sentence.endswith(
        "Prod costs 300.00 USD per month less once what is gone from the app is deleted."
    )


def test_an_unknown_cost_is_said() -> None:
    unknown = ("chat: ml.p9.xlarge instances",)
    change = cost(amounts(1000), amounts(700)).model_copy(
        update={"difference": amounts(None), "unknown_changes": unknown}
    )
    told = "The cost of prod chat: ml.p9.xlarge instances is unknown."
    level, sentence = judged(cost=(change,))
    assert (level, sentence.endswith(told)) == ("look", True)
    level, sentence = judged(cost=(change.model_copy(update={"base": None}),))
    assert (level, sentence.endswith(told)) == ("look", True), "of a new one as well"
    assert judged(cost=(change.model_copy(update={"head": None}),))[0] != "look", "what goes costs nothing"


@pytest.mark.parametrize(
    ("change", "level"),
    [
        ({"harmless": True}, "safe"),
        ({"harmless": False}, "nothing found"),
        ({"harmless": True, "config": "policy.allow_spot"}, "nothing found"),
        ({"harmless": True, "config": "workloads.chat.description"}, "safe"),
        ({"harmless": True, "cost": 1.0}, "nothing found"),
        ({"harmless": True, "cost": None}, "nothing found"),
        ({"harmless": True, "notice": True}, "look"),
    ],
)
def test_safe_is_only_what_is_known_to_be_harmless(change: dict[str, Any], level: str) -> None:
    resource = ResourceChange(
        environment="prod", stack="s", logical_id="A", resource_type="AWS::KMS::Key", path="A", action="changed",
        harmless=change["harmless"],
    )  # fmt: skip
    key = change.get("config")
    config = ConfigChange(key_path=str(key), change="changed", base="a", head="b", environments=("prod",))
    moved = cost(amounts(1), amounts(1)).model_copy(update={"difference": amounts(change.get("cost", 0.0))})
    notice = Hazard(
        rule="schedule-changed", effect="availability", severity="notice", environment="prod", stack="s", subject="s", cause="c",
        consequence="c", what_to_do="w",
    )  # fmt: skip
    found, sentence = judged(
        resources=Resources(changes=(resource,), unchanged_count=3),
        config=(config,) if key else (),
        cost=(moved,),
        hazards=(notice,) if change.get("notice") else (),
    )
    assert found == level
    assert sentence.startswith("Every change is known to do no harm.") is (level == "safe")


def test_what_nobody_knows_is_not_called_safe() -> None:
    change = ResourceChange(
        environment="prod", stack="s", logical_id="A", resource_type="AWS::X::Y", path="A", action="changed",
        unknown=("Mode",),
    )  # fmt: skip
    assert judged(resources=Resources(changes=(change,))) == (
        "not known",
        "Nobody knows what another Mode of AWS::X::Y A means in prod.",
    )


def test_of_warnings_that_of_users_stands_first() -> None:
    def warning(effect: str, environment: str = "prod") -> Hazard:
        return Hazard(
            rule="r", effect=effect, severity="warning", environment=environment, stack="s",
            subject=effect, cause="it changes", consequence="It is bad.", what_to_do="w",
        )  # fmt: skip

    _, sentence = judged(hazards=(warning("durability"), warning("availability"), warning("security", "dev")))
    assert sentence == "In prod, availability: it changes. It is bad."


def test_beside_something_worse_what_is_not_known_is_named() -> None:
    def unknown(path: str) -> ResourceChange:
        return ResourceChange(
            environment="prod", stack="s", logical_id=path, resource_type="AWS::X::Y", path=path,
            action="changed", unknown=("Mode",),
        )  # fmt: skip

    policy = IamChange(direction="narrowed", environment="prod", stack="s", policy="app/role", grants=())
    found = judged(resources=Resources(changes=tuple(map(unknown, "ABC"))), security=Security(iam=(policy,)))
    assert found == (
        "look",
        "In prod, app/role allows less. Nobody knows what another Mode of AWS::X::Y A, another Mode of AWS::X::Y B and 1 more "
        "mean in prod.",
    )


def test_danger_in_production_stands_before_a_warning_and_is_named_not_counted() -> None:
    def hazard(severity: str, environment: str) -> Hazard:
        return Hazard(
            rule="r", effect="recovery", severity=severity, environment=environment, stack="s",
            subject=f"endpoint of {environment}", cause="alarms a → none", consequence="It stays. It is bad.",
            what_to_do="w",
        )  # fmt: skip

    level, sentence = judged(hazards=(hazard("danger", "prod"), hazard("warning", "dev")))
    assert (level, sentence) == ("danger", "In prod, endpoint of prod: alarms a → none. It stays.")
