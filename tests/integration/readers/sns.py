"""Topics, as SNS describes them."""

import json

from tests.integration.readers.common import ClientFactory, Properties, present, user_tags


def read_topic(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("sns")
    found = api.get_topic_attributes(TopicArn=physical_id)["Attributes"]
    return present(
        TopicName=found["TopicArn"].rpartition(":")[2],
        KmsMasterKeyId=found.get("KmsMasterKeyId"),
        Tags=user_tags(api.list_tags_for_resource(ResourceArn=physical_id)["Tags"]),
    )


def read_topic_policy(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    (topic_arn,) = properties["Topics"]
    found = client("sns").get_topic_attributes(TopicArn=topic_arn)["Attributes"]
    return {"Topics": [found["TopicArn"]], "PolicyDocument": json.loads(found["Policy"])}
