"""Rules of a whole environment: what its policy demands of its network and workloads, and names from elsewhere."""

from collections.abc import Iterator
from zoneinfo import available_timezones

from config.endpoint import RealTimeEndpoint
from config.environment import Environment
from config.faults import near_match
from config.request_members import Violation, endpoint_members, training_members
from config.training import TrainingJob


def check_rules(environment: Environment) -> Iterator[Violation]:
    """Yield every violation, in the order of the configuration."""
    yield from _zones(environment)
    for name, workload in environment.workloads.items():
        if isinstance(workload, RealTimeEndpoint):
            yield from _instance_bounds(environment, name, workload)
            yield from _reserved_region(environment, name, workload)
            yield from endpoint_members(name, workload)
        else:
            yield from _spot_allowed(environment, name, workload)
            yield from _time_zone(name, workload)
            yield from training_members(name, workload)


def _zones(environment: Environment) -> Iterator[Violation]:
    zones, least = environment.network.availability_zones, environment.policy.min_availability_zones
    if zones < least:
        key = "availability_zones" if environment.network.mode == "new" else "subnet_ids"
        yield (
            ("network", key),
            f"{zones} availability zone(s), but policy.min_availability_zones asks for {least}",
        )


def _instance_bounds(environment: Environment, name: str, endpoint: RealTimeEndpoint) -> Iterator[Violation]:
    policy, scaling = environment.policy, endpoint.scaling
    if scaling.min_instances is not None and scaling.min_instances < policy.min_endpoint_instances:
        yield (
            ("workloads", name, "scaling", "min_instances"),
            f"{scaling.min_instances} instance(s), but policy.min_endpoint_instances asks for {policy.min_endpoint_instances}",
        )
    if scaling.max_instances is not None and scaling.max_instances < policy.min_endpoint_instances:
        yield (
            ("workloads", name, "scaling", "max_instances"),
            f"{scaling.max_instances} instance(s) at most, but policy.min_endpoint_instances asks for "
            f"{policy.min_endpoint_instances}",
        )
    most = policy.max_endpoint_instances
    for key in ("min_instances", "max_instances"):
        value = getattr(scaling, key)
        if value is not None and value > most:
            yield (
                ("workloads", name, "scaling", key),
                f"{value} instances, but policy.max_endpoint_instances is {most}",
            )


def _reserved_region(environment: Environment, name: str, endpoint: RealTimeEndpoint) -> Iterator[Violation]:
    arn = endpoint.capacity_reservation_arn
    region = environment.policy.region
    if arn is not None and (reserved := arn.split(":")[3]) != region:
        yield (
            ("workloads", name, "capacity_reservation_arn"),
            f"the reservation is in {reserved}, but policy.region is {region}",
        )


def _spot_allowed(environment: Environment, name: str, job: TrainingJob) -> Iterator[Violation]:
    if job.spot.enabled and not environment.policy.allow_spot:
        yield (
            ("workloads", name, "spot", "enabled"),
            "Spot is asked for, but policy.allow_spot is false in this environment",
        )


def _time_zone(name: str, job: TrainingJob) -> Iterator[Violation]:
    """EventBridge Scheduler refuses an unknown time zone only when it is deployed."""
    zone = job.schedule.time_zone if job.schedule else "UTC"
    # The names come from the machine's database and from the package tzdata, which every installation has. The
    # list, not the reading of a zone: where file names ignore case, europe/berlin can be read as well.
    if zone == "UTC" or zone in (known := available_timezones()):
        return
    cities = sorted(other for other in known if other.rpartition("/")[2].lower() == zone.lower())
    match = cities[0] if cities else near_match(zone, sorted(known))
    reason = f'"{zone}" is no name of the IANA time-zone database'
    yield (
        ("workloads", name, "schedule", "time_zone"),
        f"{reason}; did you mean {match}?" if match else reason,
    )
