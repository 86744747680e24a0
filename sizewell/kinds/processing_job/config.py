"""The rules of a processing job that look at its environment."""

from collections.abc import Iterator

from sizewell.config.environment import Environment
from sizewell.config.kind import ConfigKind
from sizewell.config.processing_job import ProcessingJob
from sizewell.config.request_members import Violation, processing_members


def _rules(_: Environment, name: str, job: ProcessingJob) -> Iterator[Violation]:
    yield from processing_members(name, job)


FACET = ConfigKind(rules=_rules)
