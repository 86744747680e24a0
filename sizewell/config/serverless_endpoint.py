"""A serverless endpoint: SageMaker Serverless Inference, which is paid by the second of work."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.access import ON_ACCESS, Access
from sizewell.config.alarms import Alarm, ErrorRateAlarm, LatencyAlarm, UtilizationAlarm
from sizewell.config.base import ConfigModel, Name, fault, without
from sizewell.config.container import ON_ISOLATION, CpuImages, ModelContainer
from sizewell.config.effects import Below, OnChange, OnFactor, OnNumber, SelectionNeed
from sizewell.config.endpoint import AnswerLatency
from sizewell.config.scaling import MAX_SCHEDULES, ScheduleMoment, check_schedules
from sizewell.config.served_model import ServedModel
from sizewell.config.traffic import Traffic
from sizewell.facts.serving_modes import Mode, limit

KIND = "serverless-endpoint"
MAX_CONCURRENCY = int(limit(Mode.SERVERLESS, "max_concurrency"))
#: API reference: ProductionVariantServerlessConfig, MemorySizeInMB.
MemoryMb = Literal[1024, 2048, 3072, 4096, 5120, 6144]
Concurrency = Annotated[int, Field(ge=1, le=MAX_CONCURRENCY)]

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

    images: Annotated[CpuImages, SelectionNeed(260)] = Field(default_factory=CpuImages)
    """The image for x86 CPUs, which is all that a serverless endpoint has."""
    network_isolation: Annotated[bool, ON_ISOLATION] = False
    """Always false: SageMaker has no network isolation for serverless endpoints, and the container reaches the internet."""

    @model_validator(mode="after")
    def _artifact_is_packed(self) -> Self:
        if reason := self.artifact.not_an_archive("serverless endpoints"):
            raise fault("artifact.key", reason)
        return self


class ConcurrencySchedule(ScheduleMoment):
    """Bounds of provisioned concurrency that hold from a moment of the week until the next schedule begins."""

    min_provisioned_concurrency: Concurrency | None = None
    """The least provisioned concurrency from then on; by default that of scaling."""
    max_provisioned_concurrency: Concurrency | None = None
    """The most provisioned concurrency from then on; by default that of scaling."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        _check_order(self.min_provisioned_concurrency, self.max_provisioned_concurrency)
        return self


