"""The execution role of a training, transform or processing job: what SageMaker and the container may touch, and nothing more.

https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-roles.html#sagemaker-roles-createtrainingjob-perms
"""

from collections.abc import Sequence
from dataclasses import dataclass

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.jobs.job_kind import JobKind
from constructs_lib.policies.statements import (
    Statement,
    allow,
    one_or_all,
    policy_document,
    service_trust,
)
from constructs_lib.policies.wildcards import acknowledge_wildcards
from sizewell.facts.file_systems import FileSystemType
from sizewell.facts.mlflow import ARTIFACT_PREFIX

# The log group is made by SageMaker, one for the account and region, and has the name of the namespace of metrics:
# https://docs.aws.amazon.com/sagemaker/latest/dg/logging-cloudwatch.html and monitoring-cloudwatch.html
LOG_GROUP_NAME = "/aws/sagemaker/{}Jobs"

OBJECTS_REASON = (
    "Object keys below this prefix are made by the data producers and by the jobs themselves; the prefix belongs to "
    "this workload."
)
_ARTIFACTS_REASON = (
    "MLflow names the artifacts of runs by numbers that it draws; the prefix is for those of all trainings."
)


@dataclass(frozen=True, kw_only=True)
class JobRoleProps:
    """Whose role it is, and what it may read and write.

    ``image_repository_arns`` are the ECR repositories of the images, in whatever account they are. ``reads`` and ``writes`` are
    pairs of a bucket and a location in it: the key of one object, or a prefix that ends in a slash. ``deletes`` are those of
    ``writes`` in which it may delete, too. ``security_group_id`` is that of the network interfaces of the job, which
    ``security_group`` names in reasons. ``decryption_key_arns`` are the keys of what it reads, beside the data key.
    ``file_systems`` are the types and ids of those that it mounts and reads, ``calls`` what the container may call besides.
    """

    kind: JobKind
    job_name_prefix: str
    image_repository_arns: tuple[str, ...]
    reads: tuple[tuple[str, str], ...]
    writes: tuple[tuple[str, str], ...]
    security_group: str
    security_group_id: str
    data_key_arn: str
    deletes: tuple[tuple[str, str], ...] = ()
    decryption_key_arns: tuple[str, ...] = ()
    calls: tuple[Statement, ...] = ()
    file_systems: tuple[tuple[FileSystemType, str], ...] = ()


class JobRole(Construct):
    """A role that SageMaker assumes; ``role_arn`` is for the request of the job, or for the model that it transforms with."""

    def __init__(self, scope: Construct, construct_id: str, *, props: JobRoleProps) -> None:
        super().__init__(scope, construct_id)
        stack = Stack.of(self)
        log_group = LOG_GROUP_NAME.format(props.kind.noun)
        log_group_arn = f"arn:{stack.partition}:logs:{stack.region}:{stack.account}:log-group:{log_group}"
        log_stream_arn = f"{log_group_arn}:log-stream:{props.job_name_prefix}-*"
        network_arn = f"arn:{stack.partition}:ec2:{stack.region}:{stack.account}"
        interface_arn, subnet_arn = f"{network_arn}:network-interface/*", f"{network_arn}:subnet/*"
        storage = StoragePrefixes(props.reads, props.writes, props.deletes, partition=stack.partition)
        policy = iam.CfnManagedPolicy(
            self,
            "Policy",
            description=f"{props.kind.noun} jobs {props.job_name_prefix}-*",
            policy_document=policy_document(
                [
                    *storage.statements(),
                    *_key_statements(props.data_key_arn),
                    *(allow(("kms:Decrypt",), key_arn) for key_arn in props.decryption_key_arns),
                    *props.calls,
                    *file_system_statements(stack, props.file_systems, mounts=True),
                    allow(("ecr:GetAuthorizationToken",), "*"),
                    allow(
                        (
                            "ecr:BatchCheckLayerAvailability",
                            "ecr:BatchGetImage",
                            "ecr:GetDownloadUrlForLayer",
                        ),
                        one_or_all(props.image_repository_arns),
                    ),
                    allow(
                        ("logs:CreateLogGroup", "logs:CreateLogStream", "logs:DescribeLogStreams"),
                        f"{log_group_arn}:*",
                    ),
                    allow(("logs:PutLogEvents",), log_stream_arn),
                    allow(
                        ("cloudwatch:PutMetricData",),
                        "*",
                        {"StringEquals": {"cloudwatch:namespace": log_group}},
                    ),
                    allow(
                        ("ec2:CreateNetworkInterface",),
                        [
                            interface_arn,
                            subnet_arn,
                            f"{network_arn}:security-group/{props.security_group_id}",
                        ],
                    ),
                    allow(
                        (
                            "ec2:CreateNetworkInterfacePermission",
                            "ec2:DeleteNetworkInterface",
                            "ec2:DeleteNetworkInterfacePermission",
                        ),
                        interface_arn,
                    ),
                    allow(
                        (
                            "ec2:DescribeDhcpOptions",
                            "ec2:DescribeNetworkInterfaces",
                            "ec2:DescribeSecurityGroups",
                            "ec2:DescribeSubnets",
                            "ec2:DescribeVpcs",
                        ),
                        "*",
                    ),
                ]
            ),
        )
        acknowledge_wildcards(
            policy,
            (
                "*",
                "ecr:GetAuthorizationToken, cloudwatch:PutMetricData, fsx:DescribeFileSystems and the ec2:Describe actions "
                "support no resource-level permissions; metrics are held to one namespace by a condition.",
            ),
            (
                interface_arn,
                "SageMaker makes the network interfaces of a job when it starts, so their identifiers cannot be "
                f"known; they can only be made with the {props.security_group} security group.",
            ),
            (
                subnet_arn,
                f"The {props.security_group} security group, which the same statement demands, exists in one VPC only and holds "
                "the interfaces to the subnets of that VPC.",
            ),
            (
                f"{log_group_arn}:*",
                "The name of a log group in an IAM resource must be followed by a wildcard for its streams.",
            ),
            (
                log_stream_arn,
                f"SageMaker names log streams after the {props.kind.noun.lower()} job, which gets a new name in every execution; "
                "the prefix holds the role to the streams of this workload.",
            ),
            *(
                (arn, _ARTIFACTS_REASON if arn.endswith(f"/{ARTIFACT_PREFIX}/*") else OBJECTS_REASON)
                for arn in storage.object_arns
            ),
        )
        role = iam.CfnRole(
            self,
            "Role",
            assume_role_policy_document=service_trust(
                "sagemaker.amazonaws.com", {"StringEquals": {"aws:SourceAccount": stack.account}}
            ),
            managed_policy_arns=[policy.ref],
        )
        self.role_arn = role.attr_arn


