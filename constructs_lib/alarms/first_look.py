"""What to look at first when an alarm goes off, by the name that the alarm has in the configuration."""

from collections.abc import Mapping

_ERRORS = "the errors in the log, and at what was deployed last"
_FLEET = "the number of instances: a fleet at its maximum is too small. Then look at what was deployed last"
_MEMORY = (
    "whether it has grown since the last deployment; if the alarm has no data, at the status of the endpoint"
)
_FUNCTION = "what was deployed last, and at what the function waits for"
_QUEUE = "the number of instances, and at whether they answer at all"
_MODELS = "how many models are asked for: those that do not fit into memory are loaded again and again"

FIRST_LOOK: Mapping[str, str] = {
    "server_error_rate": _ERRORS,
    "model_error_rate": _ERRORS,
    "client_error_rate": "who sends the requests, and at what changed there",
    "model_latency_p95": _FLEET,
    "model_latency_p99": _FLEET,
    "overhead_latency": "the size of requests and answers",
    "cpu_utilization": "the number of instances; if the alarm has no data, at the status of the endpoint",
    "gpu_utilization": _FLEET,
    "gpu_memory_utilization": _MEMORY,
    "memory_utilization": _MEMORY,
    "disk_utilization": "what the container writes to disk; if the alarm has no data, at the status of the endpoint",
    "age_of_oldest_request": _QUEUE,
    "backlog_without_capacity": "the scaling activities of the endpoint: a quota, a lack of capacity or suspended scaling",
    "invocation_failures": "the log, and at the inputs that fail",
    "expired_requests": _QUEUE,
    "response_upload_failures": "whether the role of the endpoint may write to the bucket of the answers and use its key",
    "notification_failures": "whether the role of the endpoint may publish to the topics of the answers and use their keys",
    "model_setup_time": "the size of the image and of the model",
    "concurrency_utilization": "the traffic: requests above the greatest concurrency are throttled",
    "provisioned_concurrency_spillover": "the traffic: requests above the provisioned concurrency may wait for a cold start",
    "model_loading_wait_time": _MODELS,
    "model_cache_hit": _MODELS,
    # Of functions.
    "error_rate": _ERRORS,
    "throttles": "the traffic, and at the concurrency that the account has left",
    "duration_p95": _FUNCTION,
    "duration_p99": _FUNCTION,
}


def with_first_look(description: str, alarm: str) -> str:
    """Return the description with what to look at first. Raises KeyError for an alarm that has nothing."""
    return f"{description}. Look first at {FIRST_LOOK[alarm]}."
