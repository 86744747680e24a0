"""What the roles of workloads may do: what the plan needs, and nothing else.

https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-roles.html (execution roles),
https://docs.aws.amazon.com/step-functions/latest/dg/connect-sagemaker.html (jobs that are waited for)
"""

from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.training_plan_model import TrainingJobPlan
from tests.integration.readers.common import Properties
from tests.integration.readers.grants import allow
from tests.integration.readers.plan_foundation import Foundation

PULL = ("ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer")
USE_KEY = ("kms:Decrypt", "kms:GenerateDataKey")
FOR_AWS_RESOURCES = {"Bool": {"kms:GrantIsForAWSResource": "true"}}
SYNC_RULE = "StepFunctionsGetEventsForSageMakerTrainingJobsRule"
#: Actions that know no resource types: https://docs.aws.amazon.com/service-authorization/latest/reference/
ON_ANY_RESOURCE = {
    "application-autoscaling:DescribeScalableTargets",
    "application-autoscaling:DescribeScalingPolicies",
    "cloudwatch:GetMetricStatistics",
    "cloudwatch:PutMetricData",
    "ec2:DescribeDhcpOptions",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSubnets",
    "ec2:DescribeVpcs",
    "ecr:GetAuthorizationToken",
    "logs:CreateLogDelivery",
    "logs:DeleteLogDelivery",
    "logs:DescribeLogGroups",
    "logs:DescribeResourcePolicies",
    "logs:GetLogDelivery",
    "logs:ListLogDeliveries",
    "logs:PutResourcePolicy",
    "logs:UpdateLogDelivery",
    "xray:GetSamplingRules",
    "xray:GetSamplingTargets",
    "xray:PutTelemetryRecords",
    "xray:PutTraceSegments",
}


def _on_any_resource(*services: str) -> list[str]:
    return [action for action in ON_ANY_RESOURCE if action.partition(":")[0] in services]


def _network(foundation: Foundation, group_id: str) -> list[Properties]:
    """Return what it takes to put a container's interface into the network with one security group."""
    interfaces, subnets = foundation.arn("ec2", "network-interface/*"), foundation.arn("ec2", "subnet/*")
    group = foundation.arn("ec2", f"security-group/{group_id}")
    manage = (
        "CreateNetworkInterfacePermission",
        "DeleteNetworkInterface",
        "DeleteNetworkInterfacePermission",
    )
    return [
        allow("ec2:CreateNetworkInterface", (interfaces, subnets, group)),
        allow([f"ec2:{action}" for action in manage], interfaces),
        allow(_on_any_resource("ec2"), "*"),
    ]


def _image(*repository_arns: str) -> list[Properties]:
    return [allow(PULL, list(repository_arns)), allow("ecr:GetAuthorizationToken", "*")]


def _metrics(*namespaces: str) -> Properties:
    return allow(
        "cloudwatch:PutMetricData", "*", {"StringEquals": {"cloudwatch:namespace": list(namespaces)}}
    )


def model_role(plan: EndpointPlan, foundation: Foundation) -> list[Properties]:
    """One artifact, one image, one log group, one security group."""
    bucket = f"arn:aws:s3:::{foundation.plan.artifact_bucket_name}"
    artifact = f"{plan.artifact_key}*" if plan.artifact_key.endswith("/") else plan.artifact_key
    through_s3 = {"StringEquals": {"kms:ViaService": f"s3.{foundation.deployed.plan.region}.amazonaws.com"}}
    write = ("CreateLogGroup", "CreateLogStream", "DescribeLogStreams", "PutLogEvents")
    log_group = foundation.arn("logs", f"log-group:/aws/sagemaker/Endpoints/{plan.endpoint_name}:*")
    names = ("ServerErrorRate", "ModelErrorRate", "ModelLatencyP99")
    prefix = f"alarm:{plan.endpoint_name}-{plan.variant_name}"
    alarms = [foundation.arn("cloudwatch", f"{prefix}-{name}-*") for name in names]
    volume = [allow("kms:CreateGrant", foundation.data_key_arn, FOR_AWS_RESOURCES)]
    return [
        allow("s3:GetObject", f"{bucket}/{artifact}"),
        allow("s3:ListBucket", bucket, {"StringLike": {"s3:prefix": artifact}}),
        allow("kms:Decrypt", foundation.data_key_arn, through_s3),
        *(volume if plan.encrypt_volume_with_key else []),
        *_image(plan.image.repository_arn),
        allow([f"logs:{action}" for action in write], log_group),
        _metrics("/aws/sagemaker/Endpoints", "AWS/SageMaker"),
        *_network(foundation, foundation.group_id("endpoint")),
        *([allow("cloudwatch:DescribeAlarms", alarms)] if plan.rollout else []),
    ]


