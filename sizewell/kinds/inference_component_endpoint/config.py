"""Rules of endpoints of inference components that look at the policy of their environment."""

from collections.abc import Iterator

from sizewell.config.environment import Environment
from sizewell.config.inference_component_endpoint import InferenceComponentEndpoint
from sizewell.config.kind import ConfigKind
from sizewell.config.request_members import Violation, endpoint_members, payload_violations
from sizewell.facts.serving_modes import Mode


def component_violations(
    environment: Environment, name: str, endpoint: InferenceComponentEndpoint
) -> Iterator[Violation]:
    """Yield every violation, in the order of the keys."""
    policy, path = environment.policy, ("workloads", name)
    least = policy.min_endpoint_instances
    for component, one in endpoint.components.items():
        of_component = (*path, "components", component)
        yield from endpoint_members(of_component, one)
        yield from payload_violations(of_component, one.request, Mode.REAL_TIME)
        copies = one.scaling
        for key in ("min_copies", "max_copies"):
            count = getattr(copies, key)
            # A component that sleeps, by the name of it, has no least number.
            if count is not None and count < least and copies.min_copies != 0:
                yield (
                    (*of_component, "scaling", key),
                    f"is {count}, but policy.min_endpoint_instances asks for {least} copies, each on another instance",
                )
    for key in ("min_instances", "max_instances"):
        count = getattr(endpoint.scaling, key)
        if count is None:
            continue
        if count > policy.max_endpoint_instances:
            yield (
                (*path, "scaling", key),
                f"{count} instances, but policy.max_endpoint_instances is {policy.max_endpoint_instances}",
            )
        if 0 < count < least and not endpoint.sleeps:
            yield (
                (*path, "scaling", key),
                f"{count} instance(s), but policy.min_endpoint_instances asks for {least}",
            )


FACET = ConfigKind(rules=component_violations)
