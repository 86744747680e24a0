import json
from typing import Any

import pytest
from aws_cdk import App, CfnParameter, RemovalPolicy, Stack
from aws_cdk.assertions import Template
from cdk_nag import AwsSolutionsChecks, HIPAASecurityChecks, NIST80053R5Checks, PCIDSS321Checks
from cfnlint.api import lint_all  # type: ignore[import-untyped]

from constructs_lib.foundation_parameters import read_foundation_references
from constructs_lib.references import FoundationReferences
from constructs_lib.training_job import (
    TrainingAttempt,
    TrainingChannel,
    TrainingCheckpoint,
    TrainingCode,
    TrainingJobProps,
)
from constructs_lib.training_schedule_expression import TrainingScheduleTiming
from constructs_lib.training_workflow import TrainingWorkflow, TrainingWorkflowProps

pytestmark = pytest.mark.cdk

Resource = dict[str, Any]
Statement = dict[str, Any]

NAME = "demo-dev-weekly"
ACCOUNT = "us-east-1:111122223333"
MACHINE_ARN = f"arn:aws:states:{ACCOUNT}:stateMachine:{NAME}"
JOB_ARN = f"arn:aws:sagemaker:{ACCOUNT}:training-job/{NAME}-*"
REPOSITORY_ARN = "arn:aws:ecr:us-east-1:763104351884:repository/pytorch-training"
ARTIFACTS = "arn:aws:s3:::demo-dev-artifacts-111122223333-us-east-1"
CHECKPOINTS = "arn:aws:s3:::demo-dev-checkpoints-111122223333-us-east-1"
SPOT = TrainingAttempt(instance_type="ml.g5.2xlarge", use_managed_spot=True, has_local_nvme=True)
TWO_NODES = TrainingAttempt(instance_type="ml.p3.16xlarge", instance_count=2)
TIMING = TrainingScheduleTiming(expression="cron(0 3 ? * MON *)", time_zone="Europe/Berlin")


def add_workflow(
    stack: Stack,
    foundation: FoundationReferences,
    *,
    schedule: TrainingScheduleTiming | None = TIMING,
    **job_changes: Any,
) -> TrainingWorkflow:
    job: dict[str, Any] = {
        "job_name_prefix": NAME,
        "image_uri": "763104351884.dkr.ecr.us-east-1.amazonaws.com/pytorch-training:2.5",
        "attempts": (SPOT, TWO_NODES),
        "output_key_prefix": "weekly/output",
        "max_runtime_s": 7200,
        "max_wait_s": 14400,
        "channels": (TrainingChannel(channel_name="training", key_prefix="datasets/weekly"),),
        "code": TrainingCode(key_prefix="code/weekly", command=("bash", "launch.sh")),
        "checkpoint": TrainingCheckpoint(key_prefix="weekly", interval_minutes=10),
    }
    return TrainingWorkflow(
        stack,
        "Training",
        props=TrainingWorkflowProps(
            workload_name="weekly",
            state_machine_name=NAME,
            job=TrainingJobProps(**(job | job_changes)),
            image_repository_arn=REPOSITORY_ARN,
            schedule=schedule,
            log_retention_days=90,
            removal_policy=RemovalPolicy.RETAIN,
            foundation=foundation,
        ),
    )


def synthesized(stack: Stack) -> dict[str, Any]:
    return dict(Template.from_stack(stack).to_json())


@pytest.fixture
def template(stack: Stack, foundation: FoundationReferences) -> dict[str, Any]:
    add_workflow(stack, foundation)
    return synthesized(stack)


def of_type(template: dict[str, Any], resource_type: str) -> list[Resource]:
    return [r["Properties"] for r in template["Resources"].values() if r["Type"] == resource_type]


