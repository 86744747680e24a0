"""The topics that hear of the answers of an asynchronous endpoint, and of its failures."""

from dataclasses import dataclass

from aws_cdk import aws_sns as sns
from constructs import Construct

from constructs_lib.topics import account_statement, tls_statement


@dataclass(frozen=True, kw_only=True)
class InferenceTopicsProps:
    """What is not made is named: a topic of the account that is there already."""

    operations_key_arn: str
    success_topic_arn: str | None = None
    error_topic_arn: str | None = None


class InferenceTopics(Construct):
    """Two encrypted topics that roles of the account publish to, over TLS only; whoever waits for an answer subscribes."""

    def __init__(self, scope: Construct, construct_id: str, *, props: InferenceTopicsProps) -> None:
        super().__init__(scope, construct_id)
        self.success_topic_arn = props.success_topic_arn or self._topic("SuccessTopic", props)
        """ARN of the topic that hears of answers, possibly a token."""
        self.error_topic_arn = props.error_topic_arn or self._topic("ErrorTopic", props)
        """ARN of the topic that hears of failures, possibly a token."""

    def _topic(self, construct_id: str, props: InferenceTopicsProps) -> str:
        # Without a name: what subscribes refers to the ARN, and a name would block a replacement.
        topic = sns.CfnTopic(self, construct_id, kms_master_key_id=props.operations_key_arn)
        sns.CfnTopicPolicy(
            self,
            f"{construct_id}Policy",
            topics=[topic.ref],
            policy_document={
                "Version": "2012-10-17",
                "Statement": [account_statement(topic.ref), tls_statement(topic.ref)],
            },
        )
        return topic.ref
