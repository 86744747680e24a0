"""What is decided for a model in a cluster: nodes, pods, scaling, and what the cluster must have for it."""

from typing import Any

import pytest
from pydantic import ValidationError

from sizewell.facts.node_fees import fee_share
from sizewell.instance_selection import load_catalog
from sizewell.instance_selection.catalog import load_ec2_catalog
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError
from sizewell.planning.lock import LockedEnvironment, LockedWorkload
from tests.planning.builders import CNN, DECODER, container, endpoint, environment
from tests.targets.eks.builders import NAME, auto_mode, cluster, in_cluster, planned

ARTIFACT = {"artifact": {"key": "models/plants/model.tar.gz"}}
ON_CPU = {
    "container": {**container(**ARTIFACT), "images": {"cpu_x86_64": container()["images"]["cpu_x86_64"]}}
}
ON_GPU = {"instances": {"allowed_families": ["g4dn", "g5", "g6"]}}
LLM: dict[str, Any] = {
    **ON_GPU,
    "model": DECODER,
    "engine": "llm-engine",
    "request": {"input_tokens": 100, "output_tokens": 100},
    "traffic": {"peak_concurrent_users": 2},
    "latency": {"max_p95_ms": 20_000},
}


def faults(*args: Any, **kwargs: Any) -> list[str]:
    with pytest.raises(PlanError) as raised:
        planned(in_cluster(*args, **kwargs))
    return [f"{'.'.join(fault.key_path)}: {fault.reason}" for fault in raised.value.faults]


def test_the_same_needs_take_the_same_hardware_for_less() -> None:
    here = planned(in_cluster())
    (there,) = build_plan(environment({NAME: endpoint()}), load_catalog("us-east-1")).endpoints
    assert there.instance_type == f"ml.{here.instance_type}"
    ours, theirs = here.selection.chosen.cost, there.selection.chosen.cost
    assert ours.usd_per_hour is not None
    assert theirs.usd_per_hour is not None
    assert ours.usd_per_hour < theirs.usd_per_hour
    assert here.selection.chosen.estimate.service_time_ms == there.selection.chosen.estimate.service_time_ms


def test_types_of_a_pool_have_one_shape_and_a_pod_asks_for_the_least_of_them() -> None:
    plan, catalog = planned(in_cluster(**LLM)), load_ec2_catalog("us-east-1")
    types = [catalog.get(name) for name in plan.node_pool.instance_types]
    assert len(types) > 1
    assert len({instance_type.accelerator_count for instance_type in types}) == 1
    least = min(types, key=lambda instance_type: instance_type.memory_gib)
    assert plan.pod.memory_mib < least.memory_gib * 1024 * 0.93
    assert plan.pod.cpu_millicores < min(instance_type.vcpus for instance_type in types) * 1000
    assert plan.pod.devices == {"nvidia.com/gpu": types[0].accelerator_count}


@pytest.mark.parametrize(
    ("repository", "writes"),
    [
        ("pytorch-inference", "torchserve, in the image of plants, writes /etc/sagemaker-ts.properties"),
        (
            "huggingface-pytorch-inference",
            "multi-model-server, in the image of plants, writes /etc/sagemaker-mms.properties",
        ),
        ("djl-inference", None),
    ],
)
def test_an_image_whose_server_must_be_root_is_refused_where_nothing_may_be(
    repository: str, writes: str | None
) -> None:
    def on(account: str) -> dict[str, Any]:
        image = {**container()["images"]["cuda"], "repository": repository, "account": account}
        return {**ON_GPU, "container": container(**ARTIFACT, images={"cuda": image})}

    restricted, of_aws, own = cluster(pod_security="restricted"), "763104351884", "111122223333"
    assert planned(in_cluster(**on(of_aws)))
    assert planned(in_cluster(restricted, **on(own)))
    if writes is None:
        assert planned(in_cluster(restricted, **on(of_aws)))
        return
    (fault,) = faults(restricted, **on(of_aws))
    told = "clusters.main.pod_security: is restricted, and runs no container as root; but "
    assert fault == f"{told}{writes} at its start, which only root may"


def test_pods_on_cpus_share_the_number_of_vcpus_and_no_node() -> None:
    plan, catalog = planned(in_cluster(**ON_CPU)), load_ec2_catalog("us-east-1")
    vcpus = {catalog.get(name).vcpus for name in plan.node_pool.instance_types}
    assert len(vcpus) == 1
    assert 2 * plan.pod.cpu_millicores > vcpus.pop() * 1000
    assert plan.node_pool.taint == "sizewell/workload"