def statements_of(template: dict[str, Any], service: str) -> list[Statement]:
    """Return the statements of the one managed policy that hangs on the role of a service."""
    (role,) = [
        role
        for role in of_type(template, "AWS::IAM::Role")
        if role["AssumeRolePolicyDocument"]["Statement"][0]["Principal"]["Service"] == service
    ]
    (policy,) = role["ManagedPolicyArns"]
    statements: list[Statement] = template["Resources"][policy["Ref"]]["Properties"]["PolicyDocument"][
        "Statement"
    ]
    return statements


def statement(statements: list[Statement], action: str, condition_key: str = "") -> Statement:
    (found,) = [s for s in statements if action in s["Action"] and condition_key in json.dumps(s)]
    return found


def list_parameters(scope: Stack) -> FoundationReferences:
    """Return references as a workload stack has them: SSM parameters, the subnets among them a list token."""
    values = {
        name: CfnParameter(
            scope, name.title().replace("_", ""), type="AWS::SSM::Parameter::Value<String>", default=name
        ).value_as_string
        for name in FoundationReferences.__dataclass_fields__
        if name != "subnet_ids"
    }
    subnets = CfnParameter(
        scope, "Subnets", type="AWS::SSM::Parameter::Value<List<AWS::EC2::Subnet::Id>>", default="subnets"
    )
    return FoundationReferences(subnet_ids=subnets.value_as_list, **values)


@pytest.mark.parametrize("with_tokens", [False, True])
def test_no_rule_pack_finds_anything_that_is_not_acknowledged(
    stack: Stack, foundation: FoundationReferences, with_tokens: bool
) -> None:
    add_workflow(stack, list_parameters(stack) if with_tokens else foundation)
    packs = (
        AwsSolutionsChecks(stack),
        HIPAASecurityChecks(stack),
        NIST80053R5Checks(stack),
        PCIDSS321Checks(stack),
    )
    findings = [violation.rule_name for pack in packs for violation in pack.validate_scope(stack).violations]
    assert findings == []


def test_the_template_is_clean_for_cfn_lint(template: dict[str, Any]) -> None:
    matches = lint_all(json.dumps(template))
    assert [str(match) for match in matches if match.rule.severity != "informational"] == []


def test_a_job_without_checkpoint_reads_no_checkpoint_bucket(stack: Stack) -> None:
    # The construct that reads the references is the one of the workload stacks: a parameter for each field it is asked.
    references = read_foundation_references(stack, "/demo/dev/foundation")
    add_workflow(stack, references, attempts=(TWO_NODES,), max_wait_s=None, checkpoint=None)
    template = synthesized(stack)
    assert [name for name in template["Parameters"] if "Checkpoint" in name] == []
    matches = lint_all(json.dumps(template))
    assert [str(match) for match in matches if match.rule.severity != "informational"] == []


def test_cdk_validates_the_template(app: App, stack: Stack, foundation: FoundationReferences) -> None:
    add_workflow(stack, foundation)
    assert app.synth().get_stack_by_name("Stack")


def test_the_same_workflow_gives_the_same_bytes(
    cdk_context: dict[str, Any], foundation: FoundationReferences
) -> None:
    texts = []
    for _ in range(2):
        stack = Stack(App(context=cdk_context, analytics_reporting=False), "Stack")
        add_workflow(stack, foundation)
        texts.append(json.dumps(synthesized(stack)))
    assert texts[0] == texts[1]


def test_list_tokens_make_no_helper_resources(stack: Stack) -> None:
    add_workflow(stack, list_parameters(stack))
    template = synthesized(stack)
    assert of_type(template, "AWS::Lambda::Function") == []
    (machine,) = of_type(template, "AWS::StepFunctions::StateMachine")
    assert machine["DefinitionSubstitutions"]["SubnetIds"] == {"Fn::Join": ['","', {"Ref": "Subnets"}]}
    assert machine["DefinitionSubstitutions"]["FirstSubnetId"] == {"Fn::Select": [0, {"Ref": "Subnets"}]}


