"""A model on Amazon ECS Managed Instances behind an internal load balancer: stacks make and scale it, and AWS's refusals hold."""

import copy
import json
from typing import Any

import pytest

from tests.integration.emulator.lab import ACCOUNT, REGION, ROLE_OF_NOBODY, Json, Lab, refusal
from tests.integration.readers import READERS
from tests.integration.readers.compare import comparable, differences
from tests.integration.readers.reading import read

pytestmark = pytest.mark.usefixtures("admin")

COUNT = "ecs:service:DesiredCount"
ABSENT = object()
FULL_NAME_OF_LOAD_BALANCER = {"Fn::GetAtt": ["LoadBalancer", "LoadBalancerFullName"]}
FULL_NAME_OF_TARGET_GROUP = {"Fn::GetAtt": ["TargetGroup", "TargetGroupFullName"]}
READ_BACK = ("Provider", "Definition", "Service", "Target", "Policy", "FromBalancer", "ToModel")


def role(service: str) -> Json:
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    document = {"Version": "2012-10-17", "Statement": [statement]}
    return {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": document}}


def containers() -> list[Json]:
    loader = {
        "Name": "loader",
        "Image": "loader",
        "Essential": False,
        "Secrets": [{"Name": "TOKEN", "ValueFrom": f"arn:aws:ssm:{REGION}:{ACCOUNT}:parameter/token"}],
        "MountPoints": [{"SourceVolume": "model", "ContainerPath": "/model"}],
    }
    model = {
        "Name": "model",
        "Image": "model",
        "Memory": 12000,
        "DependsOn": [{"ContainerName": "loader", "Condition": "SUCCESS"}],
        "HealthCheck": {"Command": ["CMD", "true"], "Interval": 10, "Retries": 10, "StartPeriod": 300},
        "ResourceRequirements": [{"Type": "GPU", "Value": "1"}],
        "LinuxParameters": {"SharedMemorySize": 1024, "InitProcessEnabled": True},
        "RestartPolicy": {"Enabled": True},
        "Ulimits": [{"Name": "nofile", "SoftLimit": 65536, "HardLimit": 65536}],
        "DockerLabels": {"Team": "ml"},
        "Environment": [{"Name": "Mode", "Value": "serve"}],
        "PortMappings": [{"ContainerPort": 8080, "Protocol": "tcp"}],
        "LogConfiguration": {"LogDriver": "awslogs", "Options": {"awslogs-group": "g"}},
        "StopTimeout": 60,
        "ReadonlyRootFilesystem": True,
    }
    return [loader, model]


def resources(lab: Lab) -> Json:
    """Return the stack: roles, rules, load balancer, cluster, provider, service and its scaling."""
    vpc = lab("ec2").describe_subnets(SubnetIds=[lab.subnet])["Subnets"][0]["VpcId"]
    group = {"Type": "AWS::EC2::SecurityGroup", "Properties": {"GroupDescription": "g", "VpcId": vpc}}
    rule = {"IpProtocol": "tcp", "FromPort": 8080, "ToPort": 8080}
    groups = {name: {"Fn::GetAtt": [name, "GroupId"]} for name in ("BalancerGroup", "ModelGroup")}
    network = {"Subnets": [lab.subnet], "SecurityGroups": [groups["ModelGroup"]]}
    of_service = {"ServiceNamespace": "ecs", "ScalableDimension": COUNT}
    declared: dict[str, tuple[str, Json]] = {
        "FromBalancer": (
            "EC2::SecurityGroupIngress",
            {**rule, "GroupId": groups["ModelGroup"], "SourceSecurityGroupId": groups["BalancerGroup"]},
        ),
        "ToModel": (
            "EC2::SecurityGroupEgress",
            {**rule, "GroupId": groups["BalancerGroup"], "DestinationSecurityGroupId": groups["ModelGroup"]},
        ),
        "Profile": ("IAM::InstanceProfile", {"Roles": [{"Ref": "InstanceRole"}]}),
        "LoadBalancer": (
            "ElasticLoadBalancingV2::LoadBalancer",
            {
                "Scheme": "internal",
                "Subnets": [lab.subnet],
                "SecurityGroups": [groups["BalancerGroup"]],
                "LoadBalancerAttributes": [{"Key": "idle_timeout.timeout_seconds", "Value": "120"}],
            },
        ),
        "TargetGroup": (
            "ElasticLoadBalancingV2::TargetGroup",
            {"TargetType": "ip", "Port": 8080, "Protocol": "HTTP", "VpcId": vpc, "HealthCheckPath": "/ping"},
        ),
        "Listener": (
            "ElasticLoadBalancingV2::Listener",
            {
                "LoadBalancerArn": {"Ref": "LoadBalancer"},
                "Port": 80,
                "Protocol": "HTTP",
                "DefaultActions": [{"Type": "forward", "TargetGroupArn": {"Ref": "TargetGroup"}}],
            },
        ),
        "Cluster": (
            "ECS::Cluster",
            {"ClusterSettings": [{"Name": "containerInsights", "Value": "enhanced"}]},
        ),
        "Provider": (
            "ECS::CapacityProvider",
            {
                "ClusterName": {"Ref": "Cluster"},
                "ManagedInstancesProvider": {
                    "InfrastructureRoleArn": {"Fn::GetAtt": ["InfrastructureRole", "Arn"]},
                    "InstanceLaunchTemplate": {
                        "Ec2InstanceProfileArn": {"Fn::GetAtt": ["Profile", "Arn"]},
                        "NetworkConfiguration": network,
                        "StorageConfiguration": {"StorageSizeGiB": 200},
                        "InstanceRequirements": {
                            "VCpuCount": {"Min": 4},
                            "MemoryMiB": {"Min": 16384},
                            "AllowedInstanceTypes": ["g6.xlarge"],
                        },
                    },
                    "PropagateTags": "CAPACITY_PROVIDER",
                },
                "Tags": [{"Key": "team", "Value": "ml"}],
            },
        ),
        "Definition": (
            "ECS::TaskDefinition",
            {
                "RequiresCompatibilities": ["MANAGED_INSTANCES"],
                # No pair that Fargate has.
                "Cpu": "3500",
                "Memory": "14336",
                "ExecutionRoleArn": {"Fn::GetAtt": ["ExecutionRole", "Arn"]},
                "RuntimePlatform": {"CpuArchitecture": "X86_64", "OperatingSystemFamily": "LINUX"},
                "Volumes": [{"Name": "model", "Host": {"SourcePath": "/data"}}],
                "ContainerDefinitions": containers(),
                "Tags": [{"Key": "team", "Value": "ml"}],
            },
        ),
        "Service": (
            "ECS::Service",
            {
                "Cluster": {"Ref": "Cluster"},
                "TaskDefinition": {"Ref": "Definition"},
                "CapacityProviderStrategy": [{"CapacityProvider": {"Ref": "Provider"}, "Weight": 1}],
                "NetworkConfiguration": {"AwsvpcConfiguration": network},
                "LoadBalancers": [
                    {
                        "ContainerName": "model",
                        "ContainerPort": 8080,
                        "TargetGroupArn": {"Ref": "TargetGroup"},
                    }
                ],
                "HealthCheckGracePeriodSeconds": 900,
                "DeploymentConfiguration": {
                    "MaximumPercent": 100,
                    "MinimumHealthyPercent": 0,
                    "DeploymentCircuitBreaker": {"Enable": True, "Rollback": True},
                    "Alarms": {"AlarmNames": ["slow"], "Enable": True, "Rollback": True},
                },
                "AvailabilityZoneRebalancing": "DISABLED",
                "PlacementConstraints": [{"Type": "distinctInstance"}],
                "EnableECSManagedTags": True,
                "PropagateTags": "SERVICE",
                "Tags": [{"Key": "team", "Value": "ml"}],
            },
        ),
        "Target": (
            "ApplicationAutoScaling::ScalableTarget",
            {
                **of_service,
                "ResourceId": {
                    "Fn::Join": [
                        "/",
                        ["service", {"Ref": "Cluster"}, {"Fn::GetAtt": ["Service", "Name"]}],
                    ]
                },
                "MinCapacity": 2,
                "MaxCapacity": 4,
            },
        ),
        "Policy": (
            "ApplicationAutoScaling::ScalingPolicy",
            {
                "PolicyName": "requests",
                "PolicyType": "TargetTrackingScaling",
                "ScalingTargetId": {"Ref": "Target"},
                "TargetTrackingScalingPolicyConfiguration": {
                    "TargetValue": 600,
                    "PredefinedMetricSpecification": {
                        "PredefinedMetricType": "ALBRequestCountPerTarget",
                        "ResourceLabel": {
                            "Fn::Join": ["/", [FULL_NAME_OF_LOAD_BALANCER, FULL_NAME_OF_TARGET_GROUP]]
                        },
                    },
                },
            },
        ),
    }
    made = {
        name: {"Type": f"AWS::{kind}", "Properties": properties}
        for name, (kind, properties) in declared.items()
    }
    made["Service"]["DependsOn"] = ["Listener"]
    return {
        "BalancerGroup": group,
        "ModelGroup": group,
        "InfrastructureRole": role("ecs.amazonaws.com"),
        "InstanceRole": role("ec2.amazonaws.com"),
        "ExecutionRole": role("ecs-tasks.amazonaws.com"),
        **made,
    }


def changed(declared: Json, path: str, value: Any) -> Json:
    """Return the resources with another value at a path of names and numbers, or with none."""
    result = copy.deepcopy(declared)
    logical_id, *steps, last = path.split(".")
    node = result[logical_id]["Properties"]
    for step in steps:
        node = node[int(step)] if step.isdigit() else node[step]
    if value is ABSENT:
        del node[last]
    else:
        node[last] = value
    return result


def deployed(lab: Lab, action: str, stack: str, declared: Json) -> dict[str, str]:
    """Create or update a stack, compare what services show with it, and return the physical ids."""
    status, reasons = lab.stack(action, stack, declared)
    assert status == f"{action.upper()}_COMPLETE", reasons
    ids = lab.physical_ids(stack)
    for name in READ_BACK:
        properties = resolved(lab, declared[name]["Type"], ids[name], declared[name]["Properties"])
        shown = read(READERS[declared[name]["Type"]], lab, ids[name], properties)
        assert list(differences(comparable(properties), comparable(shown))) == [], name
    return ids


def resolved(lab: Lab, type_name: str, physical_id: str, declared: Json) -> Json:
    answer = lab("cloudcontrol").get_resource(TypeName=type_name, Identifier=physical_id)
    properties = json.loads(answer["ResourceDescription"]["Properties"])
    return {name: properties[name] for name in declared}


def service_of(lab: Lab, ids: dict[str, str]) -> Json:
    found: Json = lab("ecs").describe_services(cluster=ids["Cluster"], services=[ids["Service"]])
    return dict(found["services"][0])


def test_a_service_is_deployed_scaled_updated_and_deleted(lab: Lab) -> None:
    stack, declared = lab.name("ml"), resources(lab)

    ids = deployed(lab, "create", stack, declared)
    first = service_of(lab, ids)
    assert (first["desiredCount"], first["runningCount"]) == (2, 2)  # what Target.MinCapacity raised it to
    definition = lab("ecs").describe_task_definition(taskDefinition=ids["Definition"])["taskDefinition"]
    assert definition["networkMode"] == "awsvpc"
    (target,) = lab("application-autoscaling").describe_scalable_targets(ServiceNamespace="ecs")[
        "ScalableTargets"
    ]
    assert target["RoleARN"].endswith("AWSServiceRoleForApplicationAutoScaling_ECSService")

    lab("ecs").update_service(cluster=ids["Cluster"], service=ids["Service"], desiredCount=3)
    again = changed(declared, "Definition.ContainerDefinitions.1.Image", "model:2")
    again = changed(again, "Service.HealthCheckGracePeriodSeconds", 600)
    again = changed(again, "Provider.ManagedInstancesProvider.PropagateTags", "NONE")
    updated = deployed(lab, "update", stack, again)
    assert {name for name in ids if ids[name] != updated[name]} == {"Definition"}
    second = service_of(lab, updated)
    assert (second["desiredCount"], second["taskDefinition"]) == (3, updated["Definition"])

    assert lab.stack("delete", stack, {})[0] == "DELETE_COMPLETE"
    assert (
        lab("application-autoscaling").describe_scalable_targets(ServiceNamespace="ecs")["ScalableTargets"]
        == []
    )
    left = lab("ecs").describe_capacity_providers()["capacityProviders"]
    assert {one["name"] for one in left} == {"FARGATE", "FARGATE_SPOT"}


REQUIREMENTS = "Provider.ManagedInstancesProvider.InstanceLaunchTemplate.InstanceRequirements"


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (
            "Provider.ManagedInstancesProvider.InfrastructureRoleArn",
            ABSENT,
            "'InfrastructureRoleArn' is required",
        ),
        (f"{REQUIREMENTS}.VCpuCount", ABSENT, "'VCpuCount' is required"),
        (f"{REQUIREMENTS}.VCpuCount", {"Max": 8}, "'Min' is required"),
        (f"{REQUIREMENTS}.MemoryMiB", {"Max": 8192}, "'Min' is required"),
        (
            "Provider.ManagedInstancesProvider.InfrastructureRoleArn",
            {"Fn::GetAtt": ["InstanceRole", "Arn"]},
            "(ClientException)",
        ),
        ("Provider.ClusterName", ABSENT, "The cluster provided is invalid"),
        ("Provider.ClusterName", "nobody", 'Cluster not found." (ClusterNotFoundException)'),
        ("Provider.Name", "Ecs-provider", "The specified capacity provider name is invalid."),
        (
            "Definition.ContainerDefinitions.1.Memory",
            15000,
            "The 'memory' setting for container 'model' is greater than for the task.\" (ClientException)",
        ),
        ("Definition.TaskRoleArn", ROLE_OF_NOBODY, f"The role {ROLE_OF_NOBODY} does not exist"),
        ("Definition.Memory", ABSENT, "Invalid setting for container 'loader'."),
        (
            "Definition.ContainerDefinitions.0.Essential",
            True,
            "A dependency container with SUCCESS or COMPLETE condition cannot be an essential container",
        ),
        (
            "Definition.ContainerDefinitions.1.Command",
            [{"Fn::Join": ["", [{"Ref": "AWS::StackId"}] * 1000]}],
            "Max allowed length is '65536' bytes.\" (ClientException)",
        ),
        (
            "Service.CapacityProviderStrategy.0.CapacityProvider",
            "nobody",
            "The specified capacity provider 'nobody' was not found.",
        ),
        (
            "Service.CapacityProviderStrategy.0.CapacityProvider",
            "FARGATE",
            "a capacity provider that is not associated with the cluster.",
        ),
        ("Service.TaskDefinition", "nobody", 'TaskDefinition not found." (ClientException)'),
        (
            "Definition.RequiresCompatibilities",
            ["EC2"],
            'Task definition does not support launch_type MANAGED_INSTANCES." (InvalidParameterException)',
        ),
        (
            "Service.NetworkConfiguration",
            ABSENT,
            "Network Configuration must be provided when networkMode 'awsvpc' is specified.",
        ),
        ("Service.LoadBalancers", ABSENT, "Health check grace period is only valid for services"),
        (
            "Service.LoadBalancers.0.ContainerName",
            "nobody",
            "The container nobody does not exist in the task definition.",
        ),
        (
            "Service.LoadBalancers.0.ContainerPort",
            9000,
            "The container model did not have a container port 9000 defined.",
        ),
        (
            "Listener.DefaultActions",
            [{"Type": "fixed-response", "FixedResponseConfig": {"StatusCode": "404"}}],
            "does not have an associated load balancer.",
        ),
        (
            "TargetGroup.TargetType",
            "instance",
            "has target type instance, which is incompatible with the awsvpc network mode",
        ),
        (
            "Target.ResourceId",
            "service/c/nobody",
            "ECS service doesn't exist: service/c/nobody\" (ValidationException)",
        ),
        ("Target.ScalableDimension", "ecs:service:Count", "ecs:service:Count is not a valid enum value"),
        (
            "Policy.TargetTrackingScalingPolicyConfiguration.PredefinedMetricSpecification.ResourceLabel",
            "app/a/1/targetgroup/b/2",
            "is not attached to service/",
        ),
        (
            "Policy.TargetTrackingScalingPolicyConfiguration.PredefinedMetricSpecification.PredefinedMetricType",
            "ECSServiceAverageCPUUtilization",
            "A resource label belongs to ALBRequestCountPerTarget",
        ),
    ],
)
def test_what_aws_refuses_is_refused(lab: Lab, path: str, value: Any, said: str) -> None:
    stack = lab.name("ml")
    status, reasons = lab.stack("create", stack, changed(resources(lab), path, value))
    assert said in reasons
    assert status == "ROLLBACK_COMPLETE"
    assert lab.stack("delete", stack, {})[0] == "DELETE_COMPLETE"


def test_a_provider_of_another_cluster_is_refused(lab: Lab) -> None:
    declared = resources(lab)
    declared["Other"] = {"Type": "AWS::ECS::Cluster"}
    declared = changed(declared, "Provider.ClusterName", {"Ref": "Other"})
    assert "not associated with the cluster" in lab.stack("create", lab.name("ml"), declared)[1]


def test_a_policy_needs_its_target(lab: Lab) -> None:
    key = {"ServiceNamespace": "ecs", "ResourceId": "service/c/s", "ScalableDimension": COUNT}
    said = refusal(lab("application-autoscaling").put_scaling_policy, PolicyName="p", **key)
    assert said.startswith("ObjectNotFoundException")
