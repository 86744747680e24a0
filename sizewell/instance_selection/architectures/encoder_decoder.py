"""Encoder-decoders: an input is read in one pass, and the answer written token by token, as T5 and Whisper do."""

from sizewell.instance_selection.architectures.architecture import Architecture, Traits, architecture
from sizewell.instance_selection.estimation.work import Work, assumed_shape, transformer_work
from sizewell.instance_selection.requirements import ModelSpec


@architecture(Architecture.ENCODER_DECODER, Traits(transformer=True, generates=True), assumed_shape)
def forward_work(model: ModelSpec, tokens: float) -> Work:
    """Return the work of reading an input."""
    return transformer_work(model, tokens)
