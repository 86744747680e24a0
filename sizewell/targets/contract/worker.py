"""What the program is told that works off a queue beside a model: ``work_queue.py``, which runs in the image of the model."""

from sizewell.targets.serving.plan_model import QueueWorkerPlan

#: What the program itself takes, and the most that each request takes beside: parts of its input and of its answer.
_PROGRAM_MIB, _REQUEST_MIB = 128, 64
#: The port of the model, as SageMaker calls it.
_MODEL = "http://127.0.0.1:8080"


def worker_variables(plan: QueueWorkerPlan, artifact_bucket: str) -> dict[str, str]:
    """Return its environment variables, but for the region."""
    queue, bucket = plan.queue, f"s3://{artifact_bucket}"
    return {
        "ANSWER_TIMEOUT_S": str(queue.invocation_timeout_s),
        "ERROR_TOPIC_ARN": queue.failures_topic_arn,
        "FAILURE_URI": f"{bucket}/{queue.failure_prefix}",
        "MAX_CONCURRENCY": str(plan.max_concurrent_requests),
        "MAX_RECEIVES": str(queue.max_receives),
        "MODEL_URL": f"{_MODEL}/invocations",
        "OUTPUT_URI": f"{bucket}/{queue.output_prefix}",
        "PING_URL": f"{_MODEL}/ping",
        "QUEUE_URL": queue.url,
        "SUCCESS_TOPIC_ARN": queue.answers_topic_arn,
    }


def most_memory_mib(plan: QueueWorkerPlan) -> int:
    """Return what it takes of memory where all requests and answers are large."""
    return _PROGRAM_MIB + _REQUEST_MIB * plan.max_concurrent_requests
