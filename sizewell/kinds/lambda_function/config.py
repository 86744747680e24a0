"""Rules of Lambda functions: the variables that Lambda takes, and those that are set for you."""

import re
from collections.abc import Iterator

from sizewell.config.environment import Environment
from sizewell.config.kind import ConfigKind
from sizewell.config.lambda_function import LambdaFunction
from sizewell.config.request_members import Violation, payload_violations
from sizewell.facts.lambda_functions import MODEL_S3_URI
from sizewell.facts.serving_modes import Mode

#: API reference: Environment, Variables.
_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]+")
#: "Defined runtime environment variables", the reserved ones:
#: https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
_RESERVED = re.compile(
    r"_HANDLER|_X_AMZN_TRACE_ID|AWS_(DEFAULT_)?REGION|AWS_EXECUTION_ENV|AWS_LAMBDA_(?!EXEC_WRAPPER$|NODEJS).*|"
    r"AWS_ACCESS_KEY(_ID)?|AWS_SECRET_ACCESS_KEY|AWS_SESSION_TOKEN|LAMBDA_(TASK_ROOT|RUNTIME_DIR)"
)


def lambda_violations(name: str, function: LambdaFunction) -> Iterator[Violation]:
    """Yield what CreateFunction would refuse."""
    path, variables = ("workloads", name, "container", "environment"), function.container.environment
    for variable in variables:
        if _RESERVED.fullmatch(variable):
            yield (*path, variable), "Lambda sets this variable itself; remove it here"
        elif variable == MODEL_S3_URI and function.container.artifact is not None:
            yield (*path, variable), "the variable is set for you, by container.artifact; remove it here"
        elif not _NAME.fullmatch(variable):
            yield (
                (*path, variable),
                "Lambda takes names of two letters, digits or underscores at least, of which the first is a letter",
            )


def _rules(_: Environment, name: str, function: LambdaFunction) -> Iterator[Violation]:
    yield from payload_violations(("workloads", name), function.request, Mode.LAMBDA)
    yield from lambda_violations(name, function)


FACET = ConfigKind(rules=_rules)
