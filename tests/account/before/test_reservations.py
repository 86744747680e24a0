"""Capacity that is reserved for a workload."""

from datetime import UTC, datetime
from typing import Any

import pytest

from sizewell.account.before.reservations import RESERVATIONS
from sizewell.account.finding import Finding, Outcome
from sizewell.planning.build import build_plan
from sizewell.planning.workload_plan import WorkloadPlan
from tests.account.builders import Refusal, ScriptedAccount, findings
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import environment

ARN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/june"
TYPE = "ml.p5.48xlarge"
MADE = build_plan(environment(), catalog(gpu_instance(TYPE), usd_per_hour={TYPE: 1.0}))


def found(answer: Any, arn: str = ARN) -> Finding:
    workloads: tuple[WorkloadPlan, ...] = tuple(
        workload.model_copy(update={"capacity_reservation_arn": arn}) for workload in MADE.workloads
    )
    plan = MADE.model_copy(update={"workloads": workloads})
    call = ("describe_training_plan", answer, {"TrainingPlanName": "june"})
    (finding,) = findings(RESERVATIONS, plan, ScriptedAccount({"sagemaker": [call]}))
    assert finding.subject == arn
    return finding


def training_plan(**changes: Any) -> dict[str, Any]:
    return {
        "TrainingPlanArn": ARN,
        "TrainingPlanName": "june",
        "Status": "Active",
        "TargetResources": ["endpoint"],
        "AvailableInstanceCount": 2,
        "ReservedCapacitySummaries": [
            {
                "ReservedCapacityArn": f"{ARN}/1",
                "InstanceType": TYPE,
                "TotalInstanceCount": 2,
                "Status": "Active",
            }
        ],
        **changes,
    }


@pytest.mark.parametrize(
    ("changes", "outcome", "says"),
    [
        ({}, Outcome.PASS, "Active, 2 instances available"),
        ({"Status": "Expired"}, Outcome.FAIL, "it is Expired: plants never starts"),
        (
            {"Status": "Scheduled", "StartTime": datetime(2026, 12, 1, 8, tzinfo=UTC)},
            Outcome.WARN,
            "it is Scheduled until 2026-12-01 08:00 UTC: nothing starts before",
        ),
        ({"TargetResources": ["training-job"]}, Outcome.FAIL, "it is for training-job"),
        (
            {
                "ReservedCapacitySummaries": [
                    {
                        "ReservedCapacityArn": f"{ARN}/1",
                        "InstanceType": "ml.p4d.24xlarge",
                        "TotalInstanceCount": 2,
                        "Status": "Active",
                    }
                ]
            },
            Outcome.FAIL,
            "it reserves ml.p4d.24xlarge, and plants runs on ml.p5.48xlarge",
        ),
    ],
)
def test_a_reservation_is_in_time_and_of_the_type(changes: Any, outcome: Outcome, says: str) -> None:
    finding = found(training_plan(**changes))
    assert (finding.outcome, finding.says) == (outcome, says)


def test_a_reservation_that_is_missing_fails() -> None:
    assert found(Refusal("ResourceNotFound")).outcome is Outcome.FAIL


def test_what_has_no_api_is_unknown() -> None:
    arn = ARN.replace("training-plan", "ml-reservation")
    assert found(Refusal("any"), arn).outcome is Outcome.UNKNOWN
