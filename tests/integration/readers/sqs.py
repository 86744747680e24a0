"""Queues, as SQS describes them."""

import json
from typing import Any

from tests.integration.readers.common import ClientFactory, Properties, present, user_tags


def _attributes(client: ClientFactory, url: str) -> dict[str, Any]:
    found: dict[str, Any] = client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["All"])[
        "Attributes"
    ]
    return found


def read_queue(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    found = _attributes(client, physical_id)
    return present(
        KmsMasterKeyId=found.get("KmsMasterKeyId"),
        MessageRetentionPeriod=int(found["MessageRetentionPeriod"]),
        Tags=user_tags(client("sqs").list_queue_tags(QueueUrl=physical_id).get("Tags", {})),
    )


def read_queue_policy(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    (url,) = properties["Queues"]
    return {"Queues": [url], "PolicyDocument": json.loads(_attributes(client, url)["Policy"])}
