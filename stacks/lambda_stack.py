"""The stack of one Lambda function."""

from collections.abc import Mapping
from typing import Any

from constructs import Construct

from constructs_lib.alarms.lambda_alarms import LambdaAlarm, LambdaAlarms, LambdaAlarmsProps
from constructs_lib.on_demand.lambda_function import LambdaFunction, LambdaFunctionProps
from constructs_lib.on_demand.lambda_rollout import LambdaRollout, LambdaRolloutProps
from constructs_lib.scaling.concurrency_scaling import ConcurrencyScaling, concurrency_of_alias
from sizewell.kinds.lambda_function.plan_model import LambdaFunctionPlan
from sizewell.planning.workload_plan import AlarmPlan
from sizewell.stacks.concurrency_scaling import concurrency_scaling
from sizewell.stacks.workload_stack import WorkloadStack


class LambdaStack(WorkloadStack):
    """Function with version and alias, alarms and the scaling of provisioned concurrency of one workload."""

    function: LambdaFunction
    alarms: LambdaAlarms
    scaling: ConcurrencyScaling | None = None
    """None for a fixed number of warm workers, or none."""
    rollout: LambdaRollout | None = None
    """None where a new version takes over all of the traffic at once."""

    def __init__(
        self, scope: Construct, construct_id: str, *, plan: LambdaFunctionPlan, **kwargs: Any
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.function = LambdaFunction(
            self,
            "Function",
            props=self.props(
                LambdaFunctionProps,
                plan,
                image_uri=plan.image.uri,
                environment_variables=plan.environment,
            ),
        )
        self.alarms = LambdaAlarms(
            self,
            "Alarms",
            props=self.props(
                LambdaAlarmsProps,
                plan,
                alarms=_alarms(plan.alarms),
                in_composite=plan.composite_alarm_name is not None,
            ),
        )
        self.add_composite_alarm(plan.name, plan.composite_alarm_name, self.alarms)
        if plan.rollout is not None:
            self.rollout = LambdaRollout(
                self,
                "Rollout",
                props=self.props(
                    LambdaRolloutProps,
                    plan.rollout,
                    function=self.function,
                    alarms=_alarms(plan.rollout.alarms),
                ),
            )
        if plan.scaling is not None:
            target = concurrency_of_alias(self.function.alias, plan.function_name)
            self.scaling = ConcurrencyScaling(
                self, "Scaling", props=concurrency_scaling(target, plan.scaling)
            )


def _alarms(plans: Mapping[str, AlarmPlan]) -> dict[str, LambdaAlarm]:
    return {
        name: LambdaAlarm(threshold=alarm.threshold, evaluation=alarm.evaluation)
        for name, alarm in plans.items()
    }
