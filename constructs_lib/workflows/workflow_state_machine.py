"""A Step Functions state machine with its role and its log."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from aws_cdk import RemovalPolicy, Stack
from aws_cdk import aws_stepfunctions as stepfunctions
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.log_group import add_log_group
from constructs_lib.workflows.state_language import State
from constructs_lib.workflows.state_machine_role import Permissions, StateMachineRole, StateMachineRoleProps
from constructs_lib.workflows.workflow_messages import TOPIC_PLACEHOLDER, with_messages


@dataclass(frozen=True, kw_only=True)
class WorkflowStateMachineProps:
    """People start the machine by ``state_machine_name``, and hear of it by ``workload_name``; its log is kept
    ``log_retention_days``.

    ``noun`` says what it does in messages, such as training. ``definition`` is literal, with a placeholder ``${NAME}`` for each
    of ``values``. ``permissions`` are for its states. ``removal_policy`` says what becomes of the log group when the stack goes.
    ``report_success`` tells people of executions that succeeded, too.
    """

    state_machine_name: str
    workload_name: str
    noun: str
    definition: State
    values: Mapping[str, str]
    permissions: Permissions
    log_retention_days: int
    removal_policy: RemovalPolicy
    foundation: FoundationReferences
    report_success: bool = False


class WorkflowStateMachine(Construct):
    """A STANDARD state machine: ``.sync`` tasks do not exist in EXPRESS ones, and jobs outlast five minutes."""

    def __init__(self, scope: Construct, construct_id: str, *, props: WorkflowStateMachineProps) -> None:
        super().__init__(scope, construct_id)
        stack = Stack.of(self)
        name = props.state_machine_name
        arn = f"arn:{stack.partition}:states:{stack.region}:{stack.account}:stateMachine:{name}"
        role = StateMachineRole(
            self,
            "Role",
            props=StateMachineRoleProps(
                state_machine_arn=arn, permissions=props.permissions, foundation=props.foundation
            ),
        )
        # The prefix /aws/vendedlogs/ keeps the account's log resource policy below its size limit:
        # https://docs.aws.amazon.com/step-functions/latest/dg/bp-cwl.html
        log_group = add_log_group(self, f"/aws/vendedlogs/states/{name}", props)
        # Literal text can be linted, compared and read in a review, while Stack.to_json_string would add a Lambda-backed custom
        # resource to the stack as soon as the subnets are a list token. CloudFormation replaces each placeholder by its bare
        # value, quotes and all (DefinitionProcessor of
        # https://github.com/aws-cloudformation/aws-cloudformation-resource-providers-stepfunctions), which is how one
        # placeholder can stand for a list.
        definition_string = json.dumps(
            with_messages(
                props.definition,
                noun=props.noun,
                workload_name=props.workload_name,
                partition=stack.partition,
                report_success=props.report_success,
            )
        )
        values = {TOPIC_PLACEHOLDER: props.foundation.alarm_topic_arn, **props.values}
        state_machine = stepfunctions.CfnStateMachine(
            self,
            "StateMachine",
            state_machine_name=name,
            state_machine_type="STANDARD",
            role_arn=role.role_arn,
            definition_string=definition_string,
            definition_substitutions={
                name: value for name, value in values.items() if f"${{{name}}}" in definition_string
            },
            # Every event, without inputs and outputs: job descriptions hold hyperparameters and locations.
            logging_configuration=stepfunctions.CfnStateMachine.LoggingConfigurationProperty(
                level="ALL",
                include_execution_data=False,
                destinations=[
                    stepfunctions.CfnStateMachine.LogDestinationProperty(
                        cloud_watch_logs_log_group=stepfunctions.CfnStateMachine.CloudWatchLogsLogGroupProperty(
                            log_group_arn=log_group.attr_arn
                        )
                    )
                ],
            ),
            tracing_configuration=stepfunctions.CfnStateMachine.TracingConfigurationProperty(enabled=True),
            encryption_configuration=stepfunctions.CfnStateMachine.EncryptionConfigurationProperty(
                type="CUSTOMER_MANAGED_KMS_KEY",
                kms_key_id=props.foundation.data_key_arn,
                kms_data_key_reuse_period_seconds=300,
            ),
        )
        self.state_machine_arn = state_machine.ref
