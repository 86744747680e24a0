"""The architectures of models, and what the estimates must know of each.

To add one, add a member to ``Architecture``, its row and the work of its forward pass in ``descriptions.py``, and the keys that
describe its models in ``sizewell/config/ml_model.py``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Any


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
    """Whether an example is one input (an image, a clip, a series) even where its arithmetic is not stated."""
    patches: bool = False
    """Whether an image is cut into patches that go through matrix products of the model's width."""
    network: str = "none"
    """What most of its operators are where they are not those of a transformer: coefficients have levels of that name."""
    denoises: bool = False
    """Whether a pass is repeated for each denoising step, and done twice with guidance."""
    shards_in_training: bool = True
    """Whether training may spread states over devices, or recompute activations."""
    flops_per_weight: float = 0.0
    """Arithmetic of an image of 224 x 224 pixels where it is not stated, in proportion to its pixels; 0 where something else
    says it."""
    usual_image_pixels: int = 224 * 224
    """Height x width of an image where they are not stated."""
    flops_per_activation: float = 400.0
    """Operations per activation where the activations are not stated; medians of the presets."""
    alive_share: float | None = None
    """Activations that are alive at the same time, relative to those of a pass; None where something else decides."""


class Architecture(StrEnum):
    """The family of a model: it decides which arithmetic dominates."""

    ENCODER = "encoder"
    DECODER = "decoder"
    ENCODER_DECODER = "encoder-decoder"
    CNN = "cnn"
    DIFFUSION = "diffusion"
    RNN = "rnn"
    TIME_SERIES = "time-series"
    RECOMMENDER = "recommender"
    GRADIENT_BOOSTING = "gradient-boosting"
    LINEAR = "linear"

    @property
    def traits(self) -> Traits:
        """How models of it compute."""
        return _description(self).traits

    @property
    def forward_work(self) -> "ForwardWork":
        """The work of one forward pass of a model of it."""
        return _description(self).forward_work

    def assumed_of(self, model: Any) -> tuple[str, ...]:
        """Return in words what the work rests on where a ``ModelSpec`` does not state it."""
        return _description(self).assumed(model)

    @property
    def generates(self) -> bool:
        """Whether an answer is written token by token."""
        return self.traits.generates

    @property
    def tabular(self) -> bool:
        """Whether it reads rows of a table, with next to no arithmetic for each."""
        return self.traits.tabular


#: Returns the ``Work`` of one forward pass of a ``ModelSpec`` over one item; the number is the tokens of a text.
ForwardWork = Callable[[Any, float], Any]
Assumed = Callable[[Any], tuple[str, ...]]


def nothing_assumed(model: Any) -> tuple[str, ...]:
    """Return no assumption: every figure of the architecture is stated or has a default of its own."""
    return ()


@dataclass(frozen=True, slots=True)
class Description:
    """How the models of an architecture compute, the work of one forward pass, and in words what that assumes."""

    traits: Traits
    forward_work: ForwardWork
    assumed: Assumed = nothing_assumed


@cache
def _description(architecture: Architecture) -> Description:
    # On the first question: the descriptions need the requirements, which name an architecture.
    description: Description = import_module(f"{__name__}.descriptions").DESCRIPTIONS[architecture]
    return description
