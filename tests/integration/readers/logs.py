"""Log groups, as CloudWatch Logs describes them."""

from tests.integration.readers.common import ClientFactory, Properties, present, user_tags


def read_log_group(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("logs")
    groups = api.describe_log_groups(logGroupNamePrefix=physical_id)["logGroups"]
    (found,) = (group for group in groups if group["logGroupName"] == physical_id)
    arn = found["arn"].removesuffix(":*")
    return present(
        KmsKeyId=found.get("kmsKeyId"),
        LogGroupName=found["logGroupName"],
        RetentionInDays=found.get("retentionInDays"),
        Tags=user_tags(api.list_tags_for_resource(resourceArn=arn)["tags"]),
    )
