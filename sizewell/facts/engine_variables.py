"""Environment variables by which the containers of LLM engines bound the tokens of a request."""

from enum import Enum, auto


class Bounded(Enum):
    """What a variable bounds."""

    INPUT = auto()
    OUTPUT = auto()
    TOTAL = auto()
    """Input and output together."""


#: LMI takes options of its configuration as OPTION_NAME (https://docs.djl.ai/docs/serving/serving/docs/lmi/deployment_guide/configurations.html);
#: the images of vLLM and SGLang take flags of the server as SM_VLLM_NAME and SM_SGLANG_NAME
#: (https://aws.github.io/deep-learning-containers/vllm/configuration/, https://aws.github.io/deep-learning-containers/sglang/configuration/);
#: TGI has names of its own (https://huggingface.co/docs/text-generation-inference/reference/launcher).
TOKEN_BOUNDS = {
    "OPTION_MAX_MODEL_LEN": Bounded.TOTAL,
    "OPTION_N_POSITIONS": Bounded.TOTAL,
    "OPTION_MAX_INPUT_LEN": Bounded.INPUT,
    "OPTION_MAX_OUTPUT_LEN": Bounded.OUTPUT,
    "SM_VLLM_MAX_MODEL_LEN": Bounded.TOTAL,
    "SM_SGLANG_CONTEXT_LENGTH": Bounded.TOTAL,
    "MAX_INPUT_LENGTH": Bounded.INPUT,
    "MAX_INPUT_TOKENS": Bounded.INPUT,
    "MAX_TOTAL_TOKENS": Bounded.TOTAL,
}

#: Words in the names of images that hold an engine with continuous batching, for decoders, or a runtime that is built for the
#: model, for any network; up to a letter on either side. Of text-embeddings-inference ten published throughputs are 0.98 of
#: what is predicted of an optimized runtime, and 1.8 times that of an eager framework (medians).
LLM_CONTAINER_WORDS = ("vllm", "lmi", "tgi", "djl", "sglang", "trtllm", "tensorrtllm", "tensorrt-llm")
RUNTIME_CONTAINER_WORDS = ("tei", "text-embeddings-inference", "onnxruntime", "openvino")
