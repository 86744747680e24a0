"""What starts a workflow beside people and its schedule."""

from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk.assertions import Match, Template

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.training_workflow import TrainingWorkflow, TrainingWorkflowProps
from constructs_lib.workflows.workflow_events import StartEvents
from tests.constructs_lib.jobs.training import job
from tests.constructs_lib.judges import open_findings

pytestmark = pytest.mark.cdk
BOTH = StartEvents(object_key="datasets/weekly/_SUCCESS", alarm_name="drift of plants")


def template_of(stack: Stack, foundation: FoundationReferences, events: StartEvents) -> Template:
    props = TrainingWorkflowProps(
        workload_name="weekly",
        state_machine_name="demo-dev-weekly",
        job=job(),
        events=events,
        foundation=foundation,
    )
    TrainingWorkflow(stack, "Training", props=props)
    return Template.from_stack(stack)


def starts(template: Template) -> dict[str, Any]:
    """Return the patterns of the rules that start the machine, by what they hear."""
    rules = [rule["Properties"] for rule in template.find_resources("AWS::Events::Rule").values()]
    return {
        rule["EventPattern"]["source"][0]: rule for rule in rules if rule["Targets"][0]["Id"] == "Workflow"
    }


def test_an_object_that_arrives_and_an_alarm_that_goes_off_start_a_run_each(
    stack: Stack, foundation: FoundationReferences
) -> None:
    template = template_of(stack, foundation, BOTH)
    rules = starts(template)
    assert {source: rule["EventPattern"]["detail"] for source, rule in rules.items()} == {
        "aws.s3": {
            "bucket": {"name": [foundation.artifact_bucket_name]},
            "object": {"key": ["datasets/weekly/_SUCCESS"]},
        },
        "aws.cloudwatch": {"alarmName": ["drift of plants"], "state": {"value": ["ALARM"]}},
    }
    assert [rule["EventPattern"]["detail-type"] for rule in rules.values()] == [
        ["Object Created"],
        ["CloudWatch Alarm State Change"],
    ]
    (machine,) = template.find_resources("AWS::StepFunctions::StateMachine")
    for rule in rules.values():
        (target,) = rule["Targets"]
        assert (target["Arn"], target["Input"]) == ({"Ref": machine}, "{}")
        assert target["RetryPolicy"] == {"MaximumEventAgeInSeconds": 3600, "MaximumRetryAttempts": 5}
    assert open_findings(stack) == set()


def test_the_role_of_the_rules_starts_this_machine_alone(
    stack: Stack, foundation: FoundationReferences
) -> None:
    template = template_of(stack, foundation, BOTH)
    (machine,) = template.find_resources("AWS::StepFunctions::StateMachine")
    template.has_resource_properties(
        "AWS::IAM::ManagedPolicy",
        {
            "PolicyDocument": {
                "Statement": [
                    {
                        "Action": ["states:StartExecution"],
                        "Effect": "Allow",
                        "Resource": {"Ref": machine},
                    },
                    {
                        "Action": ["kms:Decrypt", "kms:GenerateDataKey"],
                        "Condition": {
                            "StringEquals": {
                                "kms:EncryptionContext:aws:states:stateMachineArn": {"Ref": machine}
                            }
                        },
                        "Effect": "Allow",
                        "Resource": foundation.data_key_arn,
                    },
                ],
                "Version": "2012-10-17",
            }
        },
    )


def test_starts_that_fail_are_kept_and_watched(stack: Stack, foundation: FoundationReferences) -> None:
    template = template_of(stack, foundation, StartEvents(alarm_name="drift"))
    assert starts(template).keys() == {"aws.cloudwatch"}
    (queue,) = template.find_resources("AWS::SQS::Queue")
    template.has_resource_properties(
        "AWS::SQS::QueuePolicy",
        {
            "PolicyDocument": {
                "Statement": Match.array_with(
                    [
                        {
                            "Action": "sqs:SendMessage",
                            "Condition": {"StringEquals": {"aws:SourceAccount": "111122223333"}},
                            "Effect": "Allow",
                            "Principal": {"Service": "events.amazonaws.com"},
                            "Resource": {"Fn::GetAtt": [queue, "Arn"]},
                        }
                    ]
                )
            }
        },
    )
    template.has_resource_properties(
        "AWS::CloudWatch::Alarm",
        {"Dimensions": [{"Name": "QueueName", "Value": {"Fn::GetAtt": [queue, "QueueName"]}}]},
    )
