"""A cluster with managed node groups: what its groups are, and that pods select, tolerate and fit them."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from sizewell.config.environment import Environment
from sizewell.instance_selection import load_catalog
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.plan import DeploymentPlan
from sizewell.targets.eks.manifests.workload import workload_manifests
from sizewell.targets.eks.pods_plan_model import EksPlan, NodeGroupPlan
from sizewell.targets.eks.proof import unsound
from tests.planning.builders import container, environment
from tests.planning.test_transform_plan import transform
from tests.targets.eks.builders import (
    NAME,
    cluster,
    in_cluster,
    node_groups,
    queued,
    trained_in_cluster,
    written_faults,
)

SPOT_ALONE = {"enabled": True, "on_demand_fallback": False}


def trained(stated: dict[str, Any], **workload: Any) -> Environment:
    return trained_in_cluster(stated, **{"spot": SPOT_ALONE, **workload})


def transformed(stated: dict[str, Any], **workload: Any) -> Environment:
    return environment({NAME: transform(target="main", **workload)}, clusters={"main": stated})


KINDS: dict[str, Callable[..., Environment]] = {
    "deployment": in_cluster,
    "queue worker": queued,
    "job": trained,
    "transform job": transformed,
}
each_kind = pytest.mark.parametrize("kind", KINDS)


def built(stated: Environment) -> tuple[EksPlan, NodeGroupPlan, FoundationPlan]:
    whole: DeploymentPlan = build_plan(stated, load_catalog("us-east-1"))
    (plan,) = whole.workloads
    assert isinstance(plan, EksPlan)
    assert plan.node_group is not None
    return plan, plan.node_group, whole.foundation


def faults(stated: Environment) -> list[str]:
    with pytest.raises(PlanError) as raised:
        built(stated)
    return [f"{'.'.join(fault.key_path)}: {fault.reason}" for fault in raised.value.faults]


@each_kind
def test_no_manifest_launches_nodes_and_pods_fit_those_of_the_group(kind: str) -> None:
    stated = KINDS[kind](node_groups())
    plan, _, foundation = built(stated)
    written = workload_manifests(plan, foundation, {})
    assert not {"node-class", "node-pool"} & written.keys()
    assert written_faults(stated) == []


@each_kind
def test_the_proof_is_against_the_labels_taints_and_numbers_of_the_group(kind: str) -> None:
    plan, group, foundation = built(KINDS[kind](node_groups()))

    def said(**changes: Any) -> str:
        changed = plan.model_copy(update={"node_group": group.model_copy(update=changes)})
        return " ".join(fault.reason for fault in unsound(changed, foundation, load_catalog("us-east-1")))

    assert said() == ""
    assert "no node has a label 'sizewell/node-group'" in said(labels={})
    assert "no node has sizewell/node-group" in said(labels={"sizewell/node-group": "other"})
    assert "the limit of the pool is 0" in said(max_nodes=0)


@each_kind
def test_the_cluster_autoscaler_moves_no_pod(kind: str) -> None:
    def annotations(stated: dict[str, Any]) -> Any:
        (plan,) = build_plan(KINDS[kind](stated), load_catalog("us-east-1")).workloads
        assert isinstance(plan, EksPlan)
        foundation = build_plan(KINDS[kind](stated), load_catalog("us-east-1")).foundation
        written = workload_manifests(plan, foundation, {})
        owner = written.get("deployment") or written["cron-job"]["spec"]["jobTemplate"]
        return owner["spec"]["template"]["metadata"].get("annotations")

    assert annotations(node_groups()) == {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}
    has = [*cluster()["has"], "interruption-queue"]
    assert annotations(cluster(has=has)) is None


def test_a_group_of_a_model_has_a_node_for_each_pod_and_one_for_a_rollout() -> None:
    scaled = {"min_instances": 2, "max_instances": 5}
    plan, group, _ = built(in_cluster(node_groups(), scaling=scaled))
    assert (group.min_nodes, group.max_nodes) == (2, 6)
    assert group.min_nodes <= group.desired_nodes <= group.max_nodes
    assert group.update_strategy == "DEFAULT"
    fixed = built(in_cluster(node_groups(), scaling={"min_instances": 3, "max_instances": 3}))[1]
    assert (fixed.min_nodes, fixed.desired_nodes, fixed.max_nodes) == (3, 3, 4)
    assert plan.node_pool.max_nodes == group.max_nodes


@pytest.mark.parametrize("kind", ["queue worker", "job", "transform job"])
def test_a_group_whose_pods_go_to_zero_begins_there(kind: str) -> None:
    plan, group, _ = built(KINDS[kind](node_groups()))
    assert (group.min_nodes, group.desired_nodes, group.update_strategy) == (0, 0, "MINIMAL")
    most = plan.node_pool.max_nodes * (1 if kind == "queue worker" else 2)
    assert group.max_nodes == most


@pytest.mark.parametrize(
    ("family", "ami_type", "device"),
    [
        ("c6i", "AL2023_x86_64_STANDARD", None),
        ("c7g", "AL2023_ARM_64_STANDARD", None),
        ("g5", "AL2023_x86_64_NVIDIA", "nvidia.com/gpu"),
        ("inf2", "AL2023_x86_64_NEURON", "aws.amazon.com/neuron"),
    ],
)
def test_the_autoscaler_is_told_what_an_empty_group_offers(
    family: str, ami_type: str, device: str | None
) -> None:
    images = container()["images"]
    served = container(artifact={"key": "models/plants/model.tar.gz"})
    served["images"] = images | {"cpu_arm64": images["cpu_x86_64"]}
    plan, group, _ = built(
        in_cluster(node_groups(), container=served, instances={"allowed_families": [family]})
    )
    assert group.ami_type == ami_type
    offered = {key.partition("/resources/")[2]: value for key, value in group.group_tags.items()}
    assert offered.pop("ephemeral-storage") == f"{plan.node_pool.volume_size_gib}Gi"
    assert offered == {name: str(count) for name, count in plan.pod.devices.items()}
    assert set(plan.pod.devices) == ({device} if device else set())
    assert ("k8s.amazonaws.com/accelerator" in group.labels) == (device == "nvidia.com/gpu")


def test_a_training_is_either_on_spot_or_on_demand() -> None:
    assert built(trained(node_groups()))[1].capacity_type == "SPOT"
    assert built(trained(node_groups(), spot=None))[1].capacity_type == "ON_DEMAND"
    (fault,) = faults(trained(node_groups(), spot={"enabled": True}))
    assert fault == (
        f"workloads.{NAME}.spot: falls back to instances on demand, and a node group launches either those or Spot "
        "Instances"
    )


@each_kind
def test_every_change_but_of_release_and_numbers_takes_another_name(kind: str) -> None:
    def name(changed: dict[str, Any] | None = None, **workload: Any) -> str:
        return built(KINDS[kind](node_groups(**(changed or {})), **workload))[1].name

    first = name()
    assert first == name()
    assert first == name({"release_version": "1.35.3-20261007"})
    others = [
        name({"node_role": "other-node"}),
        name({"subnet_ids": ["subnet-0123456789abcdef2"]}),
        name(tags={"team": "ml"}),
        name(instances={"allowed_families": ["g6"]}),
    ]
    assert len({first, *others}) == 5


def test_numbers_keep_the_name() -> None:
    names = {
        built(in_cluster(node_groups(), scaling={"min_instances": 1, "max_instances": most}))[1].name
        for most in (3, 4)
    }
    assert len(names) == 1


def test_what_a_group_needs_of_the_cluster_is_told() -> None:
    (lacking,) = faults(in_cluster(node_groups(has=cluster()["has"])))
    assert lacking == (
        f"clusters.main.has: lacks cluster-autoscaler, which {NAME} needs: it launches nodes for its pods, and the "
        "one that a rollout needs more"
    )
    one_zone = node_groups(subnet_ids=["subnet-0123456789abcdef0"])
    assert faults(in_cluster(one_zone, policy={"min_availability_zones": 2})) == [
        "clusters.main.subnet_ids: has 1, and policy.min_availability_zones is 2"
    ]
    (old,) = faults(
        in_cluster(node_groups(release_version="1.35.0-20260512"), instances={"allowed_families": ["g7"]})
    )
    assert old.startswith(f"clusters.main.release_version: is 1.35.0-20260512, too old for {NAME}: g7 needs")


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        (
            node_groups(subnet_ids=None),
            "is missing: a node group has it; write subnets of the VPC of the cluster",
        ),
        (
            node_groups(release_version=None),
            "is missing: a node group has it; write one such as 1.35.2-20261107",
        ),
        (node_groups(ami="al2023@v20260917"), "write release_version instead"),
        (node_groups(discovery_tags={"company/nodes": "ml"}), "write subnet_ids instead"),
        (node_groups(release_version="1.34.9-20260917"), "is 1.34.9-20260917, and version is 1.35"),
        (cluster(subnet_ids=["subnet-0123456789abcdef0"]), "has no effect with nodes: karpenter; remove it"),
        (cluster(release_version="1.35.2-20260917"), "has no effect with nodes: karpenter; remove it"),
    ],
)
def test_a_key_that_the_nodes_have_not_is_an_error(stated: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError) as raised:
        in_cluster(stated)
    assert sentence in str(raised.value)
