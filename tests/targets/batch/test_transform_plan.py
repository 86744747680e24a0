"""What is decided for a batch transform by AWS Batch: its instances, its room, and what it refuses."""

from typing import Any

import pytest

from sizewell.config.cluster_rules import cluster_violations
from sizewell.config.environment import Environment
from sizewell.instance_selection import load_catalog
from sizewell.instance_selection.catalog import load_ec2_catalog
from sizewell.instance_selection.estimation.hardware import USABLE_HOST_SHARE
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError
from sizewell.targets.batch.instance_types import batch_catalog
from sizewell.targets.batch.transform_job.plan import FACET
from sizewell.targets.batch.transform_job.plan_model import BatchTransformJobPlan
from tests.planning.builders import environment
from tests.planning.test_transform_plan import transform
from tests.targets.eks.builders import NAME
from tests.targets.eks.test_transform_job import MANY

REGION = "us-east-1"
#: Too little time for one instance.
SHARED = {**MANY, "deadline_hours": 0.3}


def by_batch(**workload: Any) -> Environment:
    return environment(
        {NAME: transform(**{"target": "jobs", **workload})}, clusters={"jobs": {"type": "batch"}}
    )


def planned(**workload: Any) -> BatchTransformJobPlan:
    (plan,) = build_plan(by_batch(**workload), load_catalog(REGION)).workloads
    assert isinstance(plan, BatchTransformJobPlan)
    return plan


def container(**changes: Any) -> dict[str, Any]:
    stated: dict[str, Any] = by_batch().workloads[NAME].model_dump(mode="json", exclude_unset=True)
    return {**stated["container"], **changes}


def faults(**workload: Any) -> list[str]:
    with pytest.raises(PlanError) as caught:
        planned(**workload)
    return [f"{'.'.join(fault.key_path[2:])}: {fault.reason}" for fault in caught.value.faults]


def test_it_is_one_attempt_on_demand_until_the_deadline() -> None:
    plan = planned(**SHARED)
    (attempt,) = plan.attempts
    assert (attempt.spot, attempt.ends_after_s) == (False, plan.deadline_s)
    assert attempt.instance_count == plan.instance_count > 1
    assert attempt.usd_per_hour == plan.selection.chosen.cost.usd_per_hour
    assert [quota.name for quota in plan.quotas] == ["Running On-Demand G and VT instances"]


def test_each_job_of_an_array_has_an_instance_to_itself() -> None:
    plan, catalog = planned(**SHARED), load_ec2_catalog(REGION)
    types = [catalog.get(name) for name in plan.instance_pools]
    assert len(types) > 1
    assert all(one.accelerator_count or one.vcpus < 2 * plan.container.vcpus for one in types)
    assert plan.max_vcpus == (plan.instance_count + 1) * max(one.vcpus for one in types)


def test_the_model_has_what_the_program_beside_it_leaves() -> None:
    assert FACET.catalog is not None
    beside = FACET.catalog(planned(), load_catalog(REGION))
    left_gib = batch_catalog(REGION).get("m5.xlarge").memory_gib - beside.get("m5.xlarge").memory_gib
    assert left_gib * USABLE_HOST_SHARE * 1024 == pytest.approx(768)
    # It has 2 GiB.
    assert batch_catalog(REGION).find("c8g.medium") is not None
    assert batch_catalog(REGION, beside_mib=1536).find("c8g.medium") is None


def test_events_start_it() -> None:
    plan = planned(starts_on={"object": "rows/ready.json"})
    assert plan.starts_on is not None
    assert plan.starts_on.object_key == "rows/ready.json"


@pytest.mark.parametrize("name", ["RUN_NAME", "SIZEWELL_TRANSFORM", "SIZEWELL_PROGRAM", "AWS_BATCH_JOB_ID"])
def test_variables_of_the_contract_and_of_batch_are_not_given_by_hand(name: str) -> None:
    assert faults(container=container(environment={name: "1"})) == [
        f"container.environment.{name}: is set for a transform by AWS Batch, and cannot be given by hand"
    ]


def test_what_makes_the_job_definition_too_long_is_refused() -> None:
    texts = {f"TEXT_{number}": "x" * 500 for number in range(30)}
    (fault,) = faults(container=container(environment=texts))
    assert fault.startswith("container.environment: makes a job definition of about")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("join", "input"),
        ("input_filter", "$[1:]"),
        ("execution_role_arn", "arn:aws:iam::111122223333:role/x"),
    ],
)
def test_keys_of_sagemaker_alone_are_refused(key: str, value: Any) -> None:
    found = [".".join(path[2:]) for path, _ in cluster_violations(by_batch(**MANY, **{key: value}))]
    assert found == [key]
