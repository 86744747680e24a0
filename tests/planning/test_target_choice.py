"""``target: cheapest``: the plan takes the cheapest place that can run a workload, and the lock keeps it."""

from typing import Any

import pytest

from sizewell.config.cluster_rules import cluster_violations
from sizewell.config.environment import Environment
from sizewell.instance_selection import load_catalog
from sizewell.planning.build import build_plan
from sizewell.planning.lock import LockedEnvironment, lock_of
from sizewell.planning.plan import DeploymentPlan
from tests.planning.builders import container, endpoint, environment
from tests.targets.eks.builders import auto_mode, cluster

#: So much is taken by DaemonSets that a larger type is needed than SageMaker needs.
CROWDED = cluster(daemonsets={"cpu": "6", "memory": "12Gi"})
IMAGE = container()["images"]["cuda"]


def planned(
    clusters: dict[str, Any], lock: LockedEnvironment | None = None, **changes: Any
) -> DeploymentPlan:
    on_cpu = container(artifact={"key": "models/a.tar.gz"}, images={"cpu_x86_64": IMAGE})
    stated = endpoint(target="cheapest", **{"container": on_cpu, **changes})
    return build_plan(
        environment({"plants": stated}, clusters=clusters), load_catalog("us-east-1"), lock=lock
    )


def reason(plan: DeploymentPlan) -> str:
    (choice,) = plan.on_instances
    return choice.selection.assumptions[0]


def test_the_cheapest_place_is_taken_and_the_others_are_told() -> None:
    plan = planned({"main": cluster(), "auto": auto_mode(), "crowded": CROWDED})
    assert [workload.kind for workload in plan.workloads] == ["eks-deployment"]
    told = reason(plan)
    assert told.startswith("target: cheapest is main (USD per month: SageMaker ")
    assert ", auto " in told
    assert ", crowded " in told


def test_a_cluster_that_costs_more_than_sagemaker_is_not_taken() -> None:
    plan = planned({"crowded": CROWDED})
    assert [workload.kind for workload in plan.workloads] == ["real-time-endpoint"]
    assert reason(plan).startswith("target: cheapest is SageMaker (USD per month: ")


def test_a_cluster_that_lacks_what_is_needed_is_no_choice() -> None:
    assert reason(planned({"bare": cluster(has=[], prometheus=None)})).startswith(
        "target: cheapest is SageMaker"
    )
    captured = planned({"main": cluster()}, data_capture={"sampling_percent": 10, "capture": ["input"]})
    assert [workload.kind for workload in captured.workloads] == ["real-time-endpoint"]


def test_the_lock_keeps_the_place() -> None:
    in_auto_mode = planned({"auto": auto_mode()})
    both = {"auto": auto_mode(), "main": cluster()}
    assert "cheapest is main" in reason(planned(both))
    kept = planned(both, lock_of(in_auto_mode))
    assert "cheapest is auto" in reason(kept)
    assert reason(kept).endswith("the lock keeps it")


def test_a_place_that_is_gone_is_no_longer_kept() -> None:
    lock = lock_of(planned({"main": cluster()}))
    plan = planned({"auto": auto_mode()}, lock)
    assert "the lock keeps it" not in reason(plan)


@pytest.mark.parametrize("name", ["main", "cheapest"])
def test_a_cluster_is_not_called_cheapest(name: str) -> None:
    stated = environment({"plants": endpoint(target="cheapest")}, clusters={name: cluster()})
    found = [reason for _, reason in cluster_violations(stated)]
    assert found == (
        [] if name == "main" else ["cheapest has a meaning of its own as a target: choose another name"]
    )


def allowing(*targets: str, target: str | None, **workload: Any) -> Environment:
    policy = {"account": "111122223333", "region": "us-east-1", "allowed_targets": targets}
    stated = endpoint(target=target, **workload)
    return environment({"plants": stated}, clusters={"main": cluster()}, policy=policy)


def test_the_cheapest_place_is_one_that_the_policy_allows() -> None:
    plan = build_plan(allowing("sagemaker", target="cheapest"), load_catalog("us-east-1"))
    assert [workload.kind for workload in plan.workloads] == ["real-time-endpoint"]
    assert "main" not in reason(plan)


@pytest.mark.parametrize(
    ("allowed", "target", "said"),
    [
        (
            "main",
            None,
            "workloads.plants.target: is not stated, which is sagemaker, but policy.allowed_targets names only main",
        ),
        (
            "sagemaker",
            "main",
            "workloads.plants.target: is main, but policy.allowed_targets names only sagemaker",
        ),
        ("other", "main", "policy.allowed_targets.0: there is no cluster other"),
        ("main", "main", None),
        ("sagemaker", None, None),
    ],
)
def test_a_place_that_the_policy_does_not_allow_is_a_fault(
    allowed: str, target: str | None, said: str | None
) -> None:
    found = [
        f"{'.'.join(path)}: {reason}" for path, reason in cluster_violations(allowing(allowed, target=target))
    ]
    assert (said in found) if said else (found == [])


def test_without_an_allowed_place_there_is_no_cheapest_one() -> None:
    captured = {"data_capture": {"sampling_percent": 10, "capture": ["input"]}}
    assert [reason for _, reason in cluster_violations(allowing("main", target="cheapest", **captured))] == [
        "is cheapest, but no place of policy.allowed_targets can run it"
    ]
