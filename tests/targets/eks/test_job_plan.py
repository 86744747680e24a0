"""What is decided for a training in a cluster: its nodes, its volume, Spot, and what the cluster must have for it."""

import json
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from sizewell.cli.targets_command import load_targets, print_targets, targets_to_json
from sizewell.config.cluster_rules import cluster_violations
from sizewell.instance_selection import load_catalog
from sizewell.instance_selection.catalog import load_ec2_catalog
from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning import load_plan
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError
from sizewell.planning.lock import lock_of
from sizewell.targets.eks.job.plan_model import EksJobPlan
from tests.planning.builders import CNN, container, environment, training_job
from tests.targets.conftest import configuration_of
from tests.targets.eks.builders import (
    NAME,
    auto_mode,
    cluster,
    in_cluster,
    planned,
    planned_job,
    trained_in_cluster,
)

EXAMPLE = configuration_of("eks-deployment")
ON_GPU = {"instances": {"allowed_families": ["g5", "g6"]}}
ON_DEMAND: dict[str, Any] = {"spot": None, "checkpoint": None}
#: It takes hours, so that Spot and prices make a difference.
LONG: dict[str, Any] = {
    "model": {**CNN, "forward_gflops_per_image": 4000},
    "dataset": {"prefix": "datasets/plants/", "size_gib": 200, "examples": 2_000_000, "epochs": 3},
    "deadline_hours": 100,
    **ON_GPU,
}


def faults(*args: Any, **kwargs: Any) -> list[str]:
    with pytest.raises(PlanError) as raised:
        planned_job(trained_in_cluster(*args, **kwargs))
    return [f"{'.'.join(fault.key_path)}: {fault.reason}" for fault in raised.value.faults]


def test_the_same_needs_take_the_same_hardware_for_less() -> None:
    here = planned_job(trained_in_cluster(**LONG, **ON_DEMAND))
    (there,) = build_plan(environment({NAME: training_job(**LONG)}), load_catalog("us-east-1")).workloads
    assert isinstance(there, TrainingJobPlan)
    ours, theirs = here.selection.chosen, there.selection.chosen
    assert theirs.instance_type == f"ml.{here.instance_type}"
    assert ours.estimate.units_per_second == theirs.estimate.units_per_second
    assert ours.estimate.usd_per_run is not None
    assert theirs.estimate.usd_per_run is not None
    assert ours.estimate.usd_per_run < theirs.estimate.usd_per_run


def test_a_start_that_downloads_takes_longer_than_one_that_streams() -> None:
    small = planned_job(trained_in_cluster(**LONG, **ON_DEMAND))
    dataset = {**LONG["dataset"], "size_gib": 2000}
    large = planned_job(trained_in_cluster(**{**LONG, "dataset": dataset}, **ON_DEMAND))
    assert large.instance_type == small.instance_type
    hours = large.selection.chosen.estimate.duration_hours - small.selection.chosen.estimate.duration_hours
    assert hours == pytest.approx(1800 * 1024 / 125 / 3600, rel=0.02)
    assert large.node_pool.volume_size_gib - small.node_pool.volume_size_gib == 2000


def test_the_volume_leaves_free_what_a_kubelet_keeps_free() -> None:
    plan = planned_job(trained_in_cluster(**LONG))
    assert plan.node_pool.volume_size_gib * 0.9 - plan.volume_size_gib >= 50


def test_a_script_has_what_a_model_leaves_to_its_proxy() -> None:
    pinned = {"instances": {"instance_type": "g5.xlarge"}}
    alone, beside = planned_job(trained_in_cluster(**pinned)).pod, planned(in_cluster(**pinned)).pod
    assert alone.memory_mib - beside.memory_mib == 256
    assert alone.cpu_millicores - beside.cpu_millicores == 100


@pytest.mark.parametrize(
    ("spot", "capacity_types"),
    [
        ({"enabled": True}, ("spot", "on-demand")),
        ({"enabled": True, "on_demand_fallback": False}, ("spot",)),
        (None, ("on-demand",)),
    ],
)
def test_what_a_pool_launches_follows_from_spot(spot: Any, capacity_types: tuple[str, ...]) -> None:
    checkpoint = {"interval_minutes": 10} if spot else None
    plan = planned_job(trained_in_cluster(spot=spot, checkpoint=checkpoint))
    assert plan.node_pool.capacity_types == capacity_types
    assert len([quota for quota in plan.quotas if "Spot" in quota.name]) == ("spot" in capacity_types)


def test_a_run_that_has_spot_is_priced_on_spot_to_its_end() -> None:
    """Nothing moves it on demand before its deadline: a tight one is no reason to pay for hours on demand."""
    loose = planned_job(trained_in_cluster(**LONG)).selection.chosen
    tight_hours = loose.estimate.duration_hours * 1.3
    tight = planned_job(
        trained_in_cluster(
            **{**LONG, "deadline_hours": tight_hours, "instances": {"instance_type": loose.instance_type}}
        )
    ).selection.chosen
    assert tight.estimate.spot_hours == tight.estimate.duration_hours
    assert tight.estimate.usd_per_run == loose.estimate.usd_per_run


