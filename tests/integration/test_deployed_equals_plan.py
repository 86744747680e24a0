"""Given an environment deployed by ``cdk``, when its services are asked, then they say what the plan says.

The templates are not looked at: names come from the plan, and ids from the services. What the plan's decisions are in the
words of AWS stands in ``readers/plan_*.py``; what the local cloud loses (``losses.py``) is asked of CloudFormation.
"""

import json

import pytest

from sizewell.facts.state_machines import TASK_GRACE_S
from tests.integration.harness import Deployment
from tests.integration.readers import (
    READERS,
    lookups,
    plan_alarms,
    plan_endpoints,
    plan_foundation,
    plan_network,
    plan_roles,
    plan_training,
)
from tests.integration.readers.common import Properties
from tests.integration.readers.compare import comparable, ordered, statements_of
from tests.integration.readers.grants import grants_of, told
from tests.integration.readers.observed import observed
from tests.integration.readers.plan_foundation import Foundation
from tests.integration.readers.roles_in_use import granted, roles_in_use
from tests.integration.readers.security_groups import rules_of


@pytest.fixture(scope="session")
def foundation(deployed: Deployment) -> Foundation:
    return Foundation(deployed)


def without(properties: Properties, *names: str) -> Properties:
    return {name: value for name, value in properties.items() if name not in names}


def same(found: Properties, expected: Properties) -> None:
    assert comparable(found) == comparable(expected)


def same_policy(found: list[Properties], expected: list[Properties]) -> None:
    assert ordered(without(statement, "Sid") for statement in found) == statements_of({"Statement": expected})


def test_given_a_planned_endpoint_then_it_is_in_service_with_its_instances(foundation: Foundation) -> None:
    for plan in foundation.deployed.plan.endpoints:
        found = foundation.deployed.client("sagemaker").describe_endpoint(EndpointName=plan.endpoint_name)
        (variant,) = found["ProductionVariants"]
        assert found["EndpointStatus"] == "InService", plan.name
        assert variant["VariantName"] == plan.variant_name
        assert variant["CurrentInstanceCount"] == plan.initial_instance_count
        assert variant["DesiredInstanceCount"] == plan.initial_instance_count


def test_given_a_planned_endpoint_then_its_configuration_is_the_planned_one(foundation: Foundation) -> None:
    api = foundation.deployed.client("sagemaker")
    for plan in foundation.deployed.plan.endpoints:
        name = api.describe_endpoint(EndpointName=plan.endpoint_name)["EndpointConfigName"]
        arn = api.describe_endpoint_config(EndpointConfigName=name)["EndpointConfigArn"]
        model_name = lookups.model_of(plan, foundation)["ModelName"]
        found = observed(foundation.deployed, "AWS::SageMaker::EndpointConfig", arn)
        same(found, plan_endpoints.endpoint_config(plan, model_name, foundation))


def test_given_a_planned_endpoint_then_its_model_is_the_planned_one(foundation: Foundation) -> None:
    for plan in foundation.deployed.plan.endpoints:
        model = lookups.model_of(plan, foundation)
        found = observed(foundation.deployed, "AWS::SageMaker::Model", model["ModelArn"])
        same(found, plan_endpoints.model(plan, model["ExecutionRoleArn"], foundation))


def test_given_an_endpoint_that_scales_then_an_update_keeps_its_instances(foundation: Foundation) -> None:
    for plan in foundation.deployed.plan.endpoints:
        arn = foundation.arn("sagemaker", f"endpoint/{plan.endpoint_name}")
        found = observed(foundation.deployed, "AWS::SageMaker::Endpoint", arn)
        assert found["RetainAllVariantProperties"] is (plan.scaling is not None), plan.name


def test_given_planned_bounds_then_exactly_these_targets_are_registered(foundation: Foundation) -> None:
    ids = ("RoleARN", "ScalableTargetARN")
    found = lookups.scaling_of(foundation, "describe_scalable_targets", "ScalableTargets", *ids)
    scaling = [plan for plan in foundation.deployed.plan.endpoints if plan.scaling is not None]
    assert found == ordered(map(plan_endpoints.scalable_target, scaling))


