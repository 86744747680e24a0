"""What the account has already, which a foundation takes in place of making it."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ExistingResources:
    """Identifiers of what somebody else looks after; None is made.

    Nothing of it is changed or looked up: what it must allow stands in ``docs/guides/existing-resources.md``. Security groups
    need a network that exists, since a group belongs to a VPC. ``access_log_bucket_name`` is for the logs of the buckets
    that are made.
    """

    data_key_arn: str | None = None
    operations_key_arn: str | None = None
    artifact_bucket_name: str | None = None
    checkpoint_bucket_name: str | None = None
    access_log_bucket_name: str | None = None
    alarm_topic_arn: str | None = None
    endpoint_security_group_id: str | None = None
    training_security_group_id: str | None = None
    mlflow_arn: str | None = None


NOTHING_EXISTS = ExistingResources()
