"""What the account has already: named here, it is used; what is not named is made."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, fault
from sizewell.config.effects import OnChange
from sizewell.config.experiments import MlflowArn
from sizewell.facts.bucket_names import BUCKET_NAME, bucket_name_problem

#: API reference: KMS, KeyListEntry; an alias is no resource that a policy can name.
KeyArn = Annotated[
    str,
    Field(
        pattern=(
            r"^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/"
            r"(mrk-[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$"
        ),
        max_length=200,
        examples=["arn:aws:kms:us-east-1:111122223333:key/0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f"],
    ),
]
#: API reference: SNS, CreateTopic. A FIFO topic, whose name ends in .fifo, delivers no email
#: (https://docs.aws.amazon.com/sns/latest/dg/fifo-message-delivery.html).
TopicArn = Annotated[
    str,
    Field(
        pattern=r"^arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]{1,256}$",
        max_length=330,
        examples=["arn:aws:sns:us-east-1:111122223333:alarms"],
    ),
]
BucketName = Annotated[str, Field(pattern=BUCKET_NAME, max_length=63, examples=["company-models"])]
SecurityGroupId = Annotated[str, Field(pattern=r"^sg-[0-9a-f]{8,17}$", examples=["sg-0123456789abcdef0"])]

_BUCKETS = ("artifact_bucket", "checkpoint_bucket", "access_log_bucket")


def _on(thing: str, kept: str) -> OnChange:
    return OnChange(
        changed=f"another {thing} of the account is used",
        added=f"the {thing} of the account is used, and ours goes: {kept}",
        removed=f"a {thing} of our own is made",
    )


_KEPT_BUCKET = "move its objects first; policy.removal says whether it stays behind"
_KEPT_KEY = "what it encrypted needs it; policy.removal says whether it stays behind"


class ExistingResources(ConfigModel):
    """Keys, buckets, a topic, security groups and an MLflow that somebody else looks after."""

    data_key_arn: Annotated[KeyArn | None, _on("data key", _KEPT_KEY)] = None
    """The ARN of the KMS key of buckets, volumes and state machines: of the region, also of another account."""
    operations_key_arn: Annotated[KeyArn | None, _on("operations key", _KEPT_KEY)] = None
    """The ARN of the KMS key of notifications, logs and queues: of the region, also of another account."""
    artifact_bucket: Annotated[BucketName | None, _on("artifact bucket", _KEPT_BUCKET)] = None
    """The name of the bucket of models, data sets and outputs, in the region."""
    checkpoint_bucket: Annotated[BucketName | None, _on("checkpoint bucket", _KEPT_BUCKET)] = None
    """The name of the bucket of training checkpoints, in the region."""
    access_log_bucket: Annotated[BucketName | None, _on("bucket of access logs", _KEPT_BUCKET)] = None
    """The name of the bucket that gets the access logs of those of the other two that are made."""
    alarm_topic_arn: Annotated[
        TopicArn | None, _on("alarm topic", "those who listen to it hear nothing more")
    ] = None
    """The ARN of the standard (not FIFO) SNS topic that alarms and failures go to, in the account and region."""
    endpoint_security_group_id: Annotated[
        SecurityGroupId | None, _on("security group of endpoints", "the model of every endpoint is replaced")
    ] = None
    """The id of the security group of endpoints, in a network that exists."""
    training_security_group_id: Annotated[
        SecurityGroupId | None, _on("security group of training jobs", "the next runs start in the other one")
    ] = None
    """The id of the security group of training jobs, in a network that exists."""
    mlflow_arn: Annotated[
        MlflowArn | None,
        OnChange(
            changed="runs are recorded in another MLflow",
            added="runs are recorded in the MLflow of the account",
            removed="runs are no longer recorded there",
        ),
    ] = None
    """The ARN of an MLflow App or tracking server that records runs: of the region, also of another account."""

    @model_validator(mode="after")
    def _buckets_are_three(self) -> Self:
        seen: dict[str, str] = {}
        for key in _BUCKETS:
            name = getattr(self, key)
            if name is None:
                continue
            if (problem := bucket_name_problem(name)) is not None:
                raise fault(key, problem)
            if seen.setdefault(name, key) != key:
                raise fault(key, f"{name} is {seen[name]} already: each is a bucket of its own")
        return self
