"""The Step Functions state machine that trains, with its role and its log."""

import json
from dataclasses import dataclass

from aws_cdk import Fn, RemovalPolicy, Stack
from aws_cdk import aws_logs as logs
from aws_cdk import aws_stepfunctions as stepfunctions
from constructs import Construct

from constructs_lib.references import FoundationReferences
from constructs_lib.training_job import TrainingJobProps
from constructs_lib.training_job_request import TrainingJobResources
from constructs_lib.training_state_machine_definition import training_state_machine_definition
from constructs_lib.training_state_machine_role import (
    TrainingStateMachineRole,
    TrainingStateMachineRoleProps,
)


@dataclass(frozen=True, kw_only=True)
class TrainingStateMachineProps:
    """People start the machine by ``state_machine_name``; its log is kept ``log_retention_days``.

    ``removal_policy`` says what becomes of the log group when the stack goes.
    """

    state_machine_name: str
    job: TrainingJobProps
    training_role_arn: str
    log_retention_days: int
    removal_policy: RemovalPolicy
    foundation: FoundationReferences


class TrainingStateMachine(Construct):
    """A STANDARD state machine: ``.sync`` tasks do not exist in EXPRESS ones, and jobs outlast five minutes."""

    def __init__(self, scope: Construct, construct_id: str, *, props: TrainingStateMachineProps) -> None:
        super().__init__(scope, construct_id)
        stack = Stack.of(self)
        name = props.state_machine_name
        arn = f"arn:{stack.partition}:states:{stack.region}:{stack.account}:stateMachine:{name}"
        role = TrainingStateMachineRole(
            self,
            "Role",
            props=TrainingStateMachineRoleProps(
                state_machine_arn=arn,
                job_name_prefix=props.job.job_name_prefix,
                training_role_arn=props.training_role_arn,
                foundation=props.foundation,
            ),
        )
        # The prefix /aws/vendedlogs/ keeps the account's log resource policy below its size limit:
        # https://docs.aws.amazon.com/step-functions/latest/dg/bp-cwl.html
        log_group = logs.CfnLogGroup(
            self,
            "LogGroup",
            log_group_name=f"/aws/vendedlogs/states/{name}",
            retention_in_days=props.log_retention_days,
            kms_key_id=props.foundation.operations_key_arn,
        )
        log_group.apply_removal_policy(props.removal_policy)
        definition_string, substitutions = _definition(props, partition=stack.partition)
        state_machine = stepfunctions.CfnStateMachine(
            self,
            "StateMachine",
            state_machine_name=name,
            state_machine_type="STANDARD",
            role_arn=role.role_arn,
            definition_string=definition_string,
            definition_substitutions=substitutions,
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


def _definition(props: TrainingStateMachineProps, *, partition: str) -> tuple[str, dict[str, str]]:
    """Return the definition as literal JSON with ``${...}`` placeholders, and their values.

    Literal text can be linted, compared and read in a review, while ``Stack.to_json_string`` would add a Lambda-backed
    custom resource to the stack as soon as the subnets are a list token. CloudFormation replaces each placeholder by
    its bare value, quotes and all (``DefinitionProcessor`` of
    https://github.com/aws-cloudformation/aws-cloudformation-resource-providers-stepfunctions), which is how one
    placeholder can stand for a list.
    """
    foundation = props.foundation
    values = {
        "TrainingRoleArn": props.training_role_arn,
        "FirstSubnetId": Fn.select(0, foundation.subnet_ids),
        "SubnetIds": Fn.join('","', foundation.subnet_ids),  # stands between the quotes of one list element
        "TrainingSecurityGroupId": foundation.training_security_group_id,
        "DataKeyArn": foundation.data_key_arn,
        "ArtifactBucketName": foundation.artifact_bucket_name,
    }
    if props.job.checkpoint is not None:
        # To read a reference is to add a parameter to the template, which must then be used (cfn-lint: W2001).
        values["CheckpointBucketName"] = foundation.checkpoint_bucket_name
    definition = training_state_machine_definition(
        props.job,
        resources=TrainingJobResources(
            training_role_arn="${TrainingRoleArn}",
            first_subnet_id="${FirstSubnetId}",
            subnet_ids=["${SubnetIds}"],
            training_security_group_id="${TrainingSecurityGroupId}",
            data_key_arn="${DataKeyArn}",
            artifact_bucket_name="${ArtifactBucketName}",
            checkpoint_bucket_name="${CheckpointBucketName}",
        ),
        partition=partition,
    )
    text = json.dumps(definition)
    return text, {name: value for name, value in values.items() if f"${{{name}}}" in text}
