"""What the workloads of one environment share: keys, network, buckets and alarm topic."""

import re
from dataclasses import dataclass, field

from aws_cdk import RemovalPolicy, Stack, Token
from constructs import Construct

from constructs_lib.foundation.buckets import Buckets, BucketsProps
from constructs_lib.foundation.cost_budget import CostBudget, CostBudgetProps, MonthlyBudget
from constructs_lib.foundation.encryption_keys import EncryptionKeys, EncryptionKeysProps
from constructs_lib.foundation.existing import NOTHING_EXISTS, ExistingResources
from constructs_lib.foundation.foundation_parameters import (
    FoundationParameters,
    FoundationParametersProps,
    read_foundation_references,
)
from constructs_lib.foundation.mlflow_app import MlflowApp, MlflowAppProps
from constructs_lib.foundation.network import (
    ExistingNetwork,
    ExistingNetworkProps,
    Network,
    NetworkProps,
    NewNetworkProps,
)
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.foundation.topics import Topics, TopicsProps
from constructs_lib.notifications.endpoint_failures import EndpointFailures, EndpointFailuresProps

#: With it, the longest name is that of the bucket of access logs in a region of 14 characters: 63, the limit of S3.
MAX_NAME_PREFIX_LENGTH = 23
_NAME_PREFIX = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True, kw_only=True)
class FoundationProps:
    """What the shared resources are called, how long they keep data, and which network they are in.

    ``name_prefix`` begins every name that people see. A name that is None is made from it:
    ``<name_prefix>-artifacts-<account>-<region>`` for example, or ``/<name_prefix>/foundation`` for the SSM parameters.

    Checkpoints expire after 30 days, because a training job may run for 28; replaced artifacts and logs after 90 days,
    time enough to notice a fault and to go back. ``removal_policy`` keeps keys, buckets and logs when the stack is
    deleted, but not when its first deployment fails: a bucket that stayed would block the next one.

    ``mlflow_app_name`` makes an MLflow App of that name; None makes none.

    ``budget`` makes an AWS Budget, of which the alarm topic hears; None makes none.

    ``ops_items`` opens an OpsItem of AWS Systems Manager for each endpoint that fails, beside the message.

    ``artifact_events`` lets the artifact bucket tell EventBridge of its objects, which ``StartEvents`` of a workflow need.

    What ``existing`` names is taken in place of what would be made, and its name comes before the one here.
    ``endpoint_name_wildcard`` is what the names of all endpoints match, with stars for any text: one rule tells of those that
    fail, and no others can be invoked through the VPC endpoint of ``sagemaker.runtime``; None is ``<name_prefix>-*``.

    Raises ValueError for a prefix that cannot begin the name of a bucket, and for security groups that exist in a network
    that does not.
    """

    name_prefix: str
    alarm_email_addresses: tuple[str, ...] = ()
    network: NewNetworkProps | ExistingNetworkProps = field(default_factory=NewNetworkProps)
    checkpoint_expiry_days: int = 30
    noncurrent_version_expiry_days: int = 90
    inference_data_expiry_days: int | None = None
    artifact_events: bool = False
    log_retention_days: int = 90
    removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    artifact_bucket_name: str | None = None
    checkpoint_bucket_name: str | None = None
    access_log_bucket_name: str | None = None
    alarm_topic_name: str | None = None
    key_alias_prefix: str | None = None
    mlflow_app_name: str | None = None
    budget: MonthlyBudget | None = None
    ops_items: bool = False
    parameter_prefix: str | None = None
    endpoint_name_wildcard: str | None = None
    existing: ExistingResources = NOTHING_EXISTS

    def __post_init__(self) -> None:
        """Check the prefix, and where security groups are."""
        if len(self.name_prefix) > MAX_NAME_PREFIX_LENGTH or _NAME_PREFIX.fullmatch(self.name_prefix) is None:
            raise ValueError(
                f"name_prefix takes up to {MAX_NAME_PREFIX_LENGTH} lower-case letters, digits and inner hyphens, "
                f"begins with a letter, got {self.name_prefix!r}"
            )
        groups = (self.existing.endpoint_security_group_id, self.existing.training_security_group_id)
        if any(groups) and isinstance(self.network, NewNetworkProps):
            raise ValueError("a security group belongs to a VPC: one that exists needs ExistingNetworkProps")


