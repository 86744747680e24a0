"""Rules of tags: which keys are taken, how many there may be, and which a policy asks for."""

from collections.abc import Iterator, Mapping

from sizewell.config.environment import Environment
from sizewell.config.faults import near_match
from sizewell.config.request_members import Violation
from sizewell.facts.tags import MAX_OTHER_TAGS, MAX_TAGS, OWN_TAGS, RESERVED_PREFIX


def tag_violations(environment: Environment) -> Iterator[Violation]:
    """Yield every violation, in the order of the configuration."""
    yield from _required(environment)
    yield from _keys(("tags",), environment.tags)
    for name, workload in environment.workloads.items():
        path = ("workloads", name, "tags")
        yield from _keys(path, workload.tags, environment.tags)
        count = len(environment.tags | workload.tags)
        if workload.tags and count > MAX_OTHER_TAGS:
            yield (
                path,
                f"makes {count} tags, with those of the environment; AWS takes {MAX_TAGS} of a resource, beside ours "
                f"{MAX_OTHER_TAGS} of yours",
            )


def _required(environment: Environment) -> Iterator[Violation]:
    """The tags of the environment are those of every workload too; what all share, such as the network, has no others."""
    for key in environment.policy.required_tags:
        if key in environment.tags or key in OWN_TAGS[:2]:
            continue
        without = [name for name, workload in environment.workloads.items() if key not in workload.tags]
        who = ", ".join(("what all workloads share", *without))
        match = near_match(key, environment.tags)
        yield (
            ("tags", key),
            f"is missing, but policy.required_tags asks for it; without it: {who}"
            + (f"; did you mean it by {match}?" if match else ""),
        )


def _keys(
    path: tuple[str, ...], tags: Mapping[str, str], above: Mapping[str, str] | None = None
) -> Iterator[Violation]:
    # IAM takes two keys that differ only in case for the same one, and refuses them:
    # https://docs.aws.amazon.com/IAM/latest/UserGuide/id_tags.html
    seen = {key.lower(): key for key in above or ()}
    for key in tags:
        lower = key.lower()
        if lower in OWN_TAGS:
            yield (
                (*path, key),
                f"the tag {lower} is set by the platform itself and cannot be another: remove it",
            )
        elif lower.startswith(RESERVED_PREFIX):
            yield (*path, key), f"keys that begin with {RESERVED_PREFIX} belong to AWS: choose another"
        elif seen.setdefault(lower, key) != key:
            yield (*path, key), f"{seen[lower]} differs from it only in case, and IAM takes both for the same"
