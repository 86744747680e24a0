"""Rules of the proxy: somebody uses it, and nobody else sets its variables."""

from collections.abc import Iterator

from sizewell.config.base import without
from sizewell.config.environment import Environment
from sizewell.config.request_members import MAX_VARIABLES, Violation, variables_of_keys
from sizewell.config.workload import containers_of
from sizewell.facts.proxy import PROXY_VARIABLES


def proxy_violations(environment: Environment) -> Iterator[Violation]:
    """Yield every violation, in the order of the configuration."""
    if environment.network.proxy is None:
        return
    open_models = [
        (path, one)
        for path, one in environment.contained()
        if environment.workloads[path[1]].in_vpc and not one.container.network_isolation
    ]
    if not open_models:
        yield (
            ("network", "proxy"),
            "nobody uses it: every container is isolated from the network and calls nothing; "
            f"{without('proxy')}, or write container.network_isolation: false for a workload that calls something",
        )
    for path_of_model, one, key, container in (
        (path, model, *found) for path, model in open_models for found in containers_of(model)
    ):
        path, variables = (*path_of_model, *key, "environment"), container.environment
        for variable in PROXY_VARIABLES:
            if variable in variables:
                yield (
                    (*path, variable),
                    "the variable is set for you, by network.proxy; remove it here; what is to be called directly goes into "
                    "network.proxy.bypass",
                )
        ours = {*PROXY_VARIABLES}.union(*variables_of_keys(one).values())
        if (count := len(variables.keys() | ours)) > MAX_VARIABLES:
            yield (
                path,
                f"makes {count} variables, with those that are set for you; SageMaker takes {MAX_VARIABLES} at most",
            )
