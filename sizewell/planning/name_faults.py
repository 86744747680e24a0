"""Faults of names that only the plan can check: what stands for nothing or for two things, and what AWS would refuse."""

import re
from collections.abc import Iterable, Iterator

from sizewell.config.environment import Environment
from sizewell.config.faults import near_match
from sizewell.config.instances import InstanceConstraints, OnInstances
from sizewell.config.place_rules import path_of_place
from sizewell.config.policy import Policy
from sizewell.facts.bucket_names import bucket_name_problem
from sizewell.instance_selection import Catalog
from sizewell.kinds.registry import facet
from sizewell.planning.errors import PlanFault
from sizewell.planning.kind import PlanKind
from sizewell.planning.name_limits import NameLimit
from sizewell.planning.names import ACCESS_LOGS, ARTIFACTS, BUCKET_PURPOSES, CHECKPOINTS, Names, names_in
from sizewell.planning.saved_files import foundation_name

#: By purpose, the key of ``existing`` that names a bucket in its place.
_EXISTING_BUCKETS = {
    ARTIFACTS: "artifact_bucket",
    CHECKPOINTS: "checkpoint_bucket",
    ACCESS_LOGS: "access_log_bucket",
}
_WORDS = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.IGNORECASE)


#: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
_STACK = NameLimit("the stack", 128)
#: API reference: CreateModelPackageGroup, ModelPackageGroupName.
_MODEL_GROUP = NameLimit("the model group", 63)


def name_faults(environment: Environment, catalog: Catalog) -> Iterator[PlanFault]:
    """Yield a fault for every name that stands for nothing, or for two things."""
    taken = {foundation_name(place): place for place in (None, *environment.places)}
    known = {instance_type.family for instance_type in catalog.instance_types}
    limits: list[tuple[tuple[str, ...], Policy | InstanceConstraints]] = [(("policy",), environment.policy)]
    for name, workload in environment.workloads.items():
        if isinstance(workload, OnInstances):
            limits.append((("workloads", name, "instances"), workload.instances))
        if name in taken:
            stack = names_in(environment, taken[name]).foundation_stack
            yield PlanFault(
                ("workloads", name),
                f"the name is taken: {stack} is the stack of what all workloads share",
                "choose another name",
            )
    yield from _names_in_places(environment)
    for path, limit in limits:
        for key in ("allowed_families", "denied_families"):
            for index, family in enumerate(getattr(limit, key) or ()):
                if family not in known:
                    yield _unknown_family((*path, key, str(index)), family, known)


def shared_name_faults(environment: Environment, others: Iterable[Environment]) -> Iterator[PlanFault]:
    """Yield a fault for every pattern by which another environment of the configuration has the same name."""
    own, found = _unique_names(environment), set()
    for other in others:
        for key, name, reason in sorted(own & _unique_names(other)):
            if key not in found:
                found.add(key)
                yield PlanFault(
                    ("names", key),
                    f"gives {environment.name} and {other.name} one name, {name}: {reason}",
                    "write {environment} into the pattern",
                )


def _unique_names(environment: Environment) -> set[tuple[str, str, str]]:
    """Return names that no other environment may have, each with its key and the reason."""
    found = set()
    for place, part in environment.parts():
        names = names_in(part, place)
        where = f"in account {names.account} and {names.region}"
        found.add(("stack", names.foundation_stack, f"{where}, a deployment of one would replace the other"))
        found.add(
            ("workload", names.workload("*"), f"{where}, no two endpoints or state machines have one name")
        )
        for purpose in _made_purposes(part):
            found.add(("bucket", names.bucket(purpose), "no two buckets in the world have one name"))
    return found


def _names_in_places(environment: Environment) -> Iterator[PlanFault]:
    """Of each key the first fault: what one place finds, the others find as well."""
    found: dict[tuple[str, ...], PlanFault] = {}
    buckets: dict[str, str] = {}
    for place, part in environment.parts():
        names = names_in(part, place)
        for fault in (*_pattern_faults(part, names), *_taken_buckets(part, names)):
            found.setdefault(fault.key_path, fault)
        for purpose in _made_purposes(part):
            bucket, where = names.bucket(purpose), foundation_name(place)
            if (other := buckets.setdefault(bucket, where)) != where:
                fault = PlanFault(
                    ("names", "bucket"),
                    f"calls a bucket of {other} and one of {where} {bucket}, and no two buckets in the world have one name",
                    "write {account} and {region} into the pattern",
                )
                found.setdefault(fault.key_path, fault)
    yield from found.values()


def _pattern_faults(environment: Environment, names: Names) -> Iterator[PlanFault]:
    """Of each pattern the first name that AWS would refuse: one pattern is one thing to mend."""
    shared = foundation_name(names.place)
    stacks = {name: (_STACK, names.stack(name)) for name in (shared, *environment.workloads)}
    workloads = {
        name: (facet(workload.kind, PlanKind).name, names.workload(name))
        for name, workload in environment.workloads.items()
    }
    groups = {
        step: (_MODEL_GROUP, names.model_group(group))
        for workload in environment.workloads.values()
        for step, group in workload.model_groups().items()
    }
    for key, made in (("stack", stacks), ("workload", workloads), ("workload", groups)):
        found = (problem for name, (limit, text) in made.items() if (problem := _problem(name, limit, text)))
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


def _problem(name: str, limit: NameLimit, text: str) -> str | None:
    if len(text) > limit.max_characters:
        return f"calls {limit.noun} of {name} {text}: {len(text)} characters, and AWS takes {limit.max_characters}{limit.more}"
    if _WORDS.fullmatch(text) is None or (limit is _STACK and not text[0].isalpha()):
        first = "a letter" if limit is _STACK else "a letter or digit"
        return (
            f"calls {limit.noun} of {name} {text}: a name begins with {first}, ends with a letter or digit, and has single "
            "hyphens between them"
        )
    return None


def _taken_buckets(environment: Environment, names: Names) -> Iterator[PlanFault]:
    """A bucket that is made cannot have the name of one that exists."""
    made = {names.bucket(purpose) for purpose in _made_purposes(environment)}
    for key in _EXISTING_BUCKETS.values():
        if (bucket := getattr(environment.existing, key)) in made:
            yield PlanFault(
                path_of_place(names.place, ("existing", key)),
                f"{bucket} is what one of the buckets that are made is called",
                "name that one under existing, too, or give the buckets another name: names.bucket",
            )


def _made_purposes(environment: Environment) -> list[str]:
    return [
        purpose for purpose, key in _EXISTING_BUCKETS.items() if getattr(environment.existing, key) is None
    ]


def _unknown_family(path: tuple[str, ...], family: str, known: set[str]) -> PlanFault:
    # People write ml.g5 or ml.g5.xlarge, too.
    match = near_match(family.removeprefix("ml.").partition(".")[0], sorted(known))
    return PlanFault(
        path,
        f'SageMaker has no instance family "{family}"',
        f"did you mean {match}?" if match else "write the middle of a type's name: g5 of ml.g5.xlarge",
    )