def training_role(plan: TrainingJobPlan, foundation: Foundation) -> list[Properties]:
    """The prefixes of one job, the images of its attempts, its own log streams, one security group."""
    artifacts = f"arn:aws:s3:::{foundation.plan.artifact_bucket_name}"
    checkpoints = f"arn:aws:s3:::{foundation.plan.checkpoint_bucket_name}"
    read = [*map(str, plan.channels.values()), *([plan.code.prefix] if plan.code else [])]
    written = [f"{artifacts}/{plan.output_prefix}/*"]
    listed = {artifacts: [*read, plan.output_prefix]}
    deleted: list[Properties] = []
    if plan.checkpoint is not None:
        written.append(f"{checkpoints}/{plan.checkpoint.prefix}/*")
        listed[checkpoints] = [plan.checkpoint.prefix]
        deleted.append(allow("s3:DeleteObject", f"{checkpoints}/{plan.checkpoint.prefix}/*"))
    log_group = foundation.arn("logs", "log-group:/aws/sagemaker/TrainingJobs")
    return [
        *(allow("s3:ListBucket", bucket, _prefixes(prefixes)) for bucket, prefixes in listed.items()),
        allow("s3:GetObject", [f"{artifacts}/{prefix}/*" for prefix in read]),
        allow(("s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject"), written),
        *deleted,
        allow((*USE_KEY, "kms:DescribeKey", "kms:Encrypt"), foundation.data_key_arn),
        allow("kms:CreateGrant", foundation.data_key_arn, FOR_AWS_RESOURCES),
        *_image(*dict.fromkeys(attempt.image.repository_arn for attempt in plan.attempts)),
        allow(("logs:CreateLogGroup", "logs:CreateLogStream", "logs:DescribeLogStreams"), f"{log_group}:*"),
        allow("logs:PutLogEvents", f"{log_group}:log-stream:{plan.job_name_prefix}-*"),
        _metrics("/aws/sagemaker/TrainingJobs"),
        *_network(foundation, foundation.group_id("training")),
    ]


def _prefixes(prefixes: list[str]) -> Properties:
    return {"StringLike": {"s3:prefix": [form for prefix in prefixes for form in (prefix, f"{prefix}/*")]}}


def _of_machine(machine_arn: str) -> Properties:
    return {"StringEquals": {"kms:EncryptionContext:aws:states:stateMachineArn": machine_arn}}


def state_machine_role(
    plan: TrainingJobPlan, training_role_arn: str, foundation: Foundation
) -> list[Properties]:
    """Jobs of one prefix, one role to pass to SageMaker alone, the machine's own log, and the topic that it tells."""
    machine_arn = foundation.arn("states", f"stateMachine:{plan.state_machine_name}")
    jobs = foundation.arn("sagemaker", f"training-job/{plan.job_name_prefix}-*")
    steps = ("AddTags", "CreateTrainingJob", "DescribeTrainingJob", "ListTags", "StopTrainingJob")
    to_sagemaker = {"StringEquals": {"iam:PassedToService": "sagemaker.amazonaws.com"}}
    watch = ("events:DescribeRule", "events:PutRule", "events:PutTargets")
    of_logs = {"StringLike": {"kms:EncryptionContext:SourceArn": foundation.arn("logs", "*")}}
    through_sns = {"StringEquals": {"kms:ViaService": f"sns.{foundation.deployed.plan.region}.amazonaws.com"}}
    has_gpus = any(attempt.gpu_count for attempt in plan.attempts)
    return [
        allow([f"sagemaker:{step}" for step in steps], jobs),
        allow("iam:PassRole", training_role_arn, to_sagemaker),
        allow(watch, foundation.arn("events", f"rule/{SYNC_RULE}")),
        allow(USE_KEY, foundation.data_key_arn, _of_machine(machine_arn)),
        allow("kms:GenerateDataKey", foundation.data_key_arn, of_logs),
        allow("sns:Publish", foundation.topic_arn),
        allow(USE_KEY, foundation.operations_key_arn, through_sns),
        *([allow("cloudwatch:GetMetricStatistics", "*")] if has_gpus else []),
        allow(_on_any_resource("logs", "xray"), "*"),
    ]


def schedule_role(plan: TrainingJobPlan, queue_arn: str, foundation: Foundation) -> list[Properties]:
    """Start one machine, or say in one queue that it could not be started."""
    machine_arn = foundation.arn("states", f"stateMachine:{plan.state_machine_name}")
    return [
        allow("states:StartExecution", machine_arn),
        allow(USE_KEY, foundation.data_key_arn, _of_machine(machine_arn)),
        allow("sqs:SendMessage", queue_arn),
        allow(USE_KEY, foundation.operations_key_arn),
    ]
