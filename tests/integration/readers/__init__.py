"""Which calls read back the properties of a resource: one row for each type, in the words of CloudFormation.

Only what is declared is compared, so a row need not leave out what a service shows besides. ``compare.py`` evens out small
first letters of members, and texts that hold JSON.
"""

import io
import json
import urllib.request
import zipfile

from botocore import xform_name

from tests.integration.readers.reading import ClientFactory, Known, Properties, Step, call
from tests.localcloud.processes import PATIENCE_S

_TAGS = "{Tags: Tags}"
_RULE = (
    "IpProtocol: IpProtocol, FromPort: FromPort, ToPort: ToPort, CidrIp: CidrIpv4, Description: Description"
)


def _sagemaker(kind: str, *, listed: bool = False, shown: str = "@") -> tuple[Step, ...]:
    """Return the row of something that SageMaker knows by name; the ARN of what is ``listed`` has it in lower case."""
    by_arn = f"{kind}s[?{kind}Arn=='$id'] | [0].{{name: {kind}Name}}"
    return (
        *((call("sagemaker", f"list_{xform_name(kind)}s", by_arn),) if listed else ()),
        call("sagemaker", f"describe_{xform_name(kind)}", shown, **{f"{kind}Name": "$name"}),
        call("sagemaker", "list_tags", _TAGS, ResourceArn=f"${kind}Arn"),
    )


def _codedeploy_tags(resource: str) -> tuple[Step, Step]:
    arn = f"arn:aws:codedeploy:$region:$Account:{resource}"
    return (
        call("sts", "get_caller_identity", "{Account: Account}"),
        call("codedeploy", "list_tags_for_resource", _TAGS, ResourceArn=arn),
    )


def _balancing_tags() -> Step:
    return call("elbv2", "describe_tags", "{Tags: TagDescriptions[0].Tags}", ResourceArns=["$id"])


def _scaling_policy(namespace: str) -> Step:
    """Return one of the calls for a policy: the service is asked by namespace, which is not in an ARN."""
    target = "join('|', [ResourceId, ScalableDimension, ServiceNamespace])"
    policy = f"ScalingPolicies[?PolicyARN=='$id'].merge(@, {{ScalingTargetId: {target}}}) | [0]"
    return call("application-autoscaling", "describe_scaling_policies", policy, ServiceNamespace=namespace)


def _between_groups(chosen: str, member: str) -> tuple[Step]:
    """Return the row of a rule that names a group: it is a resource of its own."""
    rule = f"{{{_RULE}, {member}: ReferencedGroupInfo.GroupId}}"
    rules = f"SecurityGroupRules[?{chosen} && ReferencedGroupInfo.GroupId] | [0].{rule}"
    of_group = [{"Name": "group-id", "Values": ["$GroupId"]}]
    return (call("ec2", "describe_security_group_rules", rules, Filters=of_group),)


def _group_of_flow_log(client: ClientFactory, known: Known) -> Properties:
    # Older flow logs name their group in a member of its own.
    destination = known.get("LogDestination", "").removesuffix(":*").rpartition(":")[2]
    return {"LogGroupName": known.get("LogGroupName") or destination}


def _unquoted_policy(client: ClientFactory, known: Known) -> Properties:
    # API Gateway quotes it twice.
    return {"policy": json.loads(f'"{known["policy"]}"')}


def _listed_responses(client: ClientFactory, known: Known) -> Properties:
    """Return the responses of a method as lists: API Gateway answers with maps by status."""
    integration = known["methodIntegration"]
    responses = list(integration["integrationResponses"].values())
    return {
        "methodResponses": list(known["methodResponses"].values()),
        "Integration": integration
        | {"integrationHttpMethod": integration["httpMethod"], "integrationResponses": responses},
    }


