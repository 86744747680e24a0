"""Linear and logistic regression."""

from sizewell.instance_selection.architectures.architecture import Architecture, Traits, architecture
from sizewell.instance_selection.estimation.work import Work
from sizewell.instance_selection.requirements import ModelSpec


@architecture(Architecture.LINEAR, Traits(tabular=True))
def forward_work(model: ModelSpec, tokens: float) -> Work:
    """Return the work of one row: each weight is multiplied once."""
    return Work(2.0 * model.parameters, model.parameters, 1.0, layers=1.0, width=0.0, rows=1.0)
