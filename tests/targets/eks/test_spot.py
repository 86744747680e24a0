"""Spot for the pods of a model: half of them where somebody waits for the answers, all of them behind a queue."""

from typing import Any

import kubernetes_validate
import pytest

from sizewell.cli.targets_command import load_targets
from sizewell.config.cluster_rules import cluster_violations, possible_targets
from sizewell.config.environment import Environment
from sizewell.config.spot import spot_violations
from sizewell.facts.node_fees import fee_share
from sizewell.instance_selection import load_catalog
from sizewell.planning.bill_plan import BillItem
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError
from sizewell.targets.eks.pods_view import pod_lines
from sizewell.targets.view import row_with_spot
from tests.planning.builders import endpoint, environment, queue_endpoint
from tests.synthesis import PROJECT_ROOT
from tests.targets.eks.builders import (
    NAME,
    auto_mode,
    cluster,
    in_cluster,
    manifests,
    planned,
    planned_worker,
    queued,
    written_faults,
)
from tests.targets.eks.test_deployment_plan import LLM

EXAMPLE = PROJECT_ROOT / "examples" / "eks-deployment" / "config"
ON_SPOT = {"spot": {"enabled": True}}
TWO = {"scaling": {"min_instances": 2, "max_instances": 6}}
HEARS = cluster(has=[*cluster()["has"], "interruption-queue"])
CLUSTERS = {"karpenter": HEARS, "auto mode": auto_mode()}


def served(stated: dict[str, Any] | None = None, **workload: Any) -> Environment:
    return in_cluster(stated or HEARS, {"allow_spot": True}, **{**ON_SPOT, **TWO, **workload})


def working(stated: dict[str, Any] | None = None, **workload: Any) -> Environment:
    return queued(stated or HEARS, {"allow_spot": True}, **{**ON_SPOT, **workload})


def items(stated: Environment) -> dict[str, BillItem]:
    (line,) = (
        line for line in build_plan(stated, load_catalog("us-east-1")).bill.lines if line.workload == NAME
    )
    return {item.name: item for item in line.items}


def faults(stated: Environment) -> list[str]:
    with pytest.raises(PlanError) as raised:
        planned(stated)
    return [f"{'.'.join(fault.key_path)}: {fault.reason}" for fault in raised.value.faults]


def test_spot_changes_neither_the_choice_nor_what_the_lock_holds() -> None:
    with_spot, without = planned(served()), planned(served(spot={"enabled": False}))
    assert with_spot.node_pool.instance_types == without.node_pool.instance_types
    assert with_spot.selection.chosen.cost == without.selection.chosen.cost
    assert with_spot.needs_digest == without.needs_digest
    assert with_spot.locked_facts == without.locked_facts


@pytest.mark.parametrize("nodes", CLUSTERS)
def test_a_pool_launches_spot_first_and_on_demand_otherwise(nodes: str) -> None:
    plan = planned(served(CLUSTERS[nodes]))
    assert plan.node_pool.capacity_types == ("spot", "on-demand")
    assert [("Spot" in quota.name) for quota in plan.quotas] == [True, False]
    assert planned(in_cluster()).node_pool.capacity_types == ("on-demand",)


def test_half_of_the_pods_that_answer_are_on_demand_and_spot_may_take_the_others_at_once() -> None:
    written = manifests(served())
    zones, kinds = written["deployment"]["spec"]["template"]["spec"]["topologySpreadConstraints"]
    assert kinds["topologyKey"] == "karpenter.sh/capacity-type"
    assert (kinds["maxSkew"], kinds["whenUnsatisfiable"]) == (1, "ScheduleAnyway")
    assert kinds["matchLabelKeys"] == ["pod-template-hash"]  # or a rollout could leave pods on Spot alone
    # Karpenter gives up the first one first: rather another zone than no Spot.
    assert zones["topologyKey"] == "topology.kubernetes.io/zone"
    assert written["disruption-budget"]["spec"]["maxUnavailable"] == "50%"


def test_all_pods_that_work_off_a_queue_are_on_spot() -> None:
    written = manifests(working())
    constraints = written["deployment"]["spec"]["template"]["spec"]["topologySpreadConstraints"]
    assert [constraint["topologyKey"] for constraint in constraints] == ["topology.kubernetes.io/zone"]
    assert written["disruption-budget"]["spec"]["maxUnavailable"] == "100%"
    plan = planned_worker(working())
    assert plan.scaling is not None
    assert plan.scaling.min_instance_count == 0  # nobody waits: no pod must be left
    assert next(iter(items(working()))) == f"{plan.instance_type} instances on Spot"
    assert f"{plan.instance_type} instances" not in items(working())


@pytest.mark.parametrize("nodes", CLUSTERS)
@pytest.mark.parametrize("stated", [served, working])
def test_what_is_written_is_legal_and_fits(stated: Any, nodes: str) -> None:
    assert written_faults(stated(CLUSTERS[nodes])) == []
    for manifest in manifests(stated(CLUSTERS[nodes])).values():
        if manifest["kind"] in ("Deployment", "PodDisruptionBudget"):
            kubernetes_validate.validate(manifest, "1.37", strict=True)


def test_one_pod_would_be_gone_with_its_node() -> None:
    for scaling in ({"max_instances": 4}, {"min_instances": 1, "max_instances": 1}):
        assert faults(served(scaling=scaling)) == [
            f"workloads.{NAME}.scaling.min_instances: is 1, but Spot needs 2 pods at least: one answers while the other is taken "
            "back"
        ]


