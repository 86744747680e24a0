"""How stacks, workloads and buckets are called, as patterns with placeholders."""

import re
from collections.abc import Collection
from typing import Annotated, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, fault
from sizewell.config.effects import OnChange
from sizewell.config.faults import near_match

#: A placeholder with its braces.
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_EVERYWHERE = ("platform", "environment", "account", "region")
#: For each pattern, the placeholder without which all names would be one.
_NEEDED = {"stack": "workload", "workload": "workload", "bucket": "purpose"}


def _replaced(sentence: str) -> OnChange:
    return OnChange(changed=sentence, added=sentence, removed=sentence)


class NamePatterns(ConfigModel):
    """What people read in the console: each name is its pattern with the placeholders filled in."""

    stack: Annotated[
        str | None,
        Field(
            pattern=r"^[A-Za-z0-9{}_-]+$", max_length=200, examples=["{platform}-{environment}-{workload}"]
        ),
        _replaced(
            "every stack is another one, which cannot make what the old one still has: delete the old ones first"
        ),
    ] = None
    """The name of a stack, of {workload}, {platform}, {environment}, {account} and {region}; for what all share, {workload} is
    foundation. By default {platform}-{environment}-{workload}."""
    workload: Annotated[
        str | None,
        Field(pattern=r"^[a-z0-9{}_-]+$", max_length=200, examples=["{platform}-{environment}-{workload}"]),
        _replaced(
            "every endpoint and state machine is replaced by one of another name, which callers must know"
        ),
    ] = None
    """The name of an endpoint or a state machine, and what the names of training jobs begin with, of the same placeholders and
    with the same default."""
    bucket: Annotated[
        str | None,
        Field(
            pattern=r"^[a-z0-9{}_-]+$",
            max_length=200,
            examples=["{platform}-{environment}-{purpose}-{account}-{region}"],
        ),
        _replaced(
            "every bucket that is ours is replaced by an empty one of another name: copy what the old one holds"
        ),
    ] = None
    """The name of a bucket, of {purpose}, {platform}, {environment}, {account} and {region}; no other bucket in the world may
    have it. By default {platform}-{environment}-{purpose}-{account}-{region}."""

    @model_validator(mode="after")
    def _placeholders_are_known(self) -> Self:
        for key, needed in _NEEDED.items():
            pattern = getattr(self, key)
            if pattern is not None and (problem := _problem(pattern, needed)) is not None:
                raise fault(key, problem)
        return self


def _problem(pattern: str, needed: str) -> str | None:
    known, found = (needed, *_EVERYWHERE), PLACEHOLDER.findall(pattern)
    for name in found:
        if name not in known:
            match = near_match(name, known)
            words = f"did you mean {{{match}}}?" if match else f"take {_listed(known)}"
            return f"there is no placeholder {{{name}}} here; {words}"
    literal = PLACEHOLDER.sub("", pattern)
    if "{" in literal or "}" in literal:
        return f"has a brace too many or too few; placeholders are {_listed(known)}"
    if "_" in literal:
        return "takes no underscores beside the placeholders: write hyphens"
    if needed not in found:
        return f"{{{needed}}} is missing: without it, all would have one name"
    return None


def _listed(names: Collection[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)
