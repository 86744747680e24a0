"""A training on several nodes of a cluster: a JobSet whose pods start, fail and end together, in one zone."""

import re
from collections.abc import Mapping
from typing import Any

import kubernetes_validate
import pytest

from sizewell.config.cluster_rules import cluster_violations
from sizewell.instance_selection import load_catalog
from sizewell.instance_selection.catalog import load_ec2_catalog
from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning.build import build_plan
from sizewell.targets.eks.efa import EFA, efa_interfaces
from sizewell.targets.eks.files import FACET as FILES
from sizewell.targets.eks.legality import legality_faults
from sizewell.targets.eks.manifests.job_sets import hosts
from sizewell.targets.eks.node_types import node_type
from sizewell.targets.eks.pods_plan_model import manager_of
from sizewell.targets.eks.scheduling import Overhead, pods_per_node, unschedulable
from tests.planning.builders import DECODER, environment, training_job
from tests.targets.eks.builders import NAME, auto_mode, cluster, node_groups, planned_job, trained_in_cluster
from tests.targets.eks.builders import manifests as manifests_of
from tests.targets.eks.test_job_plan import LONG, ON_DEMAND, faults
from tests.targets.eks.test_proof import FIELDS as CUSTOM_FIELDS
from tests.targets.eks.test_proof import VERSIONS, unknown

MANY_NODES = ["jobset", "efa-device-plugin"]
HAS = [*cluster()["has"], "interruption-queue", *MANY_NODES]
CLUSTERS = {
    "karpenter": cluster(has=HAS),
    "auto mode": auto_mode(has=["prometheus", "kube-state-metrics", "network-policies", *MANY_NODES]),
    "as root": cluster(has=HAS, pod_security="baseline"),
}
#: What 16 GPUs need.
ON_TWO: dict[str, Any] = {
    **LONG,
    "instances": {"allowed_families": ["g5"]},
    "min_accelerators": 16,
    "max_instances": 4,
}


def on_two(stated: dict[str, Any] | None = None, **changes: Any) -> Any:
    return trained_in_cluster(stated or CLUSTERS["karpenter"], **{**ON_TWO, **changes})


def job(manifests: Mapping[str, Any]) -> dict[str, Any]:
    (part,) = manifests["job-set"]["spec"]["replicatedJobs"]
    found: dict[str, Any] = part["template"]["spec"]
    return found


@pytest.fixture(params=CLUSTERS)
def written(request: pytest.FixtureRequest) -> dict[str, Any]:
    return manifests_of(on_two(CLUSTERS[request.param]))


def test_it_has_the_fields_of_its_definition_and_is_legal(written: dict[str, Any]) -> None:
    assert list(unknown({"spec": written["job-set"]["spec"]}, CUSTOM_FIELDS["JobSet"])) == []
    names = {instance_type.name for instance_type in load_ec2_catalog("us-east-1").instance_types}
    assert legality_faults(list(written.values()), instance_types=names) == ()


@pytest.mark.parametrize("version", VERSIONS)
def test_its_job_has_the_schema_of_kubernetes(written: dict[str, Any], version: str) -> None:
    alone = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "one"}, "spec": job(written)}
    for manifest in (alone, written["network-policy"]):
        kubernetes_validate.validate(manifest, version, strict=True)


def test_a_name_that_makes_host_names_too_long_is_found_before_the_first_run() -> None:
    (manifest,) = (found for name, found in manifests_of(on_two()).items() if name == "job-set")
    manifest["metadata"]["generateName"] = f"{'long' * 11}-"
    faults_of_name = legality_faults([manifest], instance_types=())
    assert any("have at most 63 characters" in fault.message for fault in faults_of_name)


@pytest.mark.parametrize("mode", ["karpenter", "auto mode"])
@pytest.mark.parametrize(
    ("instance_type", "accelerators", "devices"),
    [
        ("g5.48xlarge", 16, {"nvidia.com/gpu": 8, EFA: 1}),
        ("p5.48xlarge", 24, {"nvidia.com/gpu": 8, EFA: 32}),
        ("trn1.32xlarge", 32, {"aws.amazon.com/neuron": 16, EFA: 8}),
    ],
)
def test_each_pod_has_a_node_with_all_its_adapters(
    mode: str, instance_type: str, accelerators: int, devices: dict[str, int]
) -> None:
    stated = on_two(
        CLUSTERS[mode],
        instances={"instance_type": f"ml.{instance_type}"},
        min_accelerators=accelerators,
        model=DECODER,
        dataset={"prefix": "datasets/texts/", "size_gib": 10, "tokens_millions": 1},
        **ON_DEMAND,
    )
    plan, manifests = planned_job(stated), manifests_of(stated)
    count = accelerators // next(iter(devices.values()))
    assert (plan.instance_count, plan.pod.devices) == (count, devices)
    assert plan.instance_pools == (instance_type,)
    assert (job(manifests)["completions"], job(manifests)["parallelism"]) == (count, count)
    assert _unschedulable(plan, manifests) == ()
    limits = manifests["node-pool"]["spec"]["limits"]
    assert limits[EFA] == str(2 * count * devices[EFA])  # two runs at a time
    limits[EFA] = str(count * devices[EFA] - 1)
    (fault,) = _unschedulable(plan, manifests)
    assert fault.workload == f"JobSet/{NAME}-/host"
    assert f"{count} for {count} pods" in fault.reason


