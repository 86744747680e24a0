"""Applications, deployment groups and configurations, as CodeDeploy describes them."""

from tests.integration.readers.common import (
    ClientFactory,
    Properties,
    capitalized,
    picked,
    present,
    user_tags,
)


def read_application(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    found = client("codedeploy").get_application(applicationName=physical_id)["application"]
    return picked(capitalized(found), "ComputePlatform") | _tags(client, f"application:{physical_id}")


def read_config(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    found = client("codedeploy").get_deployment_config(deploymentConfigName=physical_id)
    return picked(capitalized(found["deploymentConfigInfo"]), "ComputePlatform", "TrafficRoutingConfig")


def read_group(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    application = properties["ApplicationName"]
    found = client("codedeploy").get_deployment_group(
        applicationName=application, deploymentGroupName=physical_id
    )["deploymentGroupInfo"]
    members = (
        "AlarmConfiguration",
        "ApplicationName",
        "AutoRollbackConfiguration",
        "DeploymentConfigName",
        "DeploymentStyle",
        "ServiceRoleArn",
    )
    tags = _tags(client, f"deploymentgroup:{application}/{physical_id}")
    return picked(capitalized(found), *members) | tags


def _tags(client: ClientFactory, resource: str) -> Properties:
    identity = client("sts").get_caller_identity()
    region = client("sts").meta.region_name
    arn = f"arn:aws:codedeploy:{region}:{identity['Account']}:{resource}"
    return present(Tags=user_tags(client("codedeploy").list_tags_for_resource(ResourceArn=arn)["Tags"]))