def test_the_definition_is_complete_once_its_placeholders_are_replaced(template: dict[str, Any]) -> None:
    (machine,) = of_type(template, "AWS::StepFunctions::StateMachine")
    text = machine["DefinitionString"]
    for name, value in machine["DefinitionSubstitutions"].items():
        assert f"${{{name}}}" in text
        text = text.replace(f"${{{name}}}", value if isinstance(value, str) else "arn:role")
    assert "${" not in text
    states = json.loads(text)["States"]
    one_node, two_nodes = states["Train1"]["Parameters"], states["Train2"]["Parameters"]
    assert one_node["VpcConfig"]["Subnets"] == ["subnet-0000000000000000a", "subnet-0000000000000000b"]
    assert two_nodes["VpcConfig"]["Subnets"] == ["subnet-0000000000000000a"]
    assert one_node["VpcConfig"]["SecurityGroupIds"] == ["sg-0000000000000000f"]
    assert one_node["CheckpointConfig"]["S3Uri.$"] == (
        "States.Format('s3://demo-dev-checkpoints-111122223333-us-east-1/weekly/{}/', $$.Execution.Name)"
    )


def test_the_machine_is_logged_traced_and_encrypted(
    template: dict[str, Any], foundation: FoundationReferences
) -> None:
    (machine,) = of_type(template, "AWS::StepFunctions::StateMachine")
    assert (machine["StateMachineName"], machine["StateMachineType"]) == (NAME, "STANDARD")
    assert machine["LoggingConfiguration"]["Level"] == "ALL"
    assert machine["LoggingConfiguration"]["IncludeExecutionData"] is False
    assert machine["TracingConfiguration"] == {"Enabled": True}
    assert machine["EncryptionConfiguration"]["Type"] == "CUSTOMER_MANAGED_KMS_KEY"
    assert machine["EncryptionConfiguration"]["KmsKeyId"] == foundation.data_key_arn
    (log_group,) = [r for r in template["Resources"].values() if r["Type"] == "AWS::Logs::LogGroup"]
    assert log_group["DeletionPolicy"] == "Retain"
    assert log_group["Properties"] == {
        "LogGroupName": f"/aws/vendedlogs/states/{NAME}",
        "RetentionInDays": 90,
        "KmsKeyId": foundation.operations_key_arn,
    }


def test_the_machine_manages_only_its_own_jobs(
    template: dict[str, Any], foundation: FoundationReferences
) -> None:
    statements = statements_of(template, "states.amazonaws.com")
    assert statement(statements, "sagemaker:CreateTrainingJob") == {
        "Effect": "Allow",
        "Action": [
            "sagemaker:AddTags",
            "sagemaker:CreateTrainingJob",
            "sagemaker:DescribeTrainingJob",
            "sagemaker:StopTrainingJob",
        ],
        "Resource": JOB_ARN,
    }
    rule = statement(statements, "events:PutRule")
    assert rule["Action"] == ["events:DescribeRule", "events:PutRule", "events:PutTargets"]
    assert rule["Resource"] == (
        f"arn:aws:events:{ACCOUNT}:rule/StepFunctionsGetEventsForSageMakerTrainingJobsRule"
    )
    assert statement(statements, "sns:Publish")["Resource"] == foundation.alarm_topic_arn


def test_the_machine_passes_only_the_training_role_and_only_to_sagemaker(template: dict[str, Any]) -> None:
    pass_role = statement(statements_of(template, "states.amazonaws.com"), "iam:PassRole")
    role = template["Resources"][pass_role["Resource"]["Fn::GetAtt"][0]]["Properties"]
    trust = role["AssumeRolePolicyDocument"]["Statement"][0]
    assert trust["Principal"] == {"Service": "sagemaker.amazonaws.com"}
    assert trust["Condition"] == {"StringEquals": {"aws:SourceAccount": "111122223333"}}
    assert pass_role["Condition"] == {"StringEquals": {"iam:PassedToService": "sagemaker.amazonaws.com"}}


