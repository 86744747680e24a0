"""A serverless endpoint: SageMaker Serverless Inference, which is paid by the second of work."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.access import ON_ACCESS, Access
from sizewell.config.alarms import Alarm, ErrorRateAlarm, LatencyAlarm, UtilizationAlarm
from sizewell.config.base import ConfigModel, fault
from sizewell.config.container import ON_ISOLATION, CpuImages, ModelContainer
from sizewell.config.effects import OnNumber, SelectionNeed
from sizewell.config.environment import Environment
from sizewell.config.kind import ConfigKind
from sizewell.config.request_members import Violation, model_members, payload_violations
from sizewell.config.served_on_demand import ON_MAX_CONCURRENCY, ON_MEMORY, ServedOnDemand
from sizewell.facts.serving_modes import Mode, limit

KIND = "serverless-endpoint"
MAX_CONCURRENCY = int(limit(Mode.SERVERLESS, "max_concurrency"))
#: API reference: ProductionVariantServerlessConfig, MemorySizeInMB.
MemoryMb = Literal[1024, 2048, 3072, 4096, 5120, 6144]

#: Keys that people bring from endpoints on instances, by their path in the workload, with what to do instead.
MISPLACED_KEYS = {
    **{
        f"container.images.{kind}": "a serverless endpoint has x86 CPUs only: remove the key; cpu_x86_64 is its image"
        for kind in ("cuda", "neuron", "cpu_arm64")
    },
    "instances": "a serverless endpoint has no instances: memory_mb says how much memory, and with it how many vCPUs; "
    "remove the key",
    "batching": "a serverless endpoint computes one request at a time: remove the key; max_concurrency says how many at once",
    "objective": "a serverless endpoint has no instance type to choose: state the latency, or memory_mb; remove the key",
    "pipeline": "a serverless endpoint runs one container: put the steps into its image, or write kind: real-time-endpoint",
    "capacity_reservation_arn": "a serverless endpoint has no instances to reserve: provisioned_concurrency keeps workers warm",
    "mode": "the kind says how the model is served: remove the key",
    "similar_models": "only a multi-model endpoint is shared: remove the key",
    "latency.max_wait_minutes": "the caller of a serverless endpoint waits for the answer: remove the key",
    "latency.max_time_to_first_token_ms": "a serverless endpoint answers as a whole: state max_p95_ms",
    "latency.max_inter_token_ms": "a serverless endpoint answers as a whole: state max_p95_ms",
    "scaling.min_instances": "a serverless endpoint has no instances: write min_provisioned_concurrency",
    "scaling.max_instances": "a serverless endpoint has no instances: write max_provisioned_concurrency, or max_concurrency "
    "beside scaling for the most requests at once",
    "alarms.model_error_rate": "a serverless endpoint does not publish InvocationModelErrors: server_error_rate is what there is",
    "alarms.cpu_utilization": "a serverless endpoint does not publish CPUUtilization: remove the key",
    "alarms.disk_utilization": "a serverless endpoint does not publish DiskUtilization: remove the key",
    "alarms.gpu_utilization": "a serverless endpoint has no GPU: remove the key",
    "alarms.gpu_memory_utilization": "a serverless endpoint has no GPU: remove the key",
}


class ServerlessContainer(ModelContainer):
    """What serves the model, on x86 CPUs and outside of the VPC."""

    images: Annotated[CpuImages, SelectionNeed.IMAGE] = Field(default_factory=CpuImages)
    """The image for x86 CPUs, which is all that a serverless endpoint has."""
    network_isolation: Annotated[bool, ON_ISOLATION] = False
    """Always false: SageMaker has no network isolation for serverless endpoints, and the container reaches the internet."""

    @model_validator(mode="after")
    def _artifact_is_packed(self) -> Self:
        if self.artifact and (reason := self.artifact.not_an_archive("serverless endpoints")):
            raise fault("artifact.key", reason)
        return self


class SetupTimeAlarm(Alarm):
    """An alarm on what a cold start takes."""

    above_ms: Annotated[
        Annotated[float, Field(ge=1, lt=limit(Mode.SERVERLESS, "max_start_s") * 1000)] | None,
        OnNumber("the alarm is stricter", "the alarm is looser"),
    ] = None
    """The alarm goes off above these milliseconds, fewer than the 180,000 in which a model must have started. By default twice
    what is predicted."""


class ServerlessAlarms(ConfigModel):
    """The alarms of a serverless endpoint, on the metrics that it publishes."""

    server_error_rate: ErrorRateAlarm = ErrorRateAlarm()
    """Answers with a status of 5xx (Invocation5XXErrors)."""
    client_error_rate: ErrorRateAlarm = ErrorRateAlarm()
    """Answers with a status of 4xx (Invocation4XXErrors); requests beyond max_concurrency are among them."""
    model_latency_p95: LatencyAlarm = LatencyAlarm()
    """What 95 of 100 requests take in the model (ModelLatency)."""
    model_latency_p99: LatencyAlarm = LatencyAlarm()
    """What 99 of 100 requests take in the model (ModelLatency)."""
    overhead_latency: LatencyAlarm = LatencyAlarm()
    """What SageMaker adds to a request, on average, cold starts included (OverheadLatency)."""
    model_setup_time: SetupTimeAlarm = SetupTimeAlarm()
    """What a cold start takes, on average (ModelSetupTime)."""
    memory_utilization: UtilizationAlarm = UtilizationAlarm()
    """Memory of the fullest worker (MemoryUtilization)."""
    concurrency_utilization: UtilizationAlarm = UtilizationAlarm()
    """The share of max_concurrency that is in use (ServerlessConcurrentExecutionsUtilization)."""
    provisioned_concurrency_spillover: Alarm = Alarm()
    """Requests that found no warm worker (ServerlessProvisionedConcurrencySpilloverInvocations), where there are some."""


class ServerlessEndpoint(ServedOnDemand):
    """An endpoint without instances, whose workers start when they are needed or are kept warm."""

    in_vpc: ClassVar[bool] = False
    most_concurrency: ClassVar[int] = MAX_CONCURRENCY

    misplaced_keys: ClassVar[Mapping[str, str]] = MISPLACED_KEYS

    kind: Literal["serverless-endpoint"]
    """The workload is a SageMaker endpoint without instances (Serverless Inference): on CPUs, with up to 6 GB."""
    container: ServerlessContainer
    """The image that serves the model, and what it is given."""
    access: Annotated[Access | None, ON_ACCESS] = None
    """Who may invoke it; by default nobody is given the permission."""
    memory_mb: Annotated[MemoryMb | None, ON_MEMORY] = None
    """Memory of a worker in MB (MemorySizeInMB), in steps of 1024; by default the smallest that holds the model and answers in
    time."""
    max_concurrency: Annotated[Annotated[int, Field(ge=1, le=MAX_CONCURRENCY)] | None, ON_MAX_CONCURRENCY] = (
        None
    )
    """The most requests that are answered at once (MaxConcurrency); by default one and a half times what the peak needs."""
    alarms: ServerlessAlarms = ServerlessAlarms()
    """When each alarm goes off, or why it is off; by default what follows from the objective."""


def _rules(_: Environment, name: str, endpoint: ServerlessEndpoint) -> Iterator[Violation]:
    yield from payload_violations(("workloads", name), endpoint.request, Mode.SERVERLESS)
    yield from model_members(("workloads", name), endpoint)


FACET = ConfigKind(rank=4, model=ServerlessEndpoint, rules=_rules)
