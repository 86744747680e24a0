"""The pods of a served model: its own container, the proxy that counts its requests, and what loads the model before both.

The contract is that of SageMaker (https://docs.aws.amazon.com/sagemaker/latest/dg/your-algorithms-inference-code.html): the image
starts with ``serve``, finds the model in /opt/ml/model, and answers at /ping and /invocations of port 8080.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from sizewell.facts.model_servers import MODEL_DIRECTORY
from sizewell.targets.contract import LOADER
from sizewell.targets.contract.proxy import PROXY_ARGUMENTS, USUAL_TIME_BUCKETS_MS, proxy_configuration
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan
from sizewell.targets.eks.manifests.labels import (
    HTTP,
    METRICS,
    MODEL,
    PROXY,
    Manifest,
    manifest,
    quoted,
    selector,
)
from sizewell.targets.eks.node_types import PROXY as PROXY_OVERHEAD

_PROXY_CONFIGURATION = "envoy.json"
_MODEL_PORT, PROXY_PORT, METRICS_PORT, _DRAIN_PORT = 8080, 8081, 9902, 9903
#: Ours: the time in which whoever sends requests hears that a pod goes.
_HEARD_S = 15
#: Ours: what the container and the proxy may take to end after that.
_END_S = 30
#: https://docs.aws.amazon.com/sagemaker/latest/dg/your-algorithms-inference-code.html: a ping is answered within 2 seconds.
_PING_TIMEOUT_S, _PING_PERIOD_S = 2, 10
#: A server that computes may be late for its pings: five minutes without one end it.
_DEAD_AFTER_PINGS = 30
#: Nobody in particular: files that a pod makes belong to it. An image of one's own may have another one.
_USER = 1000
_CONFINED = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def contract_files(plan: EksDeploymentPlan) -> dict[str, str]:
    """Return the files that pods find in /contract, by name."""
    bounds = {alarm.threshold for name, alarm in plan.alarms.items() if name.startswith("model_latency")}
    proxy = proxy_configuration(
        model_port=_MODEL_PORT,
        port=PROXY_PORT,
        metrics_port=METRICS_PORT,
        drain_port=_DRAIN_PORT,
        max_concurrency=plan.max_concurrent_requests,
        time_buckets_ms=sorted({*USUAL_TIME_BUCKETS_MS, *bounds}),
    )
    files = {_PROXY_CONFIGURATION: json.dumps(proxy, indent=1, sort_keys=True) + "\n"}
    if plan.artifact_key is not None:
        files[LOADER.name] = LOADER.read_text("utf-8")
    return files


def configuration(plan: EksDeploymentPlan) -> Manifest:
    """Return the ConfigMap of the files; another content has another name, so that pods are replaced with it."""
    return manifest(
        "v1", "ConfigMap", configuration_name(plan), plan, immutable=True, data=contract_files(plan)
    )


def configuration_name(plan: EksDeploymentPlan) -> str:
    """Return the name of the ConfigMap."""
    content = json.dumps(contract_files(plan), sort_keys=True)
    return f"{plan.name}-{sha256(content.encode()).hexdigest()[:8]}"


def pod_template(plan: EksDeploymentPlan, artifact_bucket: str, region: str) -> dict[str, Any]:
    """Return the template of the pods."""
    return {
        "metadata": {"labels": selector(plan)},
        "spec": {
            "serviceAccountName": plan.name,
            # EKS Pod Identity mounts a token of its own.
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "terminationGracePeriodSeconds": _drain_s(plan) + _END_S,
            "nodeSelector": {"karpenter.sh/nodepool": plan.node_pool.name},
            "tolerations": [{"key": plan.node_pool.taint, "operator": "Exists", "effect": "NoSchedule"}],
            "topologySpreadConstraints": [
                {
                    "maxSkew": 1,
                    "topologyKey": "topology.kubernetes.io/zone",
                    # A zone without capacity must not keep a pod from another one.
                    "whenUnsatisfiable": "ScheduleAnyway",
                    "labelSelector": {"matchLabels": selector(plan)},
                }
            ],
            "securityContext": _security(plan),
            "initContainers": [
                *([_loader(plan, artifact_bucket, region)] if plan.artifact_key is not None else []),
                _proxy(plan),
            ],
            "containers": [_model(plan, region)],
            "volumes": [
                {"name": "model", "emptyDir": {}},
                # Processes of one server pass tensors to each other there.
                {"name": "shared-memory", "emptyDir": {"medium": "Memory"}},
                {"name": "contract", "configMap": {"name": configuration_name(plan)}},
            ],
        },
    }


def _drain_s(plan: EksDeploymentPlan) -> int:
    """Return when a pod that goes gets SIGTERM: a server may end on it at once, so all requests must have ended before."""
    return _HEARD_S + plan.pod.longest_answer_s


def _security(plan: EksDeploymentPlan) -> dict[str, Any]:
    confined: dict[str, Any] = {"seccompProfile": {"type": "RuntimeDefault"}}
    if plan.cluster.pod_security == "restricted":
        confined |= {"runAsNonRoot": True, "runAsUser": _USER, "runAsGroup": _USER, "fsGroup": _USER}
    return confined


def _loader(plan: EksDeploymentPlan, artifact_bucket: str, region: str) -> dict[str, Any]:
    return {
        "name": "load-model",
        # It needs Python alone, which the images of all servers in Python have; and is on the node already.
        "image": plan.image.uri,
        "command": ["python3", f"/contract/{LOADER.name}"],
        "env": quoted(
            {
                "AWS_REGION": region,
                "MODEL_COMPRESSION": plan.artifact_compression,
                "MODEL_DIRECTORY": MODEL_DIRECTORY,
                "MODEL_URI": f"s3://{artifact_bucket}/{plan.artifact_key}",
            }
        ),
        "resources": _resources(plan),
        "securityContext": _CONFINED,
        "volumeMounts": [_mount("model", MODEL_DIRECTORY), _mount("contract", "/contract", read_only=True)],
    }


def _proxy(plan: EksDeploymentPlan) -> dict[str, Any]:
    requests = {"cpu": f"{PROXY_OVERHEAD.cpu_millicores}m", "memory": f"{PROXY_OVERHEAD.memory_mib}Mi"}
    return {
        "name": PROXY,
        "image": plan.cluster.proxy_image,
        # A sidecar: it starts before the model and ends after it.
        "restartPolicy": "Always",
        "args": ["--config-path", f"/contract/{_PROXY_CONFIGURATION}", *PROXY_ARGUMENTS],
        "ports": [
            {"name": HTTP, "containerPort": PROXY_PORT},
            {"name": METRICS, "containerPort": METRICS_PORT},
        ],
        "lifecycle": {"preStop": {"httpGet": {"path": "/drain", "port": _DRAIN_PORT}}},
        "startupProbe": {
            "httpGet": {"path": "/stats/prometheus", "port": METRICS},
            "periodSeconds": 1,
            "failureThreshold": 60,
        },
        "resources": {"requests": requests, "limits": {"memory": requests["memory"]}},
        "securityContext": _CONFINED,
        "volumeMounts": [_mount("contract", "/contract", read_only=True)],
    }


def _model(plan: EksDeploymentPlan, region: str) -> dict[str, Any]:
    return {
        "name": MODEL,
        "image": plan.image.uri,
        "args": ["serve"],
        "env": quoted({"AWS_DEFAULT_REGION": region, "AWS_REGION": region, **plan.environment}),
        "ports": [{"name": MODEL, "containerPort": _MODEL_PORT}],
        "lifecycle": {"preStop": {"sleep": {"seconds": _drain_s(plan)}}},
        "startupProbe": _ping(MODEL, failures=-(-plan.pod.startup_s // _PING_PERIOD_S)),
        # By the way of the requests: a pod that drains is not ready.
        "readinessProbe": _ping(PROXY_PORT, failures=3),
        "livenessProbe": _ping(MODEL, failures=_DEAD_AFTER_PINGS),
        "resources": _resources(plan, devices=plan.pod.devices),
        "securityContext": _CONFINED,
        "volumeMounts": [
            # As SageMaker mounts it.
            _mount("model", MODEL_DIRECTORY, read_only=plan.artifact_key is not None),
            _mount("shared-memory", "/dev/shm"),
        ],
    }


def _ping(port: int | str, *, failures: int) -> dict[str, Any]:
    return {
        "httpGet": {"path": "/ping", "port": port},
        "periodSeconds": _PING_PERIOD_S,
        "timeoutSeconds": _PING_TIMEOUT_S,
        "failureThreshold": failures,
    }


def _resources(plan: EksDeploymentPlan, devices: Mapping[str, int] | None = None) -> dict[str, Any]:
    # No limit of CPU: what DaemonSets do not use of their share is the model's.
    counts = {name: str(count) for name, count in (devices or {}).items()}
    memory = f"{plan.pod.memory_mib}Mi"
    requests = {"cpu": f"{plan.pod.cpu_millicores}m", "memory": memory, **counts}
    return {"requests": requests, "limits": {"memory": memory, **counts}}


def _mount(name: str, path: str, *, read_only: bool = False) -> dict[str, Any]:
    return {"name": name, "mountPath": path, **({"readOnly": True} if read_only else {})}