def test_the_machine_may_use_the_keys_of_its_data_its_log_and_the_topic(
    template: dict[str, Any], foundation: FoundationReferences
) -> None:
    statements = statements_of(template, "states.amazonaws.com")
    own = statement(statements, "kms:Decrypt", "aws:states:stateMachineArn")
    assert own["Resource"] == foundation.data_key_arn
    assert own["Condition"]["StringEquals"] == {
        "kms:EncryptionContext:aws:states:stateMachineArn": MACHINE_ARN
    }
    log = statement(statements, "kms:GenerateDataKey", "EncryptionContext:SourceArn")
    assert log["Resource"] == foundation.data_key_arn
    assert log["Condition"]["StringLike"] == {"kms:EncryptionContext:SourceArn": f"arn:aws:logs:{ACCOUNT}:*"}
    assert statement(statements, "kms:Decrypt", foundation.operations_key_arn)


def test_only_this_machine_assumes_its_role(template: dict[str, Any]) -> None:
    (trust,) = [
        role["AssumeRolePolicyDocument"]["Statement"][0]
        for role in of_type(template, "AWS::IAM::Role")
        if "states" in json.dumps(role["AssumeRolePolicyDocument"])
    ]
    assert trust["Condition"] == {
        "StringEquals": {"aws:SourceAccount": "111122223333"},
        "ArnEquals": {"aws:SourceArn": MACHINE_ARN},
    }


def test_the_job_reads_its_data_and_writes_only_its_output_and_checkpoints(template: dict[str, Any]) -> None:
    statements = statements_of(template, "sagemaker.amazonaws.com")
    read, write = (s for s in statements if "s3:GetObject" in s["Action"])
    assert read["Action"] == ["s3:GetObject"]
    assert read["Resource"] == [f"{ARTIFACTS}/datasets/weekly/*", f"{ARTIFACTS}/code/weekly/*"]
    assert write["Action"] == ["s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject"]
    assert write["Resource"] == [f"{ARTIFACTS}/weekly/output/*", f"{CHECKPOINTS}/weekly/*"]
    lists = {s["Resource"]: s["Condition"] for s in statements if "s3:ListBucket" in s["Action"]}
    assert lists[CHECKPOINTS] == {"StringLike": {"s3:prefix": ["weekly", "weekly/*"]}}
    assert lists[ARTIFACTS]["StringLike"]["s3:prefix"] == [
        "datasets/weekly",
        "datasets/weekly/*",
        "code/weekly",
        "code/weekly/*",
        "weekly/output",
        "weekly/output/*",
    ]


def test_the_job_may_use_the_data_key_and_grant_it_to_aws_only(
    template: dict[str, Any], foundation: FoundationReferences
) -> None:
    statements = statements_of(template, "sagemaker.amazonaws.com")
    use = statement(statements, "kms:GenerateDataKey")
    assert {"kms:Decrypt", "kms:GenerateDataKey"} <= set(use["Action"])
    assert use["Resource"] == foundation.data_key_arn
    assert statement(statements, "kms:CreateGrant")["Condition"] == {
        "Bool": {"kms:GrantIsForAWSResource": "true"}
    }


def test_the_job_pulls_one_repository_and_writes_its_own_log_streams(template: dict[str, Any]) -> None:
    statements = statements_of(template, "sagemaker.amazonaws.com")
    assert statement(statements, "ecr:BatchGetImage")["Resource"] == REPOSITORY_ARN
    assert statement(statements, "logs:PutLogEvents")["Resource"] == (
        f"arn:aws:logs:{ACCOUNT}:log-group:/aws/sagemaker/TrainingJobs:log-stream:{NAME}-*"
    )
    assert statement(statements, "cloudwatch:PutMetricData")["Condition"] == {
        "StringEquals": {"cloudwatch:namespace": "/aws/sagemaker/TrainingJobs"}
    }
    assert statement(statements, "ec2:CreateNetworkInterface")["Resource"][-1] == (
        f"arn:aws:ec2:{ACCOUNT}:security-group/sg-0000000000000000f"
    )


