"""One endpoint as an experienced user of Python CDK writes it: L2 where there is one, L1 for SageMaker."""

from typing import Any, NamedTuple

from aws_cdk import Acknowledgment, Duration, RemovalPolicy, Stack, Validations
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sagemaker as sagemaker
from aws_cdk import aws_sns as sns
from aws_cdk import aws_ssm as ssm
from constructs import Construct

from tools.benchmarks.handwritten_scaling import HandwrittenScaling


class _Alarm(NamedTuple):
    construct_id: str
    threshold: str
    namespace: str
    metric_name: str
    statistic: str
    scale: str  # what one unit of the threshold is in the metric's own unit
    datapoints: int
    periods: int
    missing: cloudwatch.TreatMissingData


_REQUESTS = (3, 5, cloudwatch.TreatMissingData.NOT_BREACHING)
_INSTANCES = (10, 15, cloudwatch.TreatMissingData.MISSING)
_SAGEMAKER, _ENDPOINTS = "AWS/SageMaker", "/aws/sagemaker/Endpoints"
_ALARMS = [
    _Alarm("Errors5xx", "max_5xx_error_rate_percent", _SAGEMAKER, "Invocation5XXErrors", "Average", "rate", *_REQUESTS),
    _Alarm("Errors4xx", "max_4xx_error_rate_percent", _SAGEMAKER, "Invocation4XXErrors", "Average", "rate", *_REQUESTS),
    _Alarm("LatencyP95", "max_p95_model_latency_ms", _SAGEMAKER, "ModelLatency", "p95", "ms", *_REQUESTS),
    _Alarm("LatencyP99", "max_p99_model_latency_ms", _SAGEMAKER, "ModelLatency", "p99", "ms", *_REQUESTS),
    _Alarm("Overhead", "max_average_overhead_latency_ms", _SAGEMAKER, "OverheadLatency", "Average", "ms", *_REQUESTS),
    _Alarm("Cpu", "max_average_cpu_utilization_percent", _ENDPOINTS, "CPUUtilization", "Average", "cpu", *_INSTANCES),
    _Alarm("Gpu", "max_average_gpu_utilization_percent", _ENDPOINTS, "GPUUtilization", "Average", "gpu", *_INSTANCES),
    _Alarm("GpuMemory", "max_gpu_memory_utilization_percent", _ENDPOINTS, "GPUMemoryUtilization", "Maximum", "gpu", *_INSTANCES),
    _Alarm("Memory", "max_memory_utilization_percent", _ENDPOINTS, "MemoryUtilization", "Maximum", "percent", *_INSTANCES),
    _Alarm("Disk", "max_disk_utilization_percent", _ENDPOINTS, "DiskUtilization", "Maximum", "percent", *_INSTANCES),
]  # fmt: skip


