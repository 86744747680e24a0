"""The topic that alarms go to: somebody has subscribed to it, and has confirmed it.

* ``PendingConfirmation`` stands in place of an ARN: https://docs.aws.amazon.com/sns/latest/api/API_ListSubscriptionsByTopic.html
* What is not confirmed is deleted after 48 hours:
  https://aws.amazon.com/about-aws/whats-new/2023/05/amazon-sns-automatic-deletion-unconfirmed-subscriptions/
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, Check, Place, fails, passes, warns
from sizewell.instance_selection.wording import counted

_PENDING = "PendingConfirmation"
_DELETED = "Deleted"


@dataclass(frozen=True)
class _Topic:
    arn: str
    emails: tuple[str, ...]
    environment: str


def _subjects(place: Place) -> Iterator[_Topic]:
    foundation, aws = place.foundation, place.aws
    arn = foundation.existing.alarm_topic_arn or (
        f"arn:{aws.partition}:sns:{aws.region}:{aws.account}:{foundation.alarm_topic_name}"
    )
    yield _Topic(arn, foundation.alarm_emails, place.plan.environment)


def _ask(aws: AwsAccount, topic: _Topic) -> Iterator[Answer]:
    pages = aws.client("sns").get_paginator("list_subscriptions_by_topic").paginate(TopicArn=topic.arn)
    found = [
        subscription
        for page in pages
        for subscription in page["Subscriptions"]
        if subscription["SubscriptionArn"] != _DELETED
    ]
    pending = [
        subscription["Endpoint"] for subscription in found if subscription["SubscriptionArn"] == _PENDING
    ]
    confirmed = [subscription for subscription in found if subscription["SubscriptionArn"] != _PENDING]
    for email in sorted(set(topic.emails) - {subscription["Endpoint"] for subscription in found}):
        yield fails(
            topic.arn,
            f"{email} is not subscribed: the subscription was ended, or not confirmed within 48 hours",
            f"aws sns subscribe --topic-arn {topic.arn} --protocol email --notification-endpoint {email} --region {aws.region}",
        )
    for endpoint in sorted(pending):
        yield warns(
            topic.arn,
            f"{endpoint} has not confirmed its subscription, and hears of no alarm",
            "follow the link in the message from AWS Notifications, within 48 hours",
        )
    if confirmed:
        yield passes(topic.arn, counted(len(confirmed), "confirmed subscription"))
    elif not pending:
        yield warns(
            topic.arn,
            "nobody has subscribed: nobody hears of an alarm",
            "name people under notifications.emails, or subscribe to the topic",
        )


SUBSCRIPTIONS = Check(
    name="subscriptions",
    actions=("sns:ListSubscriptionsByTopic",),
    subjects=_subjects,
    ask=_ask,
    named=lambda topic: topic.arn,
)
