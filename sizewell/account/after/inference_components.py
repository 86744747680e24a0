"""The inference components: in service, with as many copies as planned.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DescribeInferenceComponent.html
"""

from collections.abc import Iterator
from dataclasses import dataclass

from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, Check, Place, fails, passes, warns
from sizewell.planning.planned_variant import PlannedComponent


@dataclass(frozen=True)
class _Planned:
    component: PlannedComponent
    environment: str


def _subjects(place: Place) -> Iterator[_Planned]:
    for workload in place.workloads:
        for component in workload.planned_components:
            yield _Planned(component, place.plan.environment)


def _ask(aws: AwsAccount, planned: _Planned) -> Iterator[Answer]:
    component, deploy = planned.component, f"sizewell deploy --env {planned.environment}"
    name = component.component_name
    try:
        found = aws.client("sagemaker").describe_inference_component(InferenceComponentName=name)
    except ClientError as error:
        if "Could not find" not in str(error):
            raise
        yield fails(name, "there is no such inference component", deploy)
        return
    status, reason = found["InferenceComponentStatus"], found.get("FailureReason")
    copies = found.get("RuntimeConfig", {}).get("CurrentCopyCount", 0)
    least, most = component.fewest_copies, component.most_copies
    if status in ("Creating", "Updating"):
        yield warns(name, f"{status}: {copies} copies now", "verify again later")
    elif status != "InService" or reason:
        yield fails(name, f"{status}: {reason}" if reason else status, f"mend that; then {deploy}")
    elif not least <= copies <= most:
        yield fails(
            name, f"{copies} copies, planned {least if least == most else f'{least} to {most}'}", deploy
        )
    else:
        yield passes(name, f"InService: {copies} copies")


INFERENCE_COMPONENTS = Check(
    name="inference components",
    actions=("sagemaker:DescribeInferenceComponent",),
    subjects=_subjects,
    ask=_ask,
    named=lambda planned: planned.component.component_name,
)
