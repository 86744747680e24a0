"""The pods of a model, whoever waits for its answers: its own container, what loads the model before, and what works beside it.

The contract is that of SageMaker (https://docs.aws.amazon.com/sagemaker/latest/dg/your-algorithms-inference-code.html): the image
starts with ``serve``, finds the model in /opt/ml/model, and answers at /ping and /invocations of port 8080.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from sizewell.facts.model_servers import MODEL_DIRECTORY
from sizewell.targets.contract import program
from sizewell.targets.eks.manifests.labels import (
    CAPACITY_TYPE,
    MODEL,
    NODE_GROUP_LABEL,
    Manifest,
    manifest,
    quoted,
    selector,
)
from sizewell.targets.eks.node_types import PROXY as BESIDE
from sizewell.targets.eks.pods_plan_model import EksModelPlan, EksPlan, EksPodsPlan

MODEL_PORT = 8080
_LOADER = "load_model.py"
#: https://docs.aws.amazon.com/sagemaker/latest/dg/your-algorithms-inference-code.html: a ping is answered within 2 seconds.
_PING_TIMEOUT_S, _PING_PERIOD_S = 2, 10
#: A server that computes may be late for its pings: five minutes without one end it.
_DEAD_AFTER_PINGS = 30
#: Nobody in particular: files that a pod makes belong to it. An image of one's own may have another one.
_USER = 1000
#: Processes of one container pass tensors to each other there.
SHARED_MEMORY = {"name": "shared-memory", "emptyDir": {"medium": "Memory"}}
CONFINED = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
#: Of our programs, which write to volumes alone. Images of models write where they like, as on SageMaker.
READ_ONLY = {**CONFINED, "readOnlyRootFilesystem": True}


def contract_files(plan: EksPodsPlan, more: Mapping[str, str]) -> dict[str, str]:
    """Return the files that pods find in /contract, by name: what loads the model, and ``more``."""
    loader = {_LOADER: program("load_model")} if plan.artifact_key is not None else {}
    return {**more, **loader}


def configuration(plan: EksPodsPlan, files: Mapping[str, str]) -> Manifest:
    """Return the ConfigMap of the files; another content has another name, so that pods are replaced with it."""
    name = configuration_name(plan, files)
    return manifest("v1", "ConfigMap", name, plan, immutable=True, data=dict(files))


def configuration_name(plan: EksPodsPlan, files: Mapping[str, str]) -> str:
    """Return the name of the ConfigMap."""
    content = json.dumps(files, sort_keys=True)
    return f"{plan.name}-{sha256(content.encode()).hexdigest()[:8]}"


def pod_template(
    plan: EksPodsPlan,
    *,
    configuration: str,
    grace_s: int,
    init_containers: Sequence[Mapping[str, Any]],
    container: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the template of the pods; they have ``grace_s`` to end."""
    return {
        "metadata": pod_metadata(plan),
        "spec": {
            **pod_of(plan, grace_s),
            "topologySpreadConstraints": [
                {
                    "maxSkew": 1,
                    "topologyKey": key,
                    # Where there is no capacity, a pod takes what there is.
                    "whenUnsatisfiable": "ScheduleAnyway",
                    "labelSelector": {"matchLabels": selector(plan)},
                    # Pods that a rollout ends do not count, or those that are left may all be in one place. An older Karpenter
                    # counts them: https://github.com/kubernetes-sigs/karpenter/issues/1569
                    "matchLabelKeys": ["pod-template-hash"],
                }
                for key in _spread_over(plan)
            ],
            "initContainers": list(init_containers),
            "containers": [container],
            "volumes": [
                {"name": "model", "emptyDir": {}},
                SHARED_MEMORY,
                {"name": "contract", "configMap": {"name": configuration}},
            ],
        },
    }


def _spread_over(plan: EksPodsPlan) -> Iterator[str]:
    """Yield the labels of nodes over which pods are spread; Karpenter gives up the first one first."""
    yield "topology.kubernetes.io/zone"
    if plan.on_spot is not None and plan.on_spot.share < 1:
        # Two kinds of capacity have one half of the pods each: https://karpenter.sh/docs/concepts/scheduling/#topology-spread
        yield CAPACITY_TYPE


def pod_metadata(plan: EksPlan) -> dict[str, Any]:
    """Return the labels of a pod; and that the Cluster Autoscaler does not move it to save a little, as Karpenter does not.

    The annotation keeps no node that EKS drains: https://kubernetes.io/docs/reference/labels-annotations-taints/.
    """
    stays = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}
    return {"labels": selector(plan), **({"annotations": stays} if plan.node_group else {})}


