"""How an endpoint answers later: requests wait in a queue, answers go to S3, and topics hear of answers and failures.

"Asynchronous inference", https://docs.aws.amazon.com/sagemaker/latest/dg/async-inference.html
"""

from dataclasses import dataclass

from aws_cdk import aws_sagemaker as sagemaker
from aws_cdk import aws_sns as sns
from constructs import Construct

from constructs_lib.endpoints.answered_later import AnsweredLater
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.foundation.topics import account_statement, tls_statement
from sizewell.facts.asynchronous import MAX_CONCURRENT_INVOCATIONS

#: Who answers, in the words of policies.
SAGEMAKER = "SageMaker"


@dataclass(frozen=True, kw_only=True)
class AsynchronousInference(AnsweredLater):
    """How an endpoint of SageMaker answers later.

    ``max_concurrent_invocations_per_instance`` is how many requests a container gets at a time. Raises ValueError.
    """

    max_concurrent_invocations_per_instance: int

    def __post_init__(self) -> None:
        """Check what the API would refuse."""
        super().__post_init__()
        if not 1 <= self.max_concurrent_invocations_per_instance <= MAX_CONCURRENT_INVOCATIONS:
            raise ValueError(
                f"max_concurrent_invocations_per_instance must lie between 1 and {MAX_CONCURRENT_INVOCATIONS}, "
                f"got {self.max_concurrent_invocations_per_instance}"
            )

    def to_config(
        self, foundation: FoundationReferences
    ) -> sagemaker.CfnEndpointConfig.AsyncInferenceConfigProperty:
        """Return the property for the endpoint configuration."""
        bucket = f"s3://{foundation.artifact_bucket_name}"
        return sagemaker.CfnEndpointConfig.AsyncInferenceConfigProperty(
            client_config=sagemaker.CfnEndpointConfig.AsyncInferenceClientConfigProperty(
                max_concurrent_invocations_per_instance=self.max_concurrent_invocations_per_instance
            ),
            output_config=sagemaker.CfnEndpointConfig.AsyncInferenceOutputConfigProperty(
                kms_key_id=foundation.data_key_arn,
                s3_output_path=f"{bucket}/{self.output_prefix}",
                s3_failure_path=f"{bucket}/{self.failure_prefix}",
                notification_config=sagemaker.CfnEndpointConfig.AsyncInferenceNotificationConfigProperty(
                    success_topic=self.success_topic_arn, error_topic=self.error_topic_arn
                ),
            ),
        )


@dataclass(frozen=True, kw_only=True)
class InferenceTopicsProps:
    """A topic of the account that is there already is not made.

    One that is made has a name only where its ARN must be known before.
    """

    operations_key_arn: str
    success_topic_arn: str | None = None
    error_topic_arn: str | None = None
    success_topic_name: str | None = None
    error_topic_name: str | None = None


class InferenceTopics(Construct):
    """Two encrypted topics that roles of the account publish to, over TLS only; whoever waits for an answer subscribes."""

    def __init__(self, scope: Construct, construct_id: str, *, props: InferenceTopicsProps) -> None:
        super().__init__(scope, construct_id)
        self.success_topic_arn = props.success_topic_arn or self._topic(
            "SuccessTopic", props, props.success_topic_name
        )
        """ARN of the topic that hears of answers, possibly a token."""
        self.error_topic_arn = props.error_topic_arn or self._topic(
            "ErrorTopic", props, props.error_topic_name
        )
        """ARN of the topic that hears of failures, possibly a token."""

    def _topic(self, construct_id: str, props: InferenceTopicsProps, name: str | None) -> str:
        # What subscribes refers to the ARN, and a name would block a replacement.
        topic = sns.CfnTopic(self, construct_id, topic_name=name, kms_master_key_id=props.operations_key_arn)
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
