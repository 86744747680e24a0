"""A queue that hears what people hear: the messages of the topic of alarms."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.integration.harness import Deployment


@dataclass
class Mailbox:
    """The messages that have arrived."""

    sqs: Any
    url: str

    def messages(self) -> list[dict[str, Any]]:
        """Return what programs read of what has arrived; each message once."""
        received = self.sqs.receive_message(QueueUrl=self.url, MaxNumberOfMessages=10).get("Messages", [])
        told = [json.loads(json.loads(message["Body"])["Message"]) for message in received]
        return [message["metadata"]["additionalContext"] for message in told]


@contextmanager
def mailbox_of_alarms(deployment: Deployment) -> Iterator[Mailbox]:
    """Subscribe a queue to the topic of alarms, as long as it is asked."""
    sqs, sns, plan = deployment.client("sqs"), deployment.client("sns"), deployment.plan
    topic = f"arn:aws:sns:{plan.region}:{plan.account}:{plan.foundation.alarm_topic_name}"
    url = sqs.create_queue(QueueName="mailbox")["QueueUrl"]
    queue = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    made = sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=queue, ReturnSubscriptionArn=True)
    try:
        yield Mailbox(sqs, url)
    finally:
        sns.unsubscribe(SubscriptionArn=made["SubscriptionArn"])
        sqs.delete_queue(QueueUrl=url)
