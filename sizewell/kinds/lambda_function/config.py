"""A Lambda function that answers with a model: a container image with the Lambda runtime interface, on CPUs."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.alarms import Alarm, ErrorRateAlarm, UtilizationAlarm
from sizewell.config.base import ON_TIME_LIMIT, ConfigModel, fault
from sizewell.config.container import (
    ON_ISOLATION,
    AnyImage,
    Artifact,
    EnvironmentVariables,
    HardwareImages,
    Image,
    InferenceContainer,
)
from sizewell.config.effects import OnChange, OnImage, OnNumber, SelectionNeed
from sizewell.config.endpoint import AnswerLatency
from sizewell.config.environment import Environment
from sizewell.config.execution_role import ON_EXECUTION_ROLE, RoleArn
from sizewell.config.kind import ConfigKind
from sizewell.config.lambda_rollout import ON_LAMBDA_ROLLOUT, LambdaRollout
from sizewell.config.request_members import Violation, payload_violations
from sizewell.config.served_on_demand import (
    NOT_FOR_LAMBDA,
    ON_MAX_CONCURRENCY,
    ON_MEMORY,
    Concurrency,
    ServedOnDemand,
)
from sizewell.facts.image_registries import accounts_of_aws
from sizewell.facts.lambda_functions import MAX_TIMEOUT_S, MODEL_S3_URI
from sizewell.facts.serving_modes import Mode, limit

KIND = "lambda-function"
#: What one function can reserve of an account whose quota nobody has raised.
MAX_CONCURRENCY = int(limit(Mode.LAMBDA, "max_concurrency") - limit(Mode.LAMBDA, "unreserved_concurrency"))
_LEAST_MB, _MOST_MB = (int(limit(Mode.LAMBDA, name)) for name in ("min_memory_mb", "max_memory_mb"))
MAX_INVOCATION_MS = MAX_TIMEOUT_S * 1000
_Milliseconds = Annotated[float, Field(ge=0.001, le=MAX_INVOCATION_MS)]


_ON_REQUEST = (
    "a function answers one request at a time: remove the key; max_concurrency says how many at once"
)
#: Keys that people bring from endpoints, by their path in the workload, with what to do instead.
MISPLACED_KEYS = {
    **{
        f"container.images.{kind}": "a function has CPUs only: remove the key; cpu_x86_64 or cpu_arm64 is its image"
        for kind in ("cuda", "neuron")
    },
    "container.model_package": "Lambda starts no model package of SageMaker: remove the key; container.images is its image",
    "pipeline": "a function runs one container: put the steps into its image, or write kind: real-time-endpoint",
    "instances": "a function has no instances: memory_mb says how much memory, and with it how many vCPUs; remove the key",
    "batching": _ON_REQUEST,
    "objective": "a function has no instance type to choose: state the latency, or memory_mb; remove the key",
    "mode": "the kind says how the model is served: remove the key",
    "access": "allow a role lambda:InvokeFunction on the alias by a policy of yours: remove the key",
    "rollout.termination_wait_s": "a version that has lost its traffic costs nothing, and is deleted with the deployment: remove "
    "the key",
    "timeout_s": "the timeout follows from the latency and the cold start: remove the key",
    "ephemeral_storage_mb": "/tmp is as large as container.artifact asks for: write its size_gib; remove the key",
    "reserved_concurrency": "write max_concurrency, which is reserved for the function where it is stated",
    "latency.max_wait_minutes": "the caller of a function waits for the answer: remove the key",
    "latency.max_time_to_first_token_ms": "a function answers as a whole: state max_p95_ms",
    "latency.max_inter_token_ms": "a function answers as a whole: state max_p95_ms",
    "scaling.min_instances": "a function has no instances: write min_provisioned_concurrency",
    "scaling.max_instances": "a function has no instances: write max_provisioned_concurrency, or max_concurrency beside "
    "scaling for the most requests at once",
    **{
        f"alarms.model_latency_{percentile}": f"Lambda publishes Duration: write duration_{percentile}"
        for percentile in ("p95", "p99")
    },
    "alarms.server_error_rate": "Lambda publishes Errors, whoever is to blame: write error_rate",
    "alarms.memory_utilization": "Lambda publishes no memory: remove the key",
}


class LambdaImages(HardwareImages):
    """The image for each of the CPUs that a function may have; with both, the cheaper one that will do is taken."""

    cpu_x86_64: Annotated[AnyImage | None, OnImage("x86 CPUs")] = None
    """The image for CPUs of Intel and AMD: one of yours, with the Lambda runtime interface."""
    cpu_arm64: Annotated[AnyImage | None, OnImage("Graviton")] = None
    """The image for AWS Graviton: one of yours, with the Lambda runtime interface."""


class LambdaContainer(InferenceContainer):
    """The image of a function, and what it is given."""

    images: Annotated[LambdaImages, SelectionNeed.IMAGE] = Field(default_factory=LambdaImages)
    """The image for each of the CPUs that a function may have."""
    artifact: Annotated[
        Artifact | None,
        OnChange(
            added="the function loads its model from S3 when a worker starts",
            removed="the model is in the image: the function may not read the artifact bucket",
        ),
    ] = None
    """The model, where the handler loads it from S3 as a worker starts: MODEL_S3_URI says from where, the role may read it, and
    /tmp is large enough for it. By default it is in the image."""
    environment: EnvironmentVariables = {}
    """Environment variables of the function, 4 KB together; never a secret: name the ARN of a Secrets Manager secret."""
    network_isolation: Annotated[bool, ON_ISOLATION] = False
    """Always false: Lambda has no network isolation; the function runs in private subnets."""

    @model_validator(mode="after")
    def _images_start_in_lambda(self) -> Self:
        for key, _, _ in self.named_images():
            raise fault(key, NOT_FOR_LAMBDA)
        for hardware, image in self.images.by_hardware().items():
            if isinstance(image, Image) and image.account in accounts_of_aws():
                raise fault(f"images.{hardware}.account", NOT_FOR_LAMBDA)
        return self


class LambdaLatency(AnswerLatency):
    """The service level objective of one request, as the function answers it."""

    max_p95_ms: Annotated[_Milliseconds, ON_TIME_LIMIT, SelectionNeed.BOUND]
    """Milliseconds within which 95 of 100 requests are answered (Duration); Lambda ends a call after 900,000."""
    max_p99_ms: Annotated[_Milliseconds | None, ON_TIME_LIMIT, SelectionNeed.BOUND] = None
    """Milliseconds within which 99 of 100 requests are answered; without it nothing is asked, and there is no
    alarm."""


class DurationAlarm(Alarm):
    """An alarm on how long a function works."""

    above_ms: Annotated[
        Annotated[float, Field(ge=0.001, lt=MAX_INVOCATION_MS)] | None,
        OnNumber("the alarm is stricter", "the alarm is looser"),
    ] = None
    """The alarm goes off above these milliseconds, fewer than the 900,000 after which Lambda ends a call. By default
    latency.max_p95_ms and max_p99_ms."""


class LambdaAlarms(ConfigModel):
    """The alarms of a function, on the metrics that Lambda publishes of its alias."""

    error_rate: ErrorRateAlarm = ErrorRateAlarm()
    """Requests that ended in an error or after the timeout (Errors of Invocations)."""
    throttles: ErrorRateAlarm = ErrorRateAlarm()
    """Requests that Lambda turned away, beyond max_concurrency or what the account has left (Throttles)."""
    duration_p95: DurationAlarm = DurationAlarm()
    """What 95 of 100 requests take in the function (Duration)."""
    duration_p99: DurationAlarm = DurationAlarm()
    """What 99 of 100 requests take in the function (Duration)."""
    concurrency_utilization: UtilizationAlarm = UtilizationAlarm()
    """The share of max_concurrency that is in use (ConcurrentExecutions)."""
    provisioned_concurrency_spillover: Alarm = Alarm()
    """Requests that found no warm worker (ProvisionedConcurrencySpilloverInvocations), where there are some."""


class LambdaFunction(ServedOnDemand):
    """A function in private subnets, whose workers start when they are needed or are kept warm."""

    most_concurrency: ClassVar[int] = MAX_CONCURRENCY

    misplaced_keys: ClassVar[Mapping[str, str]] = MISPLACED_KEYS

    kind: Literal["lambda-function"]
    """The workload is an AWS Lambda function from a container image: on CPUs, with up to 10 GB."""
    container: LambdaContainer
    """The image that serves the model, and what it is given."""
    latency: LambdaLatency
    """How fast a request must be answered."""
    memory_mb: Annotated[Annotated[int, Field(ge=_LEAST_MB, le=_MOST_MB)] | None, ON_MEMORY] = None
    """Memory of a worker in MB (MemorySize), 128 to 10,240; by default the least that holds the model and answers in time."""
    max_concurrency: Annotated[Concurrency | None, ON_MAX_CONCURRENCY] = None
    """The most requests that are answered at once, up to 10,000, which no other function of the account may use then
    (ReservedConcurrentExecutions). By default one and a half times what the peak needs are expected, and nothing is reserved."""
    rollout: Annotated[LambdaRollout | None, ON_LAMBDA_ROLLOUT] = None
    """How a new version takes over the traffic; by default all of it at once."""
    execution_role_arn: Annotated[RoleArn | None, ON_EXECUTION_ROLE] = None
    """The ARN of a role of the account that Lambda assumes for this workload, in place of one that is made for it."""
    alarms: LambdaAlarms = LambdaAlarms()
    """When each alarm goes off, or why it is off; by default what follows from the objective."""


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


FACET = ConfigKind(rank=5, model=LambdaFunction, rules=_rules)
