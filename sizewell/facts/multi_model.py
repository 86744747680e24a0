"""Which images of AWS serve several models, and the variable that says how many processes serve each of them on a CPU.

GPUs: SageMaker guide, "Supported algorithms, frameworks, and instances for multi-model endpoints"
(https://docs.aws.amazon.com/sagemaker/latest/dg/multi-model-support.html). Processes:

* scikit-learn: https://github.com/aws/sagemaker-scikit-learn-container, ``serving_mms.py``: one, unless the variable says
  otherwise.
* XGBoost: https://github.com/aws/sagemaker-xgboost-container, ``serving_mms.py``: one, whatever anybody says.
* PyTorch, and what is built with https://github.com/aws/sagemaker-inference-toolkit (``model_server.py``): one for each vCPU,
  unless the variable says otherwise.
* TensorFlow Serving and Triton start one server for a model, which has threads.

Read 2026-11-23.
"""

from sizewell.facts.container_images import jobs_of

GPU_REPOSITORY = "sagemaker-tritonserver"
_ONE_PROCESS = frozenset(
    {"sagemaker-xgboost", "tensorflow-inference", "tensorflow-inference-arm64", GPU_REPOSITORY}
)
_VARIABLES = {"sagemaker-scikit-learn": "SAGEMAKER_NUM_MODEL_WORKERS"}


def serves_one_model_on_gpus(repository: str) -> bool:
    """Return whether a repository of AWS has images for GPUs that serve one model only; False for any other repository."""
    return repository != GPU_REPOSITORY and bool(jobs_of(repository))


def workers_variable(repository: str) -> str | None:
    """Return what says how many processes serve a model; None where it is always one."""
    if repository in _ONE_PROCESS:
        return None
    return _VARIABLES.get(repository, "SAGEMAKER_MODEL_SERVER_WORKERS")
