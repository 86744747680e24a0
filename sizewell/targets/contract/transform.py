"""What the programs are told that transform objects beside a model: ``transform_objects.py``, and in one container with the model
``transform_with_model.py``."""

import json

from sizewell.facts.model_servers import MODEL_DIRECTORY
from sizewell.targets.transforming.plan_model import TransformedOnEc2Plan

#: The model, as SageMaker calls it.
_MODEL = "http://127.0.0.1:8080"


def transform_settings(plan: TransformedOnEc2Plan) -> dict[str, str]:
    """Return the settings of the first, but for the region, and the places in S3."""
    data = plan.data
    return {
        "ACCEPT": data.accept or "",
        "ANSWER_TIMEOUT_S": str(plan.answer_timeout_s),
        "COMPRESSION": data.compression,
        "CONTENT_TYPE": data.content_type,
        "MAX_CONCURRENCY": str(plan.max_concurrent_requests),
        "MAX_PAYLOAD_MB": str(data.max_payload_mb),
        "MODEL_URL": f"{_MODEL}/invocations",
        "PING_URL": f"{_MODEL}/ping",
        "RETRIES": str(plan.retries),
        "SHARDS": str(plan.instance_count),
        "SPLIT": data.split,
        "STARTUP_S": str(plan.startup_s),
        "STRATEGY": data.strategy,
    }


def transform_variables(plan: TransformedOnEc2Plan, artifact_bucket_name: str, region: str) -> dict[str, str]:
    """Return the environment variables of the second, but for ``RUN_NAME``. The model has variables of its own beside them."""
    artifacts = f"s3://{artifact_bucket_name}"
    settings = {
        **transform_settings(plan),
        "DATA_URI": f"{artifacts}/{plan.data.prefix}/",
        "MODEL_COMPRESSION": plan.artifact_compression,
        "MODEL_DIRECTORY": MODEL_DIRECTORY,
        "OUTPUT_URI": f"{artifacts}/{plan.output_prefix}/",
    }
    if plan.artifact_key is not None:
        settings["MODEL_URI"] = f"{artifacts}/{plan.artifact_key}"
    return {
        **plan.environment,
        "AWS_DEFAULT_REGION": region,
        "AWS_REGION": region,
        "SIZEWELL_TRANSFORM": json.dumps(settings, sort_keys=True),
    }
