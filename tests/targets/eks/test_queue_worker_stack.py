"""The stack of a model whose pods work off a queue: where requests that fail end, and who may do what with the queue."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from sizewell.planning import load_plan
from tests.targets.conftest import Synthesized, configuration_of, of_type, resources

pytestmark = pytest.mark.cdk
STACK = "speech-prod-transcribe"


@pytest.fixture(scope="module")
def output(synthesized: Synthesized) -> Path:
    return synthesized("eks-queue-worker", "prod")


@pytest.fixture(scope="module")
def template(output: Path) -> dict[str, Any]:
    return resources(output, STACK)


def statements(policy: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the resources of each action."""
    found: dict[str, list[Any]] = {}
    for statement in policy["PolicyDocument"]["Statement"]:
        actions = statement["Action"]
        for action in [actions] if isinstance(actions, str) else actions:
            found.setdefault(action, []).append(statement["Resource"])
    return found


def test_a_request_that_always_fails_ends_where_people_hear_of_it(template: dict[str, Any]) -> None:
    queues = of_type(template, "AWS::SQS::Queue")
    (requests,) = (queue for queue in queues if "RedrivePolicy" in queue)
    (dead,) = (queue for queue in queues if "RedrivePolicy" not in queue)
    plan = load_plan(configuration_of("eks-queue-worker"), "prod").workloads[0].model_dump()["queue"]
    assert requests["QueueName"] == plan["name"]
    assert requests["RedrivePolicy"]["maxReceiveCount"] == plan["max_receives"]
    assert requests["VisibilityTimeout"] == plan["visibility_timeout_s"]
    # Its age counts from the day that it was sent.
    assert dead["MessageRetentionPeriod"] > requests["MessageRetentionPeriod"]
    assert {queue["KmsMasterKeyId"]["Ref"] for queue in queues} == {"FoundationDataKeyArn"}
    denials = [
        policy["PolicyDocument"]["Statement"][0] for policy in of_type(template, "AWS::SQS::QueuePolicy")
    ]
    assert [one["Condition"] for one in denials] == [{"Bool": {"aws:SecureTransport": "false"}}] * 2
    alarms = {alarm.get("AlarmName"): alarm for alarm in of_type(template, "AWS::CloudWatch::Alarm")}
    assert alarms[None]["MetricName"] == "ApproximateNumberOfMessagesVisible"
    assert alarms[f"{STACK}-AgeOfOldestRequest"]["Threshold"] == plan["max_wait_s"]


def test_topics_have_the_names_that_manifests_know(output: Path, template: dict[str, Any]) -> None:
    names = {topic["TopicName"] for topic in of_type(template, "AWS::SNS::Topic")}
    deployment = yaml.safe_load((output / "manifests/main/transcribe/deployment.yaml").read_text("utf-8"))
    (worker,) = deployment["spec"]["template"]["spec"]["containers"]
    told = {
        variable["value"].rpartition(":")[2] for variable in worker["env"] if "TOPIC_ARN" in variable["name"]
    }
    assert names == told
    (counted,) = (
        alarm["Metrics"]
        for alarm in of_type(template, "AWS::CloudWatch::Alarm")
        if alarm.get("AlarmName") == f"{STACK}-InvocationFailures"
    )
    read = [query["MetricStat"]["Metric"]["Dimensions"] for query in counted if "MetricStat" in query]
    assert names == {dimension["Value"] for dimensions in read for dimension in dimensions}


def test_pods_receive_and_callers_send_and_neither_does_more(template: dict[str, Any]) -> None:
    policies = {
        policy["Description"]: statements(policy) for policy in of_type(template, "AWS::IAM::ManagedPolicy")
    }
    pods = policies["What pods of speech-prod/transcribe need"]
    callers = policies["What invoking the endpoint takes"]
    (queue,) = pods["sqs:ReceiveMessage"]
    assert pods["sqs:DeleteMessage"] == pods["sqs:ChangeMessageVisibility"] == [queue]
    assert callers["sqs:SendMessage"] == [queue]
    assert {action for action in pods if action.startswith(("sqs:", "sns:"))} == {
        "sqs:ReceiveMessage",
        "sqs:DeleteMessage",
        "sqs:ChangeMessageVisibility",
        "sns:Publish",
    }
    assert {action for action in callers if not action.startswith("kms:")} == {
        "sqs:SendMessage",
        "s3:PutObject",
        "s3:GetObject",
    }
    assert "*" not in [
        resource for policy in policies.values() for found in policy.values() for resource in found
    ]
