"""Graphs of a queue of requests."""

from sizewell.dashboards.graph import Graph, Reading
from sizewell.dashboards.lines import alarm_limits, line, reading
from sizewell.facts.metrics import SNS_NAMESPACE, SQS_NAMESPACE, sqs_dimensions, topic_dimensions
from sizewell.targets.serving.plan_model import QueueWorkerPlan


def queue_graphs(plan: QueueWorkerPlan) -> tuple[Graph, Graph, Graph]:
    """Return the requests in a queue, the age of the oldest, and what became of them."""

    def of_queue(name: str) -> Reading:
        return reading(SQS_NAMESPACE, name, "Maximum", sqs_dimensions(plan.queue.name))

    def heard_by(topic_arn: str) -> Reading:
        topic = topic_dimensions(topic_arn.rpartition(":")[2])
        return reading(SNS_NAMESPACE, "NumberOfMessagesPublished", "Sum", topic)

    return (
        Graph(
            title="Queue",
            unit="requests",
            series=(
                line("waiting", of_queue("ApproximateNumberOfMessagesVisible"), 4, swing=0.6),
                line("worked on", of_queue("ApproximateNumberOfMessagesNotVisible"), 1, swing=0.6),
            ),
        ),
        Graph(
            title="Age of the oldest request",
            unit="s",
            series=(line("oldest request", of_queue("ApproximateAgeOfOldestMessage"), 30, swing=0.6),),
            limits=alarm_limits(plan.alarms, {"age_of_oldest_request": "age"}),
        ),
        Graph(
            title="Notifications",
            unit="in a minute",
            series=tuple(
                line(label, heard_by(topic_arn), usual, expression="m * 60 / PERIOD(m)", swing=swing)
                for label, topic_arn, usual, swing in (
                    ("answers", plan.queue.answers_topic_arn, 4, 0.6),
                    ("failures", plan.queue.failures_topic_arn, 0, 0.1),
                )
            ),
        ),
    )
