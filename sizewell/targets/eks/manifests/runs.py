"""The runs of a training or of a transform: each is a Job, made of a CronJob by its schedule or by hand.

A Job itself cannot be changed, so that no deployment could update it. A run that has begun goes on as it was made.
https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/, .../controllers/job/
"""

from collections.abc import Mapping
from typing import Any

from sizewell.facts.cron import unix_cron
from sizewell.targets.eks.manifests.deployments import network_policy, service_account
from sizewell.targets.eks.manifests.labels import Manifest, manifest, selector
from sizewell.targets.eks.manifests.monitoring import alert_rules_of_runs
from sizewell.targets.eks.manifests.nodes import nodes_of_runs
from sizewell.targets.eks.manifests.pods import pod_metadata, pod_of
from sizewell.targets.eks.runs_plan_model import EksRunsPlan

#: Its name, by which the control plane labels all pods of a run.
RUN_NAME = {
    "name": "RUN_NAME",
    "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['batch.kubernetes.io/job-name']"}},
}
#: What a container ends with that was killed, or told to end: another pod goes on with its work. A pod that is deleted, as of a
#: broken instance, has no condition that says so (https://github.com/kubernetes-sigs/karpenter/issues/3218).
_KILLED = [137, 143]
#: Of pods that were killed. Ours: after that, memory runs out each time, or somebody means it.
_BACKOFF_LIMIT = 3
#: Ours: how long people find a run with kubectl, and an alert on its failure is on. Its pods go with their node.
KEPT_S = 7 * 24 * 3600
#: Ours: a start that was missed for an hour waits for the next one. Without a bound, a CronJob that is no longer suspended would
#: make up for the last one at once.
_MISSED_AFTER_S = 3600
#: A day that no month has, for a run that only people start.
_NEVER = "0 0 31 2 *"


def run_manifests(
    plan: EksRunsPlan, tags: Mapping[str, str], started: Mapping[str, Manifest], *, grace_s: int
) -> dict[str, Manifest]:
    """Return the objects of a workload that runs and ends, by the names of their files; nodes carry ``tags``.

    ``started`` are those that runs are made of, and who calls their pods, which have ``grace_s`` to end.
    """
    found = {"service-account": service_account(plan), **nodes_of_runs(plan, tags, grace_s), **started}
    if (rules := alert_rules_of_runs(plan)) is not None:
        found["alert-rules"] = rules
    return found


def cron_job(
    plan: EksRunsPlan, pod: Mapping[str, Any], *, program_in: str, grace_s: int, pods: int | None = None
) -> dict[str, Manifest]:
    """Return what runs are made of, and that nobody calls their pods. A run that is due waits while another one lasts.

    The container ``program_in`` runs the program of the contract, which ends the run; the pod has ``grace_s`` to end. ``pods``
    with an index each share a run, at the same time; None is one pod without an index.
    """
    schedule = plan.schedule
    job = _job(plan, pod, program_in, grace_s)
    if pods is not None:
        # https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode
        job = {"completionMode": "Indexed", "completions": pods, "parallelism": pods, **job}
    made_of = manifest(
        "batch/v1",
        "CronJob",
        plan.name,
        plan,
        spec={
            "schedule": unix_cron(schedule.expression) if schedule else _NEVER,
            "timeZone": schedule.time_zone if schedule else "Etc/UTC",
            "suspend": schedule is None or not schedule.enabled,
            "concurrencyPolicy": "Forbid",
            "startingDeadlineSeconds": _MISSED_AFTER_S,
            "successfulJobsHistoryLimit": 3,
            "failedJobsHistoryLimit": 3,
            "jobTemplate": {"metadata": {"labels": selector(plan)}, "spec": job},
        },
    )
    return {"cron-job": made_of, "network-policy": network_policy(plan, (), calls=True)}


def _job(plan: EksRunsPlan, pod: Mapping[str, Any], program_in: str, grace_s: int) -> dict[str, Any]:
    return {
        "activeDeadlineSeconds": plan.deadline_s,
        "backoffLimit": _BACKOFF_LIMIT,
        "ttlSecondsAfterFinished": KEPT_S,
        # No two pods write the same objects: the next one starts when the last one has ended.
        "podReplacementPolicy": "Failed",
        # The first rule that matches decides. A pod that is evicted, or whose node is gone, has the condition whatever its exit
        # code: https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions
        "podFailurePolicy": {
            "rules": [
                {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
                {
                    "action": "FailJob",
                    "onExitCodes": {
                        "containerName": program_in,
                        "operator": "NotIn",
                        "values": _KILLED,
                    },
                },
            ]
        },
        "template": run_template(plan, pod, grace_s),
    }


def run_template(plan: EksRunsPlan, pod: Mapping[str, Any], grace_s: int) -> dict[str, Any]:
    """Return the template of the pods of a run; they have ``grace_s`` to end."""
    return {
        "metadata": pod_metadata(plan),
        "spec": {**pod_of(plan, grace_s), "restartPolicy": "Never", **pod},
    }
