"""How the alias of a Lambda function moves to a new version: step by step with CodeDeploy, and back when an alarm goes off.

"Working with deployments on an AWS Lambda compute platform",
https://docs.aws.amazon.com/codedeploy/latest/userguide/deployment-steps-lambda.html; CloudFormation, "UpdatePolicy attribute",
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-updatepolicy.html.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from aws_cdk import CfnCodeDeployLambdaAliasUpdate, CfnUpdatePolicy
from aws_cdk import aws_codedeploy as codedeploy
from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.alarms.lambda_alarms import LambdaAlarm, LambdaAlarms, LambdaAlarmsProps
from constructs_lib.on_demand.lambda_function import LambdaFunction
from constructs_lib.on_demand.lambda_role import function_arn
from constructs_lib.policies.statements import Statement, service_role
from constructs_lib.policies.wildcards import acknowledge_wildcards
from sizewell.facts.codedeploy import (
    INTERVAL_S,
    MAX_SHARE_PERCENT,
    MAX_SHIFT_S,
    ShiftStrategy,
    predefined_config,
    waits,
)

_PLATFORM = "Lambda"


@dataclass(frozen=True, kw_only=True)
class LambdaRolloutProps:
    """How the traffic moves, and what calls it back.

    ``share_percent`` of it moves first (canary), or at a time (linear); ``wait_interval_s``, whole minutes, is how long alarms
    are watched before more follows. ``alarms`` are ``error_rate`` and ``duration_p95`` or others of ``LambdaAlarmsProps``, of the
    new version alone. Raises ValueError beyond the bounds of CodeDeploy, and without an alarm.
    """

    function: LambdaFunction
    strategy: ShiftStrategy
    share_percent: int
    wait_interval_s: int
    alarms: Mapping[str, LambdaAlarm]

    def __post_init__(self) -> None:
        """Check what CodeDeploy would refuse in the middle of a deployment."""
        if not 1 <= self.share_percent <= MAX_SHARE_PERCENT:
            raise ValueError(
                f"share_percent must lie between 1 and {MAX_SHARE_PERCENT}, got {self.share_percent}"
            )
        if self.wait_interval_s < INTERVAL_S or self.wait_interval_s % INTERVAL_S:
            raise ValueError(f"wait_interval_s must be whole minutes, got {self.wait_interval_s}")
        shift_s = waits(self.strategy, self.share_percent) * self.wait_interval_s
        if shift_s > MAX_SHIFT_S:
            raise ValueError(f"the steps may take {MAX_SHIFT_S:,} seconds together, got {shift_s:,}")
        if not self.alarms:
            raise ValueError("name an alarm: nothing would call a bad version back")


class LambdaRollout(Construct):
    """Application and deployment group of CodeDeploy for the alias, with alarms and a role of their own.

    The alarms of the alias would not do: they see little of a small share, and one that is still on because of the old version
    would stop the deployment that mends it. So these are of the new version, and have its digest in their names: each version
    begins with new ones, which CodeDeploy finds quiet.
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: LambdaRolloutProps) -> None:
        super().__init__(scope, construct_id)
        function = props.function
        watched = LambdaAlarms(
            self,
            "Alarms",
            props=LambdaAlarmsProps(
                function_name=function.function_name,
                max_concurrency=function.max_concurrency,
                alarms=props.alarms,
                alarm_topic_arn=None,
                executed_version=function.version.attr_version,
                name_suffix=f"-{function.digest}",
            ),
        )
        application = codedeploy.CfnApplication(self, "Application", compute_platform=_PLATFORM)
        group = codedeploy.CfnDeploymentGroup(
            self,
            "DeploymentGroup",
            application_name=application.ref,
            service_role_arn=self._role(function.function_name).attr_arn,
            deployment_config_name=self._config_name(props),
            deployment_style=codedeploy.CfnDeploymentGroup.DeploymentStyleProperty(
                deployment_type="BLUE_GREEN", deployment_option="WITH_TRAFFIC_CONTROL"
            ),
            alarm_configuration=codedeploy.CfnDeploymentGroup.AlarmConfigurationProperty(
                enabled=True,
                alarms=[
                    codedeploy.CfnDeploymentGroup.AlarmProperty(name=name) for name in watched.alarm_names
                ],
            ),
            auto_rollback_configuration=codedeploy.CfnDeploymentGroup.AutoRollbackConfigurationProperty(
                enabled=True, events=["DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM"]
            ),
        )
        function.alias.cfn_options.update_policy = CfnUpdatePolicy(
            code_deploy_lambda_alias_update=CfnCodeDeployLambdaAliasUpdate(
                application_name=application.ref, deployment_group_name=group.ref
            )
        )

    def _config_name(self, props: LambdaRolloutProps) -> str:
        name = predefined_config(props.strategy, props.share_percent, props.wait_interval_s)
        if name is not None:
            return name
        routing, minutes = codedeploy.CfnDeploymentConfig, props.wait_interval_s // INTERVAL_S
        return codedeploy.CfnDeploymentConfig(
            self,
            "DeploymentConfig",
            compute_platform=_PLATFORM,
            traffic_routing_config=routing.TrafficRoutingConfigProperty(
                type="TimeBasedCanary",
                time_based_canary=routing.TimeBasedCanaryProperty(
                    canary_percentage=props.share_percent, canary_interval=minutes
                ),
            )
            if props.strategy == "canary"
            else routing.TrafficRoutingConfigProperty(
                type="TimeBasedLinear",
                time_based_linear=routing.TimeBasedLinearProperty(
                    linear_percentage=props.share_percent, linear_interval=minutes
                ),
            ),
        ).ref

    def _role(self, function_name: str) -> iam.CfnRole:
        """Add what AWSCodeDeployRoleForLambdaLimited allows for all functions, for this one, without S3 and hooks.

        https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AWSCodeDeployRoleForLambdaLimited.html
        """
        versions = function_arn(f"{function_name}:*")
        statements: list[Statement] = [
            {
                "Sid": "ShiftTraffic",
                "Effect": "Allow",
                "Action": ["lambda:GetAlias", "lambda:GetProvisionedConcurrencyConfig", "lambda:UpdateAlias"],
                "Resource": [function_arn(function_name), versions],
            },
            {
                "Sid": "WatchAlarms",
                "Effect": "Allow",
                "Action": "cloudwatch:DescribeAlarms",
                "Resource": "*",
            },
        ]
        # "Cross-service confused deputy prevention": https://docs.aws.amazon.com/codedeploy/latest/userguide/security_confused_deputy.html
        trusted = {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
        role = service_role(self, "Role", "codedeploy.amazonaws.com", statements, trusted)
        acknowledge_wildcards(
            self.node.find_child("RolePolicy"),
            (
                versions,
                "The alias and all versions of this one function; a version has no number before it is published.",
            ),
            (
                "*",
                "Read-only: CodeDeploy's own policies ask for all alarms, and CloudWatch tells of composite ones only to who may "
                "(API reference, DescribeAlarms).",
            ),
        )
        return role