def _unschedulable(plan: Any, manifests: Mapping[str, Any]) -> Any:
    catalog, daemonsets = load_ec2_catalog("us-east-1"), Overhead(**plan.cluster.daemonsets.model_dump())
    types = {
        name: node_type(catalog.get(name), manager_of(plan.cluster.nodes), plan.node_pool.volume_size_gib)
        for name in plan.node_pool.instance_types
    }
    assert {pods_per_node(job(manifests)["template"], found, daemonsets) for found in types.values()} == {1}
    return unschedulable(list(manifests.values()), types, daemonsets)


def test_one_host_that_fails_or_is_lost_ends_all_and_the_run_ends_at_its_deadline() -> None:
    for spot, restarts in (({"enabled": True}, 10), (None, 3)):
        manifests = manifests_of(on_two(spot=spot))
        spec = job(manifests)
        # A pod that is lost is not replaced alone, and counts: with any policy that ignores it, the other hosts wait for ever.
        assert (spec["backoffLimit"], spec["podReplacementPolicy"]) == (0, "Failed")
        assert "podFailurePolicy" not in spec
        assert "ttlSecondsAfterFinished" not in spec  # a JobSet makes a Job that is gone anew
        policy = manifests["job-set"]["spec"]["failurePolicy"]
        assert policy["maxRestarts"] == restarts
        (rule,) = policy["rules"]
        assert (rule["action"], rule["onJobFailureReasons"]) == ("FailJobSet", ["DeadlineExceeded"])
        assert spec["activeDeadlineSeconds"] == 100 * 3600


