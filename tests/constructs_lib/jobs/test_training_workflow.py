import json
import re
from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk.assertions import Template

from constructs_lib.foundation.foundation_parameters import read_foundation_references
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.training_job import FileSystemChannel
from constructs_lib.jobs.training_workflow import TrainingWorkflow, TrainingWorkflowProps
from constructs_lib.workflows.schedule_expression import TrainingScheduleTiming
from tests.constructs_lib.jobs.training import ON_DEMAND_ALONE, job
from tests.constructs_lib.judges import lint_matches
from tests.constructs_lib.resources import Json, of_type, statements_by_action, statements_of

pytestmark = pytest.mark.cdk


NAME = "demo-dev-weekly"
TIMING = TrainingScheduleTiming(expression="cron(0 3 ? * MON *)", time_zone="Europe/Berlin")


def add_workflow(
    stack: Stack,
    foundation: FoundationReferences,
    *,
    schedule: TrainingScheduleTiming | None = TIMING,
    report_success: bool = False,
    **job_changes: Any,
) -> Json:
    """Add a workflow, and return the template of the stack."""
    props = TrainingWorkflowProps(
        workload_name="weekly",
        state_machine_name=NAME,
        job=job(**job_changes),
        schedule=schedule,
        foundation=foundation,
        report_success=report_success,
    )
    TrainingWorkflow(stack, "Training", props=props)
    return dict(Template.from_stack(stack).to_json())


@pytest.fixture
def template(stack: Stack, foundation: FoundationReferences) -> Json:
    return add_workflow(stack, foundation)


@pytest.fixture
def read_at_deployment(stack: Stack) -> FoundationReferences:
    """Return references as a workload stack has them: tokens, the subnets a list of unknown length."""
    return read_foundation_references(stack, "/demo/dev/foundation")


def test_a_job_without_checkpoint_reads_no_checkpoint_bucket(
    stack: Stack, read_at_deployment: FoundationReferences
) -> None:
    template = add_workflow(stack, read_at_deployment, **ON_DEMAND_ALONE)
    assert [name for name in template["Parameters"] if "Checkpoint" in name] == []
    assert lint_matches(template) == []


@pytest.mark.parametrize(("changes", "prefixes"), [({}, ["weekly/*"]), (ON_DEMAND_ALONE, [])])
def test_only_checkpoints_are_deleted(
    stack: Stack, foundation: FoundationReferences, changes: dict[str, Any], prefixes: list[str]
) -> None:
    """What the container deletes below its checkpoints, SageMaker deletes in S3, as the role of the job."""
    template = add_workflow(stack, foundation, **changes)
    statements = statements_of(template, "sagemaker.amazonaws.com")
    bucket = f"arn:aws:s3:::{foundation.checkpoint_bucket_name}"
    assert [statement for statement in statements if "s3:DeleteObject" in statement["Action"]] == [
        {"Effect": "Allow", "Action": ["s3:DeleteObject"], "Resource": [f"{bucket}/{prefix}"]}
        for prefix in prefixes
    ]


def test_list_tokens_make_no_helper_resources(stack: Stack, read_at_deployment: FoundationReferences) -> None:
    template = add_workflow(stack, read_at_deployment)
    assert of_type(template, "AWS::Lambda::Function") == []
    (machine,) = of_type(template, "AWS::StepFunctions::StateMachine")
    subnets = {"Ref": "FoundationSubnetIds"}
    assert machine["DefinitionSubstitutions"]["SubnetIds"] == {"Fn::Join": ['","', subnets]}


def test_the_definition_is_complete_once_its_placeholders_are_replaced(template: Json) -> None:
    (machine,) = of_type(template, "AWS::StepFunctions::StateMachine")
    text = machine["DefinitionString"]
    for name, value in machine["DefinitionSubstitutions"].items():
        assert f"${{{name}}}" in text
        text = text.replace(f"${{{name}}}", value if isinstance(value, str) else "arn:role")
    assert "${" not in text
    states = json.loads(text)["States"]["Work"]["Branches"][0]["States"]
    networks = [states[f"Train{number}"]["Arguments"]["VpcConfig"] for number in (1, 3)]
    assert [network["Subnets"] for network in networks] == [
        ["subnet-0000000000000000a", "subnet-0000000000000000b"]
    ] * 2


