"""Rules of what the account has already: where it must be, and which keys beside it have no effect."""

from collections.abc import Iterator

from sizewell.config.arn_rules import account_of, elsewhere
from sizewell.config.base import without
from sizewell.config.environment import Environment
from sizewell.config.network import NewNetwork
from sizewell.config.request_members import Violation
from sizewell.config.workload import Workload


def existing_violations(environment: Environment) -> Iterator[Violation]:
    """Yield every violation, in the order of the keys."""
    existing, policy = environment.existing, environment.policy
    for key, thing in (("data_key_arn", "key"), ("operations_key_arn", "key"), ("alarm_topic_arn", "topic")):
        if (arn := getattr(existing, key)) is not None:
            for reason in elsewhere(arn, policy, "partition", "region"):
                yield ("existing", key), f"the {thing} {reason}"
    yield from _buckets_are_made(environment)
    topic_arn = existing.alarm_topic_arn
    # EventBridge publishes to a topic of another account with a role only, which the owner of the topic must admit by name:
    # https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-service-cross-account.html
    if topic_arn is not None and (account := account_of(topic_arn)) != policy.account:
        yield (
            ("existing", "alarm_topic_arn"),
            f"the topic is in the account {account}, but rules of EventBridge publish to a topic of their own account, here "
            f"{policy.account}: name one of it, and let the other account subscribe to it",
        )
    for key in ("endpoint_security_group_id", "training_security_group_id"):
        if getattr(existing, key) is not None and isinstance(environment.network, NewNetwork):
            yield (
                ("existing", key),
                "a security group belongs to a VPC, and network.mode: new makes another one; use network.mode: existing with "
                f"the VPC of the group, or {without(key)}",
            )
    yield from _lifetimes_have_an_effect(environment)


def role_violations(environment: Environment, name: str, workload: Workload) -> Iterator[Violation]:
    """Yield where the execution role of a workload cannot be passed to SageMaker."""
    if (arn := workload.execution_role_arn) is None:
        return
    path = ("workloads", name, "execution_role_arn")
    yield from ((path, f"the role {reason}") for reason in elsewhere(arn, environment.policy, "partition"))
    # https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_use_passrole.html
    if (account := account_of(arn)) != environment.policy.account:
        yield (
            path,
            f"the role is in the account {account}, but a role is passed within its account only, here "
            f"{environment.policy.account}",
        )


def _buckets_are_made(environment: Environment) -> Iterator[Violation]:
    existing = environment.existing
    if existing.artifact_bucket is None or existing.checkpoint_bucket is None:
        return
    for path, value, words in (
        (
            ("existing", "access_log_bucket"),
            existing.access_log_bucket,
            "where their access logs go is up to them",
        ),
        (("names", "bucket"), environment.names.bucket, "no bucket is made"),
    ):
        if value is not None:
            yield (
                path,
                f"has no effect: existing.artifact_bucket and existing.checkpoint_bucket are there, and {words}; "
                f"{without(path[-1])}",
            )


def _lifetimes_have_an_effect(environment: Environment) -> Iterator[Violation]:
    for bucket, key in (
        ("checkpoint_bucket", "checkpoint_expiry_days"),
        ("artifact_bucket", "noncurrent_version_expiry_days"),
        ("artifact_bucket", "inference_data_expiry_days"),
    ):
        if getattr(environment.existing, bucket) is not None and key in environment.storage.model_fields_set:
            yield (
                ("storage", key),
                f"has no effect on existing.{bucket}, whose lifetimes are up to its owner; {without(key)}",
            )
