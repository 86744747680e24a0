"""Rules between parts of an environment: what its policy demands of its network and workloads, and which names exist."""

from collections.abc import Iterator
from typing import Any

from sizewell.config.access_rules import access_violations
from sizewell.config.arn_rules import account_of, elsewhere
from sizewell.config.cluster import runs_in_cluster
from sizewell.config.cluster_rules import cluster_violations
from sizewell.config.environment import MAX_PREFIX_CHARACTERS, Environment
from sizewell.config.existing_rules import existing_violations, role_violations
from sizewell.config.experiment_rules import experiment_violations
from sizewell.config.image_rules import image_violations, twice_stated
from sizewell.config.kind import ConfigKind, config_kinds
from sizewell.config.model_package_rules import package_violations
from sizewell.config.network import ExistingNetwork, NewNetwork
from sizewell.config.place_rules import path_of_place, place_violations
from sizewell.config.proxy_rules import proxy_violations
from sizewell.config.request_members import Violation
from sizewell.config.start_rules import start_violations
from sizewell.config.tag_rules import tag_violations
from sizewell.config.time_zones import time_zone_violations
from sizewell.facts.regions import zone_id_prefix, zones_of
from sizewell.facts.vpc import MIN_ENDPOINT_ZONES
from sizewell.kinds.registry import facet


def check_rules(environment: Environment) -> Iterator[Violation]:
    """Yield every violation, in the order of the configuration."""
    yield from _prefix_is_short(environment)
    yield from tag_violations(environment)
    yield from _boundary_is_usable(environment)
    yield from _bootstrap_is_near(environment)
    yield from _working_hours(environment)
    yield from place_violations(environment)
    yield from cluster_violations(environment)
    yield from twice_stated(environment)
    for kind in config_kinds():
        yield from kind.rules_of_all(environment)
    yield from start_violations(environment)
    found = {
        (path_of_place(place_name, environment.as_written(path)), reason): None
        for place_name, part in environment.parts()
        for path, reason in _rules_of_place(part.apart())
        # What holds for all places may have an effect in another one.
        if not environment.places or path[0] not in ("storage", "names")
    }
    yield from found


def _rules_of_place(environment: Environment) -> Iterator[Violation]:
    """Yield what is wrong in one account and region."""
    yield from existing_violations(environment)
    yield from experiment_violations(environment)
    yield from proxy_violations(environment)
    yield from _zones(environment)
    yield from _zone_ids(environment)
    yield from _somebody_hears(environment)
    yield from image_violations(environment)
    yield from access_violations(environment)
    yield from package_violations(environment)
    for name, workload in environment.workloads.items():
        yield from role_violations(environment, name, workload)
        yield from _time_zones(("workloads", name), workload)
        yield from facet(workload.kind, ConfigKind).rules(environment, name, workload)


def _prefix_is_short(environment: Environment) -> Iterator[Violation]:
    platform, name = environment.platform, environment.name
    if (characters := len(platform) + len(name)) > MAX_PREFIX_CHARACTERS:
        yield (
            ("platform",),
            f"{platform} and {name} have {characters} characters together, and {MAX_PREFIX_CHARACTERS} leave room for the rest "
            "of a name: shorten one of them",
        )


def _boundary_is_usable(environment: Environment) -> Iterator[Violation]:
    policy = environment.policy
    if (arn := policy.permissions_boundary_arn) is None:
        return
    path = ("policy", "permissions_boundary_arn")
    yield from ((path, f"the policy {reason}") for reason in elsewhere(arn, policy, "partition"))
    if (account := account_of(arn)) not in (policy.account, "aws"):
        yield (
            path,
            f"the policy is in the account {account}, but IAM takes one of the account of the role, here "
            f"{policy.account}, or of AWS",
        )


def _bootstrap_is_near(environment: Environment) -> Iterator[Violation]:
    """The roles of a bootstrap are in the account that is deployed to: https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html."""
    for key, arn in environment.bootstrap.role_arns.items() if environment.bootstrap else ():
        for reason in elsewhere(arn, environment.policy, "partition", "account"):
            yield ("bootstrap", key), f"the role {reason}"


def _somebody_hears(environment: Environment) -> Iterator[Violation]:
    notifications = environment.notifications
    if environment.existing.alarm_topic_arn is not None:  # whoever owns the topic listens
        return
    if environment.policy.production and not notifications.emails and not notifications.subscribed_elsewhere:
        yield (
            ("notifications", "emails"),
            "nobody hears of an alarm in production: name an address, or say notifications.subscribed_elsewhere: true where "
            "somebody subscribes to the topic by other means",
        )


def _zones(environment: Environment) -> Iterator[Violation]:
    network = environment.network
    if isinstance(network, NewNetwork):
        key, what_to_do = "availability_zones", f"write availability_zones: {MIN_ENDPOINT_ZONES}"
        yield from zone_violations(environment, network.availability_zones, key, what_to_do)
    elif isinstance(network, ExistingNetwork):
        yield from zone_violations(
            environment, network.availability_zones, "subnet_ids", "add a subnet in another zone"
        )


def zone_violations(environment: Environment, zones: int, key: str, what_to_do: str) -> Iterator[Violation]:
    """Yield what is wrong with the number of zones that a network has, at a key of it."""
    min_zones = environment.policy.min_availability_zones
    if zones < min_zones:
        yield (
            ("network", key),
            f"{zones} availability zone(s), but policy.min_availability_zones asks for {min_zones}",
        )
    elif zones < MIN_ENDPOINT_ZONES and (endpoint := _first_endpoint(environment)) is not None:
        yield (
            ("network", key),
            f"a subnet in {zones} availability zone, but SageMaker asks for subnets in {MIN_ENDPOINT_ZONES} at least where "
            f"there is an endpoint ({endpoint}), even with one instance: {what_to_do}",
        )
    if zones > (max_zones := zones_of(environment.policy.region)):
        yield ("network", key), f"{zones} availability zones, but {environment.policy.region} has {max_zones}"


def _first_endpoint(environment: Environment) -> str | None:
    return next(
        (
            name
            for name, workload in environment.workloads.items()
            if workload.has_fleet and not runs_in_cluster(workload)
        ),
        None,
    )


def _zone_ids(environment: Environment) -> Iterator[Violation]:
    network, region = environment.network, environment.policy.region
    prefix = zone_id_prefix(region)
    if not isinstance(network, NewNetwork) or prefix is None:
        return
    for index, zone_id in enumerate(network.availability_zone_ids or ()):
        if not zone_id.startswith(prefix):
            yield (
                ("network", "availability_zone_ids", str(index)),
                f"{zone_id} is no zone of {region}, whose zone ids begin with {prefix}",
            )


def _working_hours(environment: Environment) -> Iterator[Violation]:
    if (hours := environment.policy.working_hours) is not None:
        yield from time_zone_violations(("policy", "working_hours", "time_zone"), hours.time_zone)


def _time_zones(path: tuple[str, ...], workload: Any) -> Iterator[Violation]:
    """Yield what is no time zone of a schedule: that of a job, or those of scaling."""
    scaling, schedule = getattr(workload, "scaling", None), getattr(workload, "schedule", None)
    for name, one in getattr(scaling, "schedules", {}).items():
        yield from time_zone_violations((*path, "scaling", "schedules", name, "time_zone"), one.time_zone)
    if schedule is not None:
        yield from time_zone_violations((*path, "schedule", "time_zone"), schedule.time_zone)