def _attributes_of_queue(client: ClientFactory, known: Known) -> Properties:
    """Return the attributes of a queue, which SQS keeps as texts."""
    attributes = known["Attributes"]
    read = {name: int(value) if value.isdecimal() else value for name, value in attributes.items()}
    redrive = {"RedrivePolicy": json.loads(text)} if (text := attributes.get("RedrivePolicy")) else {}
    return {**read, **redrive, "QueueName": attributes["QueueArn"].rpartition(":")[2]}


def _notifications_with_subscribers(client: ClientFactory, known: Known) -> Properties:
    budgets = client("budgets")
    budget = {"AccountId": known["Account"], "BudgetName": known["id"]}
    return {
        "NotificationsWithSubscribers": [
            {
                "Notification": one,
                "Subscribers": budgets.describe_subscribers_for_notification(
                    **budget, Notification={k: v for k, v in one.items() if k != "NotificationState"}
                )["Subscribers"],
            }
            for one in budgets.describe_notifications_for_budget(**budget)["Notifications"]
        ]
    }


def _only_file(client: ClientFactory, known: Known) -> Properties:
    """Return the text of the one module that inline code becomes."""
    if known["PackageType"] == "Image":
        return {}
    with urllib.request.urlopen(known["Code"]["Location"], timeout=PATIENCE_S) as response:
        archive = zipfile.ZipFile(io.BytesIO(response.read()))
    (name,) = (name for name in archive.namelist() if name.endswith(("index.py", "index.js")))
    return {"Code": {"ZipFile": archive.read(name).decode()}}


