"""The templates of the last synth, where it is of the same plan."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sizewell.deploy.assembly import AssemblyError, read_assembly
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.saved_files import PLAN_FILE
from sizewell.planning.serialization import plan_to_json

Synthesized = Callable[[DeploymentPlan], Mapping[str, Mapping[str, Any]]]
"""The templates that were synthesized for a plan, by the name of the stack; none where there are none of it."""


def synthesized_in(output: Path) -> Synthesized:
    """Return what reads an output of cdk synth; one of another plan has nothing to say of this one."""

    def templates(plan: DeploymentPlan) -> Mapping[str, Mapping[str, Any]]:
        try:
            if (output / PLAN_FILE).read_text("utf-8") != plan_to_json(plan):
                return {}
            return {stack.name: stack.stack.template for stack in read_assembly(output).stacks.values()}
        except (OSError, ValueError, AssemblyError):
            return {}

    return templates
