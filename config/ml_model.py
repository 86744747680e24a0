"""The model of a workload, in the terms that decide its memory and its arithmetic."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from config.base import ConfigModel, Positive, PositiveInt, fault

#: Ten trillion weights: a greater number was meant as weights, not as millions of them.
MAX_PARAMETERS_MILLIONS = 10_000_000


class Precision(StrEnum):
    """The number format of the weights and of the arithmetic on an accelerator."""

    FP32 = "fp32"
    FP16 = "fp16"
    BF16 = "bf16"
    FP8 = "fp8"
    INT8 = "int8"


class Engine(StrEnum):
    """What executes the model: the same chip differs up to 3.5 times between engines."""

    EAGER = "eager"
    OPTIMIZED_RUNTIME = "optimized-runtime"
    LLM_ENGINE = "llm-engine"


class _Model(ConfigModel):
    parameters_millions: Positive
    """The number of weights, in millions."""
    precision: Precision = Precision.FP16
    """The number format on accelerators. A CPU without it computes in fp32."""
    framework: Literal["pytorch", "tensorflow", "jax"] = "pytorch"
    """The framework that the model is written in. Neuron chips run pytorch and jax here."""

    @model_validator(mode="after")
    def _size_is_in_millions(self) -> Self:
        if self.parameters_millions > MAX_PARAMETERS_MILLIONS:
            raise fault(
                "parameters_millions",
                f"is {self.parameters_millions:,.0f} million weights, above {MAX_PARAMETERS_MILLIONS:,} million; "
                "the unit is in the key's name: write 8000 for a model of 8 billion",
            )
        return self


class TransformerModel(_Model):
    """An encoder (BERT) or a decoder (Llama), described by its dimensions."""

    architecture: Literal["encoder", "decoder"]
    layers: PositiveInt
    hidden_size: PositiveInt
    kv_hidden_size: PositiveInt | None = None
    """Key/value heads x head dimension; smaller than hidden_size with grouped-query attention."""
    embedding_parameters_millions: Annotated[float, Field(ge=0)] = 0
    """Weights of look-up tables (token embeddings that are not also the output layer), which do no arithmetic."""

    @model_validator(mode="after")
    def _embedding_is_a_part(self) -> Self:
        if self.embedding_parameters_millions >= self.parameters_millions:
            raise fault("embedding_parameters_millions", "must be less than parameters_millions")
        return self


class CnnModel(_Model):
    """A convolutional network, described by what one image costs."""

    architecture: Literal["cnn"]
    layers: PositiveInt
    """Convolutions and fully connected layers."""
    forward_gflops_per_image: Positive
    """Arithmetic of one forward pass at the input size used, in 10^9 floating-point operations (2 x GMACs)."""
    activations_millions_per_image: Positive
    """Outputs of all convolutions of one forward pass, in millions of values."""


Model = Annotated[TransformerModel | CnnModel, Field(discriminator="architecture")]
