"""What Lambda publishes of a function's alias, what scales its provisioned concurrency, and what we call its parts.

"Types of metrics for Lambda functions", https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html, and
"AWS Lambda and Application Auto Scaling",
https://docs.aws.amazon.com/autoscaling/application/userguide/services-that-can-integrate-lambda.html, read 2026-11-23
"""

from sizewell.facts.metrics import Dimensions
from sizewell.facts.serving_modes import Mode, limit

NAMESPACE = "AWS/Lambda"
SCALING_NAMESPACE = "lambda"
PROVISIONED_CONCURRENCY = "lambda:function:ProvisionedConcurrency"
PROVISIONED_CONCURRENCY_UTILIZATION = "LambdaProvisionedConcurrencyUtilization"

#: Ours: what callers call, whatever version is behind it.
ALIAS = "live"
#: Ours: the variable that tells a handler where its model is.
MODEL_S3_URI = "MODEL_S3_URI"

#: Of names and values together: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html.
MAX_ENVIRONMENT_BYTES = 4096
#: /tmp of a function, in MB; what is free is what it has at least.
MIN_STORAGE_MB, MAX_STORAGE_MB = (int(limit(Mode.LAMBDA, f"{most}_storage_mb")) for most in ("min", "max"))
#: The longest that a call may take, in seconds.
MAX_TIMEOUT_S = int(limit(Mode.LAMBDA, "max_processing_s"))


def alias_dimensions(function_name: str, executed_version: str | None = None) -> Dimensions:
    """Return the dimensions of what is published of the alias, or of what one of its versions answers behind it."""
    of_alias = (("FunctionName", function_name), ("Resource", f"{function_name}:{ALIAS}"))
    return of_alias if executed_version is None else (*of_alias, ("ExecutedVersion", executed_version))
