"""The plan of what workers serve that start when they are needed, or are kept warm, as plain data."""

from sizewell.planning.workload_plan import AlarmPlan, PlanModel, WorkloadPlan


class ConcurrencyActionPlan(PlanModel):
    """Bounds of provisioned concurrency that hold from a moment of the week until another action begins."""

    name: str
    schedule: str
    """A cron expression of Application Auto Scaling."""
    time_zone: str
    min_provisioned_concurrency: int
    max_provisioned_concurrency: int
    hours_per_week: float
    """How long the bounds hold."""


class ConcurrencyScalingPlan(PlanModel):
    """Target tracking on the utilization of provisioned concurrency."""

    min_provisioned_concurrency: int
    max_provisioned_concurrency: int
    target_utilization: float
    """The share that is busy: what headroom leaves of 1."""
    scale_out_cooldown_s: int
    scale_in_cooldown_s: int
    scheduled_actions: tuple[ConcurrencyActionPlan, ...] = ()
    """Other bounds by the clock; those above hold from a deployment until the first of them."""


class MemorySizePlan(PlanModel):
    """One memory that a worker could have, and what speaks against it."""

    memory_mb: int
    vcpus: float
    p95_latency_ms: float
    """Of a request that finds a warm worker."""
    concurrency_at_peak: int
    """Workers that 95 of 100 requests need at peak."""
    usd_per_month: float | None
    """At average load, without data and alarms; None is unknown."""
    why_not: tuple[str, ...]
    """Empty for what would do."""


class OnDemandPlan(WorkloadPlan):
    """One serverless endpoint or Lambda function."""

    memory_mb: int
    max_concurrency: int
    provisioned_concurrency: int | None
    """What a deployment provisions; None starts every worker when it is needed."""
    scaling: ConcurrencyScalingPlan | None
    """Of provisioned concurrency; None for a fixed number."""
    requests_per_month: float
    average_provisioned_concurrency: float
    """Over the month."""
    service_time_ms: float
    """Of one request in the container."""
    p95_latency_ms: float
    cold_start_s: float
    """What a request waits that starts a worker, beside its latency."""
    alarms: dict[str, AlarmPlan]
    alarms_off: dict[str, str]
    """Why, by name, of alarms that are not made."""
    composite_alarm_name: str | None = None
    """The alarm that tells people for all others; None where each tells people itself."""
    sizes: tuple[MemorySizePlan, ...]
    """The memories that there are, smallest first: of the thousands of a function whole gigabytes, and the one that is taken."""
    decisions: tuple[str, ...]
    """What was decided and why, in sentences."""
    assumptions: tuple[str, ...]

    @property
    def runs_at_all_hours(self) -> bool:
        """Whether workers are kept warm."""
        return bool(self.provisioned_concurrency)

    @property
    def gb_seconds_per_request(self) -> float:
        """Billed by the millisecond."""
        return self.memory_mb / 1024 * self.service_time_ms / 1000

    @property
    def usd_per_month(self) -> float | None:
        """Of the memory that is taken."""
        return next(size.usd_per_month for size in self.sizes if size.memory_mb == self.memory_mb)
