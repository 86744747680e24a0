"""The model of a workload, in the terms that decide its memory and its arithmetic.

A public model can be named by a preset; any other model is described by its architecture and dimensions. What a
description leaves out is derived from the size of the model, and the plan says so.
"""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from sizewell.config.base import ConfigModel, Gflops, Millions, fault
from sizewell.facts.models import Precision

Layers = Annotated[int, Field(gt=0, le=10_000)]
Width = Annotated[int, Field(gt=0, le=1_000_000)]
#: Of look-up tables there may be none.
MillionsOrNone = Annotated[float, Field(ge=0, le=1e7)]


class _Network(ConfigModel):
    parameters_millions: Millions
    """The number of weights, in millions: 8000 for a model of 8 billion."""
    precision: Precision = Precision.FP16
    """The number format on accelerators. A CPU without it computes in fp32."""
    framework: Literal["pytorch", "tensorflow", "jax"] = "pytorch"
    """The framework that the model is written in. Neuron chips run pytorch and jax here."""


class TransformerModel(_Network):
    """An encoder (BERT, ViT), a decoder (Llama) or both (T5, Whisper), described by its dimensions."""

    architecture: Literal["encoder", "decoder", "encoder-decoder"]
    layers: Layers | None = None
    """The number of blocks, those of encoder and decoder together; it is assumed where hidden_size is left out too."""
    hidden_size: Width | None = None
    kv_hidden_size: Width | None = None
    """Key/value heads x head dimension; smaller than hidden_size with grouped-query attention."""
    intermediate_size: Width | None = None
    """The inner width of the feed-forward part; of one expert in a mixture."""
    vocabulary_size: Annotated[int, Field(gt=0, le=10_000_000)] | None = None
    active_parameters_millions: Millions | None = None
    """Weights of a mixture of experts that one token is multiplied with; by default all."""
    embedding_parameters_millions: MillionsOrNone = 0
    """Weights of look-up tables (token embeddings that are not also the output layer), which do no arithmetic."""
    forward_gflops_per_image: Gflops | None = None
    """For an encoder of images: arithmetic of one forward pass, in 10^9 floating-point operations."""
    activations_millions_per_image: Millions | None = None
    """For an encoder of images: outputs of all matrix products of one forward pass, in millions of values."""

    @property
    def request_keys(self) -> frozenset[str]:
        """The keys of a request that the model is asked in."""
        if self.architecture != "encoder":
            return frozenset({"input_tokens", "output_tokens"})
        return frozenset({"images" if self.forward_gflops_per_image else "input_tokens"})

    @property
    def dataset_key(self) -> str:
        """The key of a dataset that counts what the model learns from."""
        return "examples" if self.forward_gflops_per_image else "tokens_millions"

    @model_validator(mode="after")
    def _parts_are_parts(self) -> Self:
        if self.embedding_parameters_millions >= self.parameters_millions:
            raise fault("embedding_parameters_millions", "must be less than parameters_millions")
        active = self.active_parameters_millions or self.parameters_millions
        # Encoders such as ALBERT use the same layers several times: more is active than is stored.
        if self.architecture != "encoder" and active > self.parameters_millions:
            raise fault("active_parameters_millions", "must be at most parameters_millions")
        if active <= self.embedding_parameters_millions:
            raise fault("active_parameters_millions", "must be above embedding_parameters_millions")
        return self

    @model_validator(mode="after")
    def _shape_is_whole(self) -> Self:
        if self.forward_gflops_per_image is None and (self.layers is None) != (self.hidden_size is None):
            given, missing = ("layers", "hidden_size") if self.layers else ("hidden_size", "layers")
            raise fault(
                missing,
                f"is missing beside {given}; or leave out both: those of a published model are assumed",
            )
        for key in ("forward_gflops_per_image", "activations_millions_per_image"):
            if self.architecture != "encoder" and getattr(self, key) is not None:
                raise fault(key, f"is for encoders of images; remove it from this {self.architecture}")
        return self


class _Forward(_Network):
    """A model that answers by a pass over examples, not over tokens."""

    dataset_key: ClassVar[str] = "examples"


class CnnModel(_Forward):
    """A convolutional network, described by what one image costs."""

    architecture: Literal["cnn"]
    layers: Layers | None = None
    """Convolutions and fully connected layers."""
    forward_gflops_per_image: Gflops | None = None
    """Arithmetic of one forward pass at the input size used, in 10^9 floating-point operations (2 x GMACs)."""
    activations_millions_per_image: Millions | None = None
    """Outputs of all convolutions of one forward pass, in millions of values."""

    request_keys: ClassVar[frozenset[str]] = frozenset({"images"})