class HandwrittenEndpointStack(Stack):
    """Role, model, endpoint configuration, endpoint, autoscaling and alarms."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        endpoint: dict[str, Any],
        foundation: dict[str, Any],
        **kwargs: Any,
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        prefix = foundation["parameter_prefix"]
        self.bucket_name = ssm.StringParameter.value_for_string_parameter(
            self, f"{prefix}/artifact-bucket-name"
        )
        self.data_key_arn = ssm.StringParameter.value_for_string_parameter(self, f"{prefix}/data-key-arn")
        self.security_group_id = ssm.StringParameter.value_for_typed_string_parameter_v2(
            self, f"{prefix}/endpoint-security-group-id", ssm.ParameterValueType.AWS_EC2_SECURITYGROUP_ID
        )
        self.subnet_ids = ssm.StringListParameter.value_for_typed_list_parameter(
            self, f"{prefix}/subnet-ids", ssm.ParameterValueType.AWS_EC2_SUBNET_ID
        )
        topic_arn = ssm.StringParameter.value_for_string_parameter(self, f"{prefix}/alarm-topic-arn")
        operations_key_arn = ssm.StringParameter.value_for_string_parameter(
            self, f"{prefix}/operations-key-arn"
        )
        handover_function_arn = ssm.StringParameter.value_for_string_parameter(
            self, f"{prefix}/scaling-handover-function-arn"
        )
        resource = self._endpoint(endpoint, self._role(endpoint))
        resource.node.add_dependency(
            logs.LogGroup(
                self,
                "LogGroup",
                log_group_name=f"/aws/sagemaker/Endpoints/{endpoint['endpoint_name']}",
                encryption_key=kms.Key.from_key_arn(self, "OperationsKey", operations_key_arn),
                retention=logs.RetentionDays.THREE_MONTHS,
                removal_policy=RemovalPolicy.RETAIN if foundation["retain_state"] else RemovalPolicy.DESTROY,
            )
        )
        HandwrittenScaling(self, "Scaling", endpoint, resource, handover_function_arn)
        self._alarms(endpoint, sns.Topic.from_topic_arn(self, "AlarmTopic", topic_arn))

    def _role(self, endpoint: dict[str, Any]) -> iam.Role:
        interfaces = self.format_arn(service="ec2", resource="network-interface", resource_name="*")
        subnets = self.format_arn(service="ec2", resource="subnet", resource_name="*")
        log_group = (
            f"arn:{self.partition}:logs:{self.region}:{self.account}"
            f":log-group:/aws/sagemaker/Endpoints/{endpoint['endpoint_name']}:*"
        )
        statements = [
            iam.PolicyStatement(
                actions=["s3:GetObject"],
                resources=[f"arn:{self.partition}:s3:::{self.bucket_name}/{endpoint['artifact_key']}"],
            ),
            iam.PolicyStatement(
                actions=["s3:ListBucket"],
                resources=[f"arn:{self.partition}:s3:::{self.bucket_name}"],
                conditions={"StringLike": {"s3:prefix": endpoint["artifact_key"]}},
            ),
            iam.PolicyStatement(
                actions=["kms:Decrypt"],
                resources=[self.data_key_arn],
                conditions={"StringEquals": {"kms:ViaService": f"s3.{self.region}.amazonaws.com"}},
            ),
            iam.PolicyStatement(
                actions=[
                    "ecr:BatchCheckLayerAvailability",
                    "ecr:BatchGetImage",
                    "ecr:GetDownloadUrlForLayer",
                ],
                resources=[endpoint["image"]["repository_arn"]],
            ),
            iam.PolicyStatement(actions=["ecr:GetAuthorizationToken"], resources=["*"]),
            iam.PolicyStatement(
                actions=[
                    "logs:CreateLogGroup",
                    "logs:CreateLogStream",
                    "logs:DescribeLogStreams",
                    "logs:PutLogEvents",
                ],
                resources=[log_group],
            ),
            iam.PolicyStatement(
                actions=["cloudwatch:PutMetricData"],
                resources=["*"],
                conditions={"StringEquals": {"cloudwatch:namespace": [_ENDPOINTS, _SAGEMAKER]}},
            ),
            iam.PolicyStatement(
                actions=["ec2:CreateNetworkInterface"],
                resources=[
                    interfaces,
                    subnets,
                    self.format_arn(
                        service="ec2", resource="security-group", resource_name=self.security_group_id
                    ),
                ],
            ),
            iam.PolicyStatement(
                actions=[
                    "ec2:CreateNetworkInterfacePermission",
                    "ec2:DeleteNetworkInterface",
                    "ec2:DeleteNetworkInterfacePermission",
                ],
                resources=[interfaces],
            ),
            iam.PolicyStatement(
                actions=[
                    "ec2:DescribeDhcpOptions",
                    "ec2:DescribeNetworkInterfaces",
                    "ec2:DescribeSecurityGroups",
                    "ec2:DescribeSubnets",
                    "ec2:DescribeVpcs",
                ],
                resources=["*"],
            ),
        ]
        if endpoint["encrypt_volume_with_key"]:
            statements.append(
                iam.PolicyStatement(
                    actions=["kms:CreateGrant"],
                    resources=[self.data_key_arn],
                    conditions={"Bool": {"kms:GrantIsForAWSResource": "true"}},
                )
            )
        policy = iam.ManagedPolicy(self, "ModelPolicy", statements=statements)
        reason = (
            "These actions know no resource types, or the resources get their ids when SageMaker makes them."
        )
        Validations.of(policy).acknowledge(
            *(
                Acknowledgment(id=f"AwsSolutions-IAM5[Resource::{resource}]", reason=reason)
                for resource in ("*", interfaces, subnets, log_group)
            )
        )
        return iam.Role(
            self,
            "ModelRole",
            assumed_by=iam.ServicePrincipal(
                "sagemaker.amazonaws.com",
                conditions={"StringEquals": {"aws:SourceAccount": self.account}},
            ),
            managed_policies=[policy],
        )

    def _endpoint(self, endpoint: dict[str, Any], role: iam.Role) -> sagemaker.CfnEndpoint:
        model = sagemaker.CfnModel(
            self,
            "Model",
            execution_role_arn=role.role_arn,
            enable_network_isolation=endpoint["network_isolation"],
            vpc_config=sagemaker.CfnModel.VpcConfigProperty(
                subnets=self.subnet_ids, security_group_ids=[self.security_group_id]
            ),
            primary_container=sagemaker.CfnModel.ContainerDefinitionProperty(
                image=endpoint["image"]["uri"],
                environment=endpoint["environment"],
                model_data_source=sagemaker.CfnModel.ModelDataSourceProperty(
                    s3_data_source=sagemaker.CfnModel.S3DataSourceProperty(
                        compression_type="Gzip",
                        s3_data_type="S3Object",
                        s3_uri=f"s3://{self.bucket_name}/{endpoint['artifact_key']}",
                    )
                ),
            ),
        )
        config = sagemaker.CfnEndpointConfig(
            self,
            "EndpointConfig",
            kms_key_id=self.data_key_arn if endpoint["encrypt_volume_with_key"] else None,
            production_variants=[
                sagemaker.CfnEndpointConfig.ProductionVariantProperty(
                    variant_name=endpoint["variant_name"],
                    model_name=model.attr_model_name,
                    instance_type=endpoint["instance_type"],
                    initial_instance_count=endpoint["initial_instance_count"],
                    initial_variant_weight=1,
                    volume_size_in_gb=endpoint["volume_size_gib"],
                    inference_ami_version=endpoint["inference_ami_version"],
                    model_data_download_timeout_in_seconds=endpoint["model_data_download_timeout_s"],
                    container_startup_health_check_timeout_in_seconds=endpoint[
                        "container_startup_health_check_timeout_s"
                    ],
                )
            ],
        )
        return sagemaker.CfnEndpoint(
            self,
            "Endpoint",
            endpoint_name=endpoint["endpoint_name"],
            endpoint_config_name=config.attr_endpoint_config_name,
            retain_all_variant_properties=endpoint["scaling"] is not None,
        )

    def _alarms(self, endpoint: dict[str, Any], topic: sns.ITopic) -> None:
        scales = {
            "rate": 1 / 100,
            "ms": 1000,
            "percent": 1,
            "cpu": endpoint["vcpu_count"],
            "gpu": endpoint["gpu_count"],
        }
        action = actions.SnsAction(topic)
        for alarm in _ALARMS:
            threshold = endpoint["alarms"][alarm.threshold]
            if threshold is None:
                continue
            metric = cloudwatch.Metric(
                namespace=alarm.namespace,
                metric_name=alarm.metric_name,
                dimensions_map={
                    "EndpointName": endpoint["endpoint_name"],
                    "VariantName": endpoint["variant_name"],
                },
                statistic=alarm.statistic,
                period=Duration.minutes(1),
            )
            made = cloudwatch.Alarm(
                self,
                alarm.construct_id,
                metric=metric,
                alarm_name=f"{endpoint['endpoint_name']}-{alarm.construct_id}",
                alarm_description=f"{alarm.statistic} {alarm.metric_name} of {endpoint['endpoint_name']}",
                threshold=threshold * scales[alarm.scale],
                comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
                evaluation_periods=alarm.periods,
                datapoints_to_alarm=alarm.datapoints,
                treat_missing_data=alarm.missing,
            )
            made.add_alarm_action(action)
            made.add_ok_action(action)
