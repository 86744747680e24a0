"""The stack of one Lambda function."""

from collections.abc import Mapping
from typing import Any

from aws_cdk import Stack
from constructs import Construct

from constructs_lib.alarms.lambda_alarms import LambdaAlarm, LambdaAlarms, LambdaAlarmsProps
from constructs_lib.foundation.foundation_parameters import read_foundation_references
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.on_demand.lambda_function import LambdaFunction, LambdaFunctionProps
from constructs_lib.on_demand.lambda_rollout import LambdaRollout, LambdaRolloutProps
from constructs_lib.scaling.concurrency_scaling import ConcurrencyScaling, concurrency_of_alias
from sizewell.facts.alarms import AlarmEvaluation
from sizewell.kinds.lambda_function.plan_model import LambdaFunctionPlan
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.workload_plan import AlarmPlan
from sizewell.stacks.concurrency_scaling import concurrency_scaling
from sizewell.stacks.removal import removal_policy


class LambdaStack(Stack):
    """Function with version and alias, alarms and the scaling of provisioned concurrency of one workload."""

    foundation: FoundationReferences
    """What the foundation publishes, such as the alarm topic: tokens of this stack."""
    function: LambdaFunction
    alarms: LambdaAlarms
    scaling: ConcurrencyScaling | None = None
    """None for a fixed number of warm workers, or none."""
    rollout: LambdaRollout | None = None
    """None where a new version takes over all of the traffic at once."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        plan: LambdaFunctionPlan,
        foundation_plan: FoundationPlan,
        **kwargs: Any,
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.foundation = read_foundation_references(self, foundation_plan.parameter_prefix)
        self.function = LambdaFunction(
            self,
            "Function",
            props=LambdaFunctionProps(
                function_name=plan.function_name,
                image_uri=plan.image.uri,
                architecture=plan.architecture,
                memory_mb=plan.memory_mb,
                timeout_s=plan.timeout_s,
                ephemeral_storage_mb=plan.ephemeral_storage_mb,
                artifact_key=plan.artifact_key,
                max_concurrency=plan.max_concurrency,
                reserves_concurrency=plan.reserves_concurrency,
                provisioned_concurrency=plan.provisioned_concurrency,
                log_retention_days=foundation_plan.log_retention_days,
                removal_policy=removal_policy(foundation_plan),
                foundation=self.foundation,
                environment_variables=plan.environment,
                execution_role_arn=plan.execution_role_arn,
            ),
        )
        self.alarms = LambdaAlarms(
            self,
            "Alarms",
            props=LambdaAlarmsProps(
                function_name=plan.function_name,
                max_concurrency=plan.max_concurrency,
                alarms=_alarms(plan.alarms),
                alarm_topic_arn=self.foundation.alarm_topic_arn,
            ),
        )
        if plan.rollout is not None:
            self.rollout = LambdaRollout(
                self,
                "Rollout",
                props=LambdaRolloutProps(
                    function=self.function,
                    strategy=plan.rollout.strategy,
                    share_percent=plan.rollout.share_percent,
                    wait_interval_s=plan.rollout.wait_interval_s,
                    alarms=_alarms(plan.rollout.alarms),
                    alarm_topic_arn=self.foundation.alarm_topic_arn,
                ),
            )
        if plan.scaling is not None:
            target = concurrency_of_alias(self.function.alias, plan.function_name)
            self.scaling = ConcurrencyScaling(
                self, "Scaling", props=concurrency_scaling(target, plan.scaling)
            )


def _alarms(plans: Mapping[str, AlarmPlan]) -> dict[str, LambdaAlarm]:
    return {
        name: LambdaAlarm(
            threshold=alarm.threshold, evaluation=AlarmEvaluation(**alarm.model_dump(exclude={"threshold"}))
        )
        for name, alarm in plans.items()
    }
