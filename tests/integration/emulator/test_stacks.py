"""CloudFormation: schemas, references, replacements, and stacks that are rolled back."""

import json
from typing import Any

import pytest

from tests.integration.emulator.lab import (
    IMAGE,
    INSTANCE_COUNT,
    KEY_OF_NOBODY,
    LARGE,
    ROLE_OF_NOBODY,
    SMALL,
    Json,
    Lab,
    blue_green,
    put_alarm,
    refusal,
    target_of,
    tracking,
)
from tests.integration.harness import Admin
from tests.integration.readers import READERS
from tests.integration.readers.compare import comparable, differences
from tests.integration.readers.reading import read

pytestmark = pytest.mark.usefixtures("admin")


def serving(lab: Lab, *, instance_type: str = SMALL, **more: Json) -> Json:
    """Return the resources of a stack that serves a model; ``more`` adds to their properties."""
    resources: Json = {
        "Model": {
            "Type": "AWS::SageMaker::Model",
            "Properties": {"PrimaryContainer": {"Image": IMAGE}, "ExecutionRoleArn": lab.role},
        },
        "Config": {
            "Type": "AWS::SageMaker::EndpointConfig",
            "Properties": {
                "ProductionVariants": [
                    {
                        "VariantName": "main",
                        "ModelName": {"Fn::GetAtt": ["Model", "ModelName"]},
                        "InstanceType": instance_type,
                        "InitialInstanceCount": 1,
                        "InitialVariantWeight": 1,
                    }
                ]
            },
        },
        "Endpoint": {
            "Type": "AWS::SageMaker::Endpoint",
            "Properties": {"EndpointConfigName": {"Fn::GetAtt": ["Config", "EndpointConfigName"]}},
        },
    }
    for logical_id, properties in more.items():
        resources[logical_id]["Properties"] |= properties
    return resources


def scaled(resources: Json) -> Json:
    """Add a scalable target and a policy of CloudFormation's own."""
    return resources | {
        "Target": {
            "Type": "AWS::ApplicationAutoScaling::ScalableTarget",
            "Properties": {
                "ServiceNamespace": "sagemaker",
                "ResourceId": {"Fn::Sub": "endpoint/${Endpoint.EndpointName}/variant/main"},
                "ScalableDimension": INSTANCE_COUNT,
                "MinCapacity": 1,
                "MaxCapacity": 4,
            },
        },
        "Policy": {
            "Type": "AWS::ApplicationAutoScaling::ScalingPolicy",
            "Properties": {
                "PolicyName": "track",
                "PolicyType": "TargetTrackingScaling",
                "ScalingTargetId": {"Ref": "Target"},
                "TargetTrackingScalingPolicyConfiguration": tracking(),
            },
        },
    }


def endpoint_name(lab: Lab, stack: str) -> str:
    arn = lab.physical_ids(stack)["Endpoint"]
    name: str = next(
        e["EndpointName"]
        for e in lab("sagemaker").list_endpoints(MaxResults=100)["Endpoints"]
        if e["EndpointArn"] == arn
    )
    return name


