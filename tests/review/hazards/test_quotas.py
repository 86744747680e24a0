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
        quotas that are needed: {G5} 4 → 8; {G6} 0 → 2
        AWS refuses what exceeds a quota: the endpoint is not updated, and a job tries its next instance type or fails.
            Other workloads in the account count, too. The review does not know the quotas of the account.
        Compare with Service Quotas before you deploy, and request an increase there.
        """)


def test_what_falls_or_stays_is_not_said() -> None:
    assert found(side(g5=4, g6=2), side(g5=4)) == ()


def test_all_of_a_new_environment_is_said() -> None:
    (hazard,) = found(None, side(g5=4))
    assert hazard.cause == f"quotas that are needed: {G5} 0 → 4"


def test_a_plan_of_an_older_release_says_nothing_of_quotas() -> None:
    assert found(assembly(plan=plan()), side(g5=4)) == ()
