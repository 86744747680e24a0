"""What the stacks of all workloads have in common: the foundation, and how a construct is told what the plan decided."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from aws_cdk import Stack
from constructs import Construct

from constructs_lib.alarms.composite_alarm import CompositeAlarm, CompositeAlarmProps
from constructs_lib.alarms.endpoint_alarms import EndpointAlarms
from constructs_lib.alarms.lambda_alarms import LambdaAlarms
from constructs_lib.foundation.foundation_parameters import read_foundation_references
from constructs_lib.foundation.references import FoundationReferences
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.workload_plan import PlanModel
from sizewell.stacks.removal import removal_policy

P = TypeVar("P")


class PlanAsPropertyError(TypeError):
    """A property would be a part of the plan, which no construct knows: give the properties that are made of that part."""


class WorkloadStack(Stack):
    """The stack of one workload."""

    foundation: FoundationReferences
    """What the foundation publishes, such as the alarm topic: tokens of this stack."""
    foundation_plan: FoundationPlan

    def __init__(
        self, scope: Construct, construct_id: str, *, foundation_plan: FoundationPlan, **kwargs: Any
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.foundation = read_foundation_references(self, foundation_plan.parameter_prefix)
        self.foundation_plan = foundation_plan

    def props(self, of: type[P], plan: PlanModel, **given: Any) -> P:
        """Return the properties of a construct as ``props_of`` does, with what holds for the whole environment."""
        shared: dict[str, Callable[[], Any]] = {
            "foundation": lambda: self.foundation,
            "alarm_topic_arn": lambda: self.foundation.alarm_topic_arn,
            "operations_key_arn": lambda: self.foundation.operations_key_arn,
            "log_retention_days": lambda: self.foundation_plan.log_retention_days,
            "removal_policy": lambda: removal_policy(self.foundation_plan),
        }
        # Asked for only where it is a property: what is read of the foundation becomes a parameter of the template.
        asked = (field.name for field in fields(of) if field.name in shared)  # type: ignore[arg-type]
        return props_of(of, plan, **{name: shared[name]() for name in asked} | given)

    def add_composite_alarm(
        self, workload: str, alarm_name: str | None, *alarms: EndpointAlarms | LambdaAlarms
    ) -> None:
        """Add the alarm that tells people for all of these; without a name each tells people itself."""
        if alarm_name is not None:
            props = CompositeAlarmProps(
                alarm_name=alarm_name,
                workload=workload,
                alarm_names=[name for group in alarms for name in group.alarm_names],
                alarm_topic_arn=self.foundation.alarm_topic_arn,
            )
            CompositeAlarm(self, "Incident", props=props)


def props_of(of: type[P], plan: PlanModel, **given: Any) -> P:
    """Return the properties of a construct: those given, and of the plan those that it has under the same name.

    One name must mean one thing: where the plan has something else under the name of a property, give the property.
    Raises ``TypeError`` where one without a default is in neither, and ``PlanAsPropertyError``.
    """
    names = {field.name for field in fields(of)} & type(plan).model_fields.keys()  # type: ignore[arg-type]
    planned = {name: getattr(plan, name) for name in names - given.keys()}
    for name, value in planned.items():
        if any(isinstance(part, PlanModel) for part in _parts(value)):
            raise PlanAsPropertyError(f"{of.__name__}.{name}")
    return of(**planned, **given)


def _parts(value: Any) -> tuple[Any, ...]:
    if isinstance(value, Mapping):
        return tuple(value.values())
    return value if isinstance(value, tuple) else (value,)
