"""The stack that all workloads of an environment share."""

from typing import Any

from aws_cdk import Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from constructs_lib.foundation.cost_budget import MonthlyBudget
from constructs_lib.foundation.existing import ExistingResources
from constructs_lib.foundation.foundation import FoundationParts, FoundationProps, add_foundation
from constructs_lib.foundation.foundation_parameters import read_foundation_references
from constructs_lib.foundation.network import ExistingNetworkProps, NewNetworkProps
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.foundation.security_groups import MountedGroup
from sizewell.dashboards.body import body_of
from sizewell.dashboards.graph import Dashboard
from sizewell.planning.foundation_plan_model import ExistingNetworkPlan, FoundationPlan
from sizewell.stacks.removal import removal_policy
from sizewell.stacks.workload_stack import props_of


class FoundationStack(Stack):
    """Keys, network, buckets, alarm topic and dashboard, and their identifiers for workload stacks."""

    parts: FoundationParts
    """Its constructs: keys, network, buckets and topics."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        plan: FoundationPlan,
        dashboard: Dashboard | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.parts = add_foundation(
            self,
            props_of(
                FoundationProps,
                plan,
                network=_network(plan),
                alarm_email_addresses=plan.alarm_emails,
                removal_policy=removal_policy(plan),
                endpoint_name_wildcard=plan.name_wildcards.workload,
                budget=props_of(MonthlyBudget, plan.budget) if plan.budget else None,
                existing=props_of(ExistingResources, plan.existing),
            ),
        )
        if dashboard is not None:
            # It names the metrics of other stacks, and refers to none of their resources: no stack waits for another.
            cloudwatch.CfnDashboard(
                self, "Dashboard", dashboard_name=dashboard.name, dashboard_body=body_of(dashboard)
            )
        self._plan = plan

    def read_references(self, scope: Construct) -> FoundationReferences:
        """Return what this stack publishes, read anew at every deployment of the stack of ``scope``; call it once there."""
        return read_foundation_references(Stack.of(scope), self._plan.parameter_prefix)


def _network(plan: FoundationPlan) -> NewNetworkProps | ExistingNetworkProps:
    network = plan.network
    if isinstance(network, ExistingNetworkPlan):
        groups = tuple(props_of(MountedGroup, group) for group in network.mounted_groups)
        return props_of(ExistingNetworkProps, network, mounted_groups=groups)
    return props_of(
        NewNetworkProps,
        network,
        availability_zone_count=network.availability_zones,
        interface_endpoint_services=tuple(endpoint.service for endpoint in network.interface_endpoints),
    )
