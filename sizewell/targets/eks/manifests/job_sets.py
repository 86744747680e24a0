"""A run of several pods, which start and end together: a JobSet, made anew by each ``kubectl create``.

https://jobset.sigs.k8s.io/docs/reference/jobset.v1alpha2/
"""

from collections.abc import Mapping
from typing import Any

from sizewell.targets.eks.manifests.deployments import network_policy
from sizewell.targets.eks.manifests.labels import Manifest, manifest, quoted, selector
from sizewell.targets.eks.manifests.runs import KEPT_S, run_template
from sizewell.targets.eks.runs_plan_model import EksRunsPlan

#: The one part of a JobSet.
_HOST = "host"
#: The label by which JobSet gives its pods its name.
_JOB_SET_NAME = "jobset.sigs.k8s.io/jobset-name"
#: Ours. No exit code tells a script that fails from a host that is lost: then the scripts of the others fail, too. So all starts
#: count, and a script that always fails ends. Spot Instances are lost more often.
_MAX_RESTARTS, _MAX_RESTARTS_ON_SPOT = 3, 10


def job_set(plan: EksRunsPlan, pod: Mapping[str, Any], *, pods: int, grace_s: int) -> Manifest:
    """Return what people create a run from: one Job of ``pods`` with an index each, all in one zone.

    Nothing but a failed Job makes JobSet start all pods anew (https://github.com/kubernetes-sigs/jobset/issues/574). So the first
    pod that fails, or is lost, fails its Job, and no pod is replaced alone.
    """
    template = run_template(plan, pod, grace_s)
    template["spec"]["affinity"] = _one_zone(plan)
    job = {
        "completionMode": "Indexed",
        "completions": pods,
        "parallelism": pods,
        "activeDeadlineSeconds": plan.deadline_s,
        "backoffLimit": 0,
        "podReplacementPolicy": "Failed",
        "template": template,
    }
    on_spot = "spot" in plan.node_pool.capacity_types
    found = manifest(
        "jobset.x-k8s.io/v1alpha2",
        "JobSet",
        plan.name,
        plan,
        spec={
            "ttlSecondsAfterFinished": KEPT_S,
            "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
            "failurePolicy": {
                "maxRestarts": _MAX_RESTARTS_ON_SPOT if on_spot else _MAX_RESTARTS,
                "rules": [
                    {"name": "deadline", "action": "FailJobSet", "onJobFailureReasons": ["DeadlineExceeded"]}
                ],
            },
            "replicatedJobs": [
                {
                    "name": _HOST,
                    "replicas": 1,
                    "template": {"metadata": {"labels": selector(plan)}, "spec": job},
                }
            ],
        },
    )
    metadata = found["metadata"]
    del metadata["name"]
    if plan.cluster.local_queue is not None:
        # https://kueue.sigs.k8s.io/docs/tasks/run/jobsets/
        metadata["labels"]["kueue.x-k8s.io/queue-name"] = plan.cluster.local_queue
    found["metadata"] = {"generateName": f"{plan.name}-", **metadata}
    return found


def hosts(pods: int) -> list[dict[str, Any]]:
    """Return the variables by which a pod knows its run and all hosts of it; its index it knows from the Job.

    Pods are called ``<JobSet>-<replicated Job>-<index of the Job>-<index of the pod>.<JobSet>``.
    """
    names = (f"$(RUN_NAME)-{_HOST}-0-{index}.$(RUN_NAME)" for index in range(pods))
    run_name = {
        "name": "RUN_NAME",
        "valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['{_JOB_SET_NAME}']"}},
    }
    return [run_name, *quoted({"RUN_HOSTS": " ".join(names)})]


def network_policy_of_hosts(plan: EksRunsPlan) -> Manifest:
    """Return that the hosts of runs call each other at any port. EFA passes no policy: security groups decide on it."""
    pods = [{"podSelector": {"matchLabels": selector(plan)}}]
    found = network_policy(plan, [{"from": pods}], calls=True)
    found["spec"]["egress"].append({"to": pods})
    return found


def _one_zone(plan: EksRunsPlan) -> dict[str, Any]:
    """Return that the pods of a run are in the zone of the first: EFA reaches no other.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html (limitations). The API server puts the label of the run into the
    selector, so that Karpenter sees it, too: https://github.com/kubernetes-sigs/karpenter/issues/2124
    """
    term = {
        "topologyKey": "topology.kubernetes.io/zone",
        "labelSelector": {"matchLabels": selector(plan)},
        "matchLabelKeys": [_JOB_SET_NAME],
    }
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
