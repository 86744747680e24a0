"""Boosted decision trees, as XGBoost."""

from sizewell.instance_selection.architectures.architecture import Architecture, Traits, architecture
from sizewell.instance_selection.estimation.work import Work
from sizewell.instance_selection.requirements import ModelSpec


@architecture(Architecture.GRADIENT_BOOSTING, Traits(tabular=True, grows_trees=True))
def forward_work(model: ModelSpec, tokens: float) -> Work:
    """Return the work of one row: a comparison at each level of each tree."""
    nodes = float(model.trees * model.tree_depth)
    return Work(nodes, model.parameters, float(model.trees), float(model.tree_depth), width=0.0, rows=1.0)