def test_spot_needs_somebody_who_hears_of_interruptions() -> None:
    (fault,) = faults(cluster())
    assert fault.startswith(
        f"clusters.main.has: lacks interruption-queue, which {NAME} needs: it tells Karpenter two minutes"
    )
    planned_job(trained_in_cluster(cluster(), **ON_DEMAND))
    planned_job(trained_in_cluster(auto_mode()))


def test_in_production_somebody_hears_of_runs_that_fail() -> None:
    bare = cluster(
        has=["pod-identity-agent", "nvidia-device-plugin", "neuron-device-plugin", "network-policies"],
        prometheus=None,
    )
    plan = planned_job(trained_in_cluster(bare, **ON_DEMAND))
    assert any("nobody is told of a run that fails" in told for told in plan.selection.assumptions)
    found = faults(
        bare, {"production": True, "min_endpoint_instances": 2, "min_availability_zones": 2}, **ON_DEMAND
    )
    assert [fault.partition(" lacks ")[2].partition(",")[0] for fault in found] == [
        "prometheus",
        "kube-state-metrics",
    ]


def test_what_only_a_cluster_without_it_needs_is_asked_of_the_cluster() -> None:
    found = faults(cluster(has=[], prometheus=None), **ON_GPU, **ON_DEMAND)
    assert [fault.partition(" lacks ")[2].partition(",")[0] for fault in found] == [
        "pod-identity-agent",
        "nvidia-device-plugin",
        "network-policies",
    ]


def test_variables_of_the_program_around_the_script_cannot_be_given_by_hand() -> None:
    (fault,) = faults(container=container(environment={"RUN_NAME": "mine", "SEED": "7"}))
    assert fault.startswith(
        f"workloads.{NAME}.container.environment.RUN_NAME: is set for a training in a cluster"
    )


def test_the_lock_keeps_the_type_and_the_pool_begins_with_it() -> None:
    stated = trained_in_cluster(**LONG)
    plan = build_plan(stated, load_catalog("us-east-1"))
    lock = lock_of(plan)
    kept = planned_job(stated, lock)
    assert kept.lock is not None
    assert kept.lock.state == "locked"
    assert kept.node_pool.instance_types[0] == kept.instance_type


def test_all_types_of_a_pool_end_in_time_and_have_one_shape() -> None:
    plan, catalog = planned_job(trained_in_cluster(**LONG)), load_ec2_catalog("us-east-1")
    types = [catalog.get(name) for name in plan.node_pool.instance_types]
    assert len(types) > 1
    assert len({instance_type.accelerator_count for instance_type in types}) == 1
    assert plan.node_pool.vcpus == max(instance_type.vcpus for instance_type in types)
    candidates = {
        found.instance_type: found.estimate for found in (plan.selection.chosen, *plan.selection.runners_up)
    }
    assert all(
        candidates[name].duration_hours * 3600 <= plan.deadline_s for name in plan.node_pool.instance_types
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("starts_on", {"object": "datasets/plants/_SUCCESS"}),
        ("report_success", True),
        ("spot", {"enabled": True, "max_wait_hours": 3}),
    ],
)
def test_what_has_no_effect_in_a_cluster_is_told_with_what_to_do(key: str, value: Any) -> None:
    stated: dict[str, Any] = {key: value}
    (found,) = cluster_violations(trained_in_cluster(**stated))
    path, reason = found
    assert path[:3] == ("workloads", NAME, key)
    assert ": " in reason


def test_the_places_of_a_training_are_compared_by_the_run() -> None:
    options = load_targets(EXAMPLE, "prod", "train-classifier")
    sagemaker, main = json.loads(targets_to_json(options))
    assert (sagemaker["target"], main["target"]) == (None, "main")
    assert main["usd_per_run"] < sagemaker["usd_per_run"]
    console = Console(width=120, file=StringIO())
    print_targets("train-classifier", options, console)
    assert isinstance(console.file, StringIO)
    shown = console.file.getvalue()
    assert "USD/run" in shown
    assert "per 1,000 requests" not in shown
    assert "kubectl create job --namespace shop-prod --from=cronjob/train-classifier" in shown


def test_in_auto_mode_the_fee_of_a_run_is_that_of_its_hours_on_demand() -> None:
    plan = load_plan(EXAMPLE, "staging")
    (job,) = (workload for workload in plan.workloads if isinstance(workload, EksJobPlan))
    (line,) = (line for line in plan.bill.lines if line.workload == job.name)
    assert [item.name for item in line.items] == [
        "g5.xlarge training on Spot",
        "Auto Mode fee",
        "training volumes",
    ]
    instances, fee, _ = (item.usd_per_month for item in line.items)
    estimate, usd_per_hour = job.selection.chosen.estimate, job.selection.chosen.cost.usd_per_hour
    assert usd_per_hour is not None
    assert instances is not None
    assert fee == pytest.approx(usd_per_hour / 1.078 * 0.078 * estimate.duration_hours)
    own_saving = (estimate.spot_savings_pct or 0) / 100 * 1.078
    assert instances == pytest.approx(usd_per_hour / 1.078 * (1 - own_saving) * estimate.duration_hours)
