"""One endpoint as a person writes it in plain Python CDK, as often as the only argument says: what synth is timed against.

L2 constructs where CDK has them, L1 for SageMaker, and cdk-nag without a finding. Nothing is chosen and nothing is read:
the numbers stand here, as a person looks them up.
"""

import sys
from typing import Any

from aws_cdk import Acknowledgment, App, Duration, Environment, RemovalPolicy, Stack, Tags, Validations
from aws_cdk import aws_applicationautoscaling as autoscaling
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sagemaker as sagemaker
from aws_cdk import aws_sns as sns
from cdk_nag import AwsSolutionsChecks
from constructs import Construct

ACCOUNT, REGION = "111122223333", "us-east-1"
VPC, SUBNETS = "vpc-0123456789abcdef0", ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]
IMAGES = "arn:aws:ecr:us-east-1:763104351884:repository/huggingface-pytorch-inference"
IMAGE = (
    "763104351884.dkr.ecr.us-east-1.amazonaws.com/huggingface-pytorch-inference"
    ":2.6.0-transformers4.49.0-gpu-py312-cu124-ubuntu22.04"
)
INVOCATIONS, INSTANCES = "AWS/SageMaker", "/aws/sagemaker/Endpoints"
#: Metric, its namespace, statistic and threshold, datapoints and periods of a minute.
ALARMS: tuple[tuple[str, str, str, float, int, int], ...] = (
    ("Invocation5XXErrors", INVOCATIONS, "Average", 0.01, 3, 5),
    ("InvocationModelErrors", INVOCATIONS, "Average", 0.01, 3, 5),
    ("Invocation4XXErrors", INVOCATIONS, "Average", 0.05, 3, 5),
    ("ModelLatency", INVOCATIONS, "p95", 100_000, 3, 5),
    ("ModelLatency", INVOCATIONS, "p99", 200_000, 3, 5),
    ("OverheadLatency", INVOCATIONS, "Average", 100_000, 3, 5),
    ("CPUUtilization", INSTANCES, "Average", 360, 10, 15),
    ("GPUUtilization", INSTANCES, "Average", 95, 10, 15),
    ("GPUMemoryUtilization", INSTANCES, "Maximum", 95, 10, 15),
    ("MemoryUtilization", INSTANCES, "Maximum", 90, 10, 15),
    ("DiskUtilization", INSTANCES, "Maximum", 80, 10, 15),
)


class FoundationStack(Stack):
    """What the endpoints share: a key, the bucket of the models, a topic for alarms and a security group."""

    def __init__(self, scope: Construct, construct_id: str, **kwargs: Any) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.key = kms.Key(self, "Key", enable_key_rotation=True)
        self.key.grant_encrypt_decrypt(iam.ServicePrincipal("cloudwatch.amazonaws.com"))
        self.key.grant_encrypt_decrypt(iam.ServicePrincipal(f"logs.{REGION}.amazonaws.com"))
        secure: dict[str, Any] = {
            "block_public_access": s3.BlockPublicAccess.BLOCK_ALL,
            "enforce_ssl": True,
            "removal_policy": RemovalPolicy.RETAIN,
        }
        access_logs = s3.Bucket(self, "AccessLogs", **secure)
        self.models = s3.Bucket(
            self,
            "Models",
            encryption=s3.BucketEncryption.KMS,
            encryption_key=self.key,
            versioned=True,
            server_access_logs_bucket=access_logs,
            **secure,
        )
        self.topic = sns.Topic(self, "Alarms", master_key=self.key, enforce_ssl=True)
        vpc = ec2.Vpc.from_vpc_attributes(self, "Vpc", vpc_id=VPC, availability_zones=[f"{REGION}a"])
        self.group = ec2.SecurityGroup(self, "Endpoints", vpc=vpc, allow_all_outbound=False)
        self.group.add_egress_rule(ec2.Peer.any_ipv4(), ec2.Port.HTTPS, "AWS services")