def test_the_machine_passes_one_role_to_sagemaker_alone(template: Json) -> None:
    statements = statements_of(template, "states.amazonaws.com")
    (pass_role,) = (s for s in statements if "iam:PassRole" in s["Action"])
    role = template["Resources"][pass_role["Resource"]["Fn::GetAtt"][0]]["Properties"]
    trust = role["AssumeRolePolicyDocument"]["Statement"][0]
    assert trust["Principal"] == {"Service": "sagemaker.amazonaws.com"}
    assert trust["Condition"] == {"StringEquals": {"aws:SourceAccount": "111122223333"}}
    assert pass_role["Condition"] == {"StringEquals": {"iam:PassedToService": "sagemaker.amazonaws.com"}}


def test_the_machine_uses_the_data_key_for_its_own_data_and_log(
    template: Json, foundation: FoundationReferences
) -> None:
    here = "us-east-1:111122223333"
    statements = statements_of(template, "states.amazonaws.com")
    assert [s["Condition"] for s in statements if s["Resource"] == foundation.data_key_arn] == [
        {
            "StringEquals": {
                "kms:EncryptionContext:aws:states:stateMachineArn": f"arn:aws:states:{here}:stateMachine:{NAME}"
            }
        },
        {"StringLike": {"kms:EncryptionContext:SourceArn": f"arn:aws:logs:{here}:*"}},
    ]


def test_the_machine_may_use_the_one_training_plan(stack: Stack, foundation: FoundationReferences) -> None:
    arn = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/june"
    template = add_workflow(stack, foundation, **ON_DEMAND_ALONE, training_plan_arn=arn)
    reserved = "arn:aws:sagemaker:us-east-1:111122223333:reserved-capacity/*"
    found = [
        statement
        for statement in statements_of(template, "states.amazonaws.com")
        if arn in statement["Resource"]
    ]
    assert found == [
        {"Effect": "Allow", "Action": ["sagemaker:CreateTrainingJob"], "Resource": [arn, reserved]}
    ]


def test_no_action_is_a_wildcard_and_no_policy_is_inline(template: Json) -> None:
    policies = of_type(template, "AWS::IAM::ManagedPolicy")
    actions = [action for p in policies for s in p["PolicyDocument"]["Statement"] for action in s["Action"]]
    assert actions
    assert not any("*" in action for action in actions)
    assert of_type(template, "AWS::IAM::Policy") == []
    assert not any("Policies" in role for role in of_type(template, "AWS::IAM::Role"))


EFS_ARN = "arn:aws:elasticfilesystem:us-east-1:111122223333:file-system/fs-01234567"


@pytest.mark.parametrize(
    ("service", "mounts"), [("sagemaker.amazonaws.com", ["ClientMount"]), ("states.amazonaws.com", [])]
)
def test_jobs_mount_their_file_systems_and_the_machine_looks_them_up(
    stack: Stack, read_at_deployment: FoundationReferences, service: str, mounts: list[str]
) -> None:
    """Whose rights SageMaker checks, those of the caller or of the job, no page says."""
    channels = (
        FileSystemChannel(
            file_system_type="EFS",
            file_system_id="fs-01234567",
            channel_name="training",
            directory_path="/a",
        ),
        FileSystemChannel(
            file_system_type="FSxLustre",
            file_system_id="fs-12345678",
            channel_name="more",
            directory_path="/a",
            subnet_id="subnet-0123456789abcdef0",
        ),
    )
    template = add_workflow(stack, read_at_deployment, channels=channels, code=None)
    of_file_systems = [
        (statement["Action"], statement["Resource"])
        for statement in statements_of(template, service)
        if re.match("elasticfilesystem|fsx", statement["Action"][0])
    ]
    looks_up = ["DescribeFileSystems", "DescribeMountTargets"]
    assert of_file_systems == [
        ([f"elasticfilesystem:{action}" for action in (*mounts, *looks_up)], EFS_ARN),
        (["fsx:DescribeFileSystems"], "*"),
    ]
    assert lint_matches(template) == []


def alarms_on(template: Json, namespace: str) -> list[Json]:
    return [alarm for alarm in of_type(template, "AWS::CloudWatch::Alarm") if alarm["Namespace"] == namespace]


