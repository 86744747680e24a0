"""The rules of a training job that look at its environment."""

from collections.abc import Iterator

from sizewell.config.arn_rules import elsewhere
from sizewell.config.environment import Environment
from sizewell.config.kind import ConfigKind
from sizewell.config.request_members import Violation
from sizewell.config.training import TrainingJob
from sizewell.config.training_rules import training_violations


def _rules(environment: Environment, name: str, job: TrainingJob) -> Iterator[Violation]:
    yield from training_violations(environment, name, job)
    if (arn := job.training_plan_arn) is not None:
        for reason in elsewhere(arn, environment.policy, "partition", "region", "account"):
            yield ("workloads", name, "training_plan_arn"), f"the training plan {reason}"


FACET = ConfigKind(rules=_rules)
