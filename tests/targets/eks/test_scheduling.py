"""Pods of manifests on nodes of Karpenter: every reason by an example, and laws."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.targets.eks.allocatable import allocatable
from sizewell.targets.eks.scheduling import NodeType, Overhead, Unschedulable, pods_per_node, unschedulable

Manifest = dict[str, Any]
TYPE, ARCH, ZONE = "node.kubernetes.io/instance-type", "kubernetes.io/arch", "topology.kubernetes.io/zone"
GPU, NEURON, EFA = "nvidia.com/gpu", "aws.amazon.com/neuron", "vpc.amazonaws.com/efa"
DAEMONSETS = Overhead(cpu_millicores=300, memory_mib=800, pods=5)
TAINT = {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}


def node_type(
    name: str, vcpus: int, memory_gib: float, max_pods: int, arch: str = "amd64", **devices: int
) -> NodeType:
    names = {"gpu": GPU, "neuron": NEURON, "efa": EFA}
    return NodeType(
        name=name,
        cpu_architecture=arch,
        allocatable=allocatable(vcpus, memory_gib, arch, max_pods),
        devices={names[device]: count for device, count in devices.items()},
        vcpus=vcpus,
        memory_gib=memory_gib,
        ephemeral_storage_gib=100,
    )


TYPES = {
    found.name: found
    for found in (
        node_type("c6i.xlarge", 4, 8, 58),
        node_type("g5.xlarge", 4, 16, 58, gpu=1),
        node_type("g5.2xlarge", 8, 32, 58, gpu=1),
        node_type("g5.12xlarge", 48, 192, 737, gpu=4, efa=1),
        node_type("g5g.xlarge", 4, 8, 58, "arm64", gpu=1),
        node_type("inf2.xlarge", 4, 16, 58, neuron=1),
        node_type("u-3tb1.56xlarge", 224, 3072, 234),
    )
}

#: 99680 millicores for pods.
LARGE = node_type("x9.large", 100, 400, 999)
NO_DAEMONSETS = Overhead(cpu_millicores=0, memory_mib=0, pods=0)


def container(**requests: object) -> Manifest:
    resources = {name.replace("_", "-"): quantity for name, quantity in requests.items()}
    if "gpu" in resources:
        resources[GPU] = resources.pop("gpu")
    return {"name": "main", "resources": {"requests": resources}}


def template(*containers: Manifest, **spec: Any) -> Manifest:
    return {"spec": {"containers": [*containers] or [container(cpu="3", memory="10Gi", gpu=1)], **spec}}


def deployment(pod: Manifest, name: str = "bert", namespace: str | None = None, **spec: Any) -> Manifest:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"kind": "Deployment", "metadata": metadata, "spec": {"replicas": 1, "template": pod, **spec}}


def pool(*types: str, name: str = "gpu", **parts: Any) -> Manifest:
    listed = [{"key": TYPE, "operator": "In", "values": [*types]}] if types else []
    requirements = [*listed, *parts.pop("requirements", [])]
    spec = {"requirements": requirements, "taints": parts.pop("taints", [])}
    template = {"metadata": {"labels": parts.pop("labels", {})}, "spec": spec}
    return {"kind": "NodePool", "metadata": {"name": name}, "spec": {"template": template, **parts}}


def requirement(key: str, operator: str, *values: str) -> Manifest:
    return {"key": key, "operator": operator, "values": [*values]}


def check(*manifests: Manifest, types: Mapping[str, NodeType] = TYPES) -> tuple[Unschedulable, ...]:
    return unschedulable(manifests, types, DAEMONSETS)


def reasons(*manifests: Manifest) -> list[str]:
    return [fault.reason for fault in check(*manifests)]


def affinity(*terms: Manifest) -> Manifest:
    return {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [*terms]}}
    }


class TestFit:
    def test_a_pod_that_fits_every_type_is_proven(self) -> None:
        assert check(pool("g5.xlarge", "g5.2xlarge", "g5.12xlarge"), deployment(template())) == ()

    def test_more_than_one_type_gives_is_refused_for_this_type_alone(self) -> None:
        fault = Unschedulable(
            workload="Deployment/bert",
            pool="gpu",
            instance_type="g5.xlarge",
            reason="A pod asks for 4000m of cpu; a node of g5.xlarge has 3620m beside the daemon sets.",
        )
        pod = template(container(cpu=4, memory="10Gi", gpu=1))
        assert check(pool("g5.xlarge", "g5.2xlarge"), deployment(pod)) == (fault,)

    @pytest.mark.parametrize(
        ("asked", "reason"),
        [
            ({"memory": "16385Mi"}, "A pod asks for 16385Mi of memory; a node of g5.xlarge has 13362Mi"),
            ({"memory": "14011072513"}, "A pod asks for 14011072513 bytes of memory; a node of g5.xlarge has 13362Mi"),
            ({"ephemeral_storage": "90Gi"}, "A pod asks for 92160Mi of ephemeral-storage; a node of g5.xlarge has 91136Mi"),
            ({"gpu": 2}, "A pod asks for 2 of nvidia.com/gpu; a node of g5.xlarge has 1"),
            ({EFA: "1"}, "A pod asks for 1 of vpc.amazonaws.com/efa; a node of g5.xlarge has 0"),
            ({"hugepages-2Mi": "4Mi"}, "A pod asks for 4Mi of hugepages-2Mi; a node of g5.xlarge has 0Mi"),
        ],
    )  # fmt: skip
    def test_each_resource_says_what_is_asked_and_left(self, asked: dict[str, object], reason: str) -> None:
        found = reasons(pool("g5.xlarge"), deployment(template(container(**asked))))
        assert found == [f"{reason} beside the daemon sets."]

    def test_the_last_byte_fits(self) -> None:
        memory = 13362 * 2**20
        assert reasons(pool("g5.xlarge"), deployment(template(container(memory=memory)))) == []
        assert len(reasons(pool("g5.xlarge"), deployment(template(container(memory=memory + 1))))) == 1

    def test_daemon_sets_may_take_all_places(self) -> None:
        types = {"t4g.micro": node_type("t4g.micro", 2, 1, 4, "arm64")}
        tiny = Overhead(cpu_millicores=0, memory_mib=0, pods=4)
        (fault,) = unschedulable([pool("t4g.micro"), deployment(template(container()))], types, tiny)
        assert fault.reason == "A pod asks for 1 of pods; a node of t4g.micro has 0 beside the daemon sets."

    def test_a_limit_alone_is_the_request(self) -> None:
        limited = {
            "name": "main",
            "resources": {"limits": {"cpu": "4", "memory": "1Gi"}, "requests": {"memory": "1Mi"}},
        }
        assert reasons(pool("g5.xlarge"), deployment(template(limited))) == [
            "A pod asks for 4000m of cpu; a node of g5.xlarge has 3620m beside the daemon sets."
        ]


class TestEffectiveRequest:
    def sidecar(self, cpu: str) -> Manifest:
        return container(cpu=cpu) | {"restartPolicy": "Always"}

    def test_containers_add_up(self) -> None:
        pod = template(container(cpu=2), container(cpu=1, gpu=1))
        assert reasons(pool("g5.xlarge"), deployment(pod)) == []
        pod["spec"]["containers"].append(container(cpu="0.7"))
        assert "3700m of cpu" in reasons(pool("g5.xlarge"), deployment(pod))[0]

    @pytest.mark.parametrize(
        ("init", "millicores"),
        [
            ([], 1000),
            ([("init", "800m")], 1000),
            ([("init", "1500m"), ("init", "2")], 2000),
            ([("sidecar", "1"), ("init", "500m")], 2000),
            ([("sidecar", "1"), ("init", "1500m")], 2500),
            # An init container does not see the sidecars that start after it.
            ([("init", "1500m"), ("sidecar", "1")], 2000),
            ([("sidecar", "1"), ("init", "1"), ("sidecar", "3"), ("init", "2")], 6000),
        ],
    )
    def test_init_containers_and_sidecars_count_in_their_order(
        self, init: list[tuple[str, str]], millicores: int
    ) -> None:
        containers = [self.sidecar(cpu) if kind == "sidecar" else container(cpu=cpu) for kind, cpu in init]
        pod = template(container(cpu=1), initContainers=containers)
        assert pods_per_node(pod, LARGE, NO_DAEMONSETS) == 99_680 // millicores

    def test_a_request_of_the_pod_replaces_those_of_its_containers(self) -> None:
        pod = template(container(cpu=1, memory="1Gi"), resources={"requests": {"cpu": "10"}})
        assert pods_per_node(pod, LARGE, NO_DAEMONSETS) == 9
        pod = template(container(), resources={"limits": {"cpu": "20"}}, overhead={"cpu": "5"})
        assert pods_per_node(pod, LARGE, NO_DAEMONSETS) == 3


class TestPodsPerNode:
    def test_one_pod_fills_a_node_of_one_gpu(self) -> None:
        assert pods_per_node(template(), TYPES["g5.2xlarge"], DAEMONSETS) == 1

    def test_the_scarcest_resource_decides(self) -> None:
        assert pods_per_node(template(), TYPES["g5.12xlarge"], DAEMONSETS) == 4
        assert pods_per_node(template(container(cpu=16)), TYPES["g5.12xlarge"], DAEMONSETS) == 2
        assert pods_per_node(template(container()), TYPES["g5.12xlarge"], DAEMONSETS) == 732

    def test_none_fits_without_its_device(self) -> None:
        assert pods_per_node(template(container(gpu=1)), TYPES["c6i.xlarge"], DAEMONSETS) == 0


class TestSelection:
    def test_a_label_that_no_pool_gives_is_refused(self) -> None:
        pod = template(nodeSelector={"company.io/pool": "gpu"})
        fault = Unschedulable(
            workload="Deployment/bert", reason="No pool launches what a pod selects: company.io/pool In gpu."
        )
        assert check(pool("g5.xlarge"), deployment(pod)) == (fault,)
        assert check(pool("g5.xlarge", labels={"company.io/pool": "gpu"}), deployment(pod)) == ()

    def test_without_a_pool_nothing_runs(self) -> None:
        assert reasons(deployment(template())) == ["No pool launches what a pod selects: any node."]

    def test_only_the_types_that_a_pod_selects_must_fit(self) -> None:
        pod = template(nodeSelector={TYPE: "g5.2xlarge"})
        assert reasons(pool("c6i.xlarge", "g5.2xlarge"), deployment(pod)) == []

    def test_the_pool_that_is_selected_decides(self) -> None:
        pools = pool("c6i.xlarge", name="cpu"), pool("g5.xlarge")
        # Karpenter would take the other pool; here a pod must fit every pool that it selects.
        assert {fault.pool for fault in check(*pools, deployment(template()))} == {"cpu"}
        assert reasons(*pools, deployment(template(nodeSelector={"karpenter.sh/nodepool": "gpu"}))) == []

    @pytest.mark.parametrize(
        ("requirements", "types"),
        [
            ([requirement(ARCH, "In", "amd64")], ["g5.xlarge", "u-3tb1.56xlarge"]),
            ([requirement(ARCH, "NotIn", "amd64")], ["g5g.xlarge"]),
            ([requirement("kubernetes.io/os", "In", "linux")], ["g5.xlarge", "g5g.xlarge", "u-3tb1.56xlarge"]),
            ([requirement("karpenter.k8s.aws/instance-cpu", "Gt", "4")], ["u-3tb1.56xlarge"]),
            ([requirement("karpenter.k8s.aws/instance-cpu", "Lt", "5")], ["g5.xlarge", "g5g.xlarge"]),
            ([requirement("karpenter.k8s.aws/instance-memory", "Gte", "16384")], ["g5.xlarge", "u-3tb1.56xlarge"]),
            ([requirement("karpenter.k8s.aws/instance-memory", "Lte", "8192")], ["g5g.xlarge"]),
            ([requirement("karpenter.k8s.aws/instance-family", "In", "g5", "u-3tb1")], ["g5.xlarge", "u-3tb1.56xlarge"]),
            ([requirement("karpenter.k8s.aws/instance-category", "In", "g")], ["g5.xlarge", "g5g.xlarge"]),
            ([requirement("karpenter.k8s.aws/instance-generation", "Gt", "1")], ["g5.xlarge", "g5g.xlarge"]),
            ([requirement("karpenter.k8s.aws/instance-size", "Exists")], ["g5.xlarge", "g5g.xlarge", "u-3tb1.56xlarge"]),
            ([requirement(TYPE, "NotIn", "g5.xlarge")], ["g5g.xlarge", "u-3tb1.56xlarge"]),
            # Nothing here knows of these: they exclude no type.
            ([requirement(ZONE, "In", "us-east-1a"), requirement("karpenter.k8s.aws/instance-local-nvme", "Gt", "9")],
             ["g5.xlarge", "g5g.xlarge", "u-3tb1.56xlarge"]),
        ],
    )  # fmt: skip
    def test_requirements_leave_types(self, requirements: list[Manifest], types: list[str]) -> None:
        listed = pool("g5.xlarge", "g5g.xlarge", "u-3tb1.56xlarge", requirements=requirements)
        found = check(listed, deployment(template(container(**{NEURON: 1}))))
        assert [fault.instance_type for fault in found] == types
        chosen = template(container(**{NEURON: 1}), affinity=affinity({"matchExpressions": requirements}))
        if requirements[0]["key"] != ZONE:
            found = check(pool("g5.xlarge", "g5g.xlarge", "u-3tb1.56xlarge"), deployment(chosen))
            assert [fault.instance_type for fault in found] == types

    @pytest.mark.parametrize(
        ("of_pool", "of_pod", "meet"),
        [
            (None, ("In", "us-east-1a"), True),
            (("In", "us-east-1a", "us-east-1b"), ("In", "us-east-1b"), True),
            (("In", "us-east-1a"), ("In", "us-east-1b"), False),
            (("In", "us-east-1a"), ("NotIn", "us-east-1a"), False),
            (("NotIn", "us-east-1a"), ("In", "us-east-1a"), False),
            (("NotIn", "us-east-1a"), ("Exists",), True),
            (("Exists",), ("In", "us-east-1a"), True),
            (("Exists",), ("DoesNotExist",), False),
        ],
    )
    def test_what_a_launch_decides_must_have_a_value_for_both(
        self, of_pool: tuple[str, ...] | None, of_pod: tuple[str, ...], meet: bool
    ) -> None:
        requirements = [requirement(ZONE, *of_pool)] if of_pool else []
        pod = template(affinity=affinity({"matchExpressions": [requirement(ZONE, *of_pod)]}))
        assert (reasons(pool("g5.xlarge", requirements=requirements), deployment(pod)) == []) == meet

    def test_an_own_label_may_be_absent_where_a_pod_does_not_want_it(self) -> None:
        away = template(
            affinity=affinity({"matchExpressions": [requirement("company.io/team", "NotIn", "b")]})
        )
        assert reasons(pool("g5.xlarge"), deployment(away)) == []
        assert len(reasons(pool("g5.xlarge", labels={"company.io/team": "b"}), deployment(away))) == 1

    def test_one_of_the_terms_is_enough_and_an_empty_one_is_none(self) -> None:
        arm, amd = ({"matchExpressions": [requirement(ARCH, "In", arch)]} for arch in ("arm64", "amd64"))
        assert reasons(pool("g5.xlarge"), deployment(template(affinity=affinity(arm, amd)))) == []
        assert reasons(pool("g5.xlarge"), deployment(template(affinity=affinity(arm)))) == [
            "No pool launches what a pod selects: kubernetes.io/arch In arm64."
        ]
        named = {"matchFields": [requirement("metadata.name", "In", "node-1")]}
        assert reasons(pool("g5.xlarge"), deployment(template(affinity=affinity({}, named)))) == [
            "No pool launches what a pod selects: no node at all."
        ]


class TestTaints:
    def test_a_taint_without_toleration_is_refused(self) -> None:
        fault = Unschedulable(
            workload="Deployment/bert",
            pool="gpu",
            reason="A pod does not tolerate nvidia.com/gpu=true:NoSchedule.",
        )
        assert check(pool("g5.xlarge", taints=[TAINT]), deployment(template())) == (fault,)

    def test_a_pool_without_the_taint_takes_the_pod(self) -> None:
        pod = template(container(cpu=1))
        pools = pool("g5.xlarge", taints=[TAINT]), pool("c6i.xlarge", name="cpu")
        assert reasons(*pools, deployment(pod)) == []

    @pytest.mark.parametrize(
        ("toleration", "tolerated"),
        [
            ({"key": "nvidia.com/gpu", "operator": "Exists"}, True),
            ({"key": "nvidia.com/gpu", "value": "true"}, True),
            ({"key": "nvidia.com/gpu", "operator": "Equal", "value": "true", "effect": "NoSchedule"}, True),
            ({"operator": "Exists"}, True),
            ({"key": "nvidia.com/gpu", "value": "false"}, False),
            ({"key": "nvidia.com/gpu"}, False),
            ({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoExecute"}, False),
            ({"key": "other", "operator": "Exists"}, False),
            ({"value": "true"}, False),
        ],
    )
    def test_tolerations(self, toleration: Manifest, tolerated: bool) -> None:
        pod = template(tolerations=[toleration])
        assert (reasons(pool("g5.xlarge", taints=[TAINT]), deployment(pod)) == []) == tolerated

    def test_a_taint_that_prefers_bars_nobody(self) -> None:
        taint = TAINT | {"effect": "PreferNoSchedule"}
        assert reasons(pool("g5.xlarge", taints=[taint]), deployment(template())) == []


class TestPools:
    def test_a_type_without_figures_is_refused(self) -> None:
        fault = Unschedulable(
            pool="gpu",
            instance_type="g4dn.huge",
            reason="Nothing is known of this type, which the pool lists.",
        )
        assert check(pool("g5.xlarge", "g4dn.huge"), deployment(template())) == (fault,)

    def test_a_pool_without_a_list_is_refused(self) -> None:
        fault = Unschedulable(pool="gpu", reason="The pool lists no instance types: it may launch any.")
        assert check(pool()) == (fault,)

    def test_a_pool_that_excludes_its_own_types_is_refused(self) -> None:
        barren = pool("g5.xlarge", "g5.2xlarge", requirements=[requirement(ARCH, "In", "arm64")])
        reason = "Other requirements exclude all types of the list that are known: g5.xlarge, g5.2xlarge."
        assert check(barren) == (Unschedulable(pool="gpu", reason=reason),)

    def test_pods_of_another_kind_are_an_error(self) -> None:
        stateful = deployment(template()) | {"kind": "StatefulSet"}
        message = (
            "StatefulSet/bert runs pods: only those of Deployments, Jobs, CronJobs and JobSets are simulated"
        )
        with pytest.raises(ValueError, match=message):
            check(stateful)
        assert (
            check({"kind": "Service", "metadata": {"name": "bert"}, "spec": {"ports": [{"port": 80}]}}) == ()
        )


class TestLimits:
    def test_a_limit_of_one_gpu_never_scales_beyond_one_node(self) -> None:
        # https://github.com/aws/karpenter-provider-aws/issues/8068: the second pod was pending for ever.
        replicas = deployment(template(), replicas=2, strategy={"type": "Recreate"})
        fault = Unschedulable(
            workload="Deployment/bert",
            pool="gpu",
            instance_type="g5.xlarge",
            reason="Nodes of g5.xlarge (2 for 2 pods of Deployment/bert) have 2 of nvidia.com/gpu; the limit of the pool is 1.",
        )
        assert check(pool("g5.xlarge", limits={GPU: 1}), replicas) == (fault,)
        assert check(pool("g5.xlarge", limits={GPU: 2}), replicas) == ()

    @pytest.mark.parametrize(
        ("strategy", "pods"),
        [
            ({}, 5),
            ({"strategy": {"type": "RollingUpdate"}}, 5),
            ({"strategy": {"rollingUpdate": {"maxSurge": "50%"}}}, 6),
            ({"strategy": {"rollingUpdate": {"maxSurge": "26%"}}}, 6),
            ({"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}}, 4),
            ({"strategy": {"rollingUpdate": {"maxSurge": 3}}}, 7),
            ({"strategy": {"type": "Recreate"}}, 4),
        ],
    )
    def test_the_surge_of_a_rolling_update_counts(self, strategy: Manifest, pods: int) -> None:
        rolled = deployment(template(), replicas=4, **strategy)
        assert reasons(pool("g5.xlarge", limits={GPU: pods}), rolled) == []
        assert len(reasons(pool("g5.xlarge", limits={GPU: pods - 1}), rolled)) == 1

    def test_what_is_not_stated_is_one_pod(self) -> None:
        alone = deployment(template(), strategy={"type": "Recreate"})
        del alone["spec"]["replicas"]
        job = {"kind": "Job", "metadata": {"name": "train"}, "spec": {"template": template()}}
        assert reasons(pool("g5.xlarge", limits={GPU: 2}), alone, job) == []
        assert len(reasons(pool("g5.xlarge", limits={GPU: 1}), alone, job)) == 1

    @pytest.mark.parametrize(
        ("scaler", "pods"),
        [
            ({"kind": "ScaledObject", "spec": {"scaleTargetRef": {"name": "bert"}, "maxReplicaCount": 7}}, 7),
            ({"kind": "ScaledObject", "spec": {"scaleTargetRef": {"name": "bert"}}}, 100),
            ({"kind": "ScaledObject", "spec": {"scaleTargetRef": {"name": "other"}, "maxReplicaCount": 7}}, 2),
            ({"kind": "ScaledObject", "metadata": {"name": "s", "namespace": "ml"},
              "spec": {"scaleTargetRef": {"name": "bert"}, "maxReplicaCount": 7}}, 2),
        ],
    )  # fmt: skip
    def test_what_an_autoscaler_may_start_counts(self, scaler: Manifest, pods: int) -> None:
        scaled = (
            {"metadata": {"name": "s"}, **scaler},
            deployment(template(), replicas=2, strategy={"type": "Recreate"}),
        )
        assert reasons(pool("g5.xlarge", limits={GPU: pods}), *scaled) == []
        assert len(reasons(pool("g5.xlarge", limits={GPU: pods - 1}), *scaled)) == 1

    @pytest.mark.parametrize(
        ("limits", "enough"),
        [
            ({"cpu": "8"}, True),
            ({"cpu": "7999m"}, False),
            # A node counts with all of its memory, not with what pods may get of it.
            ({"memory": "32Gi"}, True),
            ({"memory": "31Gi"}, False),
            ({"nodes": "2"}, True),
            ({"nodes": "1"}, False),
            ({"ephemeral-storage": "200Gi"}, True),
            ({"ephemeral-storage": "199Gi"}, False),
            ({"pods": 116}, True),
            ({"pods": 115}, False),
            ({"amd.com/gpu": 0}, True),
        ],
    )
    def test_limits_count_the_capacity_of_nodes(self, limits: Manifest, enough: bool) -> None:
        replicas = deployment(template(container(gpu=1)), replicas=2, strategy={"type": "Recreate"})
        assert (reasons(pool("g5.xlarge", limits=limits), replicas) == []) == enough

    def test_every_type_of_the_pool_must_stay_below_the_limits(self) -> None:
        replicas = deployment(template(), replicas=2, strategy={"type": "Recreate"})
        found = check(pool("g5.xlarge", "g5.2xlarge", "g5.12xlarge", limits={"cpu": "10"}), replicas)
        assert [fault.instance_type for fault in found] == ["g5.12xlarge", "g5.2xlarge"]
        assert "(1 for 2 pods of Deployment/bert) have 48000m of cpu" in found[0].reason

    def test_the_workloads_of_a_pool_share_its_limits(self) -> None:
        pair = [deployment(template(), name=name, strategy={"type": "Recreate"}) for name in ("bert", "t5")]
        assert check(pool("g5.xlarge", limits={GPU: 2}), *pair) == ()
        (fault,) = check(pool("g5.xlarge", limits={GPU: 1}), *pair)
        assert fault.workload == "Deployment/bert, Deployment/t5"
        assert "(1 for 1 pods of Deployment/bert, 1 for 1 pods of Deployment/t5)" in fault.reason

    def test_equal_names_in_two_namespaces_are_two_workloads(self) -> None:
        pair = [deployment(template(), namespace=name, strategy={"type": "Recreate"}) for name in ("a", "b")]
        assert len(check(pool("g5.xlarge", limits={GPU: 1}), *pair)) == 1

    @pytest.mark.parametrize(
        ("job", "pods"),
        [
            ({}, 1),
            ({"parallelism": 3}, 3),
            ({"parallelism": 3, "completions": 2}, 2),
            ({"completions": 9}, 1),
        ],
    )
    def test_the_pods_of_jobs_run_in_parallel(self, job: Manifest, pods: int) -> None:
        single = {"kind": "Job", "metadata": {"name": "train"}, "spec": {"template": template(), **job}}
        assert reasons(pool("g5.xlarge", limits={GPU: pods}), single) == []
        assert len(reasons(pool("g5.xlarge", limits={GPU: pods - 1}), single)) == 1
        part = {"name": "host", "replicas": 2, "template": {"spec": single["spec"]}}
        jobset = {"kind": "JobSet", "metadata": {"name": "train"}, "spec": {"replicatedJobs": [part]}}
        assert reasons(pool("g5.xlarge", limits={GPU: 2 * pods}), jobset) == []
        (fault,) = check(pool("g5.xlarge", limits={GPU: 2 * pods - 1}), jobset)
        assert fault.workload == "JobSet/train/host"


class TestLaws:
    sizes = st.fixed_dictionaries(
        {"cpu": st.integers(0, 9000), "memory": st.integers(0, 40_000), "gpu": st.integers(0, 4)}
    )
    lists = st.lists(st.sampled_from(sorted(TYPES)), min_size=1, unique=True)
    limit = st.integers(0, 64)

    def manifests(self, size: Mapping[str, int], types: list[str], cpus: int) -> tuple[Manifest, ...]:
        pod = template(container(cpu=f"{size['cpu']}m", memory=f"{size['memory']}Mi", gpu=size["gpu"]))
        return pool(*types, limits={"cpu": cpus}), deployment(pod, replicas=3)

    @given(sizes, sizes, lists, limit)
    def test_a_smaller_request_never_becomes_unschedulable(
        self, one_size: dict[str, int], other: dict[str, int], types: list[str], cpus: int
    ) -> None:
        smaller = {name: min(one_size[name], other[name]) for name in one_size}
        if not check(*self.manifests(one_size, types, cpus)):
            assert not check(*self.manifests(smaller, types, cpus))

    @given(sizes, lists, limit, st.sampled_from([*sorted(TYPES), "g4dn.huge"]))
    def test_another_type_never_removes_a_reason(
        self, size: dict[str, int], types: list[str], cpus: int, added: str
    ) -> None:
        before = check(*self.manifests(size, types, cpus))
        assert set(before) <= set(check(*self.manifests(size, [*types, added], cpus)))

    @given(sizes, lists, limit, st.randoms(use_true_random=False))
    def test_the_order_of_manifests_and_types_does_not_matter(
        self, size: dict[str, int], types: list[str], cpus: int, random: Any
    ) -> None:
        shuffled = random.sample(types, len(types))
        again = check(*reversed(self.manifests(size, shuffled, cpus)))
        assert again == check(*self.manifests(size, types, cpus))

    @given(sizes, st.sampled_from(sorted(TYPES)))
    def test_what_fits_no_node_is_told_and_what_is_told_fits_none(
        self, size: dict[str, int], name: str
    ) -> None:
        listed, owner = self.manifests(size, [name], 10_000)
        fits = pods_per_node(owner["spec"]["template"], TYPES[name], DAEMONSETS) > 0
        assert fits == (check(listed, owner) == ())