READERS: dict[str, tuple[Step, ...]] = {
    "AWS::ApiGateway::Deployment": (
        call("apigateway", "get_deployment", restApiId="$RestApiId", deploymentId="$id"),
    ),
    "AWS::ApiGateway::Method": (
        call("apigateway", "get_method", restApiId="$RestApiId", resourceId="$ResourceId", httpMethod="POST"),
        _listed_responses,
    ),
    "AWS::ApiGateway::RequestValidator": (
        call("apigateway", "get_request_validator", restApiId="$RestApiId", requestValidatorId="$id"),
    ),
    "AWS::ApiGateway::RestApi": (call("apigateway", "get_rest_api", restApiId="$id"), _unquoted_policy),
    "AWS::ApiGateway::Stage": (
        call(
            "apigateway",
            "get_stage",
            """merge(@, {AccessLogSetting: accessLogSettings,
                MethodSettings: [merge(methodSettings."*/*", {HttpMethod: '*', ResourcePath: '/*'})]})""",
            restApiId="$RestApiId",
            stageName="$id",
        ),
    ),
    "AWS::ApplicationAutoScaling::ScalableTarget": (
        call(
            "application-autoscaling",
            "describe_scalable_targets",
            "ScalableTargets[0]",
            ResourceIds=["$ResourceId"],
            ServiceNamespace="$ServiceNamespace",
            ScalableDimension="$ScalableDimension",
        ),
        call(
            "application-autoscaling",
            "describe_scheduled_actions",
            "{ScheduledActions: ScheduledActions}",
            ResourceId="$ResourceId",
            ServiceNamespace="$ServiceNamespace",
            ScalableDimension="$ScalableDimension",
        ),
        call("application-autoscaling", "list_tags_for_resource", _TAGS, ResourceARN="$ScalableTargetARN"),
    ),
    "AWS::ApplicationAutoScaling::ScalingPolicy": tuple(
        _scaling_policy(namespace) for namespace in ("ecs", "lambda", "sagemaker")
    ),
    "AWS::Batch::ComputeEnvironment": (
        call("batch", "describe_compute_environments", "computeEnvironments[0]", computeEnvironments=["$id"]),
    ),
    "AWS::Batch::JobDefinition": (
        call("batch", "describe_job_definitions", "jobDefinitions[0]", jobDefinitions=["$id"]),
    ),
    "AWS::Batch::JobQueue": (call("batch", "describe_job_queues", "jobQueues[0]", jobQueues=["$id"]),),
    "AWS::Budgets::Budget": (
        call("sts", "get_caller_identity", "{Account: Account}"),
        call(
            "budgets",
            "describe_budget",
            "{Budget: Budget.merge(@, {BudgetLimit: merge(BudgetLimit, {Amount: to_number(BudgetLimit.Amount)})})}",
            AccountId="$Account",
            BudgetName="$id",
        ),
        _notifications_with_subscribers,
        call(
            "budgets",
            "list_tags_for_resource",
            "{ResourceTags: ResourceTags}",
            ResourceARN="arn:aws:budgets::$Account:budget/$id",
        ),
    ),
    "AWS::CloudWatch::Alarm": (
        call("cloudwatch", "describe_alarms", "MetricAlarms[0]", AlarmNames=["$id"]),
        call("cloudwatch", "list_tags_for_resource", _TAGS, ResourceARN="$AlarmArn"),
    ),
    "AWS::CloudWatch::CompositeAlarm": (
        call(
            "cloudwatch",
            "describe_alarms",
            "CompositeAlarms[0]",
            AlarmNames=["$id"],
            AlarmTypes=["CompositeAlarm"],
        ),
        call("cloudwatch", "list_tags_for_resource", _TAGS, ResourceARN="$AlarmArn"),
    ),
    "AWS::CloudWatch::Dashboard": (call("cloudwatch", "get_dashboard", DashboardName="$id"),),
    "AWS::CodeDeploy::Application": (
        call("codedeploy", "get_application", "application", applicationName="$id"),
        *_codedeploy_tags("application:$id"),
    ),
    "AWS::CodeDeploy::DeploymentConfig": (
        call("codedeploy", "get_deployment_config", "deploymentConfigInfo", deploymentConfigName="$id"),
    ),
    "AWS::CodeDeploy::DeploymentGroup": (
        call(
            "codedeploy",
            "get_deployment_group",
            "deploymentGroupInfo",
            applicationName="$ApplicationName",
            deploymentGroupName="$id",
        ),
        *_codedeploy_tags("deploymentgroup:$ApplicationName/$id"),
    ),
    "AWS::EC2::FlowLog": (
        # The API tells a VPC from a subnet by the id.
        call(
            "ec2",
            "describe_flow_logs",
            "FlowLogs[0].merge(@, {ResourceType: starts_with(ResourceId, 'vpc-') && 'VPC'})",
            FlowLogIds=["$id"],
        ),
        _group_of_flow_log,
    ),
    "AWS::EC2::LaunchTemplate": (
        call(
            "ec2",
            "describe_launch_template_versions",
            "LaunchTemplateVersions[0].{LaunchTemplateData: LaunchTemplateData}",
            LaunchTemplateId="$id",
        ),
    ),
    "AWS::EC2::RouteTable": (call("ec2", "describe_route_tables", "RouteTables[0]", RouteTableIds=["$id"]),),
    "AWS::EC2::SecurityGroup": (
        call(
            "ec2",
            "describe_security_groups",
            "SecurityGroups[0].{GroupDescription: Description, VpcId: VpcId, Tags: Tags}",
            GroupIds=["$id"],
        ),
        call(
            "ec2",
            "describe_security_group_rules",
            f"""SecurityGroupRules[?!(ReferencedGroupInfo.GroupId)] |
                {{SecurityGroupIngress: [?!IsEgress].{{{_RULE}}}, SecurityGroupEgress: [?IsEgress].{{{_RULE}}}}}""",
            Filters=[{"Name": "group-id", "Values": ["$id"]}],
        ),
    ),
    "AWS::EC2::SecurityGroupEgress": _between_groups("IsEgress", "DestinationSecurityGroupId"),
    "AWS::EC2::SecurityGroupIngress": _between_groups("!IsEgress", "SourceSecurityGroupId"),
    "AWS::EC2::Subnet": (call("ec2", "describe_subnets", "Subnets[0]", SubnetIds=["$id"]),),
    "AWS::EC2::SubnetRouteTableAssociation": (
        call(
            "ec2",
            "describe_route_tables",
            "RouteTables[].Associations[] | [?RouteTableAssociationId=='$id'] | [0]",
        ),
    ),
    "AWS::EC2::VPC": (
        call("ec2", "describe_vpcs", "Vpcs[0]", VpcIds=["$id"]),
        *(
            call(
                "ec2",
                "describe_vpc_attribute",
                f"{{{name}: {name}.Value}}",
                VpcId="$id",
                Attribute=f"e{name[1:]}",
            )
            for name in ("EnableDnsSupport", "EnableDnsHostnames")
        ),
    ),
    "AWS::EC2::VPCEndpoint": (
        call(
            "ec2",
            "describe_vpc_endpoints",
            "VpcEndpoints[0].merge(@, {SecurityGroupIds: Groups[].GroupId})",
            VpcEndpointIds=["$id"],
        ),
    ),
    "AWS::ECS::CapacityProvider": (
        call(
            "ecs",
            "describe_capacity_providers",
            "capacityProviders[0].merge(@, {ClusterName: cluster})",
            capacityProviders=["$id"],
            include=["TAGS"],
        ),
    ),
    "AWS::ECS::Service": (
        call(
            "ecs",
            "describe_services",
            "services[0].merge(@, {PlacementStrategies: placementStrategy, Role: roleArn})",
            cluster="$Cluster",
            services=["$id"],
            include=["TAGS"],
        ),
    ),
    "AWS::ECS::TaskDefinition": (
        call(
            "ecs",
            "describe_task_definition",
            "merge(taskDefinition, {Tags: tags})",
            taskDefinition="$id",
            include=["TAGS"],
        ),
    ),
    "AWS::EKS::Nodegroup": (
        call(
            "eks",
            "describe_nodegroup",
            "nodegroup.merge(@, {LaunchTemplate: {Id: launchTemplate.id, Version: launchTemplate.version}})",
            clusterName="$ClusterName",
            nodegroupName="$NodegroupName",
        ),
    ),
    "AWS::EKS::PodIdentityAssociation": (
        call(
            "eks",
            "describe_pod_identity_association",
            "association",
            clusterName="$ClusterName",
            associationId="$name",
        ),
    ),
    "AWS::ElasticLoadBalancingV2::Listener": (
        call("elbv2", "describe_listeners", "Listeners[0]", ListenerArns=["$id"]),
        _balancing_tags(),
    ),
    "AWS::ElasticLoadBalancingV2::LoadBalancer": (
        call(
            "elbv2",
            "describe_load_balancers",
            "LoadBalancers[0].merge(@, {Subnets: AvailabilityZones[].SubnetId})",
            LoadBalancerArns=["$id"],
        ),
        call(
            "elbv2",
            "describe_load_balancer_attributes",
            "{LoadBalancerAttributes: Attributes}",
            LoadBalancerArn="$id",
        ),
        _balancing_tags(),
    ),
    "AWS::ElasticLoadBalancingV2::TargetGroup": (
        call("elbv2", "describe_target_groups", "TargetGroups[0]", TargetGroupArns=["$id"]),
        call(
            "elbv2",
            "describe_target_group_attributes",
            "{TargetGroupAttributes: Attributes}",
            TargetGroupArn="$id",
        ),
        _balancing_tags(),
    ),
    "AWS::Events::Rule": (
        call("events", "describe_rule", Name="$name"),
        call("events", "list_targets_by_rule", "{Targets: Targets}", Rule="$Name"),
        call("events", "list_tags_for_resource", _TAGS, ResourceARN="$Arn"),
    ),
    "AWS::IAM::InstanceProfile": (
        call(
            "iam",
            "get_instance_profile",
            "InstanceProfile.merge(@, {Roles: Roles[].RoleName})",
            InstanceProfileName="$name",
        ),
    ),
    "AWS::IAM::ManagedPolicy": (
        call("iam", "get_policy", "Policy", PolicyArn="$id"),
        call(
            "iam",
            "get_policy_version",
            "{PolicyDocument: PolicyVersion.Document}",
            PolicyArn="$id",
            VersionId="$DefaultVersionId",
        ),
    ),
    "AWS::IAM::Role": (
        call("iam", "get_role", "Role", RoleName="$id"),
        call(
            "iam",
            "list_attached_role_policies",
            "{ManagedPolicyArns: AttachedPolicies[].PolicyArn}",
            RoleName="$id",
        ),
    ),
    "AWS::KMS::Alias": (
        call("kms", "describe_key", "KeyMetadata.{AliasName: '$id', TargetKeyId: KeyId}", KeyId="$id"),
    ),
    "AWS::KMS::Key": (
        call("kms", "describe_key", "KeyMetadata", KeyId="$id"),
        call("kms", "get_key_policy", "{KeyPolicy: Policy}", KeyId="$id", PolicyName="default"),
        call("kms", "get_key_rotation_status", "{EnableKeyRotation: KeyRotationEnabled}", KeyId="$id"),
        call("kms", "list_resource_tags", _TAGS, KeyId="$id"),
    ),
    "AWS::Lambda::Alias": (
        call("lambda", "get_alias", FunctionName="$FunctionName", Name="$last"),
        call(
            "lambda",
            "get_provisioned_concurrency_config",
            """{ProvisionedConcurrencyConfig:
                {ProvisionedConcurrentExecutions: RequestedProvisionedConcurrentExecutions}}""",
            FunctionName="$FunctionName",
            Qualifier="$last",
        ),
    ),
    "AWS::Lambda::Function": (
        call(
            "lambda",
            "get_function",
            "merge(Configuration, {Code: Code, Tags: Tags, KmsKeyArn: Configuration.KMSKeyArn})",
            FunctionName="$id",
        ),
        call("lambda", "get_function_concurrency", FunctionName="$id"),
        _only_file,
    ),
    "AWS::Lambda::Version": (call("lambda", "get_function_configuration", FunctionName="$id"),),
    "AWS::Logs::LogGroup": (
        call(
            "logs", "describe_log_groups", "logGroups[?logGroupName=='$id'] | [0]", logGroupNamePrefix="$id"
        ),
        call("logs", "list_tags_for_resource", "{Tags: tags}", resourceArn="$logGroupArn"),
    ),
    "AWS::S3::Bucket": (
        call("s3", "head_bucket", "{BucketName: '$id'}", Bucket="$id"),
        call(
            "s3",
            "get_bucket_lifecycle_configuration",
            """{LifecycleConfiguration: {Rules: Rules[].merge(@, {Id: ID, Prefix: Filter.Prefix,
                ExpirationInDays: Expiration.Days,
                ExpiredObjectDeleteMarker: Expiration.ExpiredObjectDeleteMarker})}}""",
            Bucket="$id",
        ),
        call(
            "s3",
            "get_bucket_encryption",
            """{BucketEncryption: {ServerSideEncryptionConfiguration: ServerSideEncryptionConfiguration.Rules[].
                merge(@, {ServerSideEncryptionByDefault: ApplyServerSideEncryptionByDefault})}}""",
            Bucket="$id",
        ),
        call("s3", "get_bucket_versioning", "{VersioningConfiguration: @}", Bucket="$id"),
        call("s3", "get_public_access_block", Bucket="$id"),
        call("s3", "get_bucket_ownership_controls", Bucket="$id"),
        call(
            "s3",
            "get_bucket_logging",
            """{LoggingConfiguration: LoggingEnabled.
                {DestinationBucketName: TargetBucket, LogFilePrefix: TargetPrefix}}""",
            Bucket="$id",
        ),
        # That the bucket tells EventBridge is an empty member of the answer.
        call(
            "s3",
            "get_bucket_notification_configuration",
            """{NotificationConfiguration: {EventBridgeConfiguration:
                {EventBridgeEnabled: contains(keys(@), 'EventBridgeConfiguration')}}}""",
            Bucket="$id",
        ),
        call("s3", "get_bucket_tagging", "{Tags: TagSet}", Bucket="$id"),
    ),
    "AWS::S3::BucketPolicy": (call("s3", "get_bucket_policy", "{PolicyDocument: Policy}", Bucket="$Bucket"),),
    "AWS::SNS::Subscription": (
        # Until somebody confirms it, a subscription has no ARN.
        call(
            "sns",
            "list_subscriptions_by_topic",
            "Subscriptions[?Endpoint=='$Endpoint'] | [0]",
            TopicArn="$TopicArn",
        ),
    ),
    "AWS::SNS::Topic": (
        call("sns", "get_topic_attributes", "Attributes.merge(@, {TopicName: '$last'})", TopicArn="$id"),
        call("sns", "list_tags_for_resource", _TAGS, ResourceArn="$id"),
    ),
    "AWS::SNS::TopicPolicy": (
        call("sns", "get_topic_attributes", "{PolicyDocument: Attributes.Policy}", TopicArn="$Topics"),
    ),
    "AWS::SQS::Queue": (
        call("sqs", "get_queue_attributes", QueueUrl="$id", AttributeNames=["All"]),
        _attributes_of_queue,
        call("sqs", "list_queue_tags", _TAGS, QueueUrl="$id"),
    ),
    "AWS::SQS::QueuePolicy": (
        call(
            "sqs",
            "get_queue_attributes",
            "{PolicyDocument: Attributes.Policy}",
            QueueUrl="$Queues",
            AttributeNames=["All"],
        ),
    ),
    "AWS::SSM::Parameter": (
        call("ssm", "get_parameter", "Parameter", Name="$id"),
        call(
            "ssm",
            "describe_parameters",
            "Parameters[0].{Description: Description}",
            ParameterFilters=[{"Key": "Name", "Option": "Equals", "Values": ["$id"]}],
        ),
        call("ssm", "list_tags_for_resource", "{Tags: TagList}", ResourceType="Parameter", ResourceId="$id"),
    ),
    "AWS::SageMaker::Endpoint": _sagemaker("Endpoint"),
    "AWS::SageMaker::EndpointConfig": _sagemaker("EndpointConfig", listed=True),
    "AWS::SageMaker::InferenceComponent": _sagemaker(
        "InferenceComponent",
        listed=True,
        shown="merge(@, {RuntimeConfig: {CopyCount: RuntimeConfig.DesiredCopyCount}})",
    ),
    "AWS::SageMaker::MlflowApp": (
        call("sagemaker", "describe_mlflow_app", Arn="$id"),
        call("sagemaker", "list_tags", _TAGS, ResourceArn="$id"),
    ),
    "AWS::SageMaker::Model": _sagemaker("Model", listed=True),
    "AWS::SageMaker::ModelPackageGroup": _sagemaker("ModelPackageGroup"),
    "AWS::SageMaker::NotebookInstance": _sagemaker(
        "NotebookInstance",
        shown="""merge(@, {SecurityGroupIds: SecurityGroups,
            LifecycleConfigName: NotebookInstanceLifecycleConfigName})""",
    ),
    "AWS::SageMaker::NotebookInstanceLifecycleConfig": _sagemaker(
        "NotebookInstanceLifecycleConfig", listed=True
    ),
    "AWS::Scheduler::Schedule": (call("scheduler", "get_schedule", Name="$id"),),
    "AWS::StepFunctions::StateMachine": (
        call(
            "stepfunctions",
            "describe_state_machine",
            "merge(@, {StateMachineName: name, StateMachineType: type, DefinitionString: definition})",
            stateMachineArn="$id",
        ),
        call("stepfunctions", "list_tags_for_resource", "{Tags: tags}", resourceArn="$id"),
    ),
    # Open, it is not the group that the custom resource was to close.
    "Custom::VpcRestrictDefaultSG": (
        call(
            "ec2",
            "describe_security_groups",
            """SecurityGroups[?GroupName=='default' && !IpPermissions && !IpPermissionsEgress]
                | [0].{DefaultSecurityGroupId: GroupId}""",
            GroupIds=["$id"],
        ),
    ),
}

__all__ = ["READERS", "Properties"]