@pytest.mark.parametrize(
    ("resource", "message"),
    [
        pytest.param(
            {"Type": "AWS::SageMaker::Model", "Properties": {"ExecutionRoleARN": "x"}},
            "#: extraneous key [ExecutionRoleARN] is not permitted",
            id="a misspelt property",
        ),
        pytest.param(
            {
                "Type": "AWS::SageMaker::EndpointConfig",
                "Properties": {"ProductionVariants": [{"VariantName": "v", "Weight": 1}]},
            },
            "#/ProductionVariants/0: extraneous key [Weight] is not permitted",
            id="a nested one",
        ),
        pytest.param(
            {"Type": "AWS::SageMaker::Endpoint", "Properties": {}},
            "#: 'EndpointConfigName' is required",
            id="a required one",
        ),
        pytest.param(
            {"Type": "AWS::ApplicationAutoScaling::ScalableTarget", "Properties": {"MinCapacity": "one"}},
            "#/MinCapacity: failed validation constraint for keyword [type]",
            id="a wrong type",
        ),
        pytest.param(
            {"Type": "AWS::SNS::Topic", "Properties": {"KmsMasterKey": "x"}},
            "#: extraneous key [KmsMasterKey] is not permitted",
            id="a type of ministack",
        ),
        pytest.param(
            {"Type": "AWS::S3::Bucket", "Properties": {"AccessControl": "Everybody"}},
            "#/AccessControl: Everybody is not a valid enum value",
            id="an enumeration",
        ),
        pytest.param(
            {"Type": "AWS::SQS::Queue", "Properties": {"Arn": "x"}},
            "Encountered unsupported property Arn",
            id="a read-only one",
        ),
    ],
)
def test_properties_are_held_to_the_schema_of_their_type(lab: Lab, resource: Json, message: str) -> None:
    status, reasons = lab.stack("create", lab.name("stack"), {"Thing": resource})
    assert status == "ROLLBACK_COMPLETE"
    assert "Properties validation failed for resource Thing with message:" in reasons
    assert message in reasons


def test_the_schema_holds_for_updates_too(lab: Lab) -> None:
    name = lab.name("stack")
    topic: Json = {"Type": "AWS::SNS::Topic", "Properties": {"DisplayName": "a"}}
    assert lab.stack("create", name, {"Topic": topic})[0] == "CREATE_COMPLETE"
    topic["Properties"]["Displayname"] = "b"
    status, reasons = lab.stack("update", name, {"Topic": topic})
    assert status == "UPDATE_ROLLBACK_COMPLETE"
    assert "extraneous key [Displayname] is not permitted" in reasons


@pytest.mark.parametrize(
    ("resource", "message"),
    [
        (
            {
                "Type": "AWS::SageMaker::Model",
                "Properties": {"PrimaryContainer": {"Image": IMAGE}, "ExecutionRoleArn": ROLE_OF_NOBODY},
            },
            "nobody",
        ),
        ({"Type": "AWS::SNS::Topic", "Properties": {"KmsMasterKeyId": KEY_OF_NOBODY}}, KEY_OF_NOBODY),
        (
            {"Type": "AWS::SageMaker::Endpoint", "Properties": {"EndpointConfigName": "missing"}},
            "Could not find",
        ),
    ],
)
def test_references_of_a_template_must_exist(lab: Lab, resource: Json, message: str) -> None:
    status, reasons = lab.stack("create", lab.name("stack"), {"Thing": resource})
    assert status == "ROLLBACK_COMPLETE"
    assert "Resource handler returned message:" in reasons
    assert message in reasons


@pytest.mark.parametrize("type_name", ["AWS::SageMaker::FeatureGroup", "AWS::Nope::Thing"])
def test_a_type_that_is_not_emulated_is_refused(lab: Lab, type_name: str) -> None:
    name = lab.name("stack")
    said = refusal(
        lab("cloudformation").create_stack,
        StackName=name,
        TemplateBody=json.dumps({"Resources": {"Thing": {"Type": type_name, "Properties": {}}}}),
    )
    assert said == f"ValidationError: Template format error: Unrecognized resource types: [{type_name}]"
    assert "does not exist" in refusal(lab("cloudformation").describe_stacks, StackName=name)


def test_a_create_only_property_replaces_and_the_endpoint_stays(lab: Lab) -> None:
    name = lab.name("stack")
    assert lab.stack("create", name, serving(lab))[0] == "CREATE_COMPLETE"
    before, config = lab.physical_ids(name), lab.describe(endpoint_name(lab, name))["EndpointConfigName"]
    assert lab.stack("update", name, serving(lab, instance_type=LARGE))[0] == "UPDATE_COMPLETE"
    after, endpoint = lab.physical_ids(name), lab.describe(endpoint_name(lab, name))
    assert [before[key] == after[key] for key in ("Model", "Config", "Endpoint")] == [True, False, True]
    assert endpoint["EndpointConfigName"] != config
    assert "Could not find" in refusal(lab("sagemaker").describe_endpoint_config, EndpointConfigName=config)


