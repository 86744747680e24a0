"""Rules of model packages: where they are, and what the role that is made here needs of them."""

from collections.abc import Iterator

from sizewell.config.arn_rules import elsewhere
from sizewell.config.container import ModelContainer
from sizewell.config.environment import Environment
from sizewell.config.request_members import Violation


def package_violations(environment: Environment) -> Iterator[Violation]:
    """Yield every violation in one account and region."""
    for path, container in environment.containers():
        package = container.model_package if isinstance(container, ModelContainer) else None
        if package is None:
            continue
        path = (*path, "model_package")
        # Image and artifact are in the region of the model that is made of them (API reference: ContainerDefinition).
        if package.arn is not None:
            for reason in elsewhere(package.arn, environment.policy, "partition", "region"):
                yield (*path, "arn"), f"the model package {reason}"
        if package.artifact is not None and package.artifact.key_arn is not None:
            for reason in elsewhere(package.artifact.key_arn, environment.policy, "partition", "region"):
                yield (*path, "artifact", "key_arn"), f"the key {reason}"
        if package.image_repository is None and environment.workloads[path[1]].execution_role_arn is None:
            yield (
                (*path, "image_repository"),
                "is missing: the role that is made for the workload must be allowed to pull the image of the package, which is "
                "not looked up; state account and repository, or the execution_role_arn of a role that may",
            )
