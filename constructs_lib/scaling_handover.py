"""The function through which the endpoint stacks of an environment hand their variants to autoscaling and back."""

from dataclasses import dataclass
from pathlib import Path

from aws_cdk import RemovalPolicy, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from constructs_lib.acknowledgements import acknowledge_each
from constructs_lib.scaling_handover_role import ScalingHandoverRole, ScalingHandoverRoleProps
from sizewell.facts.compliance_packs import COMPLIANCE_PACKS

#: The longest that Lambda offers: a scaling activity that is under way has to end before an endpoint takes an update.
FUNCTION_TIMEOUT_S = 900
#: What CloudFormation waits for an answer: the function's time, and two repetitions of a call that died early.
SERVICE_TIMEOUT_S = FUNCTION_TIMEOUT_S + 180
#: A call that waited longer than this in Lambda's queue belongs to a deployment that may be over.
MAX_EVENT_AGE_S = 300
RULE_NAME_SUFFIX = "deployed"

_CODE = Path(__file__).parent / "scaling_handover_function" / "index.py"
_FINDINGS = {
    **dict.fromkeys(
        ("HIPAA.Security-LambdaDLQ", "NIST.800.53.R5-LambdaDLQ"),
        "A call that was lost must not be repeated later, when the endpoint may have another configuration: CloudFormation "
        "waits for its answer and rolls back without, and an alarm tells people of any other.",
    ),
    **dict.fromkeys(
        ("HIPAA.Security-LambdaConcurrency", "NIST.800.53.R5-LambdaConcurrency"),
        "The function runs for seconds in a deployment. Concurrency that is reserved for it would be taken from all other "
        "functions, and cannot be reserved where the account still has its initial limit.",
    ),
    **dict.fromkeys(
        (f"{pack}-LambdaInsideVPC" for pack in COMPLIANCE_PACKS),
        "The function calls the APIs of SageMaker and Application Auto Scaling, touches no data, and accepts no connection. "
        "The VPC has no route to CloudFormation's address for answers: inside it, every deployment would wait in vain.",
    ),
}


@dataclass(frozen=True, kw_only=True)
class ScalingHandoverProps:
    """``name_prefix`` begins the names of all endpoints and rules of the environment.

    ``alarm_topic_arn`` hears of calls that were lost; ``log_retention_days`` and ``removal_policy`` are for the log group.
    """

    name_prefix: str
    operations_key_arn: str
    alarm_topic_arn: str
    log_retention_days: int
    removal_policy: RemovalPolicy


class ScalingHandover(Construct):
    """One function for all endpoints of an environment; ``EndpointScaling`` calls it.

    Its ARN must stay: CloudFormation refuses to change the service token of a custom resource, and every endpoint stack
    has two. Nothing but the code and its description may therefore tempt anybody to replace the function.
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: ScalingHandoverProps) -> None:
        super().__init__(scope, construct_id)
        log_group = logs.CfnLogGroup(
            self,
            "LogGroup",
            kms_key_id=props.operations_key_arn,
            retention_in_days=props.log_retention_days,
        )
        log_group.apply_removal_policy(props.removal_policy)
        role = ScalingHandoverRole(
            self,
            "Role",
            props=ScalingHandoverRoleProps(name_prefix=props.name_prefix, log_group_arn=log_group.attr_arn),
        )
        function = lambda_.CfnFunction(
            self,
            "Function",
            description=f"Takes endpoints {props.name_prefix}-* out of autoscaling for an update, and puts them back",
            runtime="python3.14",
            handler="index.handler",
            code=lambda_.CfnFunction.CodeProperty(zip_file=_CODE.read_text("utf-8")),
            role=role.arn,
            timeout=FUNCTION_TIMEOUT_S,
            memory_size=256,
            architectures=["arm64"],
            logging_config=lambda_.CfnFunction.LoggingConfigProperty(log_group=log_group.ref),
        )
        acknowledge_each(function, _FINDINGS)
        self.function_arn = function.attr_arn
        self._calls(function.ref, props)

    def _calls(self, function_name: str, props: ScalingHandoverProps) -> None:
        stack = Stack.of(self)
        lambda_.CfnPermission(
            self,
            "DeployedPermission",
            function_name=function_name,
            action="lambda:InvokeFunction",
            principal="events.amazonaws.com",
            source_arn=(
                f"arn:{stack.partition}:events:{stack.region}:{stack.account}"
                f":rule/{props.name_prefix}-*-{RULE_NAME_SUFFIX}"
            ),
        )
        lambda_.CfnEventInvokeConfig(
            self,
            "InvokeConfig",
            function_name=function_name,
            qualifier="$LATEST",
            maximum_event_age_in_seconds=MAX_EVENT_AGE_S,
            maximum_retry_attempts=2,
        )
        cloudwatch.CfnAlarm(
            self,
            "LostCallsAlarm",
            alarm_description=(
                f"A call of the function that scales the endpoints {props.name_prefix}-* was lost: see its log, and whether "
                "every endpoint is still registered"
            ),
            namespace="AWS/Lambda",
            metric_name="AsyncEventsDropped",
            dimensions=[cloudwatch.CfnAlarm.DimensionProperty(name="FunctionName", value=function_name)],
            statistic="Sum",
            period=300,
            evaluation_periods=1,
            threshold=0,
            comparison_operator="GreaterThanThreshold",
            treat_missing_data="notBreaching",
            alarm_actions=[props.alarm_topic_arn],
        )
