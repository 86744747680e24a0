"""What works off a queue in a cluster goes the way of every kind: synthesized, saved, priced, reviewed."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from sizewell.planning import load_plan
from sizewell.review.compare import compare_outputs
from sizewell.review.saved.output import Assembly
from sizewell.review.saved.reading import OutputReader
from tests.app.test_bill import differences, read
from tests.kinds.test_conformance import unknown_to_the_review
from tests.synthesis import PROJECT_ROOT, synthesize

pytestmark = pytest.mark.cdk
EXAMPLE = PROJECT_ROOT / "examples" / "eks-queue-worker" / "config"
STACK = "speech-prod-transcribe"


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("queues") / "cdk.out"
    synthesize("prod", directory, config=str(EXAMPLE))
    return directory


@pytest.fixture(scope="module")
def assembly(output: Path) -> Assembly:
    return read(output, "prod")


def of_type(output: Path, resource_type: str) -> list[dict[str, Any]]:
    resources = json.loads((output / f"{STACK}.template.json").read_text("utf-8"))["Resources"].values()
    return [resource["Properties"] for resource in resources if resource["Type"] == resource_type]


def statements(policy: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the resources of each action."""
    found: dict[str, list[Any]] = {}
    for statement in policy["PolicyDocument"]["Statement"]:
        actions = statement["Action"]
        for action in [actions] if isinstance(actions, str) else actions:
            found.setdefault(action, []).append(statement["Resource"])
    return found


def test_nothing_that_is_emitted_is_unknown_to_the_review(assembly: Assembly) -> None:
    assert unknown_to_the_review(assembly) == set()


def test_templates_and_manifests_cost_what_the_plan_says(assembly: Assembly) -> None:
    assert differences(load_plan(EXAMPLE, "prod").bill, assembly) == []


def test_what_is_saved_is_what_was_planned(assembly: Assembly) -> None:
    assert assembly.plan is not None
    (choice,) = assembly.plan.choices
    assert (choice.kind, choice.name) == ("eks-queue-worker", "transcribe")
    assert choice.decided["min_instance_count"] == 0


def test_a_request_that_always_fails_ends_where_people_hear_of_it(output: Path) -> None:
    queues = of_type(output, "AWS::SQS::Queue")
    (requests,) = (queue for queue in queues if "RedrivePolicy" in queue)
    (dead,) = (queue for queue in queues if "RedrivePolicy" not in queue)
    plan = load_plan(EXAMPLE, "prod").workloads[0].model_dump()["queue"]
    assert requests["QueueName"] == plan["name"]
    assert requests["RedrivePolicy"]["maxReceiveCount"] == plan["max_receives"]
    assert requests["VisibilityTimeout"] == plan["visibility_timeout_s"]
    # Its age counts from the day that it was sent.
    assert dead["MessageRetentionPeriod"] > requests["MessageRetentionPeriod"]
    assert {queue["KmsMasterKeyId"]["Ref"] for queue in queues} == {"FoundationDataKeyArn"}
    denials = [
        policy["PolicyDocument"]["Statement"][0] for policy in of_type(output, "AWS::SQS::QueuePolicy")
    ]
    assert [one["Condition"] for one in denials] == [{"Bool": {"aws:SecureTransport": "false"}}] * 2
    alarms = {alarm.get("AlarmName"): alarm for alarm in of_type(output, "AWS::CloudWatch::Alarm")}
    assert alarms[None]["MetricName"] == "ApproximateNumberOfMessagesVisible"
    assert alarms[f"{STACK}-AgeOfOldestRequest"]["Threshold"] == plan["max_wait_s"]


def test_topics_have_the_names_that_manifests_know(output: Path) -> None:
    names = {topic["TopicName"] for topic in of_type(output, "AWS::SNS::Topic")}
    deployment = yaml.safe_load((output / "manifests/main/transcribe/deployment.yaml").read_text("utf-8"))
    (worker,) = deployment["spec"]["template"]["spec"]["containers"]
    told = {
        variable["value"].rpartition(":")[2] for variable in worker["env"] if "TOPIC_ARN" in variable["name"]
    }
    assert names == told


def test_pods_receive_and_callers_send_and_neither_does_more(output: Path) -> None:
    policies = {
        policy["Description"]: statements(policy) for policy in of_type(output, "AWS::IAM::ManagedPolicy")
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


@pytest.mark.parametrize(
    ("file", "path", "value", "sentence"),
    [
        ("scaled-object", "spec.triggers.0.metadata.queueLength", "900", "More requests wait for each pod"),
        (
            "scaled-object",
            "spec.triggers.0.metadata.queueURL",
            "https://sqs/other",
            "Pods follow another queue",
        ),
        ("trigger-authentication", "spec.podIdentity.provider", "gcp", "KEDA asks with other credentials"),
        (
            "deployment",
            "spec.template.spec.terminationGracePeriodSeconds",
            30,
            "cut off earlier when a pod ends",
        ),
    ],
)
def test_a_review_says_what_a_changed_manifest_does(
    output: Path, tmp_path: Path, file: str, path: str, value: object, sentence: str
) -> None:
    head = tmp_path / "head"
    shutil.copytree(output, head)
    edited = head / "manifests" / "main" / "transcribe" / f"{file}.yaml"
    manifest = yaml.safe_load(edited.read_text("utf-8"))
    holder: Any = manifest
    *keys, last = path.split(".")
    for key in keys:
        holder = holder[int(key) if key.isdecimal() else key]
    holder[last] = value
    edited.write_text(yaml.safe_dump(manifest), "utf-8")
    reader = OutputReader()
    found = compare_outputs(reader.read(output, "base"), reader.read(head, "head"))
    assert any(sentence in hazard.consequence for hazard in found.hazards), found.hazards
