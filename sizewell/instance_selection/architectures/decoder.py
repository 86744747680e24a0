"""Decoders: models that write text, token by token, as Llama; those that see images too."""

from sizewell.instance_selection.architectures.architecture import Architecture, Traits, architecture
from sizewell.instance_selection.estimation.work import Work, assumed_shape, transformer_work
from sizewell.instance_selection.requirements import ModelSpec


@architecture(
    Architecture.DECODER,
    Traits(transformer=True, generates=True, causal=True, width_per_layer=100.0),
    assumed_shape,
)
def forward_work(model: ModelSpec, tokens: float) -> Work:
    """Return the work of reading a prompt."""
    return transformer_work(model, tokens)
