"""What the configuration names and no stack makes: it is there, and in a state in which it works."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, Check, Place, fails, passes
from sizewell.account.parts import parts, parts_of
from sizewell.aws_errors import is_missing
from sizewell.facts.mlflow import is_app
from sizewell.planning.endpoint_plan_model import AnsweredLaterPlan
from sizewell.planning.foundation_plan_model import NewNetworkPlan
from sizewell.planning.training_plan_model import FileSystemPlan
from sizewell.planning.workload_plan import AccessPlan, ModelPackagePlan
from sizewell.targets.ecs.tasks_plan_model import EcsClusterPlan


@dataclass(frozen=True)
class _Thing:
    """Something that exists, by what people call it and what AWS does."""

    noun: str
    id: str


def _subjects(place: Place) -> Iterator[_Thing]:
    found = [thing for thing in (*_of_foundation(place), *_of_workloads(place)) if thing.id]
    yield from dict.fromkeys(found)


def _of_foundation(place: Place) -> Iterator[_Thing]:
    foundation, existing = place.foundation, place.foundation.existing
    for key_arn in (existing.data_key_arn, existing.operations_key_arn):
        yield _Thing("KMS key", key_arn or "")
    for bucket in (
        existing.artifact_bucket_name,
        existing.checkpoint_bucket_name,
        existing.access_log_bucket_name,
    ):
        yield _Thing("bucket", bucket or "")
    yield _Thing("topic", existing.alarm_topic_arn or "")
    yield _Thing("MLflow", existing.mlflow_arn or "")
    yield _Thing("policy", foundation.permissions_boundary_arn or "")
    if isinstance(foundation.network, NewNetworkPlan):
        for bucket in foundation.network.readable_bucket_names:
            yield _Thing("bucket", bucket)


def _of_workloads(place: Place) -> Iterator[_Thing]:
    for workload in place.workloads:
        for part in parts(workload):
            yield _Thing("role", getattr(part, "execution_role_arn", None) or "")
        for access in parts_of(workload, AccessPlan):
            yield from (_Thing("role", arn) for arn in access.role_arns)
        for later in parts_of(workload, AnsweredLaterPlan):
            for topic_arn in (later.success_topic_arn, later.error_topic_arn):
                yield _Thing("topic", topic_arn or "")
        for package in parts_of(workload, ModelPackagePlan):
            yield _Thing("model package", package.arn)
            yield _Thing("KMS key", package.key_arn or "")
        for system in parts_of(workload, FileSystemPlan):
            yield _Thing(f"file system of type {system.type}", system.id)
        for cluster in parts_of(workload, EcsClusterPlan):
            yield _Thing("certificate", cluster.certificate_arn)


def _ask(aws: AwsAccount, subject: _Thing) -> Iterator[Answer]:
    try:
        state = _LOOKS[subject.noun](aws, subject.id)
    except ClientError as error:
        if not is_missing(error):
            raise
        yield fails(
            subject.id,
            f"there is no such {subject.noun} in {aws.where}",
            "make it, or name another one in the configuration",
        )
        return
    if state is None:
        yield passes(subject.id, f"{subject.noun}, exists")
    else:
        yield fails(
            subject.id,
            f"the {subject.noun} is {state}",
            "bring it into a state in which it works, or name another one",
        )


def _key(aws: AwsAccount, arn: str) -> str | None:
    # Whether its policy lets others use it, this API does not say.
    found = aws.client("kms").describe_key(KeyId=arn)["KeyMetadata"]
    if found["KeyState"] != "Enabled":
        return str(found["KeyState"])
    if found.get("KeySpec", "SYMMETRIC_DEFAULT") != "SYMMETRIC_DEFAULT":
        # https://docs.aws.amazon.com/kms/latest/developerguide/symm-asymm-choose-key-spec.html
        return f"an asymmetric key ({found['KeySpec']}), which services cannot encrypt with"
    return None


def _bucket(aws: AwsAccount, name: str) -> None:
    aws.client("s3").head_bucket(Bucket=name)


def _topic(aws: AwsAccount, arn: str) -> None:
    aws.client("sns").get_topic_attributes(TopicArn=arn)


def _mlflow(aws: AwsAccount, arn: str) -> str | None:
    client = aws.client("sagemaker")
    if is_app(arn):
        return _unless(str(client.describe_mlflow_app(Arn=arn)["Status"]), "Created", "Updated", "Updating")
    name = arn.rpartition("/")[2]
    status = client.describe_mlflow_tracking_server(TrackingServerName=name)["TrackingServerStatus"]
    return _unless(str(status), "Created", "Updated", "Updating", "Started", "MaintenanceComplete")


def _policy(aws: AwsAccount, arn: str) -> None:
    aws.client("iam").get_policy(PolicyArn=arn)


def _role(aws: AwsAccount, arn: str) -> None:
    aws.client("iam").get_role(RoleName=arn.rpartition("/")[2])


def _package(aws: AwsAccount, arn: str) -> str | None:
    found: dict[str, Any] = aws.client("sagemaker").describe_model_package(ModelPackageName=arn)
    # SageMaker deploys approved versions alone: https://docs.aws.amazon.com/sagemaker/latest/dg/model-registry-approve.html
    approval = str(found.get("ModelApprovalStatus", "Approved"))
    return _unless(str(found["ModelPackageStatus"]), "Completed") or _unless(approval, "Approved")


def _efs(aws: AwsAccount, file_system_id: str) -> str | None:
    (found,) = aws.client("efs").describe_file_systems(FileSystemId=file_system_id)["FileSystems"]
    return _unless(found["LifeCycleState"], "available", "updating")


def _lustre(aws: AwsAccount, file_system_id: str) -> str | None:
    (found,) = aws.client("fsx").describe_file_systems(FileSystemIds=[file_system_id])["FileSystems"]
    return _unless(found["Lifecycle"], "AVAILABLE", "UPDATING")


def _certificate(aws: AwsAccount, arn: str) -> str | None:
    found = aws.client("acm").describe_certificate(CertificateArn=arn)["Certificate"]
    return _unless(found["Status"], "ISSUED")


def _unless(state: str, *works: str) -> str | None:
    return None if state in works else state


#: Each returns the state of a thing; None where it is one in which it works.
_LOOKS: dict[str, Callable[[AwsAccount, str], str | None]] = {
    "KMS key": _key,
    "MLflow": _mlflow,
    "bucket": _bucket,
    "certificate": _certificate,
    "file system of type EFS": _efs,
    "file system of type FSxLustre": _lustre,
    "model package": _package,
    "policy": _policy,
    "role": _role,
    "topic": _topic,
}
EXISTING = Check(
    name="existing",
    actions=(
        "acm:DescribeCertificate",
        "elasticfilesystem:DescribeFileSystems",
        "fsx:DescribeFileSystems",
        "iam:GetPolicy",
        "iam:GetRole",
        "kms:DescribeKey",
        "s3:ListBucket",
        "sagemaker:DescribeMlflowApp",
        "sagemaker:DescribeMlflowTrackingServer",
        "sagemaker:DescribeModelPackage",
        "sns:GetTopicAttributes",
    ),
    subjects=_subjects,
    ask=_ask,
    named=lambda thing: thing.id,
)
