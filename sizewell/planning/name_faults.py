"""Faults of names that only the plan can check: what stands for nothing or for two things, and what AWS would refuse."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sizewell.config.endpoint import RealTimeEndpoint
from sizewell.config.environment import Environment
from sizewell.config.faults import near_match
from sizewell.config.instances import InstanceConstraints
from sizewell.config.policy import Policy
from sizewell.facts.bucket_names import bucket_name_problem
from sizewell.instance_selection import Catalog
from sizewell.planning.errors import PlanFault
from sizewell.planning.names import ACCESS_LOGS, ARTIFACTS, BUCKET_PURPOSES, CHECKPOINTS, Names
from sizewell.planning.saved_files import FOUNDATION

_WORDS = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.IGNORECASE)


@dataclass(frozen=True)
class _Kind:
    """A kind of name, and its most characters."""

    noun: str
    max_characters: int
    more: str = ""


#: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
_STACK = _Kind("the stack", 128)
#: API reference: CreateEndpoint, EndpointName.
_ENDPOINT = _Kind("the endpoint", 63)
#: API reference: CreateTrainingJob, TrainingJobName: 63, less a hyphen and the twelve random digits of each job. A state
#: machine may have 80 (CreateStateMachine, name).
_JOB = _Kind("the training jobs", 50, ", before the 13 that each job adds")


def name_faults(environment: Environment, catalog: Catalog, names: Names) -> Iterator[PlanFault]:
    """Yield a fault for every name that stands for nothing, or for two things."""
    known = {instance_type.family for instance_type in catalog.instance_types}
    limits: list[tuple[tuple[str, ...], Policy | InstanceConstraints]] = [(("policy",), environment.policy)]
    for name, workload in environment.workloads.items():
        limits.append((("workloads", name, "instances"), workload.instances))
        if name == FOUNDATION:
            yield PlanFault(
                ("workloads", name),
                f"the name is taken: {names.foundation_stack} is the stack of what all workloads share",
                "choose another name",
            )
    yield from _pattern_faults(environment, names)
    yield from _taken_buckets(environment, names)
    for path, limit in limits:
        for key in ("allowed_families", "denied_families"):
            for index, family in enumerate(getattr(limit, key) or ()):
                if family not in known:
                    yield _unknown_family((*path, key, str(index)), family, known)


def _pattern_faults(environment: Environment, names: Names) -> Iterator[PlanFault]:
    """Of each pattern the first name that AWS would refuse: one pattern is one thing to mend."""
    stacks = {name: (_STACK, names.stack(name)) for name in (FOUNDATION, *environment.workloads)}
    workloads = {
        name: (_ENDPOINT if isinstance(workload, RealTimeEndpoint) else _JOB, names.workload(name))
        for name, workload in environment.workloads.items()
    }
    for key, made in (("stack", stacks), ("workload", workloads)):
        found = (problem for name, (kind, text) in made.items() if (problem := _problem(name, kind, text)))
        if (problem := next(found, None)) is not None:
            yield PlanFault(("names", key), problem, "change the pattern")
    if names.workload("*").strip("*") == "":
        yield PlanFault(
            ("names", "workload"),
            "has nothing beside {workload}: the rule that tells of failed endpoints could not tell them from others",
            "write for example {environment}-{workload}",
        )
    for purpose in BUCKET_PURPOSES:
        bucket = names.bucket(purpose)
        if (problem := bucket_name_problem(bucket)) is not None:
            yield PlanFault(
                ("names", "bucket"),
                f"calls the bucket of {purpose} {bucket} ({len(bucket)} characters): {problem}",
                "change the pattern",
            )
            return


def _problem(name: str, kind: _Kind, text: str) -> str | None:
    if len(text) > kind.max_characters:
        return f"calls {kind.noun} of {name} {text}: {len(text)} characters, and AWS takes {kind.max_characters}{kind.more}"
    if _WORDS.fullmatch(text) is None or (kind is _STACK and not text[0].isalpha()):
        first = "a letter" if kind is _STACK else "a letter or digit"
        return (
            f"calls {kind.noun} of {name} {text}: a name begins with {first}, ends with a letter or digit, and has single "
            "hyphens between them"
        )
    return None


def _taken_buckets(environment: Environment, names: Names) -> Iterator[PlanFault]:
    """A bucket that is made cannot have the name of one that exists."""
    existing = environment.existing
    of_purpose = {
        ARTIFACTS: existing.artifact_bucket,
        CHECKPOINTS: existing.checkpoint_bucket,
        ACCESS_LOGS: existing.access_log_bucket,
    }
    made = {names.bucket(purpose) for purpose, name in of_purpose.items() if name is None}
    for key in ("artifact_bucket", "checkpoint_bucket", "access_log_bucket"):
        if (bucket := getattr(existing, key)) in made:
            yield PlanFault(
                ("existing", key),
                f"{bucket} is what one of the buckets that are made is called",
                "name that one under existing, too, or give the buckets another name: names.bucket",
            )


def _unknown_family(path: tuple[str, ...], family: str, known: set[str]) -> PlanFault:
    # People write ml.g5 or ml.g5.xlarge, too.
    match = near_match(family.removeprefix("ml.").partition(".")[0], sorted(known))
    return PlanFault(
        path,
        f'SageMaker has no instance family "{family}"',
        f"did you mean {match}?" if match else "write the middle of a type's name: g5 of ml.g5.xlarge",
    )
