"""The pods of a batch transform: beside the model, a program sends it the objects of its share.

The model is a sidecar: it is ready before the program begins, and ends after it, which ends the pod.
https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#sidecar-containers-and-jobs
"""

from dataclasses import replace
from typing import Any

from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.contract import program
from sizewell.targets.contract.transform import transform_settings
from sizewell.targets.eks.manifests.labels import quoted
from sizewell.targets.eks.manifests.pods import (
    READ_ONLY,
    SHARED_MEMORY,
    loaders,
    model,
    resources_beside,
)
from sizewell.targets.eks.manifests.runs import RUN_NAME
from sizewell.targets.eks.node_types import PROXY
from sizewell.targets.eks.transform_job.plan_model import EksTransformJobPlan

TRANSFORM = "transform"
#: Ours. The program ends at once when it is told to, and the model after it.
TRANSFORM_GRACE_S = 30
#: Ours, beyond what works beside a model that is asked one by one: with requests of 1 to 100 MB, 100 MB of them at a time, the
#: program had up to 670 MiB in memory (objects of 100 to 350 MB, a small S3 and a small server on loopback).
TRANSFORMER = replace(PROXY, memory_mib=PROXY.memory_mib + 512)


def transforming_pod(plan: EksTransformJobPlan, foundation: FoundationPlan) -> dict[str, Any]:
    """Return what is in each pod of a run."""
    bucket, region = foundation.artifact_bucket_name, foundation.region
    return {
        "initContainers": [
            # Not from a ConfigMap: a deployment may replace that while a run lasts.
            *loaders(plan, bucket, region, in_configuration=False),
            model(plan, region, restartPolicy="Always"),
        ],
        "containers": [_container(plan, bucket, region)],
        "volumes": [{"name": "model", "emptyDir": {}}, SHARED_MEMORY],
    }


def _container(plan: EksTransformJobPlan, artifact_bucket: str, region: str) -> dict[str, Any]:
    variables = {
        **transform_settings(plan),
        "AWS_REGION": region,
        "DATA_URI": f"s3://{artifact_bucket}/{plan.data.prefix}/",
        # Kubernetes replaces a variable that stands before it.
        "OUTPUT_URI": f"s3://{artifact_bucket}/{plan.output_prefix}/$(RUN_NAME)/",
    }
    return {
        "name": TRANSFORM,
        # It needs Python alone, as what loads the model does.
        "image": plan.image.uri,
        "command": ["python3", "-c", program("transform_objects")],
        "env": [RUN_NAME, *quoted(dict(sorted(variables.items())))],
        "resources": resources_beside(TRANSFORMER.memory_mib),
        "securityContext": READ_ONLY,
    }
