"""The services of Amazon ECS: as many tasks run as should, and the last deployment is complete.

https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_DescribeServices.html; ``rolloutState``:
https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_Deployment.html
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, fails, passes, warns
from sizewell.account.deployed import DeployedResource, check_of_resources

SERVICE = "AWS::ECS::Service"


def cluster_and_service(service: DeployedResource) -> tuple[str, str]:
    """Return the names in its ARN, arn:aws:ecs:region:account:service/cluster/name."""
    cluster, name = service.physical_id.split("/")[-2:]
    return cluster, name


def _ask(aws: AwsAccount, service: DeployedResource) -> Iterator[Answer]:
    cluster, name = cluster_and_service(service)
    found = aws.client("ecs").describe_services(cluster=cluster, services=[name])["services"]
    if not found or found[0]["status"] != "ACTIVE":
        yield fails(
            name,
            f"the cluster {cluster} has no such service",
            f"delete {service.stack.name}, and deploy it again",
        )
        return
    running, desired = found[0]["runningCount"], found[0]["desiredCount"]
    primary: Mapping[str, Any] = next(
        (deployment for deployment in found[0]["deployments"] if deployment["status"] == "PRIMARY"), {}
    )
    rollout, reason = primary.get("rolloutState", "COMPLETED"), primary.get("rolloutStateReason", "")
    counts = f"{running} of {desired} tasks run"
    if rollout == "FAILED":
        yield fails(
            name, f"its last deployment failed: {reason}", f"mend that; then deploy {service.stack.name}"
        )
    elif rollout == "IN_PROGRESS":
        yield warns(name, f"a deployment goes on; {counts}", "verify again later")
    elif running < desired:
        yield fails(
            name,
            counts,
            f"read its events: aws ecs describe-services --cluster {cluster} --services {name} --region {aws.region} "
            "--query services[0].events[:5]",
        )
    else:
        yield passes(name, counts)


SERVICES = check_of_resources("services", (SERVICE,), ("ecs:DescribeServices",), _ask)
