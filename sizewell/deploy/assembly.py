"""The stacks of a synthesized output that ``cdk deploy`` can deploy, in the order of their dependencies."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from sizewell.templates.template import Stack

_STACK = "aws:cloudformation:stack"
_UNKNOWN = ("unknown-account", "unknown-region")


class AssemblyError(Exception):
    """There is no output to deploy, or none of its stacks is meant; the text says what to do."""


@dataclass(frozen=True)
class AssemblyStack:
    """One stack: ``stack_id`` is what the CDK CLI calls it, ``stack`` its name and template."""

    stack_id: str
    stack: Stack
    role_arn: str | None
    """The role that the CDK CLI deploys it with, with ``${AWS::Partition}`` in it; None for the caller's own rights."""
    dependencies: frozenset[str]
    """The ids of stacks that come before it."""

    @property
    def name(self) -> str:
        """The name of the stack in CloudFormation."""
        return self.stack.name


@dataclass(frozen=True)
class Assembly:
    """A directory that ``cdk synth`` wrote."""

    directory: Path
    stacks: Mapping[str, AssemblyStack]
    """By id; a stack comes after all that it depends on."""

    def select(self, patterns: Sequence[str], *, exclusively: bool) -> tuple[AssemblyStack, ...]:
        """Return the stacks whose id or name fits a pattern, with all that they depend on unless ``exclusively``.

        All of them without a pattern. Raises AssemblyError for a pattern that fits none.
        """
        wanted: set[str] = set()
        for pattern in patterns:
            fitting = {
                stack.stack_id
                for stack in self.stacks.values()
                if any(fnmatchcase(name, pattern) for name in (stack.stack_id, stack.name))
            }
            if not fitting:
                raise AssemblyError(
                    f"{pattern}: no stack of {self.directory} has this name; there are {', '.join(self.stacks)}"
                )
            wanted |= fitting
        if patterns and not exclusively:
            wanted |= {above for stack_id in wanted for above in self.above(stack_id)}
        return tuple(stack for stack in self.stacks.values() if not patterns or stack.stack_id in wanted)

    def above(self, stack_id: str) -> frozenset[str]:
        """Return all that a stack depends on, near and far."""
        return self._above[stack_id]

    @cached_property
    def _above(self) -> Mapping[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        for stack_id, stack in self.stacks.items():
            found[stack_id] = stack.dependencies.union(*(found[name] for name in stack.dependencies))
        return found


def read_assembly(directory: Path) -> Assembly:
    """Return the stacks of an output. Raises AssemblyError where there is none."""
    try:
        manifest = json.loads((directory / "manifest.json").read_text("utf-8"))
        found = {stack.stack_id: stack for stack in _stacks(directory, manifest["artifacts"])}
    except (OSError, ValueError, KeyError) as error:
        raise AssemblyError(f"{directory}: holds no output of cdk synth that can be read ({error})") from None
    return Assembly(directory, {stack_id: found[stack_id] for stack_id in _in_order(found)})


def _stacks(directory: Path, artifacts: Mapping[str, Any]) -> Iterator[AssemblyStack]:
    ids = {artifact_id for artifact_id, artifact in artifacts.items() if artifact["type"] == _STACK}
    for artifact_id in ids:
        artifact = artifacts[artifact_id]
        properties = artifact["properties"]
        account, region = artifact["environment"].removeprefix("aws://").split("/")
        template = json.loads((directory / properties["templateFile"]).read_text("utf-8"))
        yield AssemblyStack(
            artifact_id,
            Stack(
                properties.get("stackName", artifact_id),
                None if account in _UNKNOWN else account,
                None if region in _UNKNOWN else region,
                template,
            ),
            properties.get("assumeRoleArn"),
            frozenset(artifact.get("dependencies", ())) & ids,
        )


def _in_order(stacks: Mapping[str, AssemblyStack]) -> Iterator[str]:
    """Yield the ids, dependencies first, otherwise by name."""
    done: set[str] = set()

    def visit(stack_ids: Collection[str]) -> Iterator[str]:
        for stack_id in sorted(stack_ids):
            if stack_id not in done:
                done.add(stack_id)
                yield from visit(stacks[stack_id].dependencies)
                yield stack_id

    yield from visit(stacks)
