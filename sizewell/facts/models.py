"""How a model computes: number formats, and what executes it."""

from enum import StrEnum


class Precision(StrEnum):
    """The number format of the weights and of the arithmetic on an accelerator."""

    # int4, and int8 of a model that generates, store weights only: the arithmetic is done in half precision.
    FP32 = "fp32"
    TF32 = "tf32"
    FP16 = "fp16"
    BF16 = "bf16"
    FP8 = "fp8"
    INT8 = "int8"
    INT4 = "int4"

    @property
    def bytes(self) -> float:
        """Bytes of one weight; four bits come with scales and zero points of their groups (0.57 with groups of 64)."""
        return {"fp32": 4.0, "tf32": 4.0, "fp16": 2.0, "bf16": 2.0, "int4": 0.57}.get(self.value, 1.0)


class Engine(StrEnum):
    """What executes the model: the same chip differs up to 3.5 times between engines."""

    EAGER = "eager"
    """A framework that starts operator after operator."""
    COMPILED = "compiled"
    """A framework whose graph was compiled: XLA, torch.compile."""
    OPTIMIZED_RUNTIME = "optimized-runtime"
    """An engine built for the model: TensorRT, ONNX Runtime, OpenVINO."""
    LLM_ENGINE = "llm-engine"
    """Continuous batching: vLLM, TensorRT-LLM, TGI, LMI."""
