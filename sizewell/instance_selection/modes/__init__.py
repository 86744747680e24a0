"""Compare the ways to serve a model: real-time, multi-model, serverless, asynchronous, batch and Lambda.

The facts are tables beside the code, each row with its source and date. Names are imported when they are first used:
a plan without a comparison does not wait for the cost curves.
"""

from typing import TYPE_CHECKING

from sizewell.modules import exported_on_first_use

if TYPE_CHECKING:
    from sizewell.facts.serving_modes import Mode
    from sizewell.instance_selection.modes.comparison import compare_modes
    from sizewell.instance_selection.modes.needs import ModeNeeds
    from sizewell.instance_selection.modes.results import (
        BreakEven,
        CostPart,
        ModeComparison,
        ModeMiss,
        ModeOption,
    )

__all__ = [
    "BreakEven",
    "CostPart",
    "Mode",
    "ModeComparison",
    "ModeMiss",
    "ModeNeeds",
    "ModeOption",
    "compare_modes",
]

__getattr__ = exported_on_first_use(__name__, __file__)