def file_system_statements(
    stack: Stack, file_systems: Sequence[tuple[FileSystemType, str]], *, mounts: bool
) -> list[Statement]:
    """Return what SageMaker looks up of the file systems that a job mounts, and leave to read those of EFS where it ``mounts``.

    The lookups are those of AWS's own policy for it. Whether it looks up as the role of the job or as the caller no page says, so
    both have them. Lustre itself knows no IAM:
    https://docs.aws.amazon.com/sagemaker/latest/dg/security-iam-awsmanpol.html (AmazonSageMakerFullAccess) and
    https://docs.aws.amazon.com/efs/latest/ug/iam-access-control-nfs-efs.html
    """
    statements = []
    prefix = f"arn:{stack.partition}:elasticfilesystem:{stack.region}:{stack.account}:file-system"
    if efs := [
        f"{prefix}/{file_system_id}"
        for file_system_id in sorted(
            {file_system_id for kind, file_system_id in file_systems if kind == "EFS"}
        )
    ]:
        actions = (*(["ClientMount"] if mounts else []), "DescribeFileSystems", "DescribeMountTargets")
        statements.append(allow(tuple(f"elasticfilesystem:{action}" for action in actions), one_or_all(efs)))
    if any(kind == "FSxLustre" for kind, _ in file_systems):
        statements.append(allow(("fsx:DescribeFileSystems",), "*"))
    return statements


class StoragePrefixes:
    """What a role may read, write and delete in S3, as statements; all as ``JobRoleProps`` have them."""

    def __init__(
        self,
        reads: Sequence[tuple[str, str]],
        writes: Sequence[tuple[str, str]],
        deletes: Sequence[tuple[str, str]] = (),
        *,
        partition: str,
    ) -> None:
        self._partition = partition
        self._read = dict.fromkeys(reads)
        self._write = dict.fromkeys(writes)
        self._delete = deletes

    @property
    def object_arns(self) -> list[str]:
        """The resources that are wildcards: all objects below a prefix."""
        locations = (self._objects(*location) for location in {**self._read, **self._write})
        return [arn for arn in locations if arn.endswith("*")]

    def statements(self) -> list[Statement]:
        """Return them; none where there is nothing to read or write."""
        prefixes_by_bucket: dict[str, list[str]] = {}
        for bucket_name, key_prefix in {**self._read, **self._write}:
            prefixes_by_bucket.setdefault(bucket_name, []).append(key_prefix)
        statements = [
            allow(
                ("s3:ListBucket",),
                f"arn:{self._partition}:s3:::{bucket_name}",
                {"StringLike": {"s3:prefix": [form for prefix in prefixes for form in _forms(prefix)]}},
            )
            for bucket_name, prefixes in prefixes_by_bucket.items()
        ]
        if self._read:
            statements.append(allow(("s3:GetObject",), [self._objects(*location) for location in self._read]))
        if self._write:
            statements.append(
                allow(
                    ("s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject"),
                    [self._objects(*location) for location in self._write],
                )
            )
        if self._delete:
            statements.append(
                allow(("s3:DeleteObject",), [self._objects(*location) for location in self._delete])
            )
        return statements

    def _objects(self, bucket_name: str, key_prefix: str) -> str:
        return f"arn:{self._partition}:s3:::{bucket_name}/{_forms(key_prefix)[-1]}"


def _forms(location: str) -> tuple[str, ...]:
    """Return what a key may be: the key of one object, or a prefix, which ends in a slash, and all below it."""
    return (location.rstrip("/"), f"{location}*") if location.endswith("/") else (location,)


def _key_statements(data_key_arn: str) -> list[Statement]:
    """Return what the data key must allow.

    Objects are read and written with the key, a multipart upload decrypts its own parts, and the volumes of the
    instances are attached through a grant that only AWS services may be given. Without these a job runs to its end
    and fails while it uploads the model (https://github.com/aws/aws-cdk/issues/12810). There is no kms:ViaService: AWS documents
    none for the role of a job (https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-roles.html, CreateTrainingJob), and
    through which service SageMaker itself calls kms:Encrypt and kms:DescribeKey no page says.
    """
    return [
        allow(("kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey"), data_key_arn),
        allow(("kms:CreateGrant",), data_key_arn, {"Bool": {"kms:GrantIsForAWSResource": "true"}}),
    ]
