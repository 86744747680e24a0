"""The model of a workload, in the terms that decide its memory and its arithmetic.

A public model can be named by a preset; any other model is described by its architecture and dimensions. What a
description leaves out is derived from the size of the model, and the plan says so.
"""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from sizewell.config.base import SUGGESTIONS, ConfigModel, Gflops, Millions, fault, without
from sizewell.config.effects import Below, OnChange
from sizewell.facts.models import Precision

Layers = Annotated[int, Field(gt=0, le=10_000)]
Width = Annotated[int, Field(gt=0, le=1_000_000)]
#: Steps of a sequence or of a time series, which one request holds or is answered with.
Steps = Annotated[int, Field(gt=0, le=1_000_000)]
ContextTokens = Annotated[int, Field(gt=0, le=100_000_000)]
ImagePixels = Annotated[int, Field(gt=0, le=1_000_000_000)]
#: Weights of look-up tables, in millions; there may be none.
MillionsOrNone = Annotated[float, Field(ge=0, le=1e7)]


class _Network(ConfigModel):
    parameters_millions: Millions
    """The number of weights, in millions: 8000 for a model of 8 billion."""
    precision: Precision = Precision.FP16
    """The number format on accelerators (a CPU without it computes in fp32); int4, and int8 of a model that writes text, are for
    stored weights only."""
    framework: Literal["pytorch", "tensorflow", "jax"] = "pytorch"
    """The framework that the model is written in; Neuron chips run pytorch and jax here."""


class TransformerModel(_Network):
    """An encoder (BERT, ViT), a decoder (Llama) or both (T5, Whisper), described by its dimensions."""

    architecture: Literal["encoder", "decoder", "encoder-decoder"]
    """An encoder (BERT, ViT), a decoder (Llama) or both (T5, Whisper)."""
    layers: Layers | None = None
    """The number of blocks, those of encoder and decoder together; without it and hidden_size, those of published
    models of the same size."""
    hidden_size: Width | None = None
    """The width of a block (d_model); without it and layers, those of published models of the same size."""
    kv_hidden_size: Width | None = None
    """Key/value heads x head dimension, for the cache; smaller than hidden_size with grouped-query attention; an encoder
    keeps none."""
    intermediate_size: Width | None = None
    """The inner width of the feed-forward part, of one expert in a mixture; for the memory of training a decoder, as
    parameters_millions counts its weights."""
    vocabulary_size: Annotated[int, Field(gt=0, le=10_000_000)] | None = None
    """The number of tokens that the model knows; of a model that writes text, for its memory."""
    max_context_tokens: ContextTokens | None = None
    """The most tokens of one sequence (max_position_embeddings): what comes in and is written together, of an
    encoder-decoder each; more is an error. Without it, nothing is checked."""
    active_parameters_millions: Millions | None = None
    """Weights of a mixture of experts that one token is multiplied with; by default all."""
    embedding_parameters_millions: MillionsOrNone = 0
    """Weights of look-up tables (token embeddings that are not also the output layer), which do no arithmetic."""
    forward_gflops_per_image: Gflops | None = None
    """For an encoder of images: arithmetic of one forward pass, in 10^9 floating-point operations."""
    activations_millions_per_image: Millions | None = None
    """For an encoder of images: outputs of all matrix products of one forward pass, in millions of values."""
    image_pixels: ImagePixels | None = None
    """For an encoder of images that does not state its arithmetic: height x width of one (50176 for 224 x 224), of which
    patches of 16 x 16 are taken."""

    @property
    def reads_images(self) -> bool:
        """Whether an encoder is asked in images."""
        return (self.forward_gflops_per_image or self.image_pixels) is not None

    @property
    def request_keys(self) -> frozenset[str]:
        """The keys of a request that the model is asked in."""
        if self.architecture != "encoder":
            return frozenset({"input_tokens", "output_tokens"})
        return frozenset({"images" if self.reads_images else "input_tokens"})

    @property
    def dataset_key(self) -> str:
        """The key of a dataset that counts what the model learns from."""
        return "examples" if self.reads_images else "tokens_millions"

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
        for key in ("forward_gflops_per_image", "activations_millions_per_image", "image_pixels"):
            if self.architecture != "encoder" and getattr(self, key) is not None:
                raise fault(key, f"is for encoders of images; remove it from this {self.architecture}")
        if self.image_pixels is not None and self.max_context_tokens is not None:
            raise fault(
                "image_pixels",
                f"is for encoders of images, and this one reads text; {without('image_pixels')}",
            )
        if self.reads_images and self.max_context_tokens is not None:
            raise fault("max_context_tokens", f"has no effect on images; {without('max_context_tokens')}")
        _refuse_size_beside_arithmetic(self.image_pixels, self.forward_gflops_per_image)
        return self