def test_given_a_planned_target_value_then_exactly_these_policies_follow_it(foundation: Foundation) -> None:
    ids = ("Alarms", "PolicyARN", "PolicyName")
    found = lookups.scaling_of(foundation, "describe_scaling_policies", "ScalingPolicies", *ids)
    scaling = [plan for plan in foundation.deployed.plan.endpoints if plan.scaling is not None]
    assert found == ordered(map(plan_endpoints.scaling_policy, scaling))


def test_given_planned_schedules_then_exactly_these_actions_are_scheduled(foundation: Foundation) -> None:
    found = lookups.scaling_of(
        foundation, "describe_scheduled_actions", "ScheduledActions", "ScheduledActionARN"
    )
    scaling = [plan for plan in foundation.deployed.plan.endpoints if plan.scaling is not None]
    assert found == ordered(action for plan in scaling for action in plan_endpoints.scheduled_actions(plan))


def test_given_planned_thresholds_then_exactly_these_alarms_tell_the_topic(foundation: Foundation) -> None:
    alarms = lookups.alarms_of(foundation)
    jobs = [job for job in foundation.deployed.plan.training_jobs if job.schedule]
    queues = {job.name: lookups.queue_arn_of(job, foundation).rpartition(":")[2] for job in jobs}
    shown = [observed(foundation.deployed, "AWS::CloudWatch::Alarm", alarm["AlarmName"]) for alarm in alarms]
    found = [without(alarm, "AlarmName", "AlarmDescription") for alarm in shown]
    expected = plan_alarms.planned_alarms(foundation, queues)
    assert plan_alarms.by_what_they_watch(found) == plan_alarms.by_what_they_watch(expected)
    assert all(alarm["ActionsEnabled"] for alarm in alarms)


def test_given_planned_attempts_then_each_state_asks_for_one_in_their_order(foundation: Foundation) -> None:
    for plan in foundation.deployed.plan.training_jobs:
        states = lookups.train_states(lookups.machine_of(plan, foundation))
        (role_arn,) = {state["Arguments"]["RoleArn"] for state in states}
        expected = [plan_training.request(plan, attempt, role_arn, foundation) for attempt in plan.attempts]
        assert [comparable(state["Arguments"]) for state in states] == [comparable(one) for one in expected]


def test_given_planned_time_limits_then_no_task_ends_before_its_job_may(foundation: Foundation) -> None:
    for plan in foundation.deployed.plan.training_jobs:
        machine = lookups.machine_of(plan, foundation)["DefinitionString"]
        assert machine["TimeoutSeconds"] == plan.time_limit_s
        (branch,) = machine["States"]["Work"]["Branches"]
        ends_after_s = branch["States"]["ReadInput"]["Assign"]["ends_after_s"]
        assert ends_after_s == [attempt.ends_after_s for attempt in plan.attempts]
        timeouts = {state["TimeoutSeconds"] for state in lookups.train_states({"DefinitionString": machine})}
        assert timeouts == {f"{{% $left_s + {TASK_GRACE_S} %}}"}


def test_given_a_training_job_then_its_machine_logs_traces_and_encrypts(foundation: Foundation) -> None:
    for plan in foundation.deployed.plan.training_jobs:
        found = without(lookups.machine_of(plan, foundation), "DefinitionString", "RoleArn")
        same(found, plan_training.state_machine(plan, foundation))


def test_given_a_training_job_then_its_ends_are_told_to_the_topic(foundation: Foundation) -> None:
    for plan in foundation.deployed.plan.training_jobs:
        events = foundation.deployed.client("events")
        machine_arn = foundation.arn("states", f"stateMachine:{plan.state_machine_name}")
        rules = [rule for rule in events.list_rules()["Rules"] if machine_arn in rule.get("EventPattern", "")]
        (rule,) = rules
        assert json.loads(rule["EventPattern"])["detail"]["status"] == ["TIMED_OUT", "ABORTED"]
        (target,) = events.list_targets_by_rule(Rule=rule["Name"])["Targets"]
        assert target["Arn"] == foundation.topic_arn
        definition = lookups.machine_of(plan, foundation)["DefinitionString"]
        for state in ("TellFailure", "TellSuccess"):
            assert definition["States"][state]["Arguments"]["TopicArn"] == foundation.topic_arn