class ConcurrencyScaling(ConfigModel):
    """How provisioned concurrency follows the load, and the clock."""

    min_provisioned_concurrency: Annotated[
        Concurrency | None, OnNumber("fewer workers stay warm", "more workers stay warm, and are paid")
    ] = None
    """The least provisioned concurrency (MinCapacity); by default 1."""
    max_provisioned_concurrency: Annotated[
        Concurrency | None,
        OnNumber("fewer workers are warm at the peak", "more workers may be warm, and paid"),
    ] = None
    """The most provisioned concurrency (MaxCapacity); by default what the peak load needs."""
    schedules: Annotated[
        dict[Name, ConcurrencySchedule],
        Field(max_length=MAX_SCHEDULES),
        Below(
            OnChange(
                changed="other bounds hold from its moment on",
                added="its bounds hold from its moment on, until the next schedule begins",
                removed="what holds before its moment holds on",
            )
        ),
    ] = {}
    """Bounds that hold from a moment of the week on (ScheduledActions), by a name of yours."""
    headroom: Annotated[
        float,
        Field(ge=0, lt=0.9),
        OnNumber(
            "less provisioned concurrency stays free",
            "more provisioned concurrency stays free: scales out earlier",
        ),
    ] = 0.3
    """The share of the provisioned concurrency that stays free while more is made ready."""
    scale_out_cooldown_s: Annotated[int, Field(ge=0, le=3600)] = 60
    """Seconds after adding provisioned concurrency before more is added (ScaleOutCooldown)."""
    scale_in_cooldown_s: Annotated[int, Field(ge=0, le=3600)] = 300
    """Seconds after removing provisioned concurrency before more is removed (ScaleInCooldown)."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        _check_order(self.min_provisioned_concurrency, self.max_provisioned_concurrency)
        check_schedules(self, self.schedules)
        return self


def _check_order(least: int | None, most: int | None) -> None:
    if least and most and least > most:
        raise fault("min_provisioned_concurrency", f"is {least}, above max_provisioned_concurrency ({most})")


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


class ServerlessEndpoint(ServedModel):
    """An endpoint without instances, whose workers start when they are needed or are kept warm."""

    in_vpc: ClassVar[bool] = False

    kind: Literal["serverless-endpoint"]
    """The workload is a SageMaker endpoint without instances (Serverless Inference): on CPUs, with up to 6 GB."""
    container: ServerlessContainer
    """The image that serves the model, and what it is given."""
    traffic: Annotated[Traffic, Below(OnFactor()), SelectionNeed(30)]
    """How much arrives: requests per second, or users who wait for their answers."""
    latency: AnswerLatency
    """How fast a request must be answered."""
    access: Annotated[Access | None, ON_ACCESS] = None
    """Who may invoke it; by default nobody is given the permission."""
    memory_mb: Annotated[
        MemoryMb | None,
        OnNumber("less memory, and a smaller share of vCPUs", "more memory, and a larger share of vCPUs"),
    ] = None
    """Memory of a worker in MB (MemorySizeInMB), in steps of 1024; by default the smallest that holds the model and answers in
    time."""
    max_concurrency: Annotated[
        Concurrency | None,
        OnNumber("fewer requests are answered at once", "more requests are answered at once"),
    ] = None
    """The most requests that are answered at once (MaxConcurrency); by default one and a half times what the peak needs."""
    provisioned_concurrency: Annotated[
        Annotated[int, Field(ge=0, le=MAX_CONCURRENCY)] | None,
        OnNumber("fewer workers are kept warm", "more workers are kept warm, and paid day and night"),
    ] = None
    """How many workers are kept warm (ProvisionedConcurrency); 0 keeps none. By default as many as 95 of 100 requests need at
    peak where the latency leaves no time for a cold start, else none."""
    scaling: ConcurrencyScaling | None = None
    """How provisioned concurrency follows the load and the clock; by default it is a fixed number."""
    alarms: ServerlessAlarms = ServerlessAlarms()
    """When each alarm goes off, or why it is off; by default what follows from the objective."""

    @model_validator(mode="after")
    def _concurrency_is_ordered(self) -> Self:
        most = self.max_concurrency
        stated = {"provisioned_concurrency": self.provisioned_concurrency}
        if self.scaling is not None:
            self._check_start(self.scaling)
            for key in ("min_provisioned_concurrency", "max_provisioned_concurrency"):
                stated[f"scaling.{key}"] = getattr(self.scaling, key)
                for name, schedule in self.scaling.schedules.items():
                    stated[f"scaling.schedules.{name}.{key}"] = getattr(schedule, key)
        for key, value in stated.items():
            if most is not None and value is not None and value > most:
                raise fault(key, f"is {value}, above max_concurrency ({most})")
        return self

    def _check_start(self, scaling: ConcurrencyScaling) -> None:
        """A deployment provisions a number that scaling allows."""
        start = self.provisioned_concurrency
        if start is None:
            return
        if start == 0:
            raise fault("scaling", f"has no effect beside provisioned_concurrency: 0; {without('scaling')}")
        least, most = scaling.min_provisioned_concurrency, scaling.max_provisioned_concurrency
        if least is not None and start < least:
            raise fault(
                "provisioned_concurrency", f"is {start}, below scaling.min_provisioned_concurrency ({least})"
            )
        if most is not None and start > most:
            raise fault(
                "provisioned_concurrency", f"is {start}, above scaling.max_provisioned_concurrency ({most})"
            )