def test_what_daemon_sets_take_is_missing_for_the_model() -> None:
    daemonsets = {"cpu": "1", "memory": "2Gi"}
    small, large = (
        planned(in_cluster(**ON_CPU)),
        planned(in_cluster(cluster(daemonsets=daemonsets), **ON_CPU)),
    )
    if small.instance_type == large.instance_type:
        assert large.pod.cpu_millicores == small.pod.cpu_millicores - 700
        assert large.pod.memory_mib == small.pod.memory_mib - (2048 - 800)
    else:
        assert large.node_pool.vcpus > small.node_pool.vcpus


def test_auto_mode_has_a_fee_and_types_of_its_own() -> None:
    karpenter, auto = planned(in_cluster(**ON_CPU)), planned(in_cluster(auto_mode(), **ON_CPU))
    ours, theirs = karpenter.selection.chosen.cost, auto.selection.chosen.cost
    assert auto.instance_type == karpenter.instance_type
    assert ours.usd_per_hour is not None
    assert theirs.usd_per_hour == pytest.approx(ours.usd_per_hour * 1.12)
    candidates = (auto.selection.chosen, *auto.selection.runners_up)
    assert not any(candidate.instance_type.startswith("g7.") for candidate in candidates)


@pytest.mark.parametrize(
    ("family", "share"), [("c6i", 0.12), ("g6e", 0.078), ("p5", 0.048), ("trn1", 0.048), ("inf2", 0.12)]
)
def test_the_fee_of_auto_mode_depends_on_the_family(family: str, share: float) -> None:
    assert fee_share("eks-auto-mode", family) == share
    assert fee_share("eks-karpenter", family) == 0


def test_pods_scale_by_requests_and_an_engine_by_those_in_progress() -> None:
    plan = planned(in_cluster())
    assert plan.scaling is not None
    assert plan.scaling.signal == "invocations"
    candidates = (plan.selection.chosen, *plan.selection.runners_up)
    rate = min(  # of the slowest type that the pool may launch
        candidate.estimate.capacity_requests_per_second
        for candidate in candidates
        if candidate.instance_type in plan.node_pool.instance_types
    )
    assert plan.scaling.target_value == pytest.approx(rate * 0.7, rel=0.01)
    engine = planned(in_cluster(**LLM, scaling={"max_instances": 4}))
    assert engine.scaling is not None
    assert engine.scaling.signal == "concurrency"


def test_a_stated_target_is_in_the_unit_of_the_configuration() -> None:
    plan = planned(in_cluster(scaling={"max_instances": 4, "track": {"invocations": {"target": 120}}}))
    assert plan.scaling is not None
    assert plan.scaling.target_value == 2.0  # in a second
    assert plan.node_pool.max_nodes == 5


def test_a_fixed_number_of_pods_needs_no_scaler() -> None:
    bare = cluster(has=["pod-identity-agent", "nvidia-device-plugin", "network-policies"], prometheus=None)
    plan = planned(in_cluster(bare, scaling={"min_instances": 2, "max_instances": 2}))
    assert plan.scaling is None
    assert plan.initial_instance_count == 2
    assert plan.alarms == {}
    assert any("nothing watches" in assumption for assumption in plan.selection.assumptions)


def test_what_the_cluster_lacks_is_told_with_the_reason() -> None:
    found = faults(cluster(has=[], prometheus=None), **ON_GPU)
    assert len(found) == 5
    assert all(fault.startswith("clusters.main.has: lacks ") for fault in found)
    assert (
        "clusters.main.has: lacks pod-identity-agent, which plants needs: it gives the pod its role, to read the model"
        in found
    )
    assert any("lacks keda" in fault for fault in found)


def test_auto_mode_brings_what_others_install() -> None:
    assert planned(in_cluster(auto_mode())).cluster.ami is None


def test_auto_mode_enforces_network_policies_only_where_somebody_enabled_them() -> None:
    (fault,) = faults(auto_mode(has=["keda", "prometheus"]))
    assert fault.startswith("clusters.main.has: lacks network-policies, which plants needs")


@pytest.mark.parametrize("namespace", ["default", "kube-system", "kube-public", "kube-node-lease"])
def test_a_namespace_of_kubernetes_is_not_ours(namespace: str) -> None:
    with pytest.raises(ValidationError, match=f"is {namespace}, which belongs to Kubernetes"):
        in_cluster(cluster(namespace=namespace))


