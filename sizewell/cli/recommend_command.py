"""``sizewell recommend``: the best type for a model of which nothing but its size is known."""

import typer

from sizewell.cli.errors import exit_with
from sizewell.instance_selection import Catalog, NoFeasibleInstanceError, load_catalog
from sizewell.instance_selection.catalog import regions
from sizewell.instance_selection.recommender import Budget, Recommendation, Task, recommend

#: Fewer weights than this are billions or millions whose unit was forgotten.
MIN_PARAMETERS = 1e5
#: How sizes of models are commonly written.
SUFFIXES = {"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}


def answer(parameters: str, task: str, budget: str, region: str) -> tuple[Recommendation, Catalog]:
    """Return the recommendation, and the catalog that it was made from; ends the command when there is none.

    Raises ``typer.BadParameter``, also for a number of weights that no model has.
    """
    if region not in regions():
        raise typer.BadParameter(f'the catalog does not have "{region}"; it has {", ".join(regions())}')
    count, catalog = parse_parameters(parameters), load_catalog(region)
    if 0 < count < MIN_PARAMETERS:
        number = parameters.rstrip("kKmMbBtT")
        raise typer.BadParameter(
            f"{parameters} is {count:,g} weights, fewer than {MIN_PARAMETERS:,.0f}: is {number}B meant, for {number} "
            f"billion, or {number}M, for {number} million?"
        )
    try:
        return recommend(count, Task(task), Budget(budget), catalog), catalog
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    except NoFeasibleInstanceError as error:
        exit_with(f"{task} of {count:g} parameters: {error}")


def parse_parameters(text: str) -> float:
    """Return a number of weights from ``7e9``, ``7000000000`` or ``7B``; raises ``typer.BadParameter``."""
    factor = SUFFIXES.get(text[-1:].lower(), 1.0)
    try:
        return float(text[:-1] if factor > 1 else text) * factor
    except ValueError:
        raise typer.BadParameter(
            f'"{text}" is not a number of weights; write 7e9 or 7B for seven billion'
        ) from None
