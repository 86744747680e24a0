"""What Prometheus is asked about a workload: the names are those of Envoy.

https://www.envoyproxy.io/docs/envoy/latest/configuration/upstream/cluster_manager/cluster_stats
"""

from sizewell.facts.alarms import SLOW_PERCENT
from sizewell.facts.cron import most_days_between_starts
from sizewell.facts.durations import DAY_S, HOUR_S
from sizewell.planning.workload_plan import AlarmPlan, SchedulePlan
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan
from sizewell.targets.eks.pods_plan_model import EksPlan, EksPodsPlan
from sizewell.targets.eks.runs_plan_model import EksRunsPlan

_PER_CENT = 100
#: After which a GPU is broken: the agent by which EKS watches nodes has them repaired or replaced after these
#: (https://github.com/aws/eks-node-monitoring-agent, monitors/nvidia/dcgm, WellKnownXidCodes, read 2026-11-28).
_FATAL_XIDS = "46|48|54|62|63|64|74|79|95|109|110|119|120|136|140|142|143|151|155|156|158"
#: The hour by which a run may start late, and that of the night in which clocks go back.
_LATE_S = 2 * HOUR_S


def load(plan: EksDeploymentPlan, signal: str) -> str:
    """Return the load of all pods together: requests in progress, or in a second."""
    if signal == "concurrency":
        active, waiting = (_metric(plan, name) for name in ("rq_active", "rq_pending_active"))
        counted = f"sum(avg_over_time({active}[1m])) + sum(avg_over_time({waiting}[1m]))"
    else:
        counted = f"sum(rate({_metric(plan, 'rq_xx')}[2m]))"
    # Envoy counts from the first request on: until then a pod that is scraped has the load 0, and without one there is no answer.
    return f"{counted} or sum({_scraped(plan)}) * 0"


def alarm(plan: EksDeploymentPlan, name: str, alarm_plan: AlarmPlan) -> str:
    """Return what is true while an alarm on a share of the requests is to be on."""
    window = f"{alarm_plan.period_s // 60}m"

    def count(metric: str, *labels: str) -> str:
        # A counter appears with the first request that it counts, and increase() sees no step from nothing to there. So one that
        # was not there before the window says itself how many came in it.
        counter = _metric(plan, metric, *labels)
        return f"sum(increase({counter}[{window}]) and {counter} offset {window} or {counter})"

    if name == "model_error_rate":
        errors = count("rq_xx", 'envoy_response_code_class="5"')
        return f"{errors} / {count('rq_xx')} > {alarm_plan.threshold / _PER_CENT:g}"
    fast = count("rq_time_bucket", f'le="{alarm_plan.threshold:g}"')
    return f"1 - {fast} / {count('rq_time_count')} > {SLOW_PERCENT[name] / _PER_CENT:g}"


def no_pod_available(plan: EksDeploymentPlan) -> str:
    """Return what is true while no pod can answer: then nothing reaches a proxy that would count it.

    https://github.com/kubernetes/kube-state-metrics, deployment metrics. Without them: no proxy is scraped; one whose model does
    not answer is.
    """
    if "kube-state-metrics" not in plan.cluster.has:
        return f"absent({_scraped(plan)})"
    labels = f'namespace="{plan.cluster.namespace}", deployment="{plan.name}"'
    return f"sum(kube_deployment_status_replicas_available{{{labels}}}) == 0"


def pods_of_model(plan: EksPodsPlan) -> str:
    """Return the pods of a Deployment: https://github.com/kubernetes/kube-state-metrics, pod metrics.

    The name of a ReplicaSet is that of its Deployment and a hash without hyphens (kubernetes/apimachinery
    pkg/util/rand/rand.go): so none of ``embed-eu`` is one of ``embed``. Long names of pods are cut, so that they say less.
    """
    owner = f'owner_kind="ReplicaSet", owner_name=~"{plan.name}-[a-z0-9]+"'
    return f"kube_pod_owner{{{_namespace(plan)}, {owner}}}"


def pods_of_runs(plan: EksRunsPlan) -> str:
    """Return the pods of the runs of a workload."""
    job_of_pod = f'kube_pod_owner{{{_namespace(plan)}, owner_kind="Job"}}'
    named = f'label_replace({job_of_pod}, "job_name", "$1", "owner_name", "(.*)")'
    return f"({named} and on (namespace, job_name) {_runs(plan)})"


