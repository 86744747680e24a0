"""Recommenders: large look-up tables before a small network, as DLRM."""

from sizewell.instance_selection.architectures.architecture import Architecture, Traits, architecture
from sizewell.instance_selection.estimation.work import Work, assumed_arithmetic
from sizewell.instance_selection.requirements import ModelSpec

#: Matrices of both perceptrons of DLRM (Naumov et al. 2019), one after the other.
LAYERS = 8.0


@architecture(Architecture.RECOMMENDER, Traits(look_up_tables=True), assumed_arithmetic)
def forward_work(model: ModelSpec, tokens: float) -> Work:
    """Return the work of one row: two operations for each weight that is no table's, unless they are stated."""
    weights = model.multiplied_parameters
    flops = model.forward_flops_per_image or 2.0 * weights
    activations = model.activations_per_image or flops / model.architecture.traits.flops_per_activation
    return Work(flops, weights, activations, float(model.layers or LAYERS), width=0.0, rows=128.0)
