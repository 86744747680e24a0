"""The decisions for what the workloads of one place share."""

from sizewell.config.environment import Environment
from sizewell.config.existing import ExistingResources
from sizewell.facts.budgets import REGIONS as BUDGET_REGIONS
from sizewell.planning.bootstrap import plan_bootstrap
from sizewell.planning.foundation_plan_model import (
    BudgetPlan,
    ExistingNetworkPlan,
    ExistingResourcesPlan,
    FoundationPlan,
    NewNetworkPlan,
)
from sizewell.planning.names import ACCESS_LOGS, ARTIFACTS, CHECKPOINTS, Names


def plan_foundation(
    environment: Environment,
    names: Names,
    network: NewNetworkPlan | ExistingNetworkPlan,
    *,
    keeps_inference_data: bool = False,
    artifact_events: bool = False,
) -> FoundationPlan:
    """Return what all workloads share that run in one place; ``environment`` is that part of the whole one."""
    existing = _plan_existing(environment.existing)
    return FoundationPlan(
        place=names.place,
        account=names.account,
        region=names.region,
        permissions_boundary_arn=environment.policy.permissions_boundary_arn,
        bootstrap=plan_bootstrap(environment.bootstrap),
        stack_name=names.foundation_stack,
        name_prefix=names.prefix,
        name_wildcards=names.wildcards(),
        parameter_prefix=names.parameter_prefix,
        network=network,
        artifact_bucket_name=existing.artifact_bucket_name or names.bucket(ARTIFACTS),
        checkpoint_bucket_name=existing.checkpoint_bucket_name or names.bucket(CHECKPOINTS),
        access_log_bucket_name=existing.access_log_bucket_name or names.bucket(ACCESS_LOGS),
        alarm_topic_name=_topic_name(existing) or f"{names.prefix}-alarms",
        key_alias_prefix=names.prefix,
        retain_state=environment.policy.removal == "retain",
        log_retention_days=environment.policy.log_retention_days,
        checkpoint_expiry_days=environment.storage.checkpoint_expiry_days,
        noncurrent_version_expiry_days=environment.storage.noncurrent_version_expiry_days,
        inference_data_expiry_days=environment.storage.inference_data_expiry_days
        if keeps_inference_data
        else None,
        artifact_events=artifact_events,
        alarm_emails=environment.notifications.emails,
        ops_items=environment.notifications.ops_items,
        mlflow_app_name=names.prefix if environment.mlflow_app else None,
        budget=_plan_budget(environment) if names.place is None else None,
        dashboard_name=names.dashboard if environment.dashboard and environment.workloads else None,
        existing=existing,
    )


def _plan_budget(environment: Environment) -> BudgetPlan | None:
    policy = environment.policy
    if policy.budget_usd_per_month is None or not policy.budget_alerts or policy.region not in BUDGET_REGIONS:
        return None
    return BudgetPlan(
        usd_per_month=policy.budget_usd_per_month,
        tags={"environment": environment.name, "platform": environment.platform},
    )


def _plan_existing(existing: ExistingResources) -> ExistingResourcesPlan:
    return ExistingResourcesPlan(
        data_key_arn=existing.data_key_arn,
        operations_key_arn=existing.operations_key_arn,
        artifact_bucket_name=existing.artifact_bucket,
        checkpoint_bucket_name=existing.checkpoint_bucket,
        access_log_bucket_name=existing.access_log_bucket,
        alarm_topic_arn=existing.alarm_topic_arn,
        endpoint_security_group_id=existing.endpoint_security_group_id,
        training_security_group_id=existing.training_security_group_id,
        mlflow_arn=existing.mlflow_arn,
    )


def _topic_name(existing: ExistingResourcesPlan) -> str | None:
    return existing.alarm_topic_arn.rpartition(":")[2] if existing.alarm_topic_arn else None
