"""The topic that alarms and failed jobs are reported to."""

from dataclasses import dataclass
from typing import Any

from aws_cdk import aws_sns as sns
from constructs import Construct

from constructs_lib.foundation.cost_budget import BUDGETS_OF_THIS_ACCOUNT
from constructs_lib.foundation.existing import NOTHING_EXISTS, ExistingResources


@dataclass(frozen=True, kw_only=True)
class TopicsProps:
    """Each of ``email_addresses`` is sent a link that confirms its subscription; alarms arrive only after that.

    ``budgets`` lets AWS Budgets publish, too. Of ``existing`` the topic counts: addresses subscribe to it, and nothing else of it
    changes.
    """

    alarm_topic_name: str
    operations_key_arn: str
    email_addresses: tuple[str, ...] = ()
    budgets: bool = False
    existing: ExistingResources = NOTHING_EXISTS


class Topics(Construct):
    """An encrypted topic for alarms, failures and rules of EventBridge, which publish over TLS only.

    A topic that exists already is None here, as is its policy, and its ARN stands for it.
    """

    alarm_topic: sns.CfnTopic | None = None
    alarm_topic_policy: sns.CfnTopicPolicy | None = None

    def __init__(self, scope: Construct, construct_id: str, *, props: TopicsProps) -> None:
        super().__init__(scope, construct_id)
        self.alarm_topic_arn = props.existing.alarm_topic_arn or self._add_topic(props)
        """ARN of the topic, possibly a token."""
        for address in props.email_addresses:
            # The id is the address: one that joins or leaves the list must not touch the confirmed others.
            sns.CfnSubscription(
                self,
                f"Email-{address}",
                protocol="email",
                endpoint=address,
                topic_arn=self.alarm_topic_arn,
            )

    def _add_topic(self, props: TopicsProps) -> str:
        self.alarm_topic = sns.CfnTopic(
            self,
            "AlarmTopic",
            topic_name=props.alarm_topic_name,
            kms_master_key_id=props.operations_key_arn,
        )
        topic_arn = self.alarm_topic.ref
        self.alarm_topic_policy = sns.CfnTopicPolicy(
            self,
            "AlarmTopicPolicy",
            topics=[topic_arn],
            policy_document=_publish_policy(topic_arn, budgets=props.budgets),
        )
        return topic_arn


def _publish_policy(topic_arn: str, *, budgets: bool) -> dict[str, Any]:
    of_budgets = {
        "Sid": "BudgetsOfThisAccount",
        "Effect": "Allow",
        "Principal": {"Service": "budgets.amazonaws.com"},
        "Action": "sns:Publish",
        "Resource": topic_arn,
        "Condition": BUDGETS_OF_THIS_ACCOUNT,
    }
    # Alarm actions use the topic's policy, roles of this account need both this and their own:
    # https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html
    # https://docs.aws.amazon.com/sns/latest/dg/sns-security-best-practices.html
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "AlarmsOfThisAccount",
                "Effect": "Allow",
                "Principal": {"Service": "cloudwatch.amazonaws.com"},
                "Action": "sns:Publish",
                "Resource": topic_arn,
                "Condition": {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}},
            },
            # Without condition: "You can't use Condition blocks in Amazon SNS topic policies for EventBridge."
            # https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html#eb-sns-permissions
            # Of a role in the target in its place, that page says that delivery to an encrypted topic may fail. Rules of other
            # accounts need such a role (eb-service-cross-account.html), which this policy does not admit.
            {
                "Sid": "RulesOfEventBridge",
                "Effect": "Allow",
                "Principal": {"Service": "events.amazonaws.com"},
                "Action": "sns:Publish",
                "Resource": topic_arn,
            },
            *([of_budgets] if budgets else ()),
            account_statement(topic_arn),
            tls_statement(topic_arn),
        ],
    }


def account_statement(topic_arn: str) -> dict[str, Any]:
    """Return what lets the policies of roles of this account say who publishes to a topic."""
    return {
        "Sid": "IamPoliciesOfThisAccount",
        "Effect": "Allow",
        "Principal": {"AWS": {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}},
        "Action": "sns:Publish",
        "Resource": topic_arn,
    }


def tls_statement(topic_arn: str) -> dict[str, Any]:
    """Return what keeps everybody from publishing to a topic in plain text."""
    return {
        "Sid": "TlsOnly",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "sns:Publish",
        "Resource": topic_arn,
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
