"""What the stacks of models that answer later have in common: the queue, the topics, who may send, and the alarms."""

from collections.abc import Sequence
from typing import Any

from constructs import Construct

from constructs_lib.alarms.queue_alarms import QueueAlarms, QueueAlarmsProps
from constructs_lib.clusters.request_queue import RequestQueue, RequestQueueProps
from constructs_lib.endpoints.answered_later import (
    AnsweredLater,
    answer_statements,
    caller_statements,
    prefix_wildcards,
)
from constructs_lib.endpoints.asynchronous_inference import InferenceTopics, InferenceTopicsProps
from constructs_lib.endpoints.endpoint_access import EndpointAccess, EndpointAccessProps
from constructs_lib.policies.statements import Statement
from sizewell.stacks.alarm_thresholds import alarm_limits
from sizewell.stacks.workload_stack import WorkloadStack, props_of
from sizewell.targets.serving.plan_model import QueuePlan, QueueWorkerPlan

#: Who answers, in the words of policies.
_WORKER = "the worker"


class QueueStack(WorkloadStack):
    """A queue of requests; what works it off is added by the stacks of clusters."""

    queue: RequestQueue

    def __init__(
        self, scope: Construct, construct_id: str, *, plan: QueueWorkerPlan, first_look: str, **kwargs: Any
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self._later = self._answered_later(plan.queue)
        self.queue = RequestQueue(
            self,
            "Requests",
            props=self.props(RequestQueueProps, plan.queue, queue_name=plan.queue.name),
        )
        if plan.access is not None:
            statements = [*self.queue.send_statements(), *caller_statements(self._later, self.foundation)]
            EndpointAccess(
                self,
                "Access",
                props=props_of(EndpointAccessProps, plan.access, statements=statements, answered_by=_WORKER),
            )
        QueueAlarms(
            self,
            "Alarms",
            props=self.props(
                QueueAlarmsProps,
                plan,
                queue_name=plan.queue.name,
                answers_topic_name=_name_of(plan.queue.answers_topic_arn),
                failures_topic_name=_name_of(plan.queue.failures_topic_arn),
                failure_prefix=plan.queue.failure_prefix,
                alarms=alarm_limits(plan.alarms),
                first_look=first_look,
            ),
        )

    def worker_statements(self) -> list[Statement]:
        """Return what a container needs that works off the queue."""
        return [*self.queue.receive_statements(), *answer_statements(self._later, self.foundation)]

    def worker_wildcards(self) -> Sequence[tuple[dict[str, Any], str]]:
        """Return the wildcards of these statements, and the reason for each."""
        return list(prefix_wildcards(self._later, self.foundation, _WORKER))

    def _answered_later(self, queue: QueuePlan) -> AnsweredLater:
        topics = InferenceTopics(
            self,
            "Topics",
            props=self.props(
                InferenceTopicsProps,
                queue,
                success_topic_name=_name_of(queue.answers_topic_arn),
                error_topic_name=_name_of(queue.failures_topic_arn),
            ),
        )
        return props_of(
            AnsweredLater,
            queue,
            success_topic_arn=topics.success_topic_arn,
            error_topic_arn=topics.error_topic_arn,
        )


def _name_of(topic_arn: str) -> str:
    return topic_arn.rpartition(":")[2]