def test_one_or_two_types_may_both_have_no_capacity() -> None:
    assert faults(served(instances={"instance_type": "g5.xlarge"})) == [
        f"workloads.{NAME}.spot.enabled: Spot needs 3 instance types that take each other's place, because each may have no "
        "capacity, but the needs leave 1: g5.xlarge"
    ]
    with pytest.raises(PlanError):
        planned_worker(working(instances={"instance_type": "g5.xlarge"}))


def test_somebody_must_hear_of_interruptions() -> None:
    (fault,) = faults(served(cluster()))
    assert fault.startswith(f"clusters.main.has: lacks interruption-queue, which {NAME} needs")


@pytest.mark.parametrize("nodes", CLUSTERS)
def test_the_bill_has_both_halves_and_the_fee_has_no_discount(nodes: str) -> None:
    plan, without = planned(served(CLUSTERS[nodes])), served(CLUSTERS[nodes], spot={"enabled": False})
    assert plan.on_spot is not None
    assert plan.on_spot.savings_percent
    ours, theirs, instances = (
        items(served(CLUSTERS[nodes])),
        items(without),
        f"{plan.instance_type} instances",
    )
    all_on_demand = theirs[instances].usd_per_month
    assert all_on_demand is not None
    assert ours[instances].usd_per_month == pytest.approx(all_on_demand / 2)
    on_spot = ours[f"{instances} on Spot"]
    assert on_spot.usd_per_month == pytest.approx(
        all_on_demand / 2 * (1 - plan.on_spot.savings_percent / 100)
    )
    assert (on_spot.basis, ours[instances].basis) == ("estimated", "published")
    others = theirs.keys() - {instances}
    assert {name: ours[name] for name in others} == {name: theirs[name] for name in others}
    share = fee_share(f"eks-{plan.cluster.nodes}", plan.instance_type.partition(".")[0])
    assert bool(share) == ("Auto Mode fee" in others)


def test_without_a_published_saving_none_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sizewell.instance_selection.catalog.Catalog.spot", lambda *_: None)
    plan, found = planned(served()), items(served())
    on_demand, on_spot = (found[f"{plan.instance_type} instances{words}"] for words in ("", " on Spot"))
    assert on_spot.usd_per_month == on_demand.usd_per_month
    assert any(line.endswith(f"; no saving of {plan.instance_type} is known") for line in pod_lines(plan))


def test_people_see_what_is_on_spot_what_it_saves_and_what_it_risks() -> None:
    plan = planned(served(**{**LLM, **TWO}))
    assert row_with_spot(plan).count == "2-6 half Spot"
    words = "\n".join(pod_lines(plan))
    assert "Spot: half of the pods, on demand while it has no capacity; it saves about" in words
    assert "(EC2 Spot Instance Advisor, 20" in words
    assert "half of the pods answer until others are ready" in words
    assert "an answer that takes longer than the notice of 120 s is cut off" in words  # a stream
    assert "is cut off" not in "\n".join(pod_lines(planned(served())))
    assert any("chosen by its price on demand" in told for told in plan.selection.assumptions)
    worker = planned_worker(working())
    assert row_with_spot(worker).count.endswith(" Spot")
    assert "Spot: all pods" in "\n".join(pod_lines(worker))


@pytest.mark.parametrize("stated", [endpoint, queue_endpoint])
def test_only_a_cluster_of_eks_has_spot_for_models(stated: Any) -> None:
    clusters = {
        "main": HEARS,
        "web": {
            "type": "ecs",
            "name": "web",
            "capacity": "managed-instances",
            "container_insights": True,
            "certificate_arn": "arn:aws:acm:us-east-1:111122223333:certificate/12345678-1234-1234-1234-123456789012",
            "caller_security_groups": ["sg-0123456789abcdef0"],
            "proxy_image": cluster()["proxy_image"],
        },
    }
    for target, reason in {
        None: "has no effect in SageMaker: it has Spot for training jobs alone",
        "web": "has no effect in a cluster of Amazon ECS: its capacity provider launches on demand",
    }.items():
        asked = environment({NAME: stated(target=target, **ON_SPOT)}, clusters=clusters)
        ((path, said),) = cluster_violations(asked)
        assert path == ("workloads", NAME, "spot")
        assert said.startswith(reason)
    workload = stated(target="cheapest", **ON_SPOT)
    cheapest = environment({NAME: workload}, clusters=clusters)
    assert list(possible_targets(workload, cheapest)) == ["main"]


def test_a_comparison_of_places_says_that_sagemaker_has_none() -> None:
    sagemaker, main = load_targets(EXAMPLE, "prod", "classify-mail")
    assert sagemaker.misses[0].startswith("spot: has no effect in SageMaker")
    assert main.misses == ()
    assert main.usd_per_month is not None


def test_the_policy_allows_spot() -> None:
    stated = in_cluster(HEARS, {}, **ON_SPOT)
    (violation,) = spot_violations(stated, NAME, stated.workloads[NAME])
    assert violation == (
        ("workloads", NAME, "spot", "enabled"),
        "Spot is asked for, but policy.allow_spot is false in this environment",
    )
    assert list(spot_violations(served(), NAME, served().workloads[NAME])) == []
