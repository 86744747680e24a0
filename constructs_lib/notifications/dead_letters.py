"""Queues for what could not be delivered: a start of a workflow, or a message to people."""

from aws_cdk import RemovalPolicy
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from constructs_lib.alarms.count_alarm import Count
from constructs_lib.policies.acknowledgements import acknowledge
from constructs_lib.policies.statements import Statement, policy_document

RETENTION_S = 14 * 24 * 3600  # the longest that SQS keeps a message


def dead_letter_queue(
    scope: Construct,
    key_arn: str,
    removal_policy: RemovalPolicy,
    statements: tuple[Statement, ...] = (),
) -> sqs.CfnQueue:
    """Add a queue that accepts TLS only; ``statements`` say who else may send to it than roles of the account."""
    queue = sqs.CfnQueue(
        scope,
        "DeadLetterQueue",
        kms_master_key_id=key_arn,
        message_retention_period=RETENTION_S,
    )
    queue.apply_removal_policy(removal_policy)
    acknowledge(
        queue,
        "AwsSolutions-SQS3",
        "This queue is itself a dead-letter queue; an alarm watches it and people read it.",
    )
    tls_only(scope, "DeadLetterQueuePolicy", queue, statements)
    return queue


def tls_only(
    scope: Construct, construct_id: str, queue: sqs.CfnQueue, statements: tuple[Statement, ...] = ()
) -> None:
    """Add the policy of a queue that accepts TLS only; ``statements`` say who else may use it than roles of the account."""
    sqs.CfnQueuePolicy(
        scope,
        construct_id,
        queues=[queue.ref],
        policy_document=policy_document(
            [
                {
                    "Effect": "Deny",
                    "Principal": "*",
                    "Action": "sqs:*",
                    "Resource": queue.attr_arn,
                    "Condition": {"Bool": {"aws:SecureTransport": "false"}},
                },
                *({**statement, "Resource": queue.attr_arn} for statement in statements),
            ]
        ),
    )


def sent_by_rules(account: str) -> Statement:
    """Return the statement without its resource that lets rules of an account send to a queue.

    EventBridge itself sends to the queue of a rule, not as the role of its target:
    https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html.
    """
    return {
        "Effect": "Allow",
        "Principal": {"Service": "events.amazonaws.com"},
        "Action": "sqs:SendMessage",
        "Condition": {"StringEquals": {"aws:SourceAccount": account}},
    }


def messages_of(queue_name: str) -> Count:
    """Return how many messages wait in a queue."""
    return Count(
        namespace="AWS/SQS",
        metric_name="ApproximateNumberOfMessagesVisible",
        statistic="Maximum",
        dimension=("QueueName", queue_name),
    )
