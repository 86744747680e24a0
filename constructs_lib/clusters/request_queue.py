"""The queue that holds requests until a container has room for them, and the one for those that always fail.

https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
"""

from dataclasses import dataclass

from aws_cdk import Aws, CfnOutput, RemovalPolicy
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from constructs_lib.alarms.count_alarm import alarm_on_count
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.notifications.dead_letters import dead_letter_queue, messages_of, tls_only
from constructs_lib.policies.statements import Statement, allow

#: Four days. Dead letters are kept for longer: their age is counted from the day that they were sent.
_RETENTION_S = 4 * 24 * 3600
#: The longest that SQS waits for a message before it answers that there is none.
_LONG_POLL_S = 20


@dataclass(frozen=True, kw_only=True)
class RequestQueueProps:
    """The queue: ``max_receives`` is how often a request is tried.

    Nobody else gets a request for ``visibility_timeout_s`` after its container told for the last time that it works on it.
    """

    queue_name: str
    visibility_timeout_s: int
    max_receives: int
    alarm_topic_arn: str
    foundation: FoundationReferences
    removal_policy: RemovalPolicy


class RequestQueue(Construct):
    """Two queues, encrypted with the data key, over TLS only; people hear of the first dead letter."""

    def __init__(self, scope: Construct, construct_id: str, *, props: RequestQueueProps) -> None:
        super().__init__(scope, construct_id)
        self._data_key_arn = props.foundation.data_key_arn
        dead = dead_letter_queue(self, self._data_key_arn, props.removal_policy)
        self.queue = sqs.CfnQueue(
            self,
            "Queue",
            # Manifests know its address by this name.
            queue_name=props.queue_name,
            kms_master_key_id=self._data_key_arn,
            message_retention_period=_RETENTION_S,
            receive_message_wait_time_seconds=_LONG_POLL_S,
            redrive_policy={"deadLetterTargetArn": dead.attr_arn, "maxReceiveCount": props.max_receives},
            visibility_timeout=props.visibility_timeout_s,
        )
        self.queue.apply_removal_policy(props.removal_policy)
        tls_only(self, "QueuePolicy", self.queue)
        alarm_on_count(
            self,
            "DeadLetterAlarm",
            description=f"A request to {props.queue_name} failed {props.max_receives} times. "
            f"Look first at the log of the container, and at the message in the queue {dead.attr_queue_name}.",
            count=messages_of(dead.attr_queue_name),
            alarm_topic_arn=props.alarm_topic_arn,
        )
        output = CfnOutput(
            self, "Url", value=self.queue.ref, description="Where callers send the places of their requests"
        )
        output.override_logical_id("QueueUrl")

    def receive_statements(self) -> list[Statement]:
        """Return what a container needs that works off the queue."""
        return [
            allow(
                ("sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:ReceiveMessage"),
                self.queue.attr_arn,
            ),
            allow(("kms:Decrypt",), self._data_key_arn, _VIA_SQS),
        ]

    def send_statements(self) -> list[Statement]:
        """Return what a caller needs: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html."""
        return [
            allow(("sqs:SendMessage",), self.queue.attr_arn),
            allow(("kms:Decrypt", "kms:GenerateDataKey"), self._data_key_arn, _VIA_SQS),
        ]


_VIA_SQS = {"StringEquals": {"kms:ViaService": f"sqs.{Aws.REGION}.amazonaws.com"}}
