"""The side of a review that is deployed: the stacks of head, as CloudFormation has them now. Imports boto3."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from sizewell.cli.output import tell
from sizewell.deploy.cloudformation import UPDATABLE, CloudFormation, CloudFormationError
from sizewell.review.saved.assets import asset_digests
from sizewell.review.saved.errors import SavedOutputError
from sizewell.review.saved.output import Assembly
from sizewell.templates.canonical import mark_assets
from sizewell.templates.template import Stack, Template

_NESTED_STACK = "AWS::CloudFormation::Stack"
_ALLOW = """
  a review of what is deployed needs cloudformation:DescribeStacks and cloudformation:GetTemplate, and for nested stacks
  cloudformation:DescribeStackResource: ask the administrator of the account for them, or name another profile with --profile"""


def read_deployed(heads: Mapping[str, Assembly], profile: str | None) -> dict[str, Assembly]:
    """Return what is deployed of the stacks of head, by environment; raises ``SavedOutputError`` where one cannot be read.

    A stack that is not deployed is left out, and an environment without any.
    """
    connect = cache(CloudFormation)
    deployed: dict[str, Assembly] = {}
    for name, head in heads.items():
        tell(f"Reading what is deployed of {name} ...")
        reader = _Reader(head.stacks, _digests(head))
        found: list[tuple[Stack, str]] = []
        try:
            for stack in head.stacks.values():
                if stack.parent is None:
                    cloudformation = connect(stack.account, stack.region, None, profile)
                    found += reader.read(stack, _name(stack), cloudformation)
        except CloudFormationError as error:
            raise SavedOutputError([f"{error}{_ALLOW if 'AccessDenied' in str(error) else ''}"]) from None
        if found:
            deployed[name] = replace(
                head,
                stacks={stack.name: stack for stack, _ in sorted(found, key=lambda one: one[0].name)},
                plan=None,
                config=None,
                notes=tuple(
                    f"{stack.name} is {status}: what runs may differ from its template"
                    for stack, status in found
                    if status not in UPDATABLE
                ),
                is_deployed=True,
            )
    return deployed


def _name(stack: Stack) -> str:
    """Return the name without the account and region that tell two stacks of one name apart."""
    return stack.name.partition(" ")[0]


def _digests(assembly: Assembly) -> dict[str, str]:
    """Return the digests of the assets of head, also of its stages: an asset that is deployed already has the same hash."""
    stages = sorted(assembly.directory.glob("assembly-*"))
    return {
        hash_: digest
        for directory in (assembly.directory, *stages)
        for hash_, digest in asset_digests(directory).items()
    }


@dataclass(frozen=True)
class _Reader:
    """Reads the stacks that head has."""

    heads: Mapping[str, Stack]
    digests: Mapping[str, str]

    def read(self, head: Stack, stack_id: str, cloudformation: CloudFormation) -> list[tuple[Stack, str]]:
        """Return a stack and those nested in it, each with its status; nothing where it is not deployed.

        Construct paths and acknowledgements are those of head: CloudFormation does not know them.
        """
        found = cloudformation.read(stack_id)
        if found is None:
            return []
        # YAML has dates, JSON has texts.
        template = json.loads(mark_assets(json.dumps(found.template, default=str), self.digests))
        deployed = replace(head, template=template, termination_protection=found.termination_protection)
        nested: list[tuple[Stack, str]] = []
        for child in self.heads.values():
            if child.parent != head.name or child.nested_id is None:
                continue
            before, after = (
                Template(side).find(child.nested_id, _NESTED_STACK) for side in (template, head.template)
            )
            if before and after:
                # The address holds the hash of the nested template, which is compared itself.
                before.body["Properties"]["TemplateURL"] = after.written["TemplateURL"]
                child_id = cloudformation.nested_stack_id(stack_id, child.nested_id)
                nested += self.read(child, child_id, cloudformation)
        return [(deployed, found.status), *nested]
