"""What tasks of ECS serve goes the way of every kind: synthesized, saved, priced, reviewed."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sizewell.planning import load_plan
from sizewell.review.saved.output import Assembly
from tests.app.test_bill import differences, read
from tests.kinds.test_conformance import unknown_to_the_review
from tests.synthesis import PROJECT_ROOT, synthesize

pytestmark = pytest.mark.cdk
EXAMPLE = PROJECT_ROOT / "examples" / "ecs-service" / "config"
#: The properties of a resource, by the type of the resource; of several the last.
Template = Mapping[str, Any]


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("tasks") / "cdk.out"
    synthesize("prod", directory, config=str(EXAMPLE))
    return directory


@pytest.fixture(scope="module")
def assembly(output: Path) -> Assembly:
    return read(output, "prod")


@pytest.fixture(scope="module")
def template(output: Path) -> Template:
    """The template of a model on GPUs."""
    written = json.loads((output / "shop-prod-assistant.template.json").read_text("utf-8"))
    return {resource["Type"]: resource["Properties"] for resource in written["Resources"].values()}


def test_nothing_that_is_emitted_is_unknown_to_the_review(assembly: Assembly) -> None:
    assert unknown_to_the_review(assembly) == set()


def test_the_templates_cost_what_the_plan_says(assembly: Assembly) -> None:
    assert differences(load_plan(EXAMPLE, "prod").bill, assembly) == []


def test_what_is_saved_is_what_was_planned(assembly: Assembly) -> None:
    assert assembly.plan is not None
    planned = load_plan(EXAMPLE, "prod")
    assert [(workload.kind, workload.name) for workload in assembly.plan.workloads] == [
        ("ecs-service", "assistant"),
        ("ecs-service", "classify-mail"),
    ]
    assert [choice.decided["instance_types"] for choice in assembly.plan.choices] == [
        list(choice.instance_pools) for choice in planned.on_instances
    ]


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
    definition = template["AWS::ECS::TaskDefinition"]
    assert len(str(definition).encode()) < 64 * 1024


def test_the_infrastructure_role_passes_the_instance_role_and_no_other(output: Path) -> None:
    written = json.loads((output / "shop-prod-assistant.template.json").read_text("utf-8"))["Resources"]
    (passing,) = (body for name, body in written.items() if name.startswith("InstancesPassInstanceRole"))
    (statement,) = passing["Properties"]["PolicyDocument"]["Statement"]
    assert statement["Action"] == ["iam:PassRole"]
    (logical_id, attribute) = statement["Resource"]["Fn::GetAtt"]
    assert (written[logical_id]["Type"], attribute) == ("AWS::IAM::Role", "Arn")
    trust = written[logical_id]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert [trusted["Principal"] for trusted in trust] == [{"Service": "ec2.amazonaws.com"}]


def test_instances_have_what_is_chosen_and_no_price_leaves_them_out(template: Template) -> None:
    launched = template["AWS::ECS::CapacityProvider"]["ManagedInstancesProvider"]
    requirements = launched["InstanceLaunchTemplate"]["InstanceRequirements"]
    (plan, _) = load_plan(EXAMPLE, "prod").on_instances
    assert requirements["AllowedInstanceTypes"] == list(plan.instance_pools)
    assert requirements["AcceleratorManufacturers"] == ["nvidia"]
    assert requirements["OnDemandMaxPricePercentageOverLowestPrice"] == 999_999


def test_a_failed_deployment_is_called_back(template: Template) -> None:
    service = template["AWS::ECS::Service"]
    deployment = service["DeploymentConfiguration"]
    assert deployment["DeploymentCircuitBreaker"] == {"Enable": True, "Rollback": True}
    assert deployment["Alarms"]["Rollback"]
    assert "DesiredCount" not in service
    assert deployment["MinimumHealthyPercent"] == 100
    assert deployment["MaximumPercent"] == 150


def test_a_stream_may_end_before_its_task_does(template: Template) -> None:
    attributes = {
        attribute["Key"]: attribute["Value"]
        for attribute in template["AWS::ElasticLoadBalancingV2::TargetGroup"]["TargetGroupAttributes"]
    }
    assert attributes["deregistration_delay.timeout_seconds"] == str(15 + 480)


def test_an_outage_that_no_target_counts_is_heard_of(output: Path) -> None:
    written = json.loads((output / "shop-prod-assistant.template.json").read_text("utf-8"))["Resources"]
    (alarm,) = (body for name, body in written.items() if name.startswith("AlarmsNoHealthyTarget"))
    watched = alarm["Properties"]
    assert (watched["MetricName"], watched["ComparisonOperator"]) == ("HealthyHostCount", "LessThanThreshold")
    assert watched["TreatMissingData"] == "breaching"
    assert watched["AlarmActions"] == [{"Ref": "FoundationAlarmTopicArn"}]
    # Or it would go off while the first task starts.
    assert [written[name]["Type"] for name in alarm["DependsOn"]] == ["AWS::ECS::Service"]


def test_the_proxy_ends_a_request_before_the_load_balancer_does(template: Template) -> None:
    attributes = {
        attribute["Key"]: attribute["Value"]
        for attribute in template["AWS::ElasticLoadBalancingV2::LoadBalancer"]["LoadBalancerAttributes"]
    }
    assert attributes["deletion_protection.enabled"] == "false", "or no failed creation could be rolled back"
    proxy = containers(template)[-1]
    assert '"timeout": "480s"' in proxy["Command"][1]
    assert int(attributes["idle_timeout.timeout_seconds"]) > 480


def containers(template: Template) -> list[Any]:
    return list(template["AWS::ECS::TaskDefinition"]["ContainerDefinitions"])
