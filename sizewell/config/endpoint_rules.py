"""Rules that endpoints on instances share: the bounds of their policy, and the members of their requests."""

from collections.abc import Iterator

from sizewell.config.environment import Environment
from sizewell.config.request_members import Violation, endpoint_members, pipeline_members
from sizewell.config.scaling import Scaling, ScalingSchedule
from sizewell.config.served_model import ServedOnInstances


def instance_bounds(environment: Environment, name: str, scaling: Scaling) -> Iterator[Violation]:
    """Yield the numbers of instances that the policy does not allow, and schedules that contradict scaling."""
    path = ("workloads", name, "scaling")
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


def member_violations(_: Environment, name: str, workload: ServedOnInstances) -> Iterator[Violation]:
    """Yield what the APIs of SageMaker would refuse of a model that is served on instances."""
    path, pipeline = ("workloads", name), getattr(workload, "pipeline", None)
    yield from endpoint_members(path, workload)
    if pipeline is not None:
        yield from pipeline_members(path, workload, pipeline)
