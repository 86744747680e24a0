"""What starts a workflow by itself may do, and the queue for the starts that failed."""

from aws_cdk import RemovalPolicy
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from constructs_lib.policies.acknowledgements import acknowledge
from constructs_lib.policies.statements import Statement, allow, policy_document

DEAD_LETTER_RETENTION_S = 14 * 24 * 3600  # the longest that SQS keeps a message


def start_statements(state_machine_arn: str | list[str], data_key_arn: str) -> list[Statement]:
    """Return what starting executions of a machine, or of several, needs.

    A caller of StartExecution uses the key that encrypts the machine's data:
    https://docs.aws.amazon.com/step-functions/latest/dg/encryption-at-rest.html
    """
    return [
        allow(("states:StartExecution",), state_machine_arn),
        allow(
            ("kms:Decrypt", "kms:GenerateDataKey"),
            data_key_arn,
            {"StringEquals": {"kms:EncryptionContext:aws:states:stateMachineArn": state_machine_arn}},
        ),
    ]


def failed_starts_queue(
    scope: Construct,
    operations_key_arn: str,
    removal_policy: RemovalPolicy,
    statements: tuple[Statement, ...] = (),
) -> sqs.CfnQueue:
    """Add a queue that accepts TLS only; ``statements`` say who else may send to it than roles of the account."""
    queue = sqs.CfnQueue(
        scope,
        "DeadLetterQueue",
        kms_master_key_id=operations_key_arn,
        message_retention_period=DEAD_LETTER_RETENTION_S,
    )
    queue.apply_removal_policy(removal_policy)
    acknowledge(
        queue,
        "AwsSolutions-SQS3",
        "This queue is itself the dead-letter queue of a schedule; an alarm watches it and people read it.",
    )
    sqs.CfnQueuePolicy(
        scope,
        "DeadLetterQueuePolicy",
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
    return queue
