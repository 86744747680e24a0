"""What a change asks of Service Quotas: what rises, by AWS's names, and nothing else."""

from typing import Any

from sizewell.planning.saved_plan import SavedQuota
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.model import Hazard
from tests.review.builders import ACCOUNT, REGION, assembly
from tests.review.hazards.apps import described, hazards_of, plan, text

G5 = "ml.g5.xlarge for endpoint usage"
G6 = "ml.g6.xlarge for endpoint usage"


def side(**counts: int) -> Any:
    names = {"g5": G5, "g6": G6}
    quotas = tuple(
        SavedQuota(account=ACCOUNT, region=REGION, name=names[key], needed=count)
        for key, count in counts.items()
    )
    return assembly(plan=plan().model_copy(update={"quotas": quotas}))


def found(base: Any, head: Any) -> tuple[Hazard, ...]:
    return hazards_of(EnvironmentPair("dev", base, head), theme="quotas")


def test_what_rises_is_named_with_both_numbers() -> None:
    assert described(found(side(g5=4), side(g5=8, g6=2))) == text(f"""
        notice quota-raised, dev/-/-: account {ACCOUNT}, {REGION}
        quotas to have at least: {G5} 4 → 8; {G6} 0 → 2
        Beyond a quota AWS refuses: the endpoint is not updated, a job tries its next instance type or fails. What else runs in
            the account counts, too, and what the account has is not known offline.
        Compare with Service Quotas before you deploy, and ask for more there.
        """)


def test_what_falls_or_stays_is_not_said() -> None:
    assert found(side(g5=4, g6=2), side(g5=4)) == ()


def test_all_of_a_new_environment_is_said() -> None:
    (hazard,) = found(None, side(g5=4))
    assert hazard.cause == f"quotas to have at least: {G5} 0 → 4"


def test_a_plan_of_an_older_release_says_nothing_of_quotas() -> None:
    assert found(assembly(plan=plan()), side(g5=4)) == ()
