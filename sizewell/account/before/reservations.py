"""The capacity that is reserved for a workload: its training plan is there, in time, and of its instance type.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DescribeTrainingPlan.html. Endpoints name theirs as
MlReservationArn; one that is no training plan has no API that describes it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC

from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, Check, Place, fails, is_unknown, passes, warns
from sizewell.account.parts import parts
from sizewell.aws_errors import is_missing
from sizewell.planning.workload_plan import InstanceWorkloadPlan

#: The field of a plan, and what TargetResources of a training plan calls its use.
_FIELDS = {"training_plan_arn": "training-job", "capacity_reservation_arn": "endpoint"}


@dataclass(frozen=True)
class _Reservation:
    workload: str
    arn: str
    use: str
    instance_type: str


def _subjects(place: Place) -> Iterator[_Reservation]:
    for workload in place.workloads:
        for part in parts(workload):
            for field, use in _FIELDS.items():
                arn = getattr(part, field, None)
                if arn is not None and isinstance(part, InstanceWorkloadPlan):
                    yield _Reservation(workload.name, arn, use, part.instance_pools[0])


def _ask(aws: AwsAccount, subject: _Reservation) -> Iterator[Answer]:
    kind, _, name = subject.arn.rpartition(":")[2].partition("/")
    if kind != "training-plan":
        yield is_unknown(subject.arn, "no API describes it", "look at it in the console of SageMaker")
        return
    try:
        found = aws.client("sagemaker").describe_training_plan(TrainingPlanName=name)
    except ClientError as error:
        if not is_missing(error):
            raise
        yield fails(subject.arn, f"there is no such training plan in {aws.where}", "name another one")
        return
    types = sorted(capacity["InstanceType"] for capacity in found.get("ReservedCapacitySummaries", ()))
    if found["Status"] in ("Expired", "Failed"):
        yield fails(
            subject.arn, f"it is {found['Status']}: {subject.workload} never starts", "buy another one"
        )
    elif subject.use not in found.get("TargetResources", (subject.use,)):
        yield fails(
            subject.arn,
            f"it is for {', '.join(found['TargetResources'])}",
            f"name one that is for {subject.use}",
        )
    elif types and subject.instance_type not in types:
        yield fails(
            subject.arn,
            f"it reserves {', '.join(types)}, and {subject.workload} runs on {subject.instance_type}",
            "pin the type with instances.instance_type, or name another one",
        )
    elif found["Status"] != "Active":
        start = found.get("StartTime")
        starts = f" until {start.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if start else ""
        yield warns(
            subject.arn, f"it is {found['Status']}{starts}: nothing starts before", "wait, or leave it out"
        )
    else:
        yield passes(subject.arn, f"Active, {found.get('AvailableInstanceCount', 0)} instances available")


RESERVATIONS = Check(
    name="reservations",
    actions=("sagemaker:DescribeTrainingPlan",),
    subjects=_subjects,
    ask=_ask,
    named=lambda reservation: reservation.arn,
)
