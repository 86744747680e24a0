"""Rules of asynchronous endpoints that look at the rest of the environment: bounds of the policy, and where topics are."""

from collections.abc import Iterator

from sizewell.config.arn_rules import elsewhere
from sizewell.config.asynchronous_endpoint import AsynchronousEndpoint
from sizewell.config.endpoint_rules import member_violations
from sizewell.config.environment import Environment
from sizewell.config.kind import ConfigKind
from sizewell.config.request_members import Violation


def asynchronous_violations(
    environment: Environment, name: str, endpoint: AsynchronousEndpoint
) -> Iterator[Violation]:
    """Yield every violation, in the order of the keys.

    The policy's least number of instances does not hold: a queue loses no request while no instance is there.
    """
    most_of_all = environment.policy.max_endpoint_instances
    scaling, path = endpoint.scaling, ("workloads", name, "scaling")
    places = [
        (path, scaling),
        *(((*path, "schedules", key), one) for key, one in scaling.schedules.items()),
    ]
    for place, bounds in places:
        for key in ("min_instances", "max_instances"):
            count = getattr(bounds, key)
            if count is not None and count > most_of_all:
                yield (
                    (*place, key),
                    f"{count} instances, but policy.max_endpoint_instances is {most_of_all}",
                )
    for key, own in scaling.schedules.items():
        # What a schedule does not state is that of scaling.
        least = scaling.min_instances if own.min_instances is None else own.min_instances
        most = own.max_instances or scaling.max_instances
        if least is not None and most is not None and least > most:
            stated, other = (
                ("min_instances", "max_instances")
                if own.max_instances is None
                else ("max_instances", "min_instances")
            )
            yield (
                (*path, "schedules", key, stated),
                f"leaves {least} instances at least and {most} at most, as {other} is that of scaling; state {other} here too",
            )
    for key in ("success_topic_arn", "error_topic_arn"):
        if (arn := getattr(endpoint.notifications, key)) is not None:
            for reason in elsewhere(arn, environment.policy, "partition", "region", "account"):
                yield ("workloads", name, "notifications", key), f"the topic {reason}"


def _rules(environment: Environment, name: str, endpoint: AsynchronousEndpoint) -> Iterator[Violation]:
    yield from asynchronous_violations(environment, name, endpoint)
    yield from member_violations(environment, name, endpoint)


FACET = ConfigKind(rules=_rules)