@dataclass(frozen=True, kw_only=True)
class FoundationParts:
    """The constructs of a foundation, and ``references`` to what workloads use of them.

    What existed before is None in its construct: ``buckets.artifact_bucket``, for example.
    """

    keys: EncryptionKeys
    network: Network | ExistingNetwork
    buckets: Buckets
    topics: Topics
    references: FoundationReferences


class Foundation(Construct):
    """Two customer-managed keys, a network without internet, three buckets and an alarm topic.

    Workloads of the same stack take ``references``. Stacks of their own take ``Foundation.read_references``, which finds
    the identifiers in SSM parameters: nothing is exported, so nothing is locked. ``parts`` holds the constructs, to
    change or extend them. One foundation serves one account and region; its stack must name both, because the names of
    the buckets hold them.
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: FoundationProps) -> None:
        super().__init__(scope, construct_id)
        self.parts = add_foundation(self, props)
        self.references = self.parts.references

    @staticmethod
    def read_references(scope: Construct, *, name_prefix: str) -> FoundationReferences:
        """Return what the foundation of that name published, read anew at every deployment of the scope's stack.

        Call it once for each stack: it adds one CloudFormation parameter for each identifier that is used.
        """
        return read_foundation_references(Stack.of(scope), _parameter_prefix(name_prefix))


def add_foundation(scope: Construct, props: FoundationProps) -> FoundationParts:
    """Add the constructs of a foundation to a scope directly; ``Foundation`` is for a place of their own.

    Raises ValueError when names are to be made from the account or region of a stack that does not know them.
    """
    existing = props.existing
    keys = EncryptionKeys(
        scope,
        "Keys",
        props=EncryptionKeysProps(
            alias_prefix=props.key_alias_prefix or props.name_prefix,
            removal_policy=props.removal_policy,
            budgets=props.budget is not None,
            existing=existing,
        ),
    )
    artifact_bucket_name = (
        existing.artifact_bucket_name or props.artifact_bucket_name or _bucket_name(scope, props, "artifacts")
    )
    checkpoint_bucket_name = (
        existing.checkpoint_bucket_name
        or props.checkpoint_bucket_name
        or _bucket_name(scope, props, "checkpoints")
    )
    access_log_bucket_name = (
        existing.access_log_bucket_name
        or props.access_log_bucket_name
        or _bucket_name(scope, props, "access-logs")
    )
    network = _add_network(
        scope, props, keys.operations_key_arn, artifact_bucket_name, checkpoint_bucket_name
    )
    buckets = Buckets(
        scope,
        "Buckets",
        props=BucketsProps(
            artifact_bucket_name=artifact_bucket_name,
            checkpoint_bucket_name=checkpoint_bucket_name,
            access_log_bucket_name=access_log_bucket_name,
            data_key_arn=keys.data_key_arn,
            checkpoint_expiry_days=props.checkpoint_expiry_days,
            noncurrent_version_expiry_days=props.noncurrent_version_expiry_days,
            inference_data_expiry_days=props.inference_data_expiry_days,
            artifact_events=props.artifact_events,
            removal_policy=props.removal_policy,
            existing=existing,
        ),
    )
    topics = Topics(
        scope,
        "Topics",
        props=TopicsProps(
            alarm_topic_name=props.alarm_topic_name or f"{props.name_prefix}-alarms",
            operations_key_arn=keys.operations_key_arn,
            email_addresses=props.alarm_email_addresses,
            budgets=props.budget is not None,
            existing=existing,
        ),
    )
    EndpointFailures(
        scope,
        "EndpointFailures",
        props=EndpointFailuresProps(
            endpoint_name_wildcard=_endpoint_name_wildcard(props),
            alarm_topic_arn=topics.alarm_topic_arn,
            operations_key_arn=keys.operations_key_arn,
            removal_policy=props.removal_policy,
            ops_items=props.ops_items,
        ),
    )
    if props.budget is not None:
        cost_budget = CostBudget(
            scope,
            "CostBudget",
            props=CostBudgetProps(budget=props.budget, alarm_topic_arn=topics.alarm_topic_arn),
        )
        if topics.alarm_topic_policy is not None:
            # AWS Budgets tries the topic when the budget is made.
            cost_budget.node.add_dependency(topics.alarm_topic_policy)
    mlflow_arn = existing.mlflow_arn
    if mlflow_arn is None and props.mlflow_app_name is not None:
        app = MlflowApp(
            scope,
            "Mlflow",
            props=MlflowAppProps(
                app_name=props.mlflow_app_name,
                artifact_bucket_name=artifact_bucket_name,
                data_key_arn=keys.data_key_arn,
                removal_policy=props.removal_policy,
            ),
        )
        app.node.add_dependency(buckets)
        mlflow_arn = app.arn
    references = FoundationReferences(
        vpc_id=network.vpc_id,
        subnet_ids=network.subnet_ids,
        endpoint_security_group_id=network.endpoint_security_group_id,
        training_security_group_id=network.training_security_group_id,
        data_key_arn=keys.data_key_arn,
        operations_key_arn=keys.operations_key_arn,
        artifact_bucket_name=artifact_bucket_name,
        checkpoint_bucket_name=checkpoint_bucket_name,
        alarm_topic_arn=topics.alarm_topic_arn,
        mlflow_arn=mlflow_arn,
    )
    FoundationParameters(
        scope,
        "Parameters",
        props=FoundationParametersProps(
            parameter_prefix=props.parameter_prefix or _parameter_prefix(props.name_prefix),
            references=references,
        ),
    )
    return FoundationParts(
        keys=keys,
        network=network,
        buckets=buckets,
        topics=topics,
        references=references,
    )


def _add_network(
    scope: Construct,
    props: FoundationProps,
    operations_key_arn: str,
    artifact_bucket_name: str,
    checkpoint_bucket_name: str,
) -> Network | ExistingNetwork:
    if isinstance(props.network, ExistingNetworkProps):
        return ExistingNetwork(scope, "Network", props=props.network, existing=props.existing)
    return Network(
        scope,
        "Network",
        props=NetworkProps(
            cidr=props.network.cidr,
            availability_zone_count=props.network.availability_zone_count,
            availability_zone_ids=props.network.availability_zone_ids,
            interface_endpoint_services=props.network.interface_endpoint_services,
            proxy_port=props.network.proxy_port,
            readable_bucket_names=props.network.readable_bucket_names,
            s3_prefix_list_id=props.network.s3_prefix_list_id,
            bucket_names=(artifact_bucket_name, checkpoint_bucket_name),
            checkpoint_bucket_name=checkpoint_bucket_name,
            endpoint_name_wildcard=_endpoint_name_wildcard(props),
            operations_key_arn=operations_key_arn,
            log_retention_days=props.log_retention_days,
            removal_policy=props.removal_policy,
        ),
    )


def _endpoint_name_wildcard(props: FoundationProps) -> str:
    return props.endpoint_name_wildcard or f"{props.name_prefix}-*"


def _parameter_prefix(name_prefix: str) -> str:
    return f"/{name_prefix}/foundation"


def _bucket_name(scope: Construct, props: FoundationProps, purpose: str) -> str:
    """Return a name that account and region make unique in the world."""
    stack = Stack.of(scope)
    if Token.is_unresolved(stack.account) or Token.is_unresolved(stack.region):
        raise ValueError(
            f"the stack {stack.stack_name} of the foundation must name its account and region, which the names of its "
            "buckets hold: Stack(..., env=Environment(account=..., region=...))"
        )
    return f"{props.name_prefix}-{purpose}-{stack.account}-{stack.region}"
