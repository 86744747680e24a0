"""What is decided for a model in a cluster of ECS: instances, tasks, scaling, deployments."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.config.cluster_rules import cluster_violations
from sizewell.facts.node_fees import fee_share
from sizewell.instance_selection import load_catalog
from sizewell.instance_selection.catalog import load_ec2_catalog
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError
from sizewell.targets.ecs.instance_types import managed_instances_catalog, task_memory_mib
from tests.planning.builders import environment
from tests.targets.ecs.builders import NAME, cluster, in_cluster, planned

ON_CPU = {"instances": {"allowed_families": ["c6i", "c7i", "m6i"]}}
ON_GPU = {"instances": {"allowed_families": ["g4dn", "g5", "g6"]}}


def test_a_task_has_an_instance_to_itself() -> None:
    plan, catalog = planned(in_cluster(**ON_GPU)), load_ec2_catalog("us-east-1")
    types = [catalog.get(name) for name in plan.instance_pools]
    assert {instance_type.accelerator_count for instance_type in types} == {plan.task.gpu_count}
    assert plan.task.cpu_units == 1024 * min(instance_type.vcpus for instance_type in types)
    assert plan.task.memory_mib == min(task_memory_mib(instance_type) or 0 for instance_type in types)


@pytest.mark.parametrize(("name", "memory_mib"), [("g6.xlarge", 14336), ("c6i.large", 3072)])
def test_a_task_gets_what_is_known_to_run(name: str, memory_mib: int) -> None:
    assert task_memory_mib(load_ec2_catalog("us-east-1").get(name)) == memory_mib


def test_ecs_launches_no_type_of_a_family_that_its_list_lacks() -> None:
    names = {instance_type.name for instance_type in managed_instances_catalog("us-east-1").instance_types}
    assert "g6.xlarge" in names
    assert not {name for name in names if name.startswith(("p5e.", "trn2.", "g7.", "t2.", "m4."))}


@given(st.sampled_from(load_ec2_catalog("us-east-1").instance_types))
def test_no_task_asks_for_all_memory_of_its_instance(instance_type: Any) -> None:
    memory_mib = task_memory_mib(instance_type)
    assert memory_mib is None or memory_mib <= min(
        instance_type.memory_gib * 1024 * 7 / 8, instance_type.memory_gib * 1024 - 1024
    )


def test_the_fee_is_in_the_price_and_apart_in_the_bill() -> None:
    stated = in_cluster(**ON_GPU)
    plan = planned(stated)
    (line, _) = build_plan(stated, load_catalog("us-east-1")).bill.lines
    items = {item.name: item.usd_per_month for item in line.items}
    instances, fee = items[f"{plan.instance_type} instances"], items["Managed Instances fee"]
    assert instances is not None
    share = fee_share("ecs-managed-instances", plan.instance_type.partition(".")[0])
    assert share == 0.078
    assert fee == pytest.approx(instances * share)
    assert items["load balancer"] == pytest.approx(0.0225 * 730)


def test_what_it_scales_by_is_counted_by_the_load_balancer() -> None:
    assert planned(in_cluster(scaling={"max_instances": 3})).scaling is not None
    with pytest.raises(PlanError) as raised:
        planned(in_cluster(scaling={"max_instances": 3, "track": {"concurrency": {}}}))
    (fault,) = raised.value.faults
    assert fault.key_path == ("workloads", NAME, "scaling", "track")
    assert "containers follow invocations" in fault.reason


@given(st.integers(min_value=1, max_value=40))
def test_a_deployment_always_has_room_for_one_more_task(count: int) -> None:
    fixed = planned(in_cluster()).model_copy(update={"scaling": None, "initial_instance_count": count})
    assert fixed.max_tasks >= count + 1
    assert fixed.max_tasks <= 2 * count


def test_a_deployment_ends_within_minutes() -> None:
    plan = planned(in_cluster())
    assert plan.rollback_alarms
    assert all(alarm.period_s * alarm.evaluation_periods <= 3600 for alarm in plan.rollback_alarms.values())


def test_a_key_without_effect_is_a_fault_that_says_what_to_do() -> None:
    found = dict(cluster_violations(in_cluster(detailed_metrics=False)))
    assert "the load balancer has them" in found["workloads", NAME, "detailed_metrics"]


def test_instances_reach_ecs_from_a_vpc_of_their_own() -> None:
    foundation = build_plan(in_cluster(), load_catalog("us-east-1")).foundation
    services = {endpoint.service for endpoint in foundation.network.interface_endpoints}
    assert {"ecs", "ecs-agent", "ecs-telemetry", "ecr.api", "ecr.dkr", "logs"} <= services
    assert "sagemaker.runtime" not in services
    without = build_plan(environment(), load_catalog("us-east-1")).foundation.network.interface_endpoints
    assert "ecs" not in {endpoint.service for endpoint in without}


def test_a_load_balancer_needs_two_zones() -> None:
    stated = in_cluster()
    network = stated.network.model_copy(update={"availability_zones": 1})
    with pytest.raises(PlanError) as raised:
        planned(stated.model_copy(update={"network": network}))
    assert [fault.key_path for fault in raised.value.faults] == [("network", "availability_zones")]


def test_the_name_of_the_cluster_is_in_the_plan() -> None:
    assert planned(in_cluster(cluster(name="other"))).cluster.name == "other"