def test_a_named_resource_cannot_be_replaced(lab: Lab) -> None:
    name, fixed = lab.name("stack"), lab.name("fixed")
    named: Json = {"Config": {"EndpointConfigName": fixed}}
    assert lab.stack("create", name, serving(lab, **named))[0] == "CREATE_COMPLETE"
    status, reasons = lab.stack("update", name, serving(lab, instance_type=LARGE, **named))
    assert status == "UPDATE_ROLLBACK_COMPLETE"
    assert "CloudFormation cannot update a stack when a custom-named resource requires replacing." in reasons
    assert lab.describe(endpoint_name(lab, name))["EndpointConfigName"] == fixed


def test_a_taken_name_fails_a_stack(lab: Lab) -> None:
    taken = lab.endpoint()
    status, reasons = lab.stack("create", lab.name("stack"), serving(lab, Endpoint={"EndpointName": taken}))
    assert status == "ROLLBACK_COMPLETE"
    assert "Cannot create already existing endpoint" in reasons
    assert lab.describe(taken)["EndpointStatus"] == "InService"


def test_a_failed_creation_leaves_nothing(lab: Lab, admin: Admin) -> None:
    name, sagemaker = lab.name("endpoint"), lab("sagemaker")
    models, configs = (
        len(sagemaker.list_models(MaxResults=100)["Models"]),
        len(sagemaker.list_endpoint_configs(MaxResults=100)["EndpointConfigs"]),
    )
    admin.script("endpoint", name, "fail", "The image does not start")
    status, reasons = lab.stack("create", lab.name("stack"), serving(lab, Endpoint={"EndpointName": name}))
    assert status == "ROLLBACK_COMPLETE"
    assert "The image does not start" in reasons
    assert lab.until_rest(name) == "(gone)"
    assert len(sagemaker.list_models(MaxResults=100)["Models"]) == models
    assert len(sagemaker.list_endpoint_configs(MaxResults=100)["EndpointConfigs"]) == configs


def test_an_update_that_the_endpoint_rolls_back_fails_the_stack(lab: Lab) -> None:
    name, alarm = lab.name("stack"), lab.name("alarm")
    put_alarm(lab, alarm)
    deployment: Json = {"DeploymentConfig": blue_green("CANARY", wait_s=60, CanarySize=10, alarm=alarm)}
    assert lab.stack("create", name, serving(lab, Endpoint=deployment))[0] == "CREATE_COMPLETE"
    before = lab.describe(endpoint_name(lab, name))["EndpointConfigName"]
    lab("cloudwatch").set_alarm_state(AlarmName=alarm, StateValue="ALARM", StateReason="a test")
    status, reasons = lab.stack("update", name, serving(lab, instance_type=LARGE, Endpoint=deployment))
    assert status == "UPDATE_ROLLBACK_COMPLETE"
    assert f"Alarm {alarm} went off" in reasons
    endpoint = lab.describe(endpoint_name(lab, name))
    assert (endpoint["EndpointStatus"], endpoint["EndpointConfigName"]) == ("InService", before)


def test_a_stack_cannot_change_the_type_of_an_endpoint_that_it_scales(lab: Lab) -> None:
    """Why `sizewell deploy` turns autoscaling off in an update of its own."""
    name = lab.name("stack")
    assert lab.stack("create", name, scaled(serving(lab)))[0] == "CREATE_COMPLETE"
    endpoint = endpoint_name(lab, name)
    before, config = lab.physical_ids(name), lab.describe(endpoint)["EndpointConfigName"]
    # Neither with the target, nor in the very update that takes it away: endpoints are updated before that.
    for resources in (scaled(serving(lab, instance_type=LARGE)), serving(lab, instance_type=LARGE)):
        status, reasons = lab.stack("update", name, resources)
        assert status == "UPDATE_ROLLBACK_COMPLETE"
        assert (
            f"The instance type of variant main of endpoint {endpoint} cannot change from {SMALL} to {LARGE}"
            in reasons
        )
    assert lab.physical_ids(name) == before
    described = lab.describe(endpoint)
    assert (described["EndpointStatus"], described["EndpointConfigName"]) == ("InService", config)
    targets = lab("application-autoscaling").describe_scalable_targets(
        ServiceNamespace="sagemaker", ResourceIds=[target_of(endpoint)["ResourceId"]]
    )
    assert len(targets["ScalableTargets"]) == 1
    # In two updates it works.
    assert lab.stack("update", name, serving(lab))[0] == "UPDATE_COMPLETE"
    assert lab.stack("update", name, serving(lab, instance_type=LARGE))[0] == "UPDATE_COMPLETE"


