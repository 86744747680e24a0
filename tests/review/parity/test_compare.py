"""One change at a time to a staging that has the shape of prod: exactly that is said, and nothing else."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.review.parity import Parity, compare_shape
from sizewell.review.saved.output import Assembly
from sizewell.templates.template import Stack
from tests.review.builders import resource

ACCOUNTS = {"staging": "222222222222", "prod": "333333333333"}


def at(path: str, body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "Metadata": {"aws:cdk:path": path}}


def resources(environment: str, account: str) -> dict[str, Any]:
    """Return a little of everything, with the names of an environment in it."""
    stack = f"demo-{environment}-bert"
    arn = f"arn:aws:logs:us-east-1:{account}:log-group:/aws/{stack}:*"
    container = {
        "Image": f"{account}.dkr.ecr.us-east-1.amazonaws.com/bert:1.0",
        "ModelDataUrl": f"s3://models-{environment}-{account}/bert.tar.gz",
        "Environment": {"STAGE": environment, "WORKERS": "2"},
    }
    variant = {"VariantName": "primary", "InstanceType": "ml.g5.xlarge", "InitialInstanceCount": 2}
    statement = {"Effect": "Allow", "Action": ["logs:PutLogEvents", "logs:CreateLogStream"], "Resource": arn}
    train = {
        "Type": "Task",
        "Parameters": {
            "EnableManagedSpotTraining": True,
            "CheckpointConfig": {"LocalPath": "/opt/ml/checkpoints", "S3Uri": f"s3://{environment}/"},
            "ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 1},
            "HyperParameters": {"epochs": "9", "method": "full"},
        },
    }
    states = {"Train1": train, "Train2": deepcopy(train)}
    bodies = {
        "Endpoint/Model": resource("AWS::SageMaker::Model", {"PrimaryContainer": container}),
        "Endpoint/EndpointConfig": resource(
            "AWS::SageMaker::EndpointConfig",
            {"KmsKeyId": f"alias/{environment}", "ProductionVariants": [variant]},
        ),
        "Endpoint/Endpoint": resource("AWS::SageMaker::Endpoint", {"EndpointName": stack}),
        "Alarms/Errors": resource(
            "AWS::CloudWatch::Alarm",
            {"AlarmName": f"{stack}-errors", "Threshold": 5, "TreatMissingData": "notBreaching"},
        ),
        "Role/Policy": resource("AWS::IAM::ManagedPolicy", {"PolicyDocument": {"Statement": [statement]}}),
        "Logs": resource("AWS::Logs::LogGroup", {"RetentionInDays": 30}, DeletionPolicy="Delete"),
        "Train": resource(
            "AWS::StepFunctions::StateMachine", {"DefinitionString": json.dumps({"States": states})}
        ),
        "Vpc/Subnet1": resource("AWS::EC2::Subnet", {"CidrBlock": "10.0.0.0/24"}),
        "Vpc/Groups": resource("AWS::EC2::SecurityGroup", {"SubnetIds": [{"Ref": "VpcSubnet1"}]}),
    }
    return {path.replace("/", ""): at(f"{stack}/{path}", body) for path, body in bodies.items()}


def environment(
    name: str, account: str | None = None, template: dict[str, Any] | None = None, **extra: dict[str, Any]
) -> Assembly:
    account = account or ACCOUNTS[name]
    body = {"Resources": {**(template or resources(name, account)), **extra}}
    stack = Stack(f"demo-{name}-bert", account, "us-east-1", body)
    return Assembly(Path("cdk.out"), name, {stack.name: stack})


def compare_with(logical_id: str, keys: tuple[Any, ...], value: Any) -> Parity:
    """Compare a staging in which one value is another one; None takes it away."""
    template = resources("staging", ACCOUNTS["staging"])
    node = template[logical_id]
    for key in keys[:-1]:
        node = node[key]
    if value is None:
        del node[keys[-1]]
    else:
        node[keys[-1]] = value
    return compare_shape(environment("staging", template=template), environment("prod"))


def said(parity: Parity) -> list[tuple[str, str, str, str | None, str | None]]:
    found = (*parity.differences, *parity.allowed)
    return [(one.kind, one.subject, one.setting, one.value, one.reference_value) for one in found]


CONTAINER = ("Properties", "PrimaryContainer")
VARIANT = ("Properties", "ProductionVariants", 0)
ENDPOINT_CONFIG = "Endpoint/EndpointConfig"


@pytest.mark.parametrize(
    ("logical_id", "keys", "value", "expected"),
    [
        pytest.param(
            "EndpointModel",
            (*CONTAINER, "Image"),
            "222222222222.dkr.ecr.us-east-1.amazonaws.com/bert:1.1",
            (
                "image",
                "Endpoint/Model",
                "PrimaryContainer.Image",
                "222222222222.dkr.ecr.us-east-1.amazonaws.com/bert:1.1",
                "333333333333.dkr.ecr.us-east-1.amazonaws.com/bert:1.0",
            ),
            id="another tag",
        ),
        pytest.param(
            "EndpointModel",
            (*CONTAINER, "Environment", "WORKERS"),
            "1",
            ("setting", "Endpoint/Model", "PrimaryContainer.Environment.WORKERS", "1", "2"),
            id="another environment variable",
        ),
        pytest.param(
            "EndpointModel",
            (*CONTAINER, "ModelDataUrl"),
            "s3://models-staging-222222222222/small.tar.gz",
            (
                "setting",
                "Endpoint/Model",
                "PrimaryContainer.ModelDataUrl",
                "s3://models-staging-222222222222/small.tar.gz",
                "s3://models-prod-333333333333/bert.tar.gz",
            ),
            id="another model artifact",
        ),
        pytest.param(
            "EndpointEndpointConfig",
            ("Properties", "KmsKeyId"),
            None,
            ("setting", ENDPOINT_CONFIG, "KmsKeyId", None, "alias/prod"),
            id="not encrypted",
        ),
        pytest.param(
            "EndpointEndpointConfig",
            (*VARIANT, "InstanceType"),
            "ml.c6i.large",
            (
                "hardware",
                ENDPOINT_CONFIG,
                "ProductionVariants.primary.InstanceType",
                "ml.c6i.large (cpu_x86_64)",
                "ml.g5.xlarge (cuda)",
            ),
            id="another kind of hardware",
        ),
        pytest.param(
            "AlarmsErrors",
            ("Properties", "TreatMissingData"),
            "missing",
            ("setting", "Alarms/Errors", "TreatMissingData", "missing", "notBreaching"),
            id="missing data is treated otherwise",
        ),
        pytest.param(
            "AlarmsErrors",
            ("Type",),
            "AWS::CloudWatch::CompositeAlarm",
            ("type", "Alarms/Errors", "", "AWS::CloudWatch::CompositeAlarm", "AWS::CloudWatch::Alarm"),
            id="another type",
        ),
        pytest.param(
            "RolePolicy",
            ("Properties", "PolicyDocument", "Statement", 0, "Action"),
            ["logs:PutLogEvents", "logs:*"],
            (
                "permission",
                "Role/Policy",
                "PolicyDocument",
                "Allow logs:* on logs log-group",
                "Allow logs:CreateLogStream on logs log-group",
            ),
            id="other actions",
        ),
        pytest.param(
            "RolePolicy",
            ("Properties", "PolicyDocument", "Statement", 0, "Resource"),
            "*",
            (
                "permission",
                "Role/Policy",
                "PolicyDocument",
                "Allow logs:CreateLogStream on * and Allow logs:PutLogEvents on *",
                "Allow logs:CreateLogStream on logs log-group and Allow logs:PutLogEvents on logs log-group",
            ),
            id="on everything",
        ),
    ],
)
def test_a_difference_of_shape(
    logical_id: str, keys: tuple[Any, ...], value: Any, expected: tuple[str, ...]
) -> None:
    parity = compare_with(logical_id, keys, value)
    assert said(parity) == [expected]
    assert not parity.same_shape
    assert not parity.allowed


@pytest.mark.parametrize(
    ("logical_id", "keys", "value", "expected"),
    [
        pytest.param(
            "EndpointEndpointConfig",
            (*VARIANT, "InitialInstanceCount"),
            1,
            ("size", ENDPOINT_CONFIG, "ProductionVariants.primary.InitialInstanceCount", "1", "2"),
            id="fewer instances",
        ),
        pytest.param(
            "EndpointEndpointConfig",
            (*VARIANT, "InstanceType"),
            "ml.g4dn.xlarge",
            (
                "size",
                ENDPOINT_CONFIG,
                "ProductionVariants.primary.InstanceType",
                "ml.g4dn.xlarge",
                "ml.g5.xlarge",
            ),
            id="another GPU",
        ),
        pytest.param(
            "EndpointEndpointConfig",
            (*VARIANT, "InstanceType"),
            "ml.z99.large",
            (
                "size",
                ENDPOINT_CONFIG,
                "ProductionVariants.primary.InstanceType",
                "ml.z99.large",
                "ml.g5.xlarge",
            ),
            id="a type that no table knows",
        ),
        pytest.param(
            "AlarmsErrors",
            ("Properties", "Threshold"),
            "7",
            ("size", "Alarms/Errors", "Threshold", "7", "5"),
            id="another threshold",
        ),
        pytest.param(
            "Logs",
            ("Properties", "RetentionInDays"),
            7,
            ("size", "Logs", "RetentionInDays", "7", "30"),
            id="kept shorter",
        ),
        pytest.param(
            "Logs",
            ("DeletionPolicy",),
            "Retain",
            ("policy", "Logs", "DeletionPolicy", "Retain", "Delete"),
            id="another removal policy",
        ),
    ],
)
def test_a_size_or_policy_keeps_the_shape(
    logical_id: str, keys: tuple[Any, ...], value: Any, expected: tuple[str, ...]
) -> None:
    parity = compare_with(logical_id, keys, value)
    assert said(parity) == [expected]
    assert parity.same_shape


@pytest.mark.parametrize(
    ("logical_id", "keys", "value"),
    [
        ("EndpointEndpoint", ("Properties", "EndpointName"), "other-name"),
        ("AlarmsErrors", ("Properties", "AlarmDescription"), "Too many errors"),
        ("AlarmsErrors", ("Properties", "Tags"), [{"Key": "team", "Value": "ml"}]),
        ("AlarmsErrors", ("DependsOn",), ["Logs"]),
        ("VpcSubnet1", ("Properties", "CidrBlock"), "10.9.0.0/24"),
        ("AlarmsErrors", ("Properties", "Threshold"), "5"),
    ],
)
def test_names_texts_labels_and_addresses_say_nothing(
    logical_id: str, keys: tuple[Any, ...], value: Any
) -> None:
    assert said(compare_with(logical_id, keys, value)) == []


def train(change: Any) -> Parity:
    states = json.loads(resources("staging", "2" * 12)["Train"]["Properties"]["DefinitionString"])["States"]
    change(states)
    return compare_with("Train", ("Properties", "DefinitionString"), json.dumps({"States": states}))


def test_training_on_demand_only_has_never_met_an_interruption() -> None:
    def on_demand(states: Any) -> None:
        for state in states.values():
            state["Parameters"]["EnableManagedSpotTraining"] = False
            del state["Parameters"]["CheckpointConfig"]

    parity = train(on_demand)
    beginning = "DefinitionString.States.Train#.Parameters"
    assert said(parity) == [
        ("setting", "Train", f"{beginning}.CheckpointConfig", None, "set"),
        ("setting", "Train", f"{beginning}.EnableManagedSpotTraining", "false", "true"),
    ]
    assert [one.why for one in parity.differences] == [
        "the first resume from a checkpoint happens in prod",
        "the first interruptions happen in prod",
    ]


def test_reasons_name_the_environments_that_are_compared() -> None:
    template = resources("dev", ACCOUNTS["staging"])
    template["EndpointModel"]["Properties"]["PrimaryContainer"]["Image"] = "bert:2.0"
    parity = compare_shape(
        environment("dev", ACCOUNTS["staging"], template), environment("eu", ACCOUNTS["prod"])
    )
    assert [one.why for one in parity.differences] == ["dev tests another image than eu runs"]
    assert (parity.environment, parity.reference) == ("dev", "eu")


def test_a_shorter_ladder_is_a_size_and_goes_on_otherwise() -> None:
    def shorter(states: Any) -> None:
        del states["Train2"]
        states["Train1"]["Next"] = "End"

    assert said(train(shorter)) == [("size", "Train", "tries", "1", "2")]


def test_a_removal_policy_is_said_once() -> None:
    kept = environment("prod")
    template = resources("staging", ACCOUNTS["staging"])
    template["Logs"] |= {"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"}
    parity = compare_shape(environment("staging", template=template), kept)
    assert said(parity) == [("policy", "Logs", "DeletionPolicy", "Retain", "Delete")]


def test_a_number_among_hyperparameters_is_a_size_and_a_word_is_not() -> None:
    def other(states: Any) -> None:
        for state in states.values():
            state["Parameters"]["HyperParameters"] = {"epochs": "1", "method": "lora"}

    beginning = "DefinitionString.States.Train#.Parameters.HyperParameters"
    assert said(train(other)) == [
        ("setting", "Train", f"{beginning}.method", "lora", "full"),
        ("size", "Train", f"{beginning}.epochs", "1", "9"),
    ]


def test_other_bounds_by_the_clock_are_a_size() -> None:
    nights = {
        "ScheduledActionName": "nights",
        "Schedule": "cron(0 20 * * ? *)",
        "Timezone": "Europe/Berlin",
        "ScalableTargetAction": {"MinCapacity": 1, "MaxCapacity": 2},
    }
    bodies: dict[str, dict[str, Any]] = {"staging": {}, "prod": {"ScheduledActions": [nights]}}
    staging, prod = (
        environment(
            name,
            Target=at(
                f"demo-{name}-bert/Target",
                resource("AWS::ApplicationAutoScaling::ScalableTarget", {"MinCapacity": 1, **more}),
            ),
        )
        for name, more in bodies.items()
    )
    found = compare_shape(staging, prod)
    assert found.same_shape
    assert {one.kind for one in found.allowed} == {"size"}
    assert {one.setting.rpartition(".")[2] for one in found.allowed} >= {
        "Schedule",
        "Timezone",
        "MinCapacity",
    }


def test_more_zones_are_a_size_with_all_that_follows() -> None:
    prod = resources("prod", ACCOUNTS["prod"])
    prod["VpcSubnet2"] = at("demo-prod-bert/Vpc/Subnet2", resource("AWS::EC2::Subnet", {}))
    prod["VpcGroups"]["Properties"]["SubnetIds"] = [{"Ref": "VpcSubnet1"}, {"Ref": "VpcSubnet2"}]
    parity = compare_shape(environment("staging"), environment("prod", template=prod))
    assert said(parity) == [("size", "Vpc/Subnet#", "zones", "1", "2")]


def test_resources_that_one_side_lacks_are_said_once_for_each_construct() -> None:
    extra: dict[str, Any] = {
        "NightlyRule": at("demo-prod-bert/Nightly/Rule", resource("AWS::Scheduler::Schedule")),
        "NightlyRole": at("demo-prod-bert/Nightly/Role", resource("AWS::IAM::Role")),
        "AlarmsLatency": at("demo-prod-bert/Alarms/Latency", resource("AWS::CloudWatch::Alarm")),
    }
    parity = compare_shape(environment("staging"), environment("prod", **extra))
    assert said(parity) == [
        ("missing", "Alarms/Latency", "", None, "AWS::CloudWatch::Alarm"),
        ("missing", "Nightly", "", None, "AWS::IAM::Role and AWS::Scheduler::Schedule"),
    ]


def test_helpers_of_removal_may_be_missing_in_prod_only() -> None:
    cleaner: dict[str, Any] = {"Clean": resource("Custom::S3AutoDeleteObjects")}
    there = compare_shape(environment("staging", **cleaner), environment("prod"))
    assert said(there) == [("policy", "Clean", "", "Custom::S3AutoDeleteObjects", None)]
    reverse = compare_shape(environment("staging"), environment("prod", **cleaner))
    assert said(reverse) == [("missing", "Clean", "", None, "Custom::S3AutoDeleteObjects")]


def test_a_whole_stack_that_staging_lacks() -> None:
    prod = environment("prod")
    other = Stack("demo-prod-chat", None, None, {"Resources": {}})
    more = Assembly(prod.directory, "prod", {**prod.stacks, other.name: other})
    assert said(compare_shape(environment("staging"), more)) == [
        ("missing", "demo-prod-chat", "stack", None, "demo-prod-chat")
    ]


def test_single_stacks_are_the_same_whatever_they_are_called() -> None:
    one = Assembly(Path("a"), "a", {"Blue": Stack("Blue", None, None, {"Resources": {}})})
    other = Assembly(Path("b"), "b", {"Green": Stack("Green", None, None, {"Resources": {}})})
    assert compare_shape(one, other).same_shape


@pytest.mark.parametrize(
    "properties",
    [
        {},
        {"A": {}},
        {"A": []},
        {"A": {"Fn::If": ["C", {"Ref": "AWS::NoValue"}, "x"]}},
        {"A": [[1], {"B": None}]},
    ],
)
def test_odd_properties_are_no_crash(properties: dict[str, Any]) -> None:
    odd: dict[str, Any] = {"Odd": resource("Custom::Odd", properties)}
    plain: dict[str, Any] = {"Odd": resource("Custom::Odd", {"Z": {"Y": ["1"]}})}
    assert compare_shape(environment("staging", **odd), environment("prod", **odd)).same_shape
    assert not compare_shape(environment("staging", **odd), environment("prod", **plain)).same_shape


@given(
    name=st.from_regex(r"[a-z][a-z0-9]{2,8}(-[a-z]{2,4})?", fullmatch=True).filter(
        lambda name: name.split("-")[0] not in {"aws", "demo", "bert", "opt", "log", "models", "arn", "dkr"}
    ),
    account=st.from_regex(r"[0-9]{12}", fullmatch=True),
)
def test_neither_name_nor_account_of_an_environment_is_a_difference(name: str, account: str) -> None:
    assert said(compare_shape(environment(name, account), environment("prod"))) == []


def test_the_order_of_the_environments_decides_only_which_is_the_reference() -> None:
    small = resources("staging", ACCOUNTS["staging"])
    del small["AlarmsErrors"]
    staging, prod = environment("staging", template=small), environment("prod")
    one, other = compare_shape(staging, prod), compare_shape(prod, staging)
    assert [(d.value, d.reference_value) for d in one.differences] == [
        (d.reference_value, d.value) for d in other.differences
    ]


def test_templates_without_construct_paths_are_paired_by_logical_id() -> None:
    def of(name: str, account: str, zones: int) -> Assembly:
        subnets = {f"NetworkSubnet{i}0A1B2C{i}F": resource("AWS::EC2::Subnet") for i in range(1, zones + 1)}
        ids = [{"Ref": subnet} for subnet in subnets]
        group = resource("AWS::RDS::DBSubnetGroup", {"SubnetIds": ids})
        return environment(
            name, account, {**subnets, "Group" + ("AAAA1111" if zones > 2 else "BBBB2222"): group}
        )

    parity = compare_shape(of("staging", "2" * 12, 2), of("prod", "3" * 12, 3))
    assert said(parity) == [("size", "NetworkSubnet#", "zones", "2", "3")]
