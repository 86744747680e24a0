"""What an architecture is made of stands in its description: nothing else asks for one by its name."""

import ast
from pathlib import Path

import pytest

from sizewell.instance_selection.architectures import Architecture
from sizewell.instance_selection.architectures.descriptions import DESCRIPTIONS

#: The steps of a sequence decide, which the model states.
STEP_BY_STEP = (Architecture.RNN, Architecture.TIME_SERIES)


@pytest.mark.parametrize("architecture", Architecture)
def test_every_architecture_has_traits(architecture: Architecture) -> None:
    traits = architecture.traits
    # What decides how much it computes: tokens, look-ups, rows, or the figures of one input.
    ways = (traits.transformer, traits.look_up_tables, traits.tabular, traits.flops_per_weight > 0)
    assert ways.count(True) == (0 if architecture in STEP_BY_STEP else 1)


def test_every_architecture_is_described() -> None:
    assert list(DESCRIPTIONS) == list(Architecture)


def test_estimates_ask_for_traits_and_never_for_a_name(project_root: Path) -> None:
    selection = project_root / "sizewell" / "instance_selection"
    named = set()
    for path in (*selection.rglob("*.py"), *(project_root / "sizewell" / "planning").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "Architecture":
                named.add(path.relative_to(selection.parent).as_posix())
    outside = {name for name in named if not name.startswith("instance_selection/architectures/")}
    # The recommender describes a model of which only the size is known.
    assert outside == {"instance_selection/recommender.py"}
