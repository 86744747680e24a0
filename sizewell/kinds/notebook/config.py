"""The rules of a notebook that look at its environment."""

from collections.abc import Iterator

from sizewell.config.environment import Environment
from sizewell.config.kind import ConfigKind
from sizewell.config.notebook import Notebook
from sizewell.config.request_members import Violation
from sizewell.config.time_zones import time_zone_violations


def _rules(environment: Environment, name: str, notebook: Notebook) -> Iterator[Violation]:
    if not environment.policy.allow_notebooks:
        yield (
            ("workloads", name, "kind"),
            "notebooks are not allowed in this environment: state the workload in the file of an environment for development, "
            f"with policy.allow_notebooks: true there; if base.yaml has it, write {name}: null here",
        )
    path = ("workloads", name, "working_hours", "time_zone")
    yield from time_zone_violations(path, notebook.working_hours.time_zone)


FACET = ConfigKind(rules=_rules)
