"""The stack of a model that tasks of ECS serve: its containers, its instances, its deployments and its load balancer."""

from typing import Any

import pytest

from sizewell.planning import load_plan
from tests.targets.conftest import Synthesized, configuration_of, of_type, resources

pytestmark = pytest.mark.cdk
Template = dict[str, Any]


@pytest.fixture(scope="module")
def template(synthesized: Synthesized) -> Template:
    """The resources of a model on GPUs."""
    return resources(synthesized("ecs-service", "prod"), "shop-prod-assistant")


def properties(template: Template, resource_type: str) -> Any:
    (found,) = of_type(template, resource_type)
    return found


def attributes_of(stated: Any) -> dict[str, str]:
    return {attribute["Key"]: attribute["Value"] for attribute in stated}


def test_containers_start_in_the_order_of_the_contract(template: Template) -> None:
    loader, model, proxy = containers(template)
    assert not loader["Essential"]
    assert model["DependsOn"] == [{"ContainerName": "load-model", "Condition": "SUCCESS"}]
    assert proxy["DependsOn"] == [{"ContainerName": "model", "Condition": "START"}]
    assert model["Command"] == ["serve"]
    assert model["ResourceRequirements"] == [{"Type": "GPU", "Value": "1"}]
    mounts = {container["Name"]: container.get("MountPoints") for container in (loader, model, proxy)}
    assert [mount["ReadOnly"] for mount in mounts["load-model"] + mounts["model"]] == [False, True]
    assert mounts["proxy"] is None


def test_a_task_definition_is_no_longer_than_ecs_takes(template: Template) -> None:
    # "Task definition size": https://docs.aws.amazon.com/AmazonECS/latest/developerguide/service-quotas.html
    definition = properties(template, "AWS::ECS::TaskDefinition")
    assert len(str(definition).encode()) < 64 * 1024


def test_the_infrastructure_role_passes_the_instance_role_and_no_other(template: Template) -> None:
    (passing,) = (body for name, body in template.items() if name.startswith("InstancesPassInstanceRole"))
    (statement,) = passing["Properties"]["PolicyDocument"]["Statement"]
    assert statement["Action"] == ["iam:PassRole"]
    (logical_id, attribute) = statement["Resource"]["Fn::GetAtt"]
    assert (template[logical_id]["Type"], attribute) == ("AWS::IAM::Role", "Arn")
    trust = template[logical_id]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert [trusted["Principal"] for trusted in trust] == [{"Service": "ec2.amazonaws.com"}]


def test_instances_have_what_is_chosen_and_no_price_leaves_them_out(template: Template) -> None:
    launched = properties(template, "AWS::ECS::CapacityProvider")["ManagedInstancesProvider"]
    requirements = launched["InstanceLaunchTemplate"]["InstanceRequirements"]
    (plan, _) = load_plan(configuration_of("ecs-service"), "prod").on_instances
    assert requirements["AllowedInstanceTypes"] == list(plan.instance_pools)
    assert requirements["AcceleratorManufacturers"] == ["nvidia"]
    assert requirements["OnDemandMaxPricePercentageOverLowestPrice"] == 999_999


def test_a_failed_deployment_is_called_back(template: Template) -> None:
    service = properties(template, "AWS::ECS::Service")
    deployment = service["DeploymentConfiguration"]
    assert deployment["DeploymentCircuitBreaker"] == {"Enable": True, "Rollback": True}
    assert deployment["Alarms"]["Rollback"]
    assert "DesiredCount" not in service
    assert deployment["MinimumHealthyPercent"] == 100
    assert deployment["MaximumPercent"] == 150


def test_a_stream_may_end_before_its_task_does(template: Template) -> None:
    group = properties(template, "AWS::ElasticLoadBalancingV2::TargetGroup")
    attributes = attributes_of(group["TargetGroupAttributes"])
    assert attributes["deregistration_delay.timeout_seconds"] == str(15 + 480)


def test_an_outage_that_no_target_counts_is_heard_of(template: Template) -> None:
    (alarm,) = (body for name, body in template.items() if name.startswith("AlarmsNoHealthyTarget"))
    watched = alarm["Properties"]
    assert (watched["MetricName"], watched["ComparisonOperator"]) == ("HealthyHostCount", "LessThanThreshold")
    assert watched["TreatMissingData"] == "breaching"
    assert watched["AlarmActions"] == [{"Ref": "FoundationAlarmTopicArn"}]
    # Or it would go off while the first task starts.
    assert [template[name]["Type"] for name in alarm["DependsOn"]] == ["AWS::ECS::Service"]


def test_the_proxy_ends_a_request_before_the_load_balancer_does(template: Template) -> None:
    balancer = properties(template, "AWS::ElasticLoadBalancingV2::LoadBalancer")
    attributes = attributes_of(balancer["LoadBalancerAttributes"])
    assert attributes["deletion_protection.enabled"] == "false", "or no failed creation could be rolled back"
    proxy = containers(template)[-1]
    assert '"timeout": "480s"' in proxy["Command"][1]
    assert int(attributes["idle_timeout.timeout_seconds"]) > 480


def containers(template: Template) -> list[Any]:
    return list(properties(template, "AWS::ECS::TaskDefinition")["ContainerDefinitions"])
