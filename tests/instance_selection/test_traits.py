"""What an architecture is made of stands in one file: nothing else asks for one by its name."""

import ast
from pathlib import Path

import pytest

from sizewell.instance_selection.architectures import Architecture


@pytest.mark.parametrize("architecture", Architecture)
def test_every_architecture_has_traits(architecture: Architecture) -> None:
    traits = architecture.traits
    # What decides how much it computes: tokens, look-ups, rows, or the figures of one input.
    ways = (traits.transformer, traits.look_up_tables, traits.tabular, traits.flops_per_weight > 0)
    assert ways.count(True) == 1


def test_estimates_ask_for_traits_and_never_for_a_name(project_root: Path) -> None:
    selection = project_root / "sizewell" / "instance_selection"
    named = set()
    for path in (*selection.rglob("*.py"), *(project_root / "sizewell" / "planning").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "Architecture":
                named.add(path.relative_to(selection.parent).as_posix())
    # The recommender describes a model of which only the size is known.
    assert named == {"instance_selection/architectures.py", "instance_selection/recommender.py"}