def test_the_pods_of_a_run_and_of_no_other_are_in_one_zone() -> None:
    template = job(manifests_of(on_two()))["template"]
    (term,) = template["spec"]["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert term["topologyKey"] == "topology.kubernetes.io/zone"
    assert term["matchLabelKeys"] == ["jobset.sigs.k8s.io/jobset-name"]
    # The first pod selects itself: else no pod would ever be scheduled.
    assert term["labelSelector"]["matchLabels"].items() <= template["metadata"]["labels"].items()
    assert "jobset.sigs.k8s.io/jobset-name" not in term["labelSelector"]["matchLabels"]


def test_a_pod_knows_the_hosts_by_the_names_that_jobset_gives_them() -> None:
    manifests = manifests_of(on_two())
    (train,) = job(manifests)["template"]["spec"]["containers"]
    environment = {each["name"]: each for each in train["env"]}
    path = environment["RUN_NAME"]["valueFrom"]["fieldRef"]["fieldPath"]
    assert path == "metadata.labels['jobset.sigs.k8s.io/jobset-name']"
    # Kubernetes puts in the variables that stand before.
    assert list(environment).index("RUN_NAME") < list(environment).index("RUN_HOSTS")
    run, part = "plants-x7k2p", manifests["job-set"]["spec"]["replicatedJobs"][0]["name"]
    stated = environment["RUN_HOSTS"]["value"].replace("$(RUN_NAME)", run).split()
    assert stated == [f"{run}-{part}-0-{index}.{run}" for index in range(2)]
    assert manifests["job-set"]["spec"]["network"]["enableDNSHostnames"]
    assert len(hosts(64)[1]["value"].split()) == 64


def test_the_hosts_call_each_other_and_nobody_else_calls_them() -> None:
    spec = manifests_of(on_two())["network-policy"]["spec"]
    hosts_of_runs = [{"podSelector": spec["podSelector"]}]
    assert spec["ingress"] == [{"from": hosts_of_runs}]
    assert {"to": hosts_of_runs} in spec["egress"]


def test_apply_starts_no_run_and_the_smoke_test_tries_one() -> None:
    stated = on_two()
    written = {
        str(path): text for path, text in FILES.files(build_plan(stated, load_catalog("us-east-1"))).items()
    }
    assert "generateName: plants-\n" in written[f"main/{NAME}/job-set.yaml"]
    assert "job-set" not in written[f"main/{NAME}/kustomization.yaml"]
    assert f"kubectl create --dry-run=server -f {NAME}/job-set.yaml\nexec " in written["main/smoke.sh"]
    assert f"main/{NAME}/cron-job.yaml" not in written


def test_alerts_are_on_the_jobs_of_job_sets_of_this_workload_alone() -> None:
    rules = manifests_of(on_two())["alert-rules"]["spec"]["groups"][0]["rules"]
    assert [rule["alert"] for rule in rules] == ["SizewellRunFailed", "SizewellPodsPending"]
    for rule in rules:
        (owner,) = re.findall(r'owner_kind="JobSet", owner_name=~"([^"]+)"', rule["expr"])
        assert re.fullmatch(owner, "plants-x7k2p")
        assert re.fullmatch(owner, "plants-june")
        assert not re.fullmatch(owner, "plants-eu-x7k2p")


def test_a_run_on_one_node_is_written_as_if_no_more_were_allowed() -> None:
    one = {"instances": {"allowed_families": ["g5", "g6"]}, **ON_DEMAND}
    assert manifests_of(trained_in_cluster(**{**LONG, **one}, max_instances=4)) == manifests_of(
        trained_in_cluster(**{**LONG, **one})
    )


@pytest.mark.parametrize(
    ("deadline_hours", "count", "pools"),
    [(30, 1, ("g6e.12xlarge", "g6e.24xlarge")), (16, 2, ("g6e.12xlarge",))],
)
def test_only_types_of_as_many_nodes_take_each_others_place_and_a_run_has_one(
    deadline_hours: int, count: int, pools: tuple[str, ...]
) -> None:
    """Within 30 hours, three of g6.12xlarge would meet the needs of a run that one g6e meets."""
    families = {"allowed_families": ["g5", "g6", "g6e"]}
    stated = {
        **LONG,
        **ON_DEMAND,
        "instances": families,
        "max_instances": 4,
        "deadline_hours": deadline_hours,
    }
    plan = planned_job(trained_in_cluster(CLUSTERS["karpenter"], **stated))
    counts = {other.instance_type: other.estimate.instance_count for other in plan.selection.runners_up}
    assert counts.get("g6.12xlarge", 3) == 3
    assert (plan.instance_count, plan.instance_pools) == (count, pools)


def test_the_same_needs_take_as_many_instances_as_in_sagemaker() -> None:
    here = planned_job(on_two(**ON_DEMAND))
    in_sagemaker = environment({NAME: training_job(**ON_TWO)})
    (there,) = build_plan(in_sagemaker, load_catalog("us-east-1")).workloads
    assert isinstance(there, TrainingJobPlan)
    ours, theirs = here.selection.chosen.estimate, there.selection.chosen.estimate
    assert (ours.instance_count, ours.units_per_second) == (theirs.instance_count, theirs.units_per_second)
    assert ours.usd_per_run is not None
    assert theirs.usd_per_run is not None
    assert ours.usd_per_run < theirs.usd_per_run
    one = here.selection.chosen.cost.usd_per_hour
    assert one is not None
    assert ours.usd_per_run == pytest.approx(one * ours.instance_count * ours.duration_hours)


def test_what_a_cluster_must_have_for_several_nodes() -> None:
    bare = cluster(has=[*cluster()["has"], "interruption-queue"])
    found = faults(bare, **ON_TWO)
    assert [fault.partition(", which")[0] for fault in found] == [
        "clusters.main.has: lacks jobset",
        "clusters.main.has: lacks efa-device-plugin",
    ]
    assert "starts and ends the 2 pods of a run together" in found[0]
    planned_job(trained_in_cluster(bare, **{**ON_TWO, "min_accelerators": 8}))


def test_nodes_of_a_group_have_no_efa() -> None:
    groups = node_groups(has=[*HAS, "cluster-autoscaler"])
    (fault,) = faults(groups, **ON_TWO, **ON_DEMAND)
    assert fault.startswith("clusters.main.nodes: is node-groups, and plants needs")


def test_a_schedule_starts_no_job_set() -> None:
    (fault,) = faults(CLUSTERS["karpenter"], **ON_TWO, schedule={"every": "month", "at": "02:00"})
    assert fault.startswith(f"workloads.{NAME}.schedule: starts no run on 2 instances")


def test_a_queue_of_kueue_takes_the_run() -> None:
    with_queue = cluster(has=[*HAS, "kueue"], local_queue="research")
    labels = manifests_of(on_two(with_queue))["job-set"]["metadata"]["labels"]
    assert labels["kueue.x-k8s.io/queue-name"] == "research"
    assert "kueue.x-k8s.io/queue-name" not in manifests_of(on_two())["job-set"]["metadata"]["labels"]
    with pytest.raises(ValueError, match="is research, but has lacks kueue"):
        on_two(cluster(has=HAS, local_queue="research"))


def test_plain_traffic_between_hosts_cannot_be_asked_for() -> None:
    ((path, reason),) = cluster_violations(on_two(encrypt_inter_container_traffic=False))
    assert path[-1] == "encrypt_inter_container_traffic"
    assert "EC2 encrypts it" in reason


@pytest.mark.parametrize(
    ("name", "count"),
    [("g5.xlarge", 0), ("g5.48xlarge", 1), ("p4d.24xlarge", 4), ("p5en.48xlarge", 16), ("g7e.48xlarge", 0)],
)
def test_a_type_has_the_adapters_that_somebody_counted(name: str, count: int) -> None:
    assert efa_interfaces(load_ec2_catalog("us-east-1").get(name)) == count