def _refuse_size_beside_arithmetic(image_pixels: int | None, forward_gflops: float | None) -> None:
    if image_pixels is not None and forward_gflops is not None:
        reason = "has no effect beside forward_gflops_per_image, which is that of an image of the size used"
        raise fault("image_pixels", f"{reason}; {without('image_pixels')}")


class _Forward(_Network):
    """A model that is asked in examples, not in tokens."""

    dataset_key: ClassVar[str] = "examples"


class _ImageModel(_Forward):
    forward_gflops_per_image: Gflops | None = None
    """Arithmetic of one forward pass (of diffusion: one step, without guidance) for an image of the size used, in 10^9
    floating-point operations (2 x GMACs)."""
    activations_millions_per_image: Millions | None = None
    """Outputs of all convolutions and matrices of one such pass, in millions of values."""
    image_pixels: ImagePixels | None = None
    """Height x width of an image, from which the arithmetic is taken where it is not stated: 409600 for 640 x 640; by default
    that of 224 x 224, of diffusion 1024 x 1024."""

    request_keys: ClassVar[frozenset[str]] = frozenset({"images"})

    @model_validator(mode="after")
    def _size_or_arithmetic(self) -> Self:
        _refuse_size_beside_arithmetic(self.image_pixels, self.forward_gflops_per_image)
        return self


class CnnModel(_ImageModel):
    """A convolutional network, described by what one image costs."""

    architecture: Literal["cnn"]
    """A convolutional network (ResNet)."""
    layers: Layers | None = None
    """The number of convolutions and fully connected layers."""


class DiffusionModel(_ImageModel):
    """A model that draws an image in many steps, described by what one step costs."""

    architecture: Literal["diffusion"]
    """A model that draws an image in many steps (Stable Diffusion)."""
    layers: Layers | None = None
    """The number of matrices and convolutions of one step that follow each other."""
    active_parameters_millions: Millions | None = None
    """Weights of the denoiser, which every step is multiplied with; by default all."""
    denoising_steps: Annotated[int, Field(gt=0, le=1000)] = 50
    """The number of steps that draw one image."""
    guidance: bool = True
    """Whether classifier-free guidance is used, which computes every step twice."""

    @model_validator(mode="after")
    def _denoiser_is_a_part(self) -> Self:
        if (self.active_parameters_millions or 0) > self.parameters_millions:
            raise fault("active_parameters_millions", "must be at most parameters_millions")
        return self


class RecurrentModel(_Forward):
    """A network that goes through a clip of sound, or any sequence, step by step (RNN-T, LSTM)."""

    architecture: Literal["rnn"]
    """A network that goes through a clip of sound, or any sequence, step by step (RNN-T, LSTM)."""
    layers: Layers | None = None
    """The number of cells that follow each other in one step through time; by default 7, as RNN-T."""
    hidden_size: Width | None = None
    """The width of a cell; by default that of an LSTM with so many weights."""
    time_steps: Steps | None = None
    """Steps of one clip, taken one after the other; by default those that forward_gflops_per_clip is enough for, or 320,
    as RNN-T in 15 s."""
    forward_gflops_per_clip: Gflops | None = None
    """Arithmetic of one clip of the length used, in 10^9 floating-point operations; by default two for each weight and
    step."""

    request_keys: ClassVar[frozenset[str]] = frozenset({"clips"})


class TimeSeriesModel(_Forward):
    """A forecaster of time series: recurrent (DeepAR), or a transformer over patches (PatchTST)."""

    architecture: Literal["time-series"]
    """A forecaster of time series: recurrent (DeepAR), or a transformer over patches (PatchTST)."""
    context_length: Steps
    """Steps of the past that a forecast looks at."""
    prediction_length: Steps
    """Steps of the future that are forecast."""
    patch_length: Steps | None = None
    """Steps that make one token of a transformer, 1 where each is one; without it the network is recurrent and takes
    one step after the other."""
    samples: Annotated[int, Field(gt=0, le=10_000)] = 100
    """Paths that a recurrent network draws for each series (num_samples of DeepAR), at inference; 1 where it draws none
    (TFT)."""
    layers: Layers | None = None
    """The number of cells of one step, or of blocks of a transformer; by default 2 cells as in DeepAR, or, without
    hidden_size too, the blocks of published models of the same size."""
    hidden_size: Width | None = None
    """The width of a cell or a block; by default that of a network with so many weights."""
    forward_gflops_per_series: Gflops | None = None
    """Arithmetic of the forecast of one series, all samples together, in 10^9 floating-point operations; by default two
    for each weight and step or token."""

    request_keys: ClassVar[frozenset[str]] = frozenset({"series"})

    @model_validator(mode="after")
    def _shape_is_of_the_network(self) -> Self:
        if self.patch_length is None:
            return self
        if "samples" in self.model_fields_set:
            raise fault(
                "samples",
                f"has no effect beside patch_length: a transformer draws none; {without('samples')}",
            )
        if self.patch_length > self.context_length:
            raise fault(
                "patch_length", f"is {self.patch_length}, above context_length ({self.context_length})"
            )
        if (self.layers is None) != (self.hidden_size is None):
            given, missing = ("layers", "hidden_size") if self.layers else ("hidden_size", "layers")
            raise fault(
                missing,
                f"is missing beside {given}; or leave out both: those of a published model are assumed",
            )
        return self


