"""What Prometheus scrapes of a workload, and when it tells people.

https://prometheus-operator.dev/docs/api-reference/api/
"""

from typing import Any

from sizewell.instance_selection import HardwareKind
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan
from sizewell.targets.eks.manifests import queries
from sizewell.targets.eks.manifests.labels import METRICS, Manifest, manifest, selector
from sizewell.targets.eks.node_types import DEVICES
from sizewell.targets.eks.pods_plan_model import EksPlan, EksPodsPlan
from sizewell.targets.eks.runs_plan_model import EksRunsPlan

#: What each alarm is called, what it says, and what to look at first.
_ALERTS = {
    "model_error_rate": (
        "ModelErrors",
        "more requests fail than the objective allows",
        "kubectl logs of the pods, container model: what the model answers with 5xx, or not within 60 seconds",
    ),
    "model_latency_p95": (
        "ModelLatency",
        "more than 5 of 100 requests take longer than the objective",
        "whether there are as many pods as the load needs: kubectl get scaledobject and pods",
    ),
    "model_latency_p99": (
        "ModelLatencyOfSlowest",
        "more than 1 of 100 requests takes longer than the objective",
        "whether there are as many pods as the load needs: kubectl get scaledobject and pods",
    ),
}
#: Ours: a node and its image take some minutes; after that a pod waits for capacity.
_PENDING_FOR = "15m"
#: Ours: a scrape or two may fail.
_UNAVAILABLE_FOR = "2m"


def pod_monitor(plan: EksDeploymentPlan) -> Manifest:
    """Return what is scraped."""
    return _labelled(
        plan,
        manifest(
            "monitoring.coreos.com/v1",
            "PodMonitor",
            plan.name,
            plan,
            spec={
                "selector": {"matchLabels": selector(plan)},
                "podMetricsEndpoints": [{"port": METRICS, "path": "/stats/prometheus", "interval": "15s"}],
            },
        ),
    )


def alert_rules(plan: EksDeploymentPlan) -> Manifest:
    """Return the alarms."""
    rules = [
        _rule(plan, *_ALERTS[name], expression=queries.alarm(plan, name, alarm), hold="2m")
        for name, alarm in plan.alarms.items()
    ]
    rules.append(
        _rule(
            plan,
            "NoPodAvailable",
            "no pod answers",
            "why the pods end or do not start: kubectl describe pods, kubectl logs --previous; a first start may take as long",
            expression=queries.no_pod_available(plan),
            hold=_UNAVAILABLE_FOR,
        )
    )
    return _alert_rules(plan, [*rules, *_rules_of_pods(plan, queries.pods_of_model(plan))])


def pod_rules(plan: EksPodsPlan) -> Manifest | None:
    """Return the alarms on pods without a node, and on their GPUs; None where nothing tells of them."""
    rules = _rules_of_pods(plan, queries.pods_of_model(plan)) if plan.cluster.prometheus else []
    return _alert_rules(plan, rules) if rules else None


def alert_rules_of_runs(plan: EksRunsPlan) -> Manifest | None:
    """Return the alarms on runs of a training or of a transform; None where nothing tells of them."""
    if plan.cluster.prometheus is None or "kube-state-metrics" not in plan.cluster.has:
        return None
    failed = _rule(
        plan,
        "RunFailed",
        "a run failed",
        "kubectl describe job, and the log of its last pod, which goes with its node after five minutes; delete the Job to end "
        "this alert",
        expression=queries.failed_runs(plan),
        # A JobSet deletes a Job that failed when its pods have ended, and makes it anew.
        hold="5m" if plan.in_job_sets else "1m",
    )
    rules = [failed, *_rules_of_pods(plan, queries.pods_of_runs(plan))]
    if (schedule := plan.schedule) is not None and schedule.enabled:
        rules.append(
            _rule(
                plan,
                "NoRunSucceeded",
                "no run has succeeded when one was due",
                f"why none started, or why none has ended: kubectl describe cronjob {plan.name}, kubectl get jobs",
                expression=queries.no_run_succeeded(plan, schedule, plan.deadline_s),
                hold="1m",
            )
        )
    return _alert_rules(plan, rules)


def _rules_of_pods(plan: EksPlan, pods: str) -> list[dict[str, Any]]:
    if "kube-state-metrics" not in plan.cluster.has:
        return []
    describe = f"nodepool {plan.node_pool.name}"
    if plan.node_group is not None:
        describe = "--namespace kube-system configmap cluster-autoscaler-status"
    pending = _rule(
        plan,
        "PodsPending",
        "a pod waits for a node",
        f"capacity of {', '.join(plan.node_pool.instance_types)}: kubectl describe {describe}",
        expression=queries.pending(plan, pods),
        hold=_PENDING_FOR,
    )
    if "dcgm-exporter" not in plan.cluster.has or DEVICES[HardwareKind.CUDA] not in plan.pod.devices:
        return [pending]
    broken = _rule(
        plan,
        "GpuBroken",
        "a GPU is broken",
        "DCGM_FI_DEV_XID_ERRORS, and at the Xid catalog of NVIDIA; kubectl delete node of the pod, so that another one starts",
        expression=queries.broken_gpus(plan, pods),
        hold="1m",
    )
    return [pending, broken]


def _alert_rules(plan: EksPlan, rules: list[dict[str, Any]]) -> Manifest:
    return _labelled(
        plan,
        manifest(
            "monitoring.coreos.com/v1",
            "PrometheusRule",
            plan.name,
            plan,
            spec={"groups": [{"name": plan.node_pool.name, "rules": rules}]},
        ),
    )


def _rule(
    plan: EksPlan, name: str, summary: str, first_look: str, *, expression: str, hold: str
) -> dict[str, Any]:
    return {
        "alert": f"Sizewell{name}",
        "expr": expression,
        "for": hold,
        # A sum has no labels of what it adds: without these, alerts of two environments are one.
        "labels": {
            "severity": "warning",
            "workload": plan.name,
            "namespace": plan.cluster.namespace,
            "cluster": plan.cluster.name,
        },
        "annotations": {"summary": f"{plan.name}: {summary}", "description": f"Look first at: {first_look}"},
    }


def _labelled(plan: EksPlan, found: Manifest) -> Manifest:
    """Return an object with the labels by which its Prometheus finds it."""
    assert plan.cluster.prometheus is not None, "only a cluster that has it is monitored"
    found["metadata"]["labels"] |= plan.cluster.prometheus.labels
    return found