def test_a_platform_may_not_be_called_as_a_namespace_of_kubernetes_is() -> None:
    stated = in_cluster().model_copy(update={"platform": "kube", "name": "system"})
    with pytest.raises(PlanError) as raised:
        planned(stated)
    (fault,) = raised.value.faults
    assert fault.key_path == ("clusters", "main", "namespace")
    assert fault.reason.startswith("is missing, and would be kube-system, which belongs to Kubernetes")


@pytest.mark.parametrize("version", ["1.28", "1.29"])
def test_a_kubernetes_that_does_not_know_our_hooks_is_refused(version: str) -> None:
    with pytest.raises(ValidationError, match=f"is {version}, and pods need 1.30 or later"):
        in_cluster(cluster(version=version))


def test_production_without_prometheus_is_refused() -> None:
    bare = cluster(has=["pod-identity-agent", "nvidia-device-plugin", "network-policies"], prometheus=None)
    fixed = {"scaling": {"min_instances": 2, "max_instances": 2}}
    policy = {"production": True, "min_endpoint_instances": 2, "min_availability_zones": 2}
    stated = in_cluster(bare, policy, **fixed)
    stated = stated.model_copy(
        update={"notifications": stated.notifications.model_copy(update={"subscribed_elsewhere": True})}
    )
    with pytest.raises(PlanError) as raised:
        planned(stated)
    assert ["lacks prometheus" in fault.reason for fault in raised.value.faults] == [True]


def test_an_old_machine_image_does_not_run_cuda_13() -> None:
    image = {**container()["images"]["cuda"], "tag": "2.9.0-gpu-cu130"}
    (fault,) = faults(
        cluster(ami="al2023@v20250519"), container={**container(**ARTIFACT), "images": {"cuda": image}}
    )
    assert fault == (
        "clusters.main.ami: is al2023@v20250519, too old for plants: the image needs CUDA 13, whose driver is in "
        "al2023@v20260512 and later"
    )


def test_a_type_may_be_pinned_by_either_of_its_names() -> None:
    for name in ("ml.g5.xlarge", "g5.xlarge"):
        assert planned(in_cluster(instances={"instance_type": name})).instance_type == "g5.xlarge"
    assert faults(instances={"instance_type": "g5.huge"}) == [
        'workloads.plants.instances.instance_type: no instance type "g5.huge" of EC2 is known as a node of a cluster'
    ]


def test_nothing_in_a_cluster_follows_the_cpu() -> None:
    (fault,) = faults(scaling={"max_instances": 4, "track": {"cpu": {}}})
    assert (
        fault
        == "workloads.plants.scaling.track: in this cluster, containers follow invocations or concurrency"
    )


def test_an_alarm_that_nothing_counts_is_refused() -> None:
    assert faults(alarms={"disk_utilization": {"above_percent": 80}}) == [
        "workloads.plants.alarms.disk_utilization: has no effect in a cluster: no metric of it is there"
    ]


def test_a_locked_type_is_kept_and_one_of_sagemaker_is_not() -> None:
    free = planned(in_cluster())
    other = free.selection.runners_up[0].instance_type

    def locked(instance_type: str) -> LockedEnvironment:
        workload = LockedWorkload(
            instance_type=instance_type,
            instance_pools=(instance_type,),
            needs_digest=free.needs_digest,
            reasons_digest=free.needs_digest,
            instance_count=1,
            usd_per_hour=None,
            usd_per_month=None,
            price_basis="unknown",
            price_date=None,
        )
        return LockedEnvironment(catalog_version="hand-built", workloads={NAME: workload})

    kept = planned(in_cluster(), locked(other))
    assert kept.instance_type == other
    assert kept.node_pool.instance_types[0] == other
    moved = planned(in_cluster(), locked(f"ml.{other}"))
    assert moved.instance_type == free.instance_type
    assert moved.lock is not None
    assert moved.lock.state == "infeasible"


def test_the_quota_is_in_vcpus_of_all_nodes_of_a_rollout() -> None:
    plan = planned(in_cluster(instances={"instance_type": "g5.xlarge"}, scaling={"max_instances": 3}))
    assert [tuple(quota) for quota in plan.quotas] == [("ec2", "Running On-Demand G and VT instances", 16)]


def test_a_model_is_compared_with_its_forecast_of_a_cnn() -> None:
    assert planned(in_cluster(model=CNN)).selection.chosen.estimate.p95_latency_ms <= 1000