class EndpointStack(Stack):
    """Role, model, endpoint configuration, endpoint, its autoscaling and its alarms."""

    def __init__(
        self, scope: Construct, construct_id: str, name: str, shared: FoundationStack, **kwargs: Any
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        endpoint = self._endpoint(name, shared)
        endpoint.node.add_dependency(
            logs.LogGroup(
                self,
                "LogGroup",
                log_group_name=f"{INSTANCES}/{name}",
                encryption_key=shared.key,
                retention=logs.RetentionDays.THREE_MONTHS,
            )
        )
        target = autoscaling.ScalableTarget(
            self,
            "Scaling",
            service_namespace=autoscaling.ServiceNamespace.SAGEMAKER,
            resource_id=f"endpoint/{name}/variant/primary",
            scalable_dimension="sagemaker:variant:DesiredInstanceCount",
            min_capacity=1,
            max_capacity=40,
        )
        target.node.add_dependency(endpoint)
        target.scale_to_track_metric(
            "Requests",
            target_value=500,
            predefined_metric=autoscaling.PredefinedMetric.SAGEMAKER_VARIANT_INVOCATIONS_PER_INSTANCE,
            scale_in_cooldown=Duration.minutes(5),
            scale_out_cooldown=Duration.minutes(1),
        )
        action = actions.SnsAction(shared.topic)
        for metric_name, namespace, statistic, threshold, datapoints, periods in ALARMS:
            alarm = cloudwatch.Alarm(
                self,
                f"{metric_name}{statistic}",
                metric=cloudwatch.Metric(
                    namespace=namespace,
                    metric_name=metric_name,
                    dimensions_map={"EndpointName": name, "VariantName": "primary"},
                    statistic=statistic,
                    period=Duration.minutes(1),
                ),
                alarm_description=f"{statistic} {metric_name} of {name}",
                threshold=threshold,
                comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
                evaluation_periods=periods,
                datapoints_to_alarm=datapoints,
            )
            alarm.add_alarm_action(action)
            alarm.add_ok_action(action)

    def _endpoint(self, name: str, shared: FoundationStack) -> sagemaker.CfnEndpoint:
        model = sagemaker.CfnModel(
            self,
            "Model",
            execution_role_arn=self._role(name, shared).role_arn,
            enable_network_isolation=True,
            vpc_config=sagemaker.CfnModel.VpcConfigProperty(
                subnets=SUBNETS, security_group_ids=[shared.group.security_group_id]
            ),
            primary_container=sagemaker.CfnModel.ContainerDefinitionProperty(
                image=IMAGE,
                environment={"HF_TASK": "text-classification"},
                model_data_url=shared.models.s3_url_for_object(f"models/{name}/model.tar.gz"),
            ),
        )
        config = sagemaker.CfnEndpointConfig(
            self,
            "EndpointConfig",
            production_variants=[
                sagemaker.CfnEndpointConfig.ProductionVariantProperty(
                    variant_name="primary",
                    model_name=model.attr_model_name,
                    instance_type="ml.g4dn.xlarge",
                    initial_instance_count=1,
                    initial_variant_weight=1,
                    model_data_download_timeout_in_seconds=600,
                    container_startup_health_check_timeout_in_seconds=600,
                )
            ],
        )
        return sagemaker.CfnEndpoint(
            self, "Endpoint", endpoint_name=name, endpoint_config_name=config.attr_endpoint_config_name
        )

    def _role(self, name: str, shared: FoundationStack) -> iam.Role:
        role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("sagemaker.amazonaws.com"))
        model = shared.models.arn_for_objects(f"models/{name}/model.tar.gz")
        role.add_to_policy(iam.PolicyStatement(actions=["s3:GetObject"], resources=[model]))
        role.add_to_policy(iam.PolicyStatement(actions=["kms:Decrypt"], resources=[shared.key.key_arn]))
        role.add_to_policy(
            iam.PolicyStatement(
                actions=[
                    "ecr:BatchGetImage",
                    "ecr:BatchCheckLayerAvailability",
                    "ecr:GetDownloadUrlForLayer",
                ],
                resources=[IMAGES],
            )
        )
        role.add_to_policy(
            iam.PolicyStatement(
                actions=[
                    "cloudwatch:PutMetricData",
                    "ec2:CreateNetworkInterface",
                    "ec2:CreateNetworkInterfacePermission",
                    "ec2:DeleteNetworkInterface",
                    "ec2:DeleteNetworkInterfacePermission",
                    "ec2:DescribeDhcpOptions",
                    "ec2:DescribeNetworkInterfaces",
                    "ec2:DescribeSecurityGroups",
                    "ec2:DescribeSubnets",
                    "ec2:DescribeVpcs",
                    "ecr:GetAuthorizationToken",
                    "logs:CreateLogStream",
                    "logs:DescribeLogStreams",
                    "logs:PutLogEvents",
                ],
                resources=["*"],
            )
        )
        Validations.of(role).acknowledge(
            Acknowledgment(
                id="AwsSolutions-IAM5[Resource::*]",
                reason="SageMaker makes the network interfaces and log streams.",
            )
        )
        return role


def main(endpoint_count: int) -> None:
    """Synthesize the foundation and its endpoints."""
    app = App()
    target = Environment(account=ACCOUNT, region=REGION)
    shared = FoundationStack(app, "foundation", env=target)
    for number in range(endpoint_count):
        name = f"endpoint-{number:03}"
        EndpointStack(app, name, name, shared, env=target)
    Tags.of(app).add("platform", "bench")
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    app.synth()


if __name__ == "__main__":
    main(int(sys.argv[1]))