def pending(plan: EksPlan, pods: str) -> str:
    """Return what is true while some of ``pods`` wait for a node.

    In the phase Pending is also a pod that has a node, and loads its model there.
    """
    unscheduled = f'kube_pod_status_scheduled{{{_namespace(plan)}, condition="false"}} == 1'
    return f"count({unscheduled} and on (namespace, pod) {pods}) > 0"


def broken_gpus(plan: EksPlan, pods: str) -> str:
    """Return what is true while a GPU of some of ``pods`` is broken.

    DCGM_FI_DEV_XID_ERRORS is the last error of a GPU, whose code has a label since release 3.3.6 of the exporter
    (https://github.com/NVIDIA/dcgm-exporter/issues/308; etc/default-counters.csv has both metrics). Where Prometheus keeps
    its own labels, which is the default, it puts ``exported_`` before those of the exporter.
    """

    def broken(namespace: str) -> str:
        in_namespace = f'{namespace}="{plan.cluster.namespace}"'
        xids = f'DCGM_FI_DEV_XID_ERRORS{{{in_namespace}, err_code=~"{_FATAL_XIDS}"}}'
        return f"{xids} or DCGM_FI_DEV_ROW_REMAP_FAILURE{{{in_namespace}}} > 0"

    renamed = f'label_replace({broken("exported_namespace")}, "pod", "$1", "exported_pod", "(.*)")'
    return f"count(({broken('namespace')} or {renamed}) and on (pod) {pods}) > 0"


def no_run_succeeded(plan: EksPlan, schedule: SchedulePlan, deadline_s: int) -> str:
    """Return what is true while the last success is longer ago than the schedule explains; runs that people start count, too.

    https://github.com/kubernetes/kube-state-metrics/blob/main/docs/metrics/workload/cronjob-metrics.md. Until the first
    success, the CronJob itself is as old; and nothing is due, as far as Prometheus remembers, of one that was suspended.
    """
    labels = f'{{{_namespace(plan)}, cronjob="{plan.name}"}}'
    most_s = most_days_between_starts(schedule.expression) * DAY_S + _LATE_S + deadline_s
    last = f"max(kube_cronjob_status_last_successful_time{labels} or kube_cronjob_created{labels})"
    suspended = f"max(max_over_time(kube_cronjob_spec_suspend{labels}[{most_s}s])) == 1"
    return f"time() - {last} > {most_s} unless {suspended}"


def failed_runs(plan: EksRunsPlan) -> str:
    """Return the runs of a workload that failed, until their Jobs are deleted.

    https://github.com/kubernetes/kube-state-metrics/blob/main/docs/metrics/workload/job-metrics.md
    """
    failed = f'kube_job_failed{{{_namespace(plan)}, condition="true"}} == 1'
    return f"count({failed} and on (namespace, job_name) {_runs(plan)}) > 0"


def _runs(plan: EksRunsPlan) -> str:
    """Return the Jobs of a CronJob: kubectl gives those that people start the same owner (kubernetes/kubectl, create_job.go).

    A JobSet is called as its workload, and a word without hyphens: so none of ``train-eu`` is one of ``train``.
    """
    owner = f'owner_kind="CronJob", owner_name="{plan.name}"'
    if plan.in_job_sets:
        owner = f'owner_kind="JobSet", owner_name=~"{plan.name}-[a-z0-9]+"'
    return f"kube_job_owner{{{_namespace(plan)}, {owner}}}"


def _namespace(plan: EksPlan) -> str:
    return f'namespace="{plan.cluster.namespace}"'


def _scraped(plan: EksDeploymentPlan) -> str:
    return f"up{{{_job(plan)}}} == 1"


def _metric(plan: EksDeploymentPlan, name: str, *more: str) -> str:
    labels = ('envoy_cluster_name="model"', _job(plan), *more)
    return f"envoy_cluster_upstream_{name}{{{', '.join(labels)}}}"


def _job(plan: EksDeploymentPlan) -> str:
    """Return the label that a PodMonitor without a jobLabel gives all that it scrapes: its own namespace and name.

    https://prometheus-operator.dev/docs/api-reference/api/#monitoring.coreos.com/v1.PodMonitorSpec
    """
    return f'job="{plan.cluster.namespace}/{plan.name}"'
