"""Autoscaling of one endpoint by hand: a rule and two custom resources, which call the function of the shared stack."""

from typing import Any

from aws_cdk import Acknowledgment, Aws, CustomResource, Duration, Validations
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct


class HandwrittenScaling(Construct):
    """Release before the endpoint, scaling after it, and a rule for deployments that leave a variant out."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        endpoint: dict[str, Any],
        resource: sagemaker.CfnEndpoint,
        function_arn: str,
    ) -> None:
        super().__init__(scope, construct_id)
        spec = {
            "EndpointName": endpoint["endpoint_name"],
            "EndpointConfigName": resource.endpoint_config_name,
            "Variants": self._variants(endpoint),
        }
        rule = self._rule(endpoint["endpoint_name"], spec, function_arn)
        release = self._custom_resource("Release", "Custom::ScalingRelease", spec, function_arn)
        release.node.add_dependency(rule)
        resource.node.add_dependency(release)
        scaling = self._custom_resource("Scaling", "Custom::EndpointScaling", spec, function_arn)
        scaling.node.add_dependency(resource)

    def _variants(self, endpoint: dict[str, Any]) -> list[dict[str, Any]]:
        scaling = endpoint["scaling"]
        if scaling is None:
            return []
        return [
            {
                "VariantName": endpoint["variant_name"],
                "MinInstanceCount": scaling["min_instance_count"],
                "MaxInstanceCount": scaling["max_instance_count"],
                "Policies": [
                    {
                        "PolicyName": "InvocationsPerInstance",
                        "PredefinedMetricType": "SageMakerVariantInvocationsPerInstance",
                        "TargetValue": scaling["target_invocations_per_instance_per_minute"],
                        "ScaleOutCooldownSeconds": scaling["scale_out_cooldown_s"],
                        "ScaleInCooldownSeconds": scaling["scale_in_cooldown_s"],
                    }
                ],
            }
        ]

    def _rule(self, endpoint_name: str, spec: dict[str, Any], function_arn: str) -> events.Rule:
        function = lambda_.Function.from_function_attributes(
            self,
            "Function",
            function_arn=function_arn,
            skip_permissions=True,  # the shared stack permits the rules of all endpoints at once
        )
        rule = events.Rule(
            self,
            "Deployed",
            rule_name=f"{endpoint_name}-deployed",
            description=f"Puts {endpoint_name} back into autoscaling after a deployment",
            event_pattern=events.EventPattern(
                source=["aws.cloudformation"],
                detail_type=["CloudFormation Stack Status Change"],
                detail={
                    "stack-id": [Aws.STACK_ID],
                    "status-details": {"status": ["UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"]},
                },
            ),
            targets=[targets.LambdaFunction(function, event=events.RuleTargetInput.from_object(spec))],
        )
        Validations.of(rule).acknowledge(
            Acknowledgment(
                id="Annotation::@aws-cdk/aws-events:ruleUnresolvedEnvironment",
                reason="The function is read from a parameter of the account and region of this stack.",
            )
        )
        return rule

    def _custom_resource(
        self, construct_id: str, resource_type: str, spec: dict[str, Any], function_arn: str
    ) -> CustomResource:
        return CustomResource(
            self,
            construct_id,
            resource_type=resource_type,
            service_token=function_arn,
            service_timeout=Duration.minutes(18),
            properties=spec,
        )
