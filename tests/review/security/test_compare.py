from typing import Any

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.security import compare_security
from tests.review.builders import assembly, resource, stack, template


def workload(key: str, actions: int) -> dict[str, Any]:
    """About as much as an endpoint has."""
    statements = [
        {
            "Effect": "Allow",
            "Action": [f"s3:Action{n}{m}" for m in range(actions)],
            "Resource": [f"arn:aws:s3:::bucket{n}", f"arn:aws:s3:::bucket{n}/*"],
        }
        for n in range(10)
    ]
    policy = {"PolicyDocument": {"Statement": statements}, "Roles": [{"Ref": "Role"}]}
    alarms = {f"Alarm{n}": resource("AWS::CloudWatch::Alarm", {"Threshold": n}) for n in range(15)}
    return template(
        Role=resource("AWS::IAM::Role"),
        Policy=resource("AWS::IAM::ManagedPolicy", policy),
        Logs=resource("AWS::Logs::LogGroup", {"KmsKeyId": key}),
        Model=resource("AWS::SageMaker::Model", {"EnableNetworkIsolation": True}),
        **alarms,
    )


def test_weaker_comes_first_then_stack_then_subject() -> None:
    key, none = {"KmsKeyId": {"Ref": "Key"}}, dict[str, Any]()

    def log_groups(one: dict[str, Any], two: dict[str, Any]) -> dict[str, Any]:
        return template(
            Two=resource("AWS::Logs::LogGroup", {"RetentionInDays": 5, **two}),
            One=resource("AWS::Logs::LogGroup", {"RetentionInDays": 5, **one}),
        )

    base = assembly(stack(log_groups(none, key), "b"), stack(log_groups(key, none), "a"))
    head = assembly(stack(log_groups(key, none), "b"), stack(log_groups(none, key), "a"))
    others = compare_security(EnvironmentPair("dev", base, head)).others
    assert [(c.direction, c.stack, c.subject) for c in others] == [
        ("weaker", "a", "One"),
        ("weaker", "b", "Two"),
        ("stronger", "a", "Two"),
        ("stronger", "b", "One"),
    ]


def test_a_side_that_is_not_there() -> None:
    one = assembly(stack(workload("arn", 2)))
    assert {c.direction for c in compare_security(EnvironmentPair("dev", None, one)).iam} == {"broadened"}
    left = compare_security(EnvironmentPair("dev", one, None))
    assert left.iam == (), "CDK does not delete a stack that is gone from the app"


def test_a_hundred_changed_stacks_are_compared() -> None:
    base = assembly(*(stack(workload("arn", 5), f"stack-{n}") for n in range(100)))
    head = assembly(*(stack(workload("", 6), f"stack-{n}") for n in range(100)))
    security = compare_security(EnvironmentPair("dev", base, head))
    assert len(security.iam) == len(security.others) == 100
    assert security.unchanged_grant_count == 100 * 10 * 5 * 2


def test_odd_templates_are_no_crash() -> None:
    odd: list[Any] = [
        {},
        {"Resources": None},
        {
            "Resources": {
                "A": {"Type": "AWS::IAM::Role", "Properties": {"Policies": "x", "ManagedPolicyArns": 7}}
            }
        },
        {
            "Resources": {
                "A": {"Type": "AWS::EC2::SecurityGroup", "Properties": {"SecurityGroupIngress": "x"}}
            }
        },
        {
            "Resources": {
                "A": {"Type": "AWS::IAM::Policy", "Properties": {"PolicyDocument": {"Fn::Transform": {}}}}
            }
        },
        {"Resources": {"A": {"Type": "AWS::Lambda::Permission", "Properties": {}}}},
        {
            "Resources": {
                "A": {"Type": "AWS::S3::BucketPolicy", "Properties": {"PolicyDocument": {"Statement": []}}}
            }
        },
        {
            "Resources": {
                "A": {"Type": "AWS::StepFunctions::StateMachine", "Properties": {"DefinitionString": "{"}}
            }
        },
        {
            "Resources": {
                "A": {"Type": "AWS::EC2::Route", "Properties": {"DestinationCidrBlock": {"Ref": "X"}}}
            }
        },
        {"Resources": {"A": {"Type": "AWS::SQS::QueuePolicy", "Properties": {"Queues": {"Fn::If": ["C"]}}}}},
        {"Resources": {"A": {"Type": "AWS::Events::EventBusPolicy", "Properties": {"Condition": "x"}}}},
    ]
    for base in odd:
        for head in odd:
            compare_security(EnvironmentPair("dev", assembly(stack(base)), assembly(stack(head))))