def test_given_a_planned_schedule_then_it_starts_the_machine_and_no_other_does(
    foundation: Foundation,
) -> None:
    for plan in foundation.deployed.plan.training_jobs:
        found = lookups.schedules_of(plan, foundation)
        assert len(found) == (plan.schedule is not None), plan.name
        for schedule in found:
            queue_arn, role_arn = lookups.queue_arn_of(plan, foundation), schedule["Target"]["RoleArn"]
            same(schedule, plan_training.schedule(plan, role_arn, queue_arn, foundation))


def test_given_a_planned_schedule_then_starts_that_failed_are_kept_encrypted(foundation: Foundation) -> None:
    for plan in foundation.deployed.plan.training_jobs:
        if plan.schedule is None:
            continue
        arn = lookups.queue_arn_of(plan, foundation)
        url = foundation.deployed.client("sqs").get_queue_url(QueueName=arn.rpartition(":")[2])["QueueUrl"]
        same(
            observed(foundation.deployed, "AWS::SQS::Queue", url), plan_training.dead_letter_queue(foundation)
        )
        policy = observed(foundation.deployed, "AWS::SQS::QueuePolicy", url, {"Queues": [url]})
        same_policy(policy["PolicyDocument"], [plan_foundation.tls_only("sqs:*", arn)])


def test_given_a_planned_retention_then_every_log_group_has_it_and_the_key(foundation: Foundation) -> None:
    days, key = foundation.plan.log_retention_days, foundation.operations_key_arn
    for name in lookups.log_groups_of(foundation):
        found = observed(foundation.deployed, "AWS::Logs::LogGroup", name)
        same(found, {"LogGroupName": name, "KmsKeyId": key, "RetentionInDays": days})


def test_given_planned_buckets_then_each_is_private_encrypted_and_forgets_in_time(
    foundation: Foundation,
) -> None:
    for name, expected, statements in plan_foundation.buckets(foundation):
        same(observed(foundation.deployed, "AWS::S3::Bucket", name), expected)
        policy = observed(foundation.deployed, "AWS::S3::BucketPolicy", name, {"Bucket": name})
        same_policy(policy["PolicyDocument"], statements)


def test_given_a_planned_topic_then_it_is_encrypted_and_tells_the_planned_people(
    foundation: Foundation,
) -> None:
    arn, key = foundation.topic_arn, foundation.operations_key_arn
    expected = {"TopicName": foundation.plan.alarm_topic_name, "KmsMasterKeyId": key}
    same(observed(foundation.deployed, "AWS::SNS::Topic", arn), expected)
    policy = observed(foundation.deployed, "AWS::SNS::TopicPolicy", arn, {"Topics": [arn]})
    same_policy(policy["PolicyDocument"], plan_foundation.topic_statements(foundation))
    subscribed = foundation.deployed.client("sns").list_subscriptions_by_topic(TopicArn=arn)["Subscriptions"]
    told_now = sorted((one["Protocol"], one["Endpoint"]) for one in subscribed)
    assert told_now == sorted(("email", address) for address in foundation.plan.alarm_emails)


def test_given_two_keys_then_each_rotates_and_serves_its_own_services_only(foundation: Foundation) -> None:
    for purpose, statements in plan_foundation.key_statements(foundation).items():
        found = READERS["AWS::KMS::Key"](foundation.deployed.client, foundation.key_id(purpose), {})
        assert found["Enabled"]
        assert found["EnableKeyRotation"]
        same_policy(statements_of(found["KeyPolicy"]), statements)


def test_given_a_foundation_then_its_parameters_name_what_was_deployed(foundation: Foundation) -> None:
    network = ("subnet-ids", "endpoint-security-group-id", "training-security-group-id")
    assert without(foundation.parameters, *network) == plan_foundation.parameters(foundation)
    assert sorted(foundation.parameters["subnet-ids"].split(",")) == foundation.subnet_ids
    # Which group is which is known by the rules, below.
    assert foundation.group_id("endpoint") != foundation.group_id("training")


def test_given_a_planned_network_then_it_has_one_private_subnet_in_each_zone(foundation: Foundation) -> None:
    found = observed(foundation.deployed, "AWS::EC2::VPC", foundation.vpc_id)
    dns = {"EnableDnsSupport": True, "EnableDnsHostnames": True}
    same(found, {"CidrBlock": foundation.network.cidr, **dns})
    subnets = foundation.in_vpc("describe_subnets", "Subnets")
    assert sorted(subnet["CidrBlock"] for subnet in subnets) == plan_network.subnet_cidrs(foundation)
    assert len({subnet["AvailabilityZone"] for subnet in subnets}) == foundation.network.availability_zones
    assert not any(subnet["MapPublicIpOnLaunch"] for subnet in subnets)