def pod_of(plan: EksPlan, grace_s: int) -> dict[str, Any]:
    """Return where a pod runs, as whom, and how long it may take to end."""
    return {
        "serviceAccountName": plan.name,
        # EKS Pod Identity mounts a token of its own.
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": grace_s,
        "nodeSelector": {
            NODE_GROUP_LABEL if plan.node_group else "karpenter.sh/nodepool": plan.node_pool.name
        },
        "tolerations": [{"key": plan.node_pool.taint, "operator": "Exists", "effect": "NoSchedule"}],
        "securityContext": _security(plan),
    }


def _security(plan: EksPlan) -> dict[str, Any]:
    confined: dict[str, Any] = {"seccompProfile": {"type": "RuntimeDefault"}}
    if plan.cluster.pod_security == "restricted":
        confined |= {"runAsNonRoot": True, "runAsUser": _USER, "runAsGroup": _USER, "fsGroup": _USER}
    return confined


def loaders(
    plan: EksModelPlan, artifact_bucket: str, region: str, *, in_configuration: bool = True
) -> list[dict[str, Any]]:
    """Return the container that loads the model; none where the model is in the image.

    Its program is ``in_configuration``, or in the pod itself.
    """
    if plan.artifact_key is None:
        return []
    command, mounts = ["python3", "-c", program("load_model")], [mount("model", MODEL_DIRECTORY)]
    if in_configuration:
        command, mounts = (
            ["python3", f"/contract/{_LOADER}"],
            [*mounts, mount("contract", "/contract", read_only=True)],
        )
    return [
        {
            "name": "load-model",
            # It needs Python alone, which the images of all servers in Python have; and is on the node already.
            "image": plan.image.uri,
            "command": command,
            "env": quoted(
                {
                    "AWS_REGION": region,
                    "MODEL_COMPRESSION": plan.artifact_compression,
                    "MODEL_DIRECTORY": MODEL_DIRECTORY,
                    "MODEL_URI": f"s3://{artifact_bucket}/{plan.artifact_key}",
                }
            ),
            "resources": resources(plan),
            "securityContext": READ_ONLY,
            "volumeMounts": mounts,
        }
    ]


def model(
    plan: EksModelPlan, region: str, *, ready_at: int | str = MODEL, **fields: Mapping[str, Any] | str
) -> dict[str, Any]:
    """Return the container of the model; a port tells whether it is ``ready_at`` its requests."""
    return {
        "name": MODEL,
        "image": plan.image.uri,
        "args": ["serve"],
        "env": quoted({"AWS_DEFAULT_REGION": region, "AWS_REGION": region, **plan.environment}),
        "ports": [{"name": MODEL, "containerPort": MODEL_PORT}],
        **fields,
        "startupProbe": _ping(MODEL, failures=-(-plan.pod.startup_s // _PING_PERIOD_S)),
        "readinessProbe": _ping(ready_at, failures=3),
        "livenessProbe": _ping(MODEL, failures=_DEAD_AFTER_PINGS),
        "resources": resources(plan, devices=plan.pod.devices),
        "securityContext": CONFINED,
        "volumeMounts": [
            # As SageMaker mounts it.
            mount("model", MODEL_DIRECTORY, read_only=plan.artifact_key is not None),
            mount("shared-memory", "/dev/shm"),
        ],
    }


def _ping(port: int | str, *, failures: int) -> dict[str, Any]:
    return {
        "httpGet": {"path": "/ping", "port": port},
        "periodSeconds": _PING_PERIOD_S,
        "timeoutSeconds": _PING_TIMEOUT_S,
        "failureThreshold": failures,
    }


def resources_beside(memory_mib: int = BESIDE.memory_mib, *, most_memory_mib: int = 0) -> dict[str, Any]:
    """Return what a container asks for that works beside the model, of the room that is left to it.

    What it may take above that is what the model leaves.
    """
    requests = {"cpu": f"{BESIDE.cpu_millicores}m", "memory": f"{memory_mib}Mi"}
    most_mib = max(memory_mib, most_memory_mib)
    return {"requests": requests, "limits": {"memory": f"{most_mib}Mi"}}


def resources(plan: EksPlan, devices: Mapping[str, int] | None = None) -> dict[str, Any]:
    """Return what the container asks for that does the work."""
    # No limit of CPU: what DaemonSets do not use of their share is the model's.
    counts = {name: str(count) for name, count in (devices or {}).items()}
    memory = f"{plan.pod.memory_mib}Mi"
    requests = {"cpu": f"{plan.pod.cpu_millicores}m", "memory": memory, **counts}
    return {"requests": requests, "limits": {"memory": memory, **counts}}


def mount(name: str, path: str, *, read_only: bool = False) -> dict[str, Any]:
    """Return where a container finds a volume."""
    return {"name": name, "mountPath": path, **({"readOnly": True} if read_only else {})}