class DiffusionModel(_Forward):
    """A model that draws an image in many steps, described by what one step costs."""

    architecture: Literal["diffusion"]
    layers: Layers | None = None
    active_parameters_millions: Millions | None = None
    """Weights of the denoiser, which every step is multiplied with; by default all."""
    forward_gflops_per_image: Gflops | None = None
    """Arithmetic of one step for one image of the size used, without guidance, in 10^9 floating-point operations."""
    activations_millions_per_image: Millions | None = None
    """Outputs of all matrices and convolutions of one step, in millions of values."""
    denoising_steps: Annotated[int, Field(gt=0, le=1000)] = 50
    guidance: bool = True
    """Classifier-free guidance: every step is computed twice."""

    request_keys: ClassVar[frozenset[str]] = frozenset({"images"})

    @model_validator(mode="after")
    def _denoiser_is_a_part(self) -> Self:
        if (self.active_parameters_millions or 0) > self.parameters_millions:
            raise fault("active_parameters_millions", "must be at most parameters_millions")
        return self


class RecurrentModel(_Forward):
    """A network that goes through a clip of sound step by step (RNN-T)."""

    architecture: Literal["rnn"]
    layers: Layers | None = None
    forward_gflops_per_clip: Gflops | None = None
    """Arithmetic of one clip of the length used, in 10^9 floating-point operations."""

    request_keys: ClassVar[frozenset[str]] = frozenset({"clips"})


class RecommenderModel(_Forward):
    """Large look-up tables before a small network (DLRM)."""

    architecture: Literal["recommender"]
    embedding_parameters_millions: MillionsOrNone
    """Weights of the look-up tables, which do no arithmetic and stay in host memory beside an accelerator."""
    forward_gflops_per_row: Gflops | None = None
    """Arithmetic of one row, in 10^9 floating-point operations; by default two for each weight outside the tables."""

    request_keys: ClassVar[frozenset[str]] = frozenset({"rows"})

    @model_validator(mode="after")
    def _tables_are_a_part(self) -> Self:
        if self.embedding_parameters_millions >= self.parameters_millions:
            raise fault("embedding_parameters_millions", "must be less than parameters_millions")
        return self


class _Tabular(ConfigModel):
    """A model of the rows of a table; it computes in fp32 and keeps the cores of the host busy."""

    features: Annotated[int, Field(gt=0, le=10_000_000)]
    """Columns of a row, as the model sees them."""

    request_keys: ClassVar[frozenset[str]] = frozenset({"rows"})

    dataset_key: ClassVar[str] = "examples"


class GradientBoostingModel(_Tabular):
    """Boosted decision trees."""

    architecture: Literal["gradient-boosting"]
    trees: Annotated[int, Field(gt=0, le=1_000_000)] = 100
    tree_depth: Annotated[int, Field(gt=0, le=32)] = 6
    framework: Literal["xgboost", "lightgbm", "catboost", "sklearn"] = "xgboost"


class LinearModel(_Tabular):
    """Linear or logistic regression."""

    architecture: Literal["linear"]
    framework: Literal["sklearn", "xgboost"] = "sklearn"


DescribedModel = Annotated[
    TransformerModel
    | CnnModel
    | DiffusionModel
    | RecurrentModel
    | RecommenderModel
    | GradientBoostingModel
    | LinearModel,
    Field(
        discriminator="architecture",
        description="for a public model its name is enough: preset: llama-3.1-8b",
    ),
]


class PresetModel(ConfigModel):
    """A public model by its name; what is written beside the name overrides what is known of it."""

    preset: Annotated[str, Field(min_length=1, max_length=100, examples=["llama-3.1-8b"])]
    """The name of a public model, in any of its usual spellings."""
    architecture: (
        Literal["encoder", "decoder", "encoder-decoder", "cnn", "diffusion", "rnn", "recommender"] | None
    ) = None
    parameters_millions: Millions | None = None
    active_parameters_millions: Millions | None = None
    embedding_parameters_millions: MillionsOrNone | None = None
    precision: Precision = Precision.FP16
    framework: Literal["pytorch", "tensorflow", "jax"] = "pytorch"
    layers: Layers | None = None
    hidden_size: Width | None = None
    kv_hidden_size: Width | None = None
    intermediate_size: Width | None = None
    vocabulary_size: Annotated[int, Field(gt=0, le=10_000_000)] | None = None
    forward_gflops_per_image: Gflops | None = None
    activations_millions_per_image: Millions | None = None
    denoising_steps: Annotated[int, Field(gt=0, le=1000)] | None = None
    guidance: bool | None = None


def _model_kind(model: Any) -> str:
    keys = model if isinstance(model, dict) else getattr(type(model), "model_fields", ())
    return "PresetModel" if "preset" in keys else "DescribedModel"


Model = Annotated[
    Annotated[DescribedModel, Tag("DescribedModel")] | Annotated[PresetModel, Tag("PresetModel")],
    Discriminator(_model_kind),
]