def test_deleting_a_stack_deletes_the_endpoint_and_lets_its_target_go(lab: Lab) -> None:
    name = lab.name("stack")
    assert lab.stack("create", name, scaled(serving(lab)))[0] == "CREATE_COMPLETE"
    endpoint = endpoint_name(lab, name)
    assert lab.stack("delete", name, {})[0] == "DELETE_COMPLETE"
    assert lab.until_rest(endpoint) == "(gone)"
    targets = lab("application-autoscaling").describe_scalable_targets(
        ServiceNamespace="sagemaker", ResourceIds=[target_of(endpoint)["ResourceId"]]
    )
    assert targets["ScalableTargets"] == []


def test_a_policy_of_any_dimension_goes_with_its_resource(lab: Lab) -> None:
    name, function = lab.name("stack"), {"ServiceNamespace": "lambda", "ResourceIds": ["function:f:live"]}
    resources = scaled({})
    resources["Target"]["Properties"] |= {
        "ServiceNamespace": "lambda",
        "ResourceId": "function:f:live",
        "ScalableDimension": "lambda:function:ProvisionedConcurrency",
    }
    specification = {"PredefinedMetricType": "LambdaProvisionedConcurrencyUtilization"}
    tracked = resources["Policy"]["Properties"]["TargetTrackingScalingPolicyConfiguration"]
    tracked["PredefinedMetricSpecification"] = specification
    scaling = lab("application-autoscaling")
    assert lab.stack("create", name, resources)[0] == "CREATE_COMPLETE"
    assert len(scaling.describe_scaling_policies(ServiceNamespace="lambda")["ScalingPolicies"]) == 1
    assert lab.stack("update", name, {"Target": resources["Target"]})[0] == "UPDATE_COMPLETE"
    assert len(scaling.describe_scalable_targets(**function)["ScalableTargets"]) == 1
    assert scaling.describe_scaling_policies(ServiceNamespace="lambda")["ScalingPolicies"] == []


def test_a_target_and_its_policy_are_read_back_as_their_template_has_them(lab: Lab) -> None:
    name, resources = lab.name("stack"), scaled(serving(lab))
    target, policy = (resources[logical_id]["Properties"] for logical_id in ("Target", "Policy"))
    changes: tuple[tuple[str, int, Json, tuple[str, ...]], ...] = (
        ("create", 4, {"platform": "demo", "team": "ml"}, ("days", "nights")),
        ("update", 5, {"platform": "other"}, ("nights",)),
    )
    for action, highest, tags, schedules in changes:
        target |= {
            "ScheduledActions": [
                {
                    "ScheduledActionName": schedule,
                    "Schedule": "cron(0 20 ? * MON-FRI *)",
                    "Timezone": "Europe/Berlin",
                    "ScalableTargetAction": {"MinCapacity": 1, "MaxCapacity": highest},
                }
                for schedule in schedules
            ],
            "MaxCapacity": highest,
            "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
        }
        assert lab.stack(action, name, resources)[0] == f"{action.upper()}_COMPLETE"
        ids = lab.physical_ids(name)
        declared_of = {
            "Target": {**target, **target_of(endpoint_name(lab, name))},
            "Policy": {**policy, "ScalingTargetId": ids["Target"]},
        }
        for logical_id, declared in declared_of.items():
            reader = READERS[resources[logical_id]["Type"]]
            shown = comparable(read(reader, lab, ids[logical_id], declared))
            assert list(differences(comparable(declared), shown)) == []
            assert shown.get("Tags", tags) == tags  # those of before are gone


