"""Rules between parts of an environment: what its policy demands of its network and workloads, and which names exist."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from zoneinfo import available_timezones

from sizewell.config.access_rules import access_violations
from sizewell.config.arn_rules import account_of, elsewhere
from sizewell.config.asynchronous_endpoint import AsynchronousEndpoint
from sizewell.config.asynchronous_rules import asynchronous_violations
from sizewell.config.batch_transform import BatchTransform
from sizewell.config.component_rules import component_violations
from sizewell.config.endpoint import RealTimeEndpoint
from sizewell.config.environment import MAX_PREFIX_CHARACTERS, Environment
from sizewell.config.existing_rules import existing_violations, role_violations
from sizewell.config.experiment_rules import experiment_violations
from sizewell.config.faults import near_match
from sizewell.config.file_system_rules import file_system_violations
from sizewell.config.image_rules import image_violations, twice_stated
from sizewell.config.inference_component_endpoint import InferenceComponentEndpoint
from sizewell.config.lambda_function import LambdaFunction
from sizewell.config.lambda_rules import lambda_violations
from sizewell.config.mode_endpoint import ModeEndpoint
from sizewell.config.model_package_rules import package_violations
from sizewell.config.multi_model_endpoint import MultiModelEndpoint
from sizewell.config.multi_model_rules import multi_model_violations
from sizewell.config.network import ExistingNetwork, NewNetwork
from sizewell.config.notebook import Notebook
from sizewell.config.pipeline import Pipeline
from sizewell.config.pipeline_rules import pipeline_violations
from sizewell.config.place_rules import path_of_place, place_violations
from sizewell.config.processing_job import ProcessingJob
from sizewell.config.proxy_rules import proxy_violations
from sizewell.config.request_members import (
    Violation,
    endpoint_members,
    model_members,
    payload_violations,
    pipeline_members,
    processing_members,
    training_members,
)
from sizewell.config.scaling import Scaling, ScalingSchedule
from sizewell.config.served_model import OnChosenType, ServedOnInstances
from sizewell.config.serverless_endpoint import ServerlessEndpoint
from sizewell.config.start_rules import start_violations
from sizewell.config.tag_rules import tag_violations
from sizewell.config.training import TrainedModel, TrainingJob
from sizewell.config.tuning import TuningJob
from sizewell.config.tuning_rules import tuning_violations
from sizewell.config.variant_names import SHADOW, variant_of
from sizewell.facts.regions import zone_id_prefix, zones_of
from sizewell.facts.serving_modes import Mode
from sizewell.facts.vpc import MIN_ENDPOINT_ZONES


def check_rules(environment: Environment) -> Iterator[Violation]:
    """Yield every violation, in the order of the configuration."""
    yield from _prefix_is_short(environment)
    yield from tag_violations(environment)
    yield from _boundary_is_usable(environment)
    yield from _bootstrap_is_near(environment)
    yield from place_violations(environment)
    yield from twice_stated(environment)
    yield from pipeline_violations(environment)
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
        yield from _RULES_OF_KIND[type(workload)](environment, name, workload)


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
    workloads = environment.workloads.items()
    endpoints = (
        name
        for name, workload in workloads
        if isinstance(workload, OnChosenType) and not isinstance(workload, BatchTransform)
    )
    return next(endpoints, None)


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


def _instance_bounds(
    environment: Environment, name: str, endpoint: RealTimeEndpoint | MultiModelEndpoint
) -> Iterator[Violation]:
    scaling, path = endpoint.scaling, ("workloads", name, "scaling")
    yield from _within_policy(environment, path, scaling)
    for schedule, own in scaling.schedules.items():
        path_of_schedule = (*path, "schedules", schedule)
        if faults := tuple(_within_policy(environment, path_of_schedule, own)):
            yield from faults
            continue
        # What a schedule does not state is that of scaling.
        least = own.min_instances or scaling.min_instances or environment.policy.min_endpoint_instances
        most = own.max_instances or scaling.max_instances
        if most is not None and least > most:
            key = "min_instances" if own.max_instances is None else "max_instances"
            other = "max_instances" if own.max_instances is None else "min_instances"
            yield (
                (*path_of_schedule, key),
                f"leaves {least} instances at least and {most} at most, as {other} is that of scaling; state {other} here too",
            )


def _within_policy(
    environment: Environment, path: tuple[str, ...], bounds: Scaling | ScalingSchedule
) -> Iterator[Violation]:
    policy = environment.policy
    if bounds.min_instances is not None and bounds.min_instances < policy.min_endpoint_instances:
        yield (
            (*path, "min_instances"),
            f"{bounds.min_instances} instance(s), but policy.min_endpoint_instances asks for {policy.min_endpoint_instances}",
        )
    if bounds.max_instances is not None and bounds.max_instances < policy.min_endpoint_instances:
        yield (
            (*path, "max_instances"),
            f"{bounds.max_instances} instance(s) at most, but policy.min_endpoint_instances asks for "
            f"{policy.min_endpoint_instances}",
        )
    for key in ("min_instances", "max_instances"):
        value = getattr(bounds, key)
        if value is not None and value > policy.max_endpoint_instances:
            yield (
                (*path, key),
                f"{value} instances, but policy.max_endpoint_instances is {policy.max_endpoint_instances}",
            )


def _reservation_is_usable(
    environment: Environment, name: str, endpoint: RealTimeEndpoint
) -> Iterator[Violation]:
    if (arn := endpoint.capacity_reservation_arn) is None:
        return
    for reason in elsewhere(arn, environment.policy, "partition", "region", "account"):
        yield ("workloads", name, "capacity_reservation_arn"), f"the reservation {reason}"


def _spot_allowed(environment: Environment, name: str, job: TrainedModel) -> Iterator[Violation]:
    if job.spot.enabled and not environment.policy.allow_spot:
        yield (
            ("workloads", name, "spot", "enabled"),
            "Spot is asked for, but policy.allow_spot is false in this environment",
        )


def _time_zones(path: tuple[str, ...], workload: Any) -> Iterator[Violation]:
    """Yield what is no time zone of a schedule: that of a job, those of scaling, or that of a notebook."""
    scaling, schedule = getattr(workload, "scaling", None), getattr(workload, "schedule", None)
    for name, one in getattr(scaling, "schedules", {}).items():
        yield from _time_zone((*path, "scaling", "schedules", name, "time_zone"), one.time_zone)
    if schedule is not None:
        yield from _time_zone((*path, "schedule", "time_zone"), schedule.time_zone)
    if isinstance(workload, Notebook):
        yield from _time_zone((*path, "working_hours", "time_zone"), workload.working_hours.time_zone)


def _time_zone(path: tuple[str, ...], zone: str) -> Iterator[Violation]:
    """EventBridge Scheduler and Application Auto Scaling refuse an unknown time zone only when it is deployed."""
    # The names come from the machine's database and from the package tzdata, which every installation has. A zone is
    # not read to see whether it exists: where file names ignore case, europe/berlin can be read as well.
    if zone == "UTC" or zone in (known := available_timezones()):
        return
    cities = sorted(other for other in known if other.rpartition("/")[2].lower() == zone.lower())
    # CEST is nearest to EST, which is meant by nobody who writes it.
    of_places = sorted(other for other in known if "/" in other or other == "UTC")
    match = cities[0] if cities else near_match(zone, of_places)
    meant = f"did you mean {match}?" if match else "write that of a city, such as Europe/Berlin"
    yield path, f'"{zone}" is no name of the IANA time-zone database; {meant}'


def _real_time(environment: Environment, name: str, endpoint: RealTimeEndpoint) -> Iterator[Violation]:
    if variant_of(name) != SHADOW:
        yield from _instance_bounds(environment, name, endpoint)
    yield from _reservation_is_usable(environment, name, endpoint)
    yield from _members(environment, name, endpoint)


def _asynchronous(environment: Environment, name: str, endpoint: AsynchronousEndpoint) -> Iterator[Violation]:
    yield from asynchronous_violations(environment, name, endpoint)
    yield from _members(environment, name, endpoint)


def _multi_model(environment: Environment, name: str, endpoint: MultiModelEndpoint) -> Iterator[Violation]:
    yield from _instance_bounds(environment, name, endpoint)
    yield from multi_model_violations(name, endpoint)
    yield from _members(environment, name, endpoint)


def _members(_: Environment, name: str, workload: ServedOnInstances) -> Iterator[Violation]:
    path, pipeline = ("workloads", name), getattr(workload, "pipeline", None)
    yield from endpoint_members(path, workload)
    if pipeline is not None:
        yield from pipeline_members(path, workload, pipeline)


def _serverless(_: Environment, name: str, endpoint: ServerlessEndpoint) -> Iterator[Violation]:
    yield from payload_violations(("workloads", name), endpoint.request, Mode.SERVERLESS)
    yield from model_members(("workloads", name), endpoint)


def _lambda(_: Environment, name: str, function: LambdaFunction) -> Iterator[Violation]:
    yield from payload_violations(("workloads", name), function.request, Mode.LAMBDA)
    yield from lambda_violations(name, function)


def _processing(_: Environment, name: str, job: ProcessingJob) -> Iterator[Violation]:
    yield from processing_members(name, job)


def _training_job(environment: Environment, name: str, job: TrainingJob) -> Iterator[Violation]:
    yield from _training(environment, name, job)
    if (arn := job.training_plan_arn) is not None:
        for reason in elsewhere(arn, environment.policy, "partition", "region", "account"):
            yield ("workloads", name, "training_plan_arn"), f"the training plan {reason}"


def _training(environment: Environment, name: str, job: TrainedModel) -> Iterator[Violation]:
    yield from _spot_allowed(environment, name, job)
    yield from file_system_violations(environment, name, job)
    yield from training_members(name, job)


def _notebook(environment: Environment, name: str, _: Notebook) -> Iterator[Violation]:
    if not environment.policy.allow_notebooks:
        yield (
            ("workloads", name, "kind"),
            "notebooks are not allowed in this environment: state the workload in the file of an environment for development, "
            f"with policy.allow_notebooks: true there; if base.yaml has it, write {name}: null here",
        )


def _tuning(environment: Environment, name: str, job: TuningJob) -> Iterator[Violation]:
    yield from _training(environment, name, job)
    yield from tuning_violations(name, job)


_RULES_OF_KIND: Mapping[type, Callable[[Environment, str, Any], Iterator[Violation]]] = {
    RealTimeEndpoint: _real_time,
    AsynchronousEndpoint: _asynchronous,
    ServerlessEndpoint: _serverless,
    LambdaFunction: _lambda,
    MultiModelEndpoint: _multi_model,
    InferenceComponentEndpoint: component_violations,
    ModeEndpoint: _members,
    BatchTransform: _members,
    ProcessingJob: _processing,
    TrainingJob: _training_job,
    TuningJob: _tuning,
    # It is looked at with what it runs, in all places.
    Pipeline: lambda *_: iter(()),
    Notebook: _notebook,
}
