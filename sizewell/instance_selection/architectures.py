"""What the estimates must know of a model's architecture; to add one, add a member and its traits."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


@dataclass(frozen=True, kw_only=True, slots=True)
class Traits:
    """How the models of an architecture compute; the defaults are those of most."""

    transformer: bool = False
    """Whether layers, width and the number of tokens say how much it computes."""
    generates: bool = False
    """Whether an answer is written token by token."""
    causal: bool = False
    """Whether a token attends to the earlier ones only; fused kernels of training keep no scores then."""
    has_logits: bool = True
    """Whether training keeps a score for each word of the vocabulary."""
    width_per_layer: float = 64.0
    """Width over layers of published models."""
    tabular: bool = False
    """Whether it reads rows of a table, with next to no arithmetic for each."""
    grows_trees: bool = False
    look_up_tables: bool = False
    """Whether most weights are tables: they stay in host memory, and are not multiplied."""
    reads_images: bool = False
    """Whether an example is an image even where the arithmetic of one is not stated."""
    patches: bool = False
    """Whether an image is cut into patches that go through matrix products of the model's width."""
    denoises: bool = False
    """Whether a pass is repeated for each denoising step, and done twice with guidance."""
    shards_in_training: bool = True
    """Whether training may spread states over devices, or recompute activations."""
    flops_per_weight: float = 0.0
    """Arithmetic of one input where nobody states it; 0 where tokens or look-ups say it."""
    flops_per_activation: float = 400.0
    """Operations per activation where the activations are not stated; medians of the presets."""
    alive_share: float | None = None
    """The part of a pass's activations that is alive at the same time; None where single layers decide."""
    default_layers: float = 50.0
    """Blocks that follow each other in one pass, where they are not stated."""
    steps: float | None = None
    """Blocks that follow each other whatever the model states."""


class Architecture(StrEnum):
    """The family of a model: it decides which arithmetic dominates."""

    ENCODER = "encoder"
    DECODER = "decoder"
    ENCODER_DECODER = "encoder-decoder"
    CNN = "cnn"
    DIFFUSION = "diffusion"
    RNN = "rnn"
    RECOMMENDER = "recommender"
    GRADIENT_BOOSTING = "gradient-boosting"
    LINEAR = "linear"

    @property
    def traits(self) -> Traits:
        """How models of it compute."""
        return _TRAITS[self]

    @property
    def generates(self) -> bool:
        """Whether an answer is written token by token."""
        return self.traits.generates

    @property
    def tabular(self) -> bool:
        """Whether it reads rows of a table, with next to no arithmetic for each."""
        return self.traits.tabular


#: Operations per weight of an image model that states none: the median of the presets' CNNs.
_FLOPS_PER_WEIGHT_OF_CNN = 100.0

_TRAITS: Mapping[Architecture, Traits] = MappingProxyType(
    {
        Architecture.ENCODER: Traits(
            transformer=True, has_logits=False, patches=True, flops_per_activation=2000.0
        ),
        Architecture.DECODER: Traits(transformer=True, generates=True, causal=True, width_per_layer=100.0),
        Architecture.ENCODER_DECODER: Traits(transformer=True, generates=True),
        Architecture.CNN: Traits(
            reads_images=True,
            shards_in_training=False,
            flops_per_weight=_FLOPS_PER_WEIGHT_OF_CNN,
            flops_per_activation=800.0,
            alive_share=0.5,
        ),
        Architecture.DIFFUSION: Traits(
            denoises=True,
            flops_per_weight=_FLOPS_PER_WEIGHT_OF_CNN,
            flops_per_activation=3500.0,
            alive_share=0.6,
        ),
        Architecture.RNN: Traits(
            shards_in_training=False,
            flops_per_weight=_FLOPS_PER_WEIGHT_OF_CNN,
            # One clip of 15 s: a time step every 30 ms, and one for each letter that is written.
            steps=750.0,
        ),
        Architecture.RECOMMENDER: Traits(look_up_tables=True, default_layers=8.0),
        Architecture.GRADIENT_BOOSTING: Traits(tabular=True, grows_trees=True),
        Architecture.LINEAR: Traits(tabular=True),
    }
)
