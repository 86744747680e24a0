from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.config.policy import Policy
from sizewell.review.gate import GATE_CONDITIONS, Condition, GateSyntaxError, parse_conditions
from sizewell.review.gate.findings import FINDERS
from sizewell.review.hazards import HAZARD_RULES

ALLOWED = ", ".join(GATE_CONDITIONS)


def faults(*texts: str, **given: Any) -> tuple[str, ...]:
    with pytest.raises(GateSyntaxError) as raised:
        parse_conditions(texts, **given)
    assert str(raised.value) == "\n".join(raised.value.faults)
    return raised.value.faults


def test_texts_with_commas_and_spaces_are_read() -> None:
    texts = ["replace-stateful, iam-broadened", " cost-increase > 10 % @ prod ", "DANGER", "", "danger,"]
    assert parse_conditions(texts) == (
        Condition("replace-stateful"),
        Condition("iam-broadened"),
        Condition("cost-increase", limit=10.0, unit="%", environment="prod"),
        Condition("danger"),
    )


def test_a_rule_is_read() -> None:
    assert parse_conditions(["hazard:some-rule@dev"], hazard_rules={"some-rule": "It is some."}) == (
        Condition("hazard", rule="some-rule", environment="dev"),
    )


def test_every_fault_is_named_with_what_is_allowed() -> None:
    assert faults("iam-brodened,cost-increase>10", "hazard:alarm-gone", "danger@prd", "warning@", "@dev", "hazard:",
                  environments=["prod", "dev"], hazard_rules={"alarm-removed": "x", "counts-lost": "y"}) == (
        f"iam-brodened: there is no condition of that name, did you mean iam-broadened?; allowed: {ALLOWED}",
        "cost-increase>10: a limit is a number with % or usd, for example cost-increase>10% or cost-increase>200usd; "
        "in a shell it stands in quotes",
        "hazard:alarm-gone: there is no rule of that name, did you mean alarm-removed?; allowed: alarm-removed, counts-lost",
        "danger@prd: there is no environment of that name, did you mean prod?; allowed: dev, prod",
        "warning@: the name of an environment is missing after @",
        f"@dev: the name of the condition is missing; allowed: {ALLOWED}",
        "hazard:: the name of the rule is missing; allowed: alarm-removed, counts-lost",
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["cost-increase", "cost-increase>", "cost-increase>-5%", "cost-increase<5%", "cost-increase>1e3usd"],
)
def test_a_limit_of_another_form_is_a_fault(text: str) -> None:
    assert faults(text)[0].startswith(f"{text}: a limit is a number with % or usd")


def test_a_placeholder_is_no_condition() -> None:
    assert faults("hazard:RULE")[0].startswith("hazard:RULE: there is no rule of that name")


conditions = st.one_of(
    st.builds(
        Condition,
        st.sampled_from(
            [name for name in FINDERS if name not in ("cost-increase", "most-increase", "hazard")]
        ),
    ),
    st.builds(Condition, st.just("hazard"), rule=st.none() | st.sampled_from(sorted(HAZARD_RULES))),
    st.builds(
        Condition,
        st.sampled_from(["cost-increase", "most-increase"]),
        limit=st.integers(0, 10**6).map(float) | st.decimals(0, 9999, places=2).map(float),
        unit=st.sampled_from(["%", "usd"]),
    ),
)


@given(st.lists(conditions, max_size=4), st.none() | st.sampled_from(["dev", "prod", "Big-1"]))
def test_what_is_written_is_read_back(some: list[Condition], environment: str | None) -> None:
    some = [Condition(c.name, c.rule, c.limit, c.unit, environment) for c in some]
    assert parse_conditions([",".join(map(str, some))]) == tuple(dict.fromkeys(some))


def test_every_condition_is_described_and_found() -> None:
    assert {name.partition(":")[0].partition(">")[0] for name in GATE_CONDITIONS} == set(FINDERS)


@given(conditions)
def test_the_configuration_takes_every_condition(condition: Condition) -> None:
    policy = Policy(account="111122223333", region="us-east-1", review_fail_on=(str(condition),))
    assert policy.review_fail_on == (str(condition),)


@pytest.mark.parametrize(
    "text", ["danger@prod", "dangerous", "cost-increase>10", "danger,warning", "hazard:", " danger"]
)
def test_the_configuration_takes_nothing_else(text: str) -> None:
    with pytest.raises(ValueError, match="review_fail_on"):
        Policy(account="111122223333", region="us-east-1", review_fail_on=(text,))