def test_given_a_planned_network_then_no_packet_finds_a_way_to_the_internet(foundation: Foundation) -> None:
    gateways = foundation.deployed.client("ec2").describe_internet_gateways()["InternetGateways"]
    attached = {attachment["VpcId"] for gateway in gateways for attachment in gateway["Attachments"]}
    assert foundation.vpc_id not in attached
    assert foundation.in_vpc("describe_nat_gateways", "NatGateways") == []
    tables = foundation.in_vpc("describe_route_tables", "RouteTables")
    routes = [route for table in tables for route in table["Routes"]]
    ways = {route["GatewayId"] for route in routes if not route["GatewayId"].startswith("vpce-")}
    assert ways == {"local"}


def test_given_planned_services_then_exactly_these_are_reached_inside_the_network(
    foundation: Foundation,
) -> None:
    endpoints = foundation.in_vpc("describe_vpc_endpoints", "VpcEndpoints")
    found = [
        observed(foundation.deployed, "AWS::EC2::VPCEndpoint", one["VpcEndpointId"]) for one in endpoints
    ]
    (group_id,) = {one for endpoint in found for one in endpoint.get("SecurityGroupIds", [])}
    assert rules_of(foundation.deployed.client, group_id, egress=False) == [
        plan_network.https_from_vpc(foundation)
    ]
    assert rules_of(foundation.deployed.client, group_id, egress=True) == [plan_network.nowhere()]
    expected = [
        plan_network.s3_endpoint(foundation),
        *(
            plan_network.interface_endpoint(one.service, group_id, foundation)
            for one in foundation.network.interface_endpoints
        ),
    ]
    assert ordered(found) == ordered(map(comparable, expected))


def test_given_workloads_then_their_security_groups_let_out_https_alone(foundation: Foundation) -> None:
    client = foundation.deployed.client
    endpoints, training = foundation.group_id("endpoint"), foundation.group_id("training")
    assert rules_of(client, endpoints, egress=False) == []
    assert rules_of(client, endpoints, egress=True) == [plan_network.https_out()]
    inward = plan_network.among_themselves("SourceSecurityGroupId", training)
    outward = plan_network.among_themselves("DestinationSecurityGroupId", training)
    assert rules_of(client, training, egress=False) == [inward]
    assert ordered(rules_of(client, training, egress=True)) == ordered([plan_network.https_out(), outward])


def test_given_a_new_network_then_its_default_group_is_closed_and_its_traffic_logged(
    foundation: Foundation,
) -> None:
    for egress in (False, True):
        assert rules_of(foundation.deployed.client, foundation.default_group_id, egress=egress) == []
    found = without(lookups.flow_log_of(foundation), "DeliverLogsPermissionArn", "LogGroupName")
    whole = {"ResourceType": "VPC", "TrafficType": "ALL", "LogDestinationType": "cloud-watch-logs"}
    same(found, {"ResourceId": foundation.vpc_id, **whole})


def test_given_the_plan_then_every_role_may_do_what_it_needs_and_nothing_else(foundation: Foundation) -> None:
    for role in roles_in_use(foundation):
        expected, found = grants_of(role.statements), granted(role.arn, foundation)
        assert found == expected, f"role of {role.user}\n{told(expected, found)}"


def test_given_the_plan_then_every_role_is_assumed_by_its_service_alone(foundation: Foundation) -> None:
    for role in roles_in_use(foundation):
        found = observed(foundation.deployed, "AWS::IAM::Role", role.arn.rpartition("/")[2])
        assert found["AssumeRolePolicyDocument"] == role.trust, role.user


def test_given_an_environment_then_it_has_no_other_roles(foundation: Foundation) -> None:
    assert sorted(lookups.roles_of(foundation)) == sorted(role.arn for role in roles_in_use(foundation))


def test_given_any_role_then_no_action_is_a_pattern_and_few_know_no_resource(foundation: Foundation) -> None:
    for arn in lookups.roles_of(foundation):
        for grant in granted(arn, foundation):
            assert "*" not in grant.action, grant
            assert grant.resource != "*" or grant.action in plan_roles.ON_ANY_RESOURCE, grant