def test_every_bad_end_raises_an_alarm_whatever_the_machine_has_told(
    template: Json, foundation: FoundationReferences
) -> None:
    alarms = alarms_on(template, "AWS/States")
    look = "Look first at the execution in Step Functions: its event history says why."
    assert {alarm["MetricName"]: alarm["AlarmDescription"] for alarm in alarms} == {
        "ExecutionsFailed": f"An execution of training workflow weekly failed. {look}",
        "ExecutionsTimedOut": f"An execution of training workflow weekly timed out. {look}",
        "ExecutionsAborted": f"An execution of training workflow weekly was aborted. {look}",
    }
    for alarm in alarms:
        (dimension,) = alarm["Dimensions"]
        assert dimension["Name"] == "StateMachineArn"
        assert template["Resources"][dimension["Value"]["Ref"]]["Type"] == "AWS::StepFunctions::StateMachine"
        assert (alarm["Statistic"], alarm["Threshold"], alarm["ComparisonOperator"]) == (
            "Sum",
            1,
            "GreaterThanOrEqualToThreshold",
        )
        assert (alarm["EvaluationPeriods"], alarm["TreatMissingData"]) == (1, "notBreaching")
        assert alarm["AlarmActions"] == [foundation.alarm_topic_arn]


def test_lost_starts_raise_an_alarm(template: Json) -> None:
    (alarm,) = alarms_on(template, "AWS/SQS")
    assert (alarm["Namespace"], alarm["MetricName"], alarm["Statistic"], alarm["Dimensions"][0]["Name"]) == (
        "AWS/SQS",
        "ApproximateNumberOfMessagesVisible",
        "Maximum",
        "QueueName",
    )


def test_a_rule_tells_what_ends_an_execution_from_outside_unless_a_pipeline_tells(template: Json) -> None:
    (rule,) = of_type(template, "AWS::Events::Rule")
    detail = rule["EventPattern"]["detail"]
    assert detail["status"] == ["TIMED_OUT", "ABORTED"]
    assert detail["name"] == [{"anything-but": {"prefix": "step-"}}]
    (machine_arn,) = detail["stateMachineArn"]
    assert machine_arn["Ref"] in template["Resources"]
    (target,) = rule["Targets"]
    transformer = target["InputTransformer"]
    # Cause and output are in no event of an encrypted machine.
    assert set(re.findall(r"<(\w+)>", transformer["InputTemplate"])) == {"executionArn", "status"}
    assert transformer["InputPathsMap"].keys() == {"executionArn", "status"}
    told = json.loads(transformer["InputTemplate"])
    assert told["content"]["title"] == "Training weekly: <status>"
    assert told["metadata"]["additionalContext"]["executionArn"] == "<executionArn>"


@pytest.mark.parametrize("report_success", [True, False])
def test_the_machine_itself_tells_the_alarm_topic(
    stack: Stack, foundation: FoundationReferences, report_success: bool
) -> None:
    template = add_workflow(stack, foundation, report_success=report_success)
    (machine,) = of_type(template, "AWS::StepFunctions::StateMachine")
    states = json.loads(machine["DefinitionString"])["States"]
    telling = {name for name, state in states.items() if "sns:publish" in state.get("Resource", "")}
    assert telling == {"TellFailure", "TellSuccess"}
    assert states["Work"]["Next"] == ("TellSuccess" if report_success else "WorthTelling")
    assert {states[name]["Arguments"]["TopicArn"] for name in telling} == {"${AlarmTopicArn}"}
    assert machine["DefinitionSubstitutions"]["AlarmTopicArn"] == foundation.alarm_topic_arn
    statements = statements_by_action(template, "states.amazonaws.com")
    assert statements[("sns:Publish",)]["Resource"] == foundation.alarm_topic_arn
    (encrypts,) = (
        statement
        for statement in statements_of(template, "states.amazonaws.com")
        if statement["Resource"] == foundation.operations_key_arn
    )
    assert encrypts["Condition"] == {"StringEquals": {"kms:ViaService": "sns.us-east-1.amazonaws.com"}}


def test_a_disabled_schedule_stays_deployed(stack: Stack, foundation: FoundationReferences) -> None:
    disabled = TrainingScheduleTiming(expression=TIMING.expression, is_enabled=False)
    template = add_workflow(stack, foundation, schedule=disabled)
    (schedule,) = of_type(template, "AWS::Scheduler::Schedule")
    assert schedule["State"] == "DISABLED"


def test_without_a_schedule_there_is_no_queue_and_no_alarm_on_it(
    stack: Stack, foundation: FoundationReferences
) -> None:
    template = add_workflow(stack, foundation, schedule=None)
    assert of_type(template, "AWS::Scheduler::Schedule") == []
    assert of_type(template, "AWS::SQS::Queue") == []
    assert alarms_on(template, "AWS/SQS") == []
