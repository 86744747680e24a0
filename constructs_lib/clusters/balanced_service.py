"""A service of Amazon ECS behind an internal Application Load Balancer of its own, which scales by requests.

A deployment replaces as many tasks at once as ``max_percent`` leaves room for. Where new ones do not become healthy, or alarms go
off, ECS brings the old ones back
(https://docs.aws.amazon.com/AmazonECS/latest/developerguide/deployment-circuit-breaker.html, deployment-alarm-failure.html).
A canary would need as many instances again: both revisions run at full size
(https://docs.aws.amazon.com/AmazonECS/latest/developerguide/canary-deployment.html).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from aws_cdk import CfnResource
from aws_cdk import aws_applicationautoscaling as autoscaling
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_ecs as ecs
from aws_cdk import aws_elasticloadbalancingv2 as elb
from constructs import Construct

from constructs_lib.clusters.model_task import PROXY, PROXY_PORT, ModelTask
from constructs_lib.clusters.service_parts import (
    in_subnets,
    on_instances,
    replaced_by_tasks_that_stay,
    scalable_target,
)
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.foundation.security_groups import HTTPS_PORT
from constructs_lib.policies.acknowledgements import acknowledge_each
from sizewell.facts.compliance_packs import COMPLIANCE_PACKS

#: TLS 1.2 and 1.3: https://docs.aws.amazon.com/elasticloadbalancing/latest/application/describe-ssl-policies.html
_TLS_POLICY = "ELBSecurityPolicy-TLS13-1-2-2021-06"
#: Longer than the proxy lets a stream take (480 s), which must end it first; by default 60 s without a byte end it.
_IDLE_S = 500
#: Ours: the time in which the load balancer hears that a task goes.
_HEARD_S = 15
_PING_S, _PING_TIMEOUT_S = 10, 5
#: What Application Auto Scaling counts for each task in a minute: API reference, PredefinedMetricSpecification.
_REQUESTS_PER_TARGET = "ALBRequestCountPerTarget"
#: A group without a rule for what goes out lets everything out; nobody has this address.
_NOTHING_OUT = ec2.CfnSecurityGroup.EgressProperty(
    ip_protocol="icmp", from_port=252, to_port=86, cidr_ip="255.255.255.255/32", description="Nothing"
)


@dataclass(frozen=True, kw_only=True)
class RequestScaling:
    """Between which numbers of tasks, and at how many requests in a minute of each of them."""

    min_instance_count: int
    max_instance_count: int
    requests_per_minute: float
    scale_out_cooldown_s: int
    scale_in_cooldown_s: int


@dataclass(frozen=True, kw_only=True)
class BalancedServiceProps:
    """The service, what its tasks are and run on, and who may call it.

    ``desired_count`` is of a service that does not scale. ``max_percent`` is how many tasks may run during a deployment, in
    percent of those that should. A new task need not answer for ``startup_s`` seconds; requests in progress have
    ``longest_answer_s`` seconds to end.
    """

    service_name: str
    cluster_name: str
    capacity_provider: ecs.CfnCapacityProvider
    task: ModelTask
    certificate_arn: str
    caller_security_groups: Sequence[str]
    desired_count: int | None
    max_percent: int
    startup_s: int
    longest_answer_s: int
    foundation: FoundationReferences


class BalancedService(Construct):
    """The load balancer, and the service once ``start`` is called with the alarms that call a deployment back."""

    load_balancer: elb.CfnLoadBalancer
    target_group: elb.CfnTargetGroup

    def __init__(self, scope: Construct, construct_id: str, *, props: BalancedServiceProps) -> None:
        super().__init__(scope, construct_id)
        self._props = props
        balancer_group, self._task_group, self._rules = self._add_security_groups()
        self.load_balancer = self._add_load_balancer(balancer_group)
        self.target_group = elb.CfnTargetGroup(
            self,
            "TargetGroup",
            target_type="ip",
            protocol="HTTP",
            port=PROXY_PORT,
            vpc_id=props.foundation.vpc_id,
            health_check_path="/ping",
            health_check_interval_seconds=_PING_S,
            health_check_timeout_seconds=_PING_TIMEOUT_S,
            healthy_threshold_count=2,
            # A server that computes may be late for its pings: its task is not replaced at once.
            unhealthy_threshold_count=10,
            matcher=elb.CfnTargetGroup.MatcherProperty(http_code="200"),
            target_group_attributes=[
                elb.CfnTargetGroup.TargetGroupAttributeProperty(key=key, value=value)
                for key, value in (
                    ("deregistration_delay.timeout_seconds", str(_HEARD_S + props.longest_answer_s)),
                    # A task that is still busy gets less.
                    ("load_balancing.algorithm.type", "least_outstanding_requests"),
                )
            ],
        )
        self._listener = elb.CfnListener(
            self,
            "Listener",
            load_balancer_arn=self.load_balancer.ref,
            port=HTTPS_PORT,
            protocol="HTTPS",
            ssl_policy=_TLS_POLICY,
            certificates=[elb.CfnListener.CertificateProperty(certificate_arn=props.certificate_arn)],
            default_actions=[
                elb.CfnListener.ActionProperty(type="forward", target_group_arn=self.target_group.ref)
            ],
        )

    def start(self, rollback_alarm_names: Sequence[str], scaling: RequestScaling | None) -> ecs.CfnService:
        """Add the service and its scaling; while one of these alarms is on, a deployment brings the old tasks back."""
        props, properties = self._props, ecs.CfnService
        alarms = properties.DeploymentAlarmsProperty(
            alarm_names=list(rollback_alarm_names), enable=True, rollback=True
        )
        service = ecs.CfnService(
            self,
            "Service",
            service_name=props.service_name,
            cluster=props.cluster_name,
            task_definition=props.task.definition.ref,
            # A number here would come back with each deployment: where it scales, that number is kept.
            desired_count=props.desired_count,
            capacity_provider_strategy=on_instances(props.capacity_provider),
            network_configuration=in_subnets(props.foundation, self._task_group.attr_group_id),
            load_balancers=[
                properties.LoadBalancerProperty(
                    container_name=PROXY, container_port=PROXY_PORT, target_group_arn=self.target_group.ref
                )
            ],
            health_check_grace_period_seconds=props.startup_s,
            deployment_configuration=replaced_by_tasks_that_stay(
                props.max_percent, alarms if rollback_alarm_names else None
            ),
            enable_ecs_managed_tags=True,
            propagate_tags="SERVICE",
        )
        # A target group that no listener has is refused (API reference: CreateService). The rules stay while the service ends.
        for needed in (self._listener, *self._rules):
            service.add_resource_dependency(needed)
        if scaling is not None:
            self._scale(service, scaling)
        return service

    def _scale(self, service: ecs.CfnService, scaling: RequestScaling) -> None:
        props, properties = self._props, autoscaling.CfnScalingPolicy
        target = scalable_target(
            self,
            service,
            props.cluster_name,
            props.service_name,
            min_capacity=scaling.min_instance_count,
            max_capacity=scaling.max_instance_count,
        )
        balancer = self.load_balancer.attr_load_balancer_full_name
        autoscaling.CfnScalingPolicy(
            self,
            "ScalingPolicy",
            policy_name="RequestsPerTask",
            policy_type="TargetTrackingScaling",
            scaling_target_id=target.ref,
            target_tracking_scaling_policy_configuration=properties.TargetTrackingScalingPolicyConfigurationProperty(
                target_value=scaling.requests_per_minute,
                predefined_metric_specification=properties.PredefinedMetricSpecificationProperty(
                    predefined_metric_type=_REQUESTS_PER_TARGET,
                    resource_label=f"{balancer}/{self.target_group.attr_target_group_full_name}",
                ),
                scale_out_cooldown=scaling.scale_out_cooldown_s,
                scale_in_cooldown=scaling.scale_in_cooldown_s,
            ),
        )

    def _add_load_balancer(self, group: ec2.CfnSecurityGroup) -> elb.CfnLoadBalancer:
        attributes = {
            # With protection, a first deployment that fails could not be rolled back: the load balancer would stay.
            "deletion_protection.enabled": "false",
            "idle_timeout.timeout_seconds": str(_IDLE_S),
            "routing.http.drop_invalid_header_fields.enabled": "true",
        }
        balancer = elb.CfnLoadBalancer(
            self,
            "LoadBalancer",
            type="application",
            scheme="internal",
            subnets=self._props.foundation.subnet_ids,
            security_groups=[group.attr_group_id],
            load_balancer_attributes=[
                elb.CfnLoadBalancer.LoadBalancerAttributeProperty(key=key, value=value)
                for key, value in attributes.items()
            ],
        )
        acknowledge_each(balancer, _accepted())
        return balancer

    def _add_security_groups(
        self,
    ) -> tuple[ec2.CfnSecurityGroup, ec2.CfnSecurityGroup, list[CfnResource]]:
        """Add that of the load balancer, and what tasks have beside the one by which they call AWS."""
        props = self._props
        balancer = self._group("Balancer", f"Load balancer of {props.service_name}: HTTPS in")
        tasks = self._group("Task", f"Tasks of {props.service_name}: requests in")
        rules: list[CfnResource] = [
            self._let_in(f"From{caller}", balancer, caller, HTTPS_PORT)
            for caller in props.caller_security_groups
        ]
        rules.append(self._let_in("TasksFromBalancer", tasks, balancer.attr_group_id, PROXY_PORT))
        rules.append(
            ec2.CfnSecurityGroupEgress(
                self,
                "BalancerToTasks",
                group_id=balancer.attr_group_id,
                destination_security_group_id=tasks.attr_group_id,
                ip_protocol="tcp",
                from_port=PROXY_PORT,
                to_port=PROXY_PORT,
                description="Requests",
            )
        )
        return balancer, tasks, rules

    def _group(self, construct_id: str, description: str) -> ec2.CfnSecurityGroup:
        return ec2.CfnSecurityGroup(
            self,
            f"{construct_id}Group",
            group_description=description,
            vpc_id=self._props.foundation.vpc_id,
            security_group_egress=[_NOTHING_OUT],
        )

    def _let_in(
        self, construct_id: str, group: ec2.CfnSecurityGroup, source_id: str, port: int
    ) -> ec2.CfnSecurityGroupIngress:
        return ec2.CfnSecurityGroupIngress(
            self,
            construct_id,
            group_id=group.attr_group_id,
            source_security_group_id=source_id,
            ip_protocol="tcp",
            from_port=port,
            to_port=port,
            description="Requests",
        )


def _accepted() -> dict[str, str]:
    logs = "CloudWatch counts the requests; a key of the customer cannot encrypt the logs of a load balancer."
    firewall = "The load balancer is internal: only the security groups of callers that the configuration names reach it."
    protection = "It holds no data, and would stay when a first deployment is rolled back; stacks of production are protected."
    reasons = {"AwsSolutions-ELB2": logs}
    for pack in COMPLIANCE_PACKS:
        reasons[f"{pack}-ELBLoggingEnabled"] = logs
        reasons[f"{pack}-ALBWAFEnabled"] = firewall
        reasons[f"{pack}-ELBDeletionProtectionEnabled"] = protection
    return reasons
