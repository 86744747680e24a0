"""The variables by which the model servers of AWS's images are told to serve several requests in one pass.

* PyTorch: https://github.com/aws/sagemaker-pytorch-inference-toolkit, ``ts_environment.py``: the delay is in milliseconds, and
  where one variable is set, the others take their defaults: one worker, and 60 seconds for an answer, whatever
  TS_DEFAULT_RESPONSE_TIMEOUT says.
* TensorFlow: https://github.com/aws/sagemaker-tensorflow-serving-container, README, "Enabling Batching": the delay is in
  microseconds.
* DJL: https://github.com/deepjavalibrary/djl-serving, ``batch_size`` and ``max_batch_delay`` (milliseconds) as variables.

NVIDIA Triton reads ``dynamic_batching`` of each model's ``config.pbtxt`` in the artifact, and no variable
(https://docs.nvidia.com/deeplearning/triton-inference-server/user-guide/docs/batcher.html). Multi Model Server takes both numbers
when a model is registered, which nobody does from outside (https://github.com/aws/sagemaker-huggingface-inference-toolkit/issues/67).
Read 2026-11-22.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

Variables = dict[str, str]


_TORCHSERVE_TIMEOUT_S = 60


def _torchserve(max_batch_size: int, max_delay_ms: int, workers: int, timeout_s: int) -> Variables:
    longer = timeout_s > _TORCHSERVE_TIMEOUT_S
    return {
        "SAGEMAKER_TS_BATCH_SIZE": str(max_batch_size),
        "SAGEMAKER_TS_MAX_BATCH_DELAY": str(max_delay_ms),
        "SAGEMAKER_TS_MIN_WORKERS": str(workers),
        "SAGEMAKER_TS_MAX_WORKERS": str(workers),
        **({"SAGEMAKER_TS_RESPONSE_TIMEOUT": str(timeout_s)} if longer else {}),
    }


def _tensorflow_serving(max_batch_size: int, max_delay_ms: int, workers: int, _timeout_s: int) -> Variables:
    return {
        "SAGEMAKER_TFS_ENABLE_BATCHING": "true",
        "SAGEMAKER_TFS_MAX_BATCH_SIZE": str(max_batch_size),
        "SAGEMAKER_TFS_BATCH_TIMEOUT_MICROS": str(max_delay_ms * 1000),
        "SAGEMAKER_TFS_NUM_BATCH_THREADS": str(workers),
    }


def _djl_serving(max_batch_size: int, max_delay_ms: int, _workers: int, _timeout_s: int) -> Variables:
    # It starts a worker for each GPU by itself.
    return {
        "SERVING_BATCH_SIZE": str(max_batch_size),
        "SERVING_MAX_BATCH_DELAY": str(max_delay_ms),
    }


#: By the repository of the image.
_SERVERS: Mapping[str, Callable[[int, int, int, int], Variables]] = MappingProxyType(
    {
        "pytorch-inference": _torchserve,
        "pytorch-inference-arm64": _torchserve,
        "tensorflow-inference": _tensorflow_serving,
        "djl-inference": _djl_serving,
    }
)


def batching_variables(
    repository: str, max_batch_size: int, max_delay_ms: int, workers: int, timeout_s: int
) -> Variables | None:
    """Return what tells the server of an image how to batch, on so many workers, and to wait so long for them; None where no
    variable does."""
    variables = _SERVERS.get(repository)
    return variables(max_batch_size, max_delay_ms, workers, timeout_s) if variables else None
