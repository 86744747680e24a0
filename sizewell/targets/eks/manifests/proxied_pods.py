"""The pods of a model that answers at once: a proxy counts its requests, and ends those that take too long."""

import json
from typing import Any

from sizewell.targets.contract.proxy import PROXY_ARGUMENTS, USUAL_TIME_BUCKETS_MS, proxy_configuration
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan
from sizewell.targets.eks.manifests.labels import HTTP, METRICS, PROXY
from sizewell.targets.eks.manifests.pods import (
    MODEL_PORT,
    READ_ONLY,
    configuration_name,
    contract_files,
    loaders,
    model,
    mount,
    pod_template,
    resources_beside,
)

_CONFIGURATION = "envoy.json"
PROXY_PORT, METRICS_PORT, _DRAIN_PORT = 8081, 9902, 9903
#: Ours: the time in which whoever sends requests hears that a pod goes.
_HEARD_S = 15
#: Ours: what the container and the proxy may take to end after that.
_END_S = 30


def files_of_proxied(plan: EksDeploymentPlan) -> dict[str, str]:
    """Return the files that pods find in /contract, by name."""
    bounds = {alarm.threshold for name, alarm in plan.alarms.items() if name.startswith("model_latency")}
    proxy = proxy_configuration(
        model_port=MODEL_PORT,
        port=PROXY_PORT,
        metrics_port=METRICS_PORT,
        drain_port=_DRAIN_PORT,
        max_concurrency=plan.max_concurrent_requests,
        time_buckets_ms=sorted({*USUAL_TIME_BUCKETS_MS, *bounds}),
    )
    return contract_files(plan, {_CONFIGURATION: json.dumps(proxy, indent=1, sort_keys=True) + "\n"})


def proxied_pods(plan: EksDeploymentPlan, artifact_bucket: str, region: str) -> dict[str, Any]:
    """Return the template of the pods."""
    # When a pod that goes gets SIGTERM: a server may end on it at once, so all requests must have ended before.
    drain_s = _HEARD_S + plan.pod.longest_answer_s
    return pod_template(
        plan,
        configuration=configuration_name(plan, files_of_proxied(plan)),
        grace_s=drain_s + _END_S,
        init_containers=[*loaders(plan, artifact_bucket, region), _proxy(plan)],
        # By the way of the requests: a pod that drains is not ready.
        container=model(
            plan, region, ready_at=PROXY_PORT, lifecycle={"preStop": {"sleep": {"seconds": drain_s}}}
        ),
    )


def _proxy(plan: EksDeploymentPlan) -> dict[str, Any]:
    return {
        "name": PROXY,
        "image": plan.cluster.proxy_image,
        # A sidecar: it starts before the model and ends after it.
        "restartPolicy": "Always",
        "args": ["--config-path", f"/contract/{_CONFIGURATION}", *PROXY_ARGUMENTS],
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
        "resources": resources_beside(),
        "securityContext": READ_ONLY,
        "volumeMounts": [mount("contract", "/contract", read_only=True)],
    }
