"""Graphs of a queue of requests."""

from sizewell.dashboards.graph import Graph, Reading
from sizewell.dashboards.lines import alarm_limits, line, reading
from sizewell.facts.metrics import SQS_NAMESPACE, sqs_dimensions
from sizewell.targets.serving.plan_model import QueueWorkerPlan


def queue_graphs(plan: QueueWorkerPlan) -> tuple[Graph, Graph]:
    """Return the requests in a queue, and the age of the oldest."""

    def of_queue(name: str) -> Reading:
        return reading(SQS_NAMESPACE, name, "Maximum", sqs_dimensions(plan.queue.name))

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
    )
