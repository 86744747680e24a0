"""Updates that SageMaker refuses, or that clients notice.

SageMaker developer guide, "Update endpoints that use auto scaling" and "Exclusions" of the deployment guardrails.
"""

from collections.abc import Iterator

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.hazards.rule import Found, hazard_rule
from sizewell.review.words import listed, moved


@hazard_rule("availability")
def instance_type_changed(environment: EnvironmentPair) -> Iterator[Found]:
    """The instance type of an autoscaled variant changes."""
    for endpoint in environment.diff.kept_endpoints:
        for base, head in endpoint.variants:
            before, after = endpoint.base.scaling.get(base.name), endpoint.head.scaling.get(head.name)
            if base.instance_type == head.instance_type or before is None:
                continue
            subject = f"variant {head.name} of {endpoint.subject}"
            cause = (
                f"InstanceType {moved(base.instance_type, head.instance_type)}, and the variant is autoscaled"
            )
            if before.has_switch and (after is None or after.has_switch):
                yield Found(
                    "warning",
                    endpoint.stack,
                    endpoint.logical_id,
                    subject,
                    cause,
                    "SageMaker does not change the instance type of a registered scalable target, so cdk deploy fails and "
                    "rolls back. sizewell deploy turns autoscaling off, updates the endpoint and turns autoscaling on again. "
                    "Until then the endpoint keeps the number of instances that it had with the old type.",
                    f"Run sizewell deploy for the stack {endpoint.stack}. Choose a quiet hour, above all if the new type is "
                    "smaller.",
                )
            else:
                yield Found(
                    "danger",
                    endpoint.stack,
                    endpoint.logical_id,
                    subject,
                    cause,
                    "UpdateEndpoint fails, because SageMaker does not change the instance type of a registered scalable "
                    "target, and CloudFormation updates the endpoint before the target. The deployment rolls back.",
                    "Deploy three times: without the scalable target and its policies, then with the new type, then with the "
                    "target again. Do not combine two of these steps, because SageMaker would refuse the rollback, too.",
                )


@hazard_rule("availability")
def made_serverless(environment: EnvironmentPair) -> Iterator[Found]:
    """An endpoint on instances becomes serverless, which SageMaker refuses."""
    # "Update a serverless endpoint": https://docs.aws.amazon.com/sagemaker/latest/dg/serverless-endpoints-update.html
    for endpoint in environment.diff.kept_endpoints:
        for base, head in endpoint.variants:
            if base.is_serverless or not head.is_serverless:
                continue
            yield Found(
                "danger",
                endpoint.stack,
                endpoint.logical_id,
                f"variant {head.name} of {endpoint.subject}",
                f"{base.instance_type or 'instances'} → serverless",
                "UpdateEndpoint fails, because SageMaker cannot turn an endpoint on instances into a serverless one. The "
                "deployment rolls back.",
                "Add a second workload, whose endpoint has another name. Move the clients, and remove the old workload in a "
                "later deployment.",
            )


@hazard_rule("availability")
def variant_renamed(environment: EnvironmentPair) -> Iterator[Found]:
    """The names of variants change, which a blue/green or rolling update refuses."""
    for endpoint in environment.diff.kept_endpoints:
        base, head = endpoint.base.variants.keys(), endpoint.head.variants.keys()
        gone, new = sorted(base - head), sorted(head - base)
        scaled = [name for name in gone if name in endpoint.base.scaling]
        if not base or not head or not (gone or (new and endpoint.head.deployment)):
            continue
        consequence = (
            "A blue/green or rolling update needs the variant names of the old configuration in the new one, and SageMaker "
            "updates blue/green by default. UpdateEndpoint fails, and the deployment rolls back."
        )
        if scaled:
            consequence += f" {listed(scaled)} cannot be removed either: it is a registered scalable target."
        if gone:
            consequence += " Metrics, alarms and calls with TargetVariant that use an old name find nothing."
        yield Found(
            "danger" if gone else "warning",
            endpoint.stack,
            endpoint.logical_id,
            endpoint.subject,
            f"variant names {moved(listed(sorted(base)), listed(sorted(head)))}",
            consequence,
            f"Keep the {'names' if len(gone) > 1 else 'name'} {listed(gone)}."
            if gone
            else "Add the variant in a deployment of its own, without DeploymentConfig (rollout.strategy: none), or make a "
            "second endpoint.",
        )


@hazard_rule("availability")
def endpoint_renamed(environment: EnvironmentPair) -> Iterator[Found]:
    """The name of an endpoint changes, so its clients no longer find it."""
    for endpoint in environment.diff.endpoints:
        if endpoint.base is None or endpoint.head is None:
            continue
        base, head = endpoint.base.given_name, endpoint.head.given_name
        if base != head:
            yield Found(
                "danger",
                endpoint.stack,
                endpoint.logical_id,
                f"endpoint {endpoint.base.name}",
                f"EndpointName {moved(base, head)}",
                "CloudFormation creates a new endpoint and then deletes the old one. Every client that calls the old name "
                "fails with a ValidationError. In between both fleets run and cost money.",
                "Keep the name. If it has to change, deploy the new endpoint beside the old one, move the clients, and "
                "remove the old one in a later deployment.",
            )
