"""The pods of a training: one container, the program of the contract around the script."""

import json
from typing import Any

from sizewell.facts.training_jobs import DEFAULT_CHECKPOINT_PATH
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.contract import program
from sizewell.targets.contract.trainer import training_variables
from sizewell.targets.eks.job.plan_model import EksJobPlan
from sizewell.targets.eks.manifests.job_sets import hosts
from sizewell.targets.eks.manifests.labels import quoted
from sizewell.targets.eks.manifests.pods import CONFINED, SHARED_MEMORY, mount, resources
from sizewell.targets.eks.manifests.runs import RUN_NAME
from sizewell.targets.training.plan_model import PROGRAM

TRAIN = "train"
#: What a Spot Instance has left: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html
TRAINING_GRACE_S = 120
_FOLDERS = {
    "input": "/opt/ml/input",
    "model": "/opt/ml/model",
    "output": "/opt/ml/output",
    "checkpoints": DEFAULT_CHECKPOINT_PATH,
}
#: The training toolkit replaces /opt/ml/code: that must be no mount, but lie in one that others than root may write to
#: (``download_and_extract`` of https://github.com/aws/sagemaker-training-toolkit/blob/master/src/sagemaker_training/files.py).
_ALL_FOLDERS = {"ml": "/opt/ml"}


def training_pod(plan: EksJobPlan, foundation: FoundationPlan) -> dict[str, Any]:
    """Return what is in the pod of a run."""
    return {
        "containers": [_container(plan, foundation)],
        "volumes": [*({"name": name, "emptyDir": {}} for name in _folders(plan)), SHARED_MEMORY],
    }


def _container(plan: EksJobPlan, foundation: FoundationPlan) -> dict[str, Any]:
    asked = resources(plan, plan.pod.devices)
    # With a limit, a pod that writes more fails. Without one, the kubelet evicts it from a full node, and the Job starts it again
    # until its deadline (kubernetes/kubernetes, pkg/kubelet/eviction/eviction_manager.go).
    for stated in asked.values():
        stated["ephemeral-storage"] = f"{plan.volume_size_gib}Gi"
    return {
        "name": TRAIN,
        "image": plan.image.uri,
        # Not from a ConfigMap: a deployment may replace that while a run lasts, and the next pod of the run would miss it.
        "command": ["python3", "-c", program(PROGRAM)],
        "env": [
            *quoted(_variables(plan, foundation)),
            *(hosts(plan.instance_count) if plan.in_job_sets else [RUN_NAME]),
        ],
        "resources": asked,
        "securityContext": CONFINED,
        "volumeMounts": [
            *(mount(name, path) for name, path in _folders(plan).items()),
            mount("shared-memory", "/dev/shm"),
        ],
    }


def _folders(plan: EksJobPlan) -> dict[str, str]:
    """Return the folders that the program around the script fills, by the name of the volume; all are on that of the node.

    Without a script of its own, an image has one in /opt/ml/code.
    """
    return _ALL_FOLDERS if plan.code else _FOLDERS


def _variables(plan: EksJobPlan, foundation: FoundationPlan) -> dict[str, str]:
    variables = training_variables(plan, foundation, foundation.region)
    variables["HYPERPARAMETERS"] = json.dumps(plan.all_hyperparameters)
    return dict(sorted(variables.items()))