def test_another_limit_keeps_a_budget_and_other_notifications_replace_it(lab: Lab) -> None:
    stack = lab.name("budget")

    def resources(*, amount: float, percent: float) -> Json:
        return {
            "Budget": {
                "Type": "AWS::Budgets::Budget",
                "Properties": {
                    "Budget": {
                        "BudgetType": "COST",
                        "TimeUnit": "MONTHLY",
                        "BudgetLimit": {"Amount": amount, "Unit": "USD"},
                    },
                    "NotificationsWithSubscribers": [
                        {
                            "Notification": {
                                "NotificationType": "ACTUAL",
                                "ComparisonOperator": "GREATER_THAN",
                                "Threshold": percent,
                            },
                            "Subscribers": [{"SubscriptionType": "EMAIL", "Address": "team@example.com"}],
                        }
                    ],
                    "ResourceTags": [{"Key": "limit", "Value": str(amount)}],
                },
            }
        }

    names = []
    for action, amount, percent in (("create", 12345.67, 80), ("update", 20, 80), ("update", 20, 90)):
        declared = resources(amount=amount, percent=percent)
        assert lab.stack(action, stack, declared)[0] == f"{action.upper()}_COMPLETE"
        names.append(lab.physical_ids(stack)["Budget"])
        properties = declared["Budget"]["Properties"]
        shown = read(READERS["AWS::Budgets::Budget"], lab, names[-1], properties)
        assert list(differences(comparable(properties), comparable(shown))) == []
    assert names[0] == names[1] != names[2]
    listed = lab("budgets").describe_budgets(AccountId="111122223333")["Budgets"]
    assert names[2] in {one["BudgetName"] for one in listed}
    assert names[0] not in {one["BudgetName"] for one in listed}


def test_another_rule_keeps_a_composite_alarm_and_an_alarm_that_is_missing_is_refused(lab: Lab) -> None:
    stack, name = lab.name("incident"), lab.name("incident-alarm")

    def resources(rule: Any, **tags: str) -> Json:
        alarm = {
            "Type": "AWS::CloudWatch::Alarm",
            "Properties": {
                "Namespace": "AWS/States",
                "MetricName": "ExecutionsFailed",
                "Statistic": "Sum",
                "Period": 60,
                "EvaluationPeriods": 1,
                "Threshold": 1,
                "ComparisonOperator": "GreaterThanThreshold",
            },
        }
        properties = {
            "AlarmName": name,
            "AlarmRule": rule,
            "AlarmActions": ["arn:aws:sns:us-east-1:111122223333:alarms"],
            "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
        }
        incident = {"Type": "AWS::CloudWatch::CompositeAlarm", "Properties": properties}
        return {"First": alarm, "Second": alarm, "Incident": incident}

    def of(*logical_ids: str) -> Json:
        texts: list[Any] = [part for one in logical_ids for part in ('ALARM("', {"Ref": one}, '") OR ')]
        return {"Fn::Join": ["", [*texts[:-1], '")']]}

    for action, watched, team in (("create", ["First"], "a"), ("update", ["First", "Second"], "b")):
        assert lab.stack(action, stack, resources(of(*watched), team=team))[0] == f"{action.upper()}_COMPLETE"
        ids = lab.physical_ids(stack)
        assert ids["Incident"] == name
        (shown,) = lab("cloudwatch").describe_alarms(AlarmNames=[name], AlarmTypes=["CompositeAlarm"])[
            "CompositeAlarms"
        ]
        assert shown["AlarmRule"] == " OR ".join(f'ALARM("{ids[one]}")' for one in watched)
        tags = lab("cloudwatch").list_tags_for_resource(ResourceARN=shown["AlarmArn"])["Tags"]
        assert {"Key": "team", "Value": team} in tags
    assert lab.stack("update", stack, resources('ALARM("nobody")'))[0] == "UPDATE_ROLLBACK_COMPLETE"