def test_no_action_is_a_wildcard_and_no_policy_is_inline(template: dict[str, Any]) -> None:
    policies = of_type(template, "AWS::IAM::ManagedPolicy")
    actions = [action for p in policies for s in p["PolicyDocument"]["Statement"] for action in s["Action"]]
    assert actions
    assert not any("*" in action for action in actions)
    assert of_type(template, "AWS::IAM::Policy") == []
    assert not any("Policies" in role for role in of_type(template, "AWS::IAM::Role"))


def test_the_schedule_starts_only_this_machine(template: dict[str, Any]) -> None:
    (schedule,) = of_type(template, "AWS::Scheduler::Schedule")
    assert schedule["ScheduleExpression"] == TIMING.expression
    assert schedule["ScheduleExpressionTimezone"] == "Europe/Berlin"
    assert schedule["State"] == "ENABLED"
    assert schedule["FlexibleTimeWindow"] == {"Mode": "OFF"}
    target = schedule["Target"]
    assert template["Resources"][target["Arn"]["Ref"]]["Type"] == "AWS::StepFunctions::StateMachine"
    statements = statements_of(template, "scheduler.amazonaws.com")
    start = statement(statements, "states:StartExecution")
    assert start["Action"] == ["states:StartExecution"]
    assert start["Resource"] == target["Arn"]
    assert statement(statements, "sqs:SendMessage")["Resource"] == target["DeadLetterConfig"]["Arn"]


def test_starts_that_fail_are_kept_in_an_encrypted_queue_that_demands_tls(
    template: dict[str, Any], foundation: FoundationReferences
) -> None:
    (queue,) = of_type(template, "AWS::SQS::Queue")
    assert queue["KmsMasterKeyId"] == foundation.operations_key_arn
    assert queue["MessageRetentionPeriod"] == 14 * 24 * 3600
    (policy,) = of_type(template, "AWS::SQS::QueuePolicy")
    (deny,) = policy["PolicyDocument"]["Statement"]
    assert deny["Effect"] == "Deny"
    assert deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_alarms_name_the_metrics_and_dimensions_that_exist(
    template: dict[str, Any], foundation: FoundationReferences
) -> None:
    alarms = of_type(template, "AWS::CloudWatch::Alarm")
    seen = {(a["Namespace"], a["MetricName"], a["Statistic"], a["Dimensions"][0]["Name"]) for a in alarms}
    assert seen == {
        ("AWS/States", "ExecutionsFailed", "Sum", "StateMachineArn"),
        ("AWS/States", "ExecutionsTimedOut", "Sum", "StateMachineArn"),
        ("AWS/States", "ExecutionsAborted", "Sum", "StateMachineArn"),
        ("AWS/SQS", "ApproximateNumberOfMessagesVisible", "Maximum", "QueueName"),
    }
    for alarm in alarms:
        assert alarm["AlarmActions"] == [foundation.alarm_topic_arn]
        assert alarm["TreatMissingData"] == "notBreaching"
        assert (alarm["Threshold"], alarm["ComparisonOperator"]) == (1, "GreaterThanOrEqualToThreshold")


def test_a_disabled_schedule_stays_deployed(stack: Stack, foundation: FoundationReferences) -> None:
    add_workflow(
        stack, foundation, schedule=TrainingScheduleTiming(expression=TIMING.expression, is_enabled=False)
    )
    (schedule,) = of_type(synthesized(stack), "AWS::Scheduler::Schedule")
    assert schedule["State"] == "DISABLED"


def test_without_a_schedule_there_is_no_queue_and_no_alarm_on_it(
    stack: Stack, foundation: FoundationReferences
) -> None:
    add_workflow(stack, foundation, schedule=None)
    template = synthesized(stack)
    assert of_type(template, "AWS::Scheduler::Schedule") == []
    assert of_type(template, "AWS::SQS::Queue") == []
    assert len(of_type(template, "AWS::CloudWatch::Alarm")) == 3