class RecommenderModel(_Forward):
    """Large look-up tables before a small network (DLRM)."""

    architecture: Literal["recommender"]
    """Large look-up tables before a small network (DLRM)."""
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
    """Boosted decision trees (XGBoost)."""
    trees: Annotated[int, Field(gt=0, le=1_000_000)] = 100
    """The number of trees."""
    tree_depth: Annotated[int, Field(gt=0, le=32)] = 6
    """The depth of a tree."""
    framework: Literal["xgboost", "lightgbm", "catboost", "sklearn"] = "xgboost"
    """The library that the model was trained with; by default xgboost."""


class LinearModel(_Tabular):
    """Linear or logistic regression."""

    architecture: Literal["linear"]
    """Linear or logistic regression."""
    framework: Literal["sklearn", "xgboost"] = "sklearn"
    """The library that the model was trained with; by default sklearn."""


DescribedModel = Annotated[
    TransformerModel
    | CnnModel
    | DiffusionModel
    | RecurrentModel
    | TimeSeriesModel
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

    preset: Annotated[
        str,
        Field(
            min_length=1,
            max_length=100,
            examples=["llama-3.1-8b"],
            json_schema_extra={SUGGESTIONS: "Preset"},
        ),
    ]
    """The name of a public model, in any of its usual spellings."""
    architecture: (
        Literal[
            "encoder", "decoder", "encoder-decoder", "cnn", "diffusion", "rnn", "time-series", "recommender"
        ]
        | None
    ) = None
    """What kind of model it is; of a preset it is known."""
    parameters_millions: Millions | None = None
    """The number of weights, in millions; by default that of the preset."""
    active_parameters_millions: Millions | None = None
    """Weights that one token or one denoising step is multiplied with, in millions; by default those of the preset."""
    embedding_parameters_millions: MillionsOrNone | None = None
    """Weights of look-up tables, which do no arithmetic, in millions; by default those of the preset."""
    precision: Precision = Precision.FP16
    """The number format of the weights and of the arithmetic on accelerators; a CPU without it computes in fp32."""
    framework: Literal["pytorch", "tensorflow", "jax"] = "pytorch"
    """The framework that the model is written in; Neuron chips run pytorch and jax here."""
    layers: Layers | None = None
    """The number of layers; by default that of the preset."""
    hidden_size: Width | None = None
    """The width of a layer; by default that of the preset."""
    kv_hidden_size: Width | None = None
    """Key/value heads x head dimension; by default that of the preset."""
    intermediate_size: Width | None = None
    """The inner width of the feed-forward part; by default that of the preset."""
    vocabulary_size: Annotated[int, Field(gt=0, le=10_000_000)] | None = None
    """The number of tokens that the model knows; by default that of the preset."""
    max_context_tokens: ContextTokens | None = None
    """The most tokens of one sequence, where scaled positions or a window of your own make it another than that of the
    preset."""
    forward_gflops_per_image: Gflops | None = None
    """Arithmetic of one forward pass or denoising step, in 10^9 floating-point operations; by default that of the
    preset."""
    activations_millions_per_image: Millions | None = None
    """Outputs of all matrices and convolutions of one such pass, in millions of values; by default those of the
    preset."""
    image_pixels: ImagePixels | None = None
    """Height x width of an image, where it is another than that of the preset: arithmetic and activations grow with it."""
    denoising_steps: Annotated[int, Field(gt=0, le=1000)] | None = None
    """The number of steps that draw one image, of a diffusion model; by default 50."""
    guidance: bool | None = None
    """Whether a diffusion model uses classifier-free guidance, which computes every step twice; by default it does."""
    time_steps: Steps | None = None
    """Steps of one clip, of an rnn; by default those that the arithmetic of the preset is enough for."""
    context_length: Steps | None = None
    """Steps of the past that a forecast looks at, which every forecaster of time series states."""
    prediction_length: Steps | None = None
    """Steps of the future that are forecast, which every forecaster of time series states."""


def _model_kind(model: Any) -> str:
    keys = model if isinstance(model, dict) else getattr(type(model), "model_fields", ())
    return "PresetModel" if "preset" in keys else "DescribedModel"


Model = Annotated[
    Annotated[DescribedModel, Tag("DescribedModel")] | Annotated[PresetModel, Tag("PresetModel")],
    Discriminator(_model_kind),
]

_ANOTHER = "another model"
ON_MODEL = Below(OnChange(changed=_ANOTHER, added=_ANOTHER, removed=_ANOTHER))
