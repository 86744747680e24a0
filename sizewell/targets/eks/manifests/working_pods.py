"""The pods of a model that answers later: beside its container, a worker receives requests from the queue.

The model is a sidecar: it is ready before the worker begins, and ends after the worker has answered what it has begun.
https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/. It keeps its devices, whatever containers come after it
(kubernetes/kubernetes pull request 120461, in 1.29).
"""

from typing import Any

from sizewell.targets.contract import program
from sizewell.targets.contract.worker import most_memory_mib, worker_variables
from sizewell.targets.eks.manifests.labels import WORKER, quoted
from sizewell.targets.eks.manifests.pods import (
    READ_ONLY,
    configuration_name,
    contract_files,
    loaders,
    model,
    mount,
    pod_template,
    resources_beside,
)
from sizewell.targets.eks.queue_worker.plan_model import EksQueueWorkerPlan

_WORKER = "work_queue.py"
#: Ours: what the worker takes to tell of its last answer, and the model to end after that.
_END_S = 30


def files_of_working(plan: EksQueueWorkerPlan) -> dict[str, str]:
    """Return the files that pods find in /contract, by name."""
    return contract_files(plan, {_WORKER: program("work_queue")})


def working_pods(plan: EksQueueWorkerPlan, artifact_bucket: str, region: str) -> dict[str, Any]:
    """Return the template of the pods."""
    return pod_template(
        plan,
        configuration=configuration_name(plan, files_of_working(plan)),
        grace_s=plan.pod.longest_answer_s + _END_S,
        init_containers=[
            *loaders(plan, artifact_bucket, region),
            model(plan, region, restartPolicy="Always"),
        ],
        container=_worker(plan, artifact_bucket, region),
    )


def _worker(plan: EksQueueWorkerPlan, artifact_bucket: str, region: str) -> dict[str, Any]:
    return {
        "name": WORKER,
        # As what loads the model, it needs Python alone.
        "image": plan.image.uri,
        "command": ["python3", f"/contract/{_WORKER}"],
        "env": quoted({"AWS_REGION": region, **worker_variables(plan, artifact_bucket)}),
        "resources": resources_beside(most_memory_mib=most_memory_mib(plan)),
        "securityContext": READ_ONLY,
        "volumeMounts": [mount("contract", "/contract", read_only=True)],
    }
