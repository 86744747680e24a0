"""What is decided for a training by AWS Batch: its types, its room, until when Spot is tried, and what it refuses."""

import csv
import io
from typing import Any

import pytest

from sizewell.config.cluster_rules import cluster_violations
from sizewell.config.environment import Environment
from sizewell.instance_selection import load_catalog
from sizewell.instance_selection.catalog import load_ec2_catalog
from sizewell.kinds.training_job.config import TrainingJob
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError
from sizewell.targets.batch.instance_types import batch_catalog, container_memory_mib
from sizewell.targets.batch.job.plan_model import BatchJobPlan
from tests.planning.builders import endpoint, environment

REGION = "us-east-1"
IMAGE = {"account": "763104351884", "repository": "pytorch-training", "tag": "2.10.0-gpu"}
#: MiB that agents of ECS registered, as public projects noted them.
REGISTERED = """t2.large,7975
m5.large,7680
m5.24xlarge,378652
c5.large,3704
c5.18xlarge,140768
g4dn.xlarge,15731
"""


def training(**changes: Any) -> dict[str, Any]:
    stated = {
        "kind": "training-job",
        "target": "jobs",
        "model": {"preset": "distilbert-base"},
        "container": {"images": {"cuda": IMAGE}},
        "dataset": {"prefix": "datasets/mail/", "size_gib": 20, "tokens_millions": 400, "epochs": 3},
        "deadline_hours": 24,
        "spot": {"enabled": True},
        "checkpoint": {"interval_minutes": 15},
    }
    return {key: value for key, value in (stated | changes).items() if value is not None}


def by_batch(**changes: Any) -> Environment:
    return environment(
        {"mail": TrainingJob.model_validate(training(**changes))}, clusters={"jobs": {"type": "batch"}}
    )


def planned(**changes: Any) -> BatchJobPlan:
    (plan,) = build_plan(by_batch(**changes), load_catalog(REGION)).workloads
    assert isinstance(plan, BatchJobPlan)
    return plan


def faults(**changes: Any) -> list[str]:
    with pytest.raises(PlanError) as caught:
        planned(**changes)
    return [f"{'.'.join(fault.key_path[2:])}: {fault.reason}" for fault in caught.value.faults]


@pytest.mark.parametrize(("name", "registered_mib"), list(csv.reader(io.StringIO(REGISTERED))))
def test_a_container_never_asks_for_more_than_an_agent_registered(name: str, registered_mib: str) -> None:
    memory_mib = container_memory_mib(load_ec2_catalog(REGION).get(name))
    assert memory_mib is not None
    assert 0.9 * int(registered_mib) < memory_mib <= int(registered_mib)


def test_types_without_a_machine_image_of_batch_are_not_launched() -> None:
    names = {instance_type.name.partition(".")[0] for instance_type in batch_catalog(REGION).instance_types}
    assert {"g5", "g6", "p4d", "c6gd"} <= names
    assert not names & {"inf2", "trn1", "p3", "g3", "g5g", "dl1"}


def test_a_container_asks_for_what_the_least_of_its_types_has() -> None:
    plan, catalog = planned(), load_ec2_catalog(REGION)
    types = [catalog.get(name) for name in plan.instance_pools]
    assert len(types) > 1
    assert plan.container.vcpus == min(instance_type.vcpus for instance_type in types)
    assert plan.container.memory_mib == min(container_memory_mib(one) or 0 for one in types)
    assert plan.container.gpu_count == {instance_type.accelerator_count for instance_type in types}.pop()
    assert plan.max_vcpus == 2 * max(instance_type.vcpus for instance_type in types)


def test_spot_and_on_demand_have_quotas_of_their_own() -> None:
    assert [quota.name for quota in planned().quotas] == [
        "All G and VT Spot Instance Requests",
        "Running On-Demand G and VT instances",
    ]


def test_the_volume_holds_the_dataset() -> None:
    small, large = (
        planned(dataset={**training()["dataset"], "size_gib": size}).volume_size_gib for size in (20, 220)
    )
    assert large - small == 200


def test_attempts_are_what_may_be_bought() -> None:
    on_spot_alone = planned(spot={"enabled": True, "on_demand_fallback": False})
    assert [(one.spot, one.ends_after_s) for one in on_spot_alone.attempts] == [(True, 24 * 3600)]
    on_demand_alone = planned(spot=None)
    assert [one.spot for one in on_demand_alone.attempts] == [False]
    first, _ = planned(spot={"enabled": True, "max_wait_hours": 2}).attempts
    assert first.ends_after_s == 2 * 3600


def test_a_deadline_that_leaves_no_time_for_spot_is_refused() -> None:
    hours = planned(spot=None).selection.chosen.estimate.duration_hours
    (fault,) = faults(deadline_hours=hours * 1.5, instances={"instance_type": "ml.g6e.xlarge"}, margin=0.45)
    assert "leaves no time for Spot" in fault


@pytest.mark.parametrize("name", ["RUN_NAME", "AWS_BATCH_JOB_ID", "SIZEWELL_PROGRAM"])
def test_variables_of_the_contract_and_of_batch_are_not_given_by_hand(name: str) -> None:
    (fault,) = faults(container={"images": {"cuda": IMAGE}, "environment": {name: "1"}})
    assert fault == (
        f"container.environment.{name}: is set for a training by AWS Batch, and cannot be given by hand"
    )


def test_what_makes_the_job_definition_too_long_is_refused() -> None:
    texts = {f"TEXT_{number}": "x" * 500 for number in range(30)}
    (fault,) = faults(container={"images": {"cuda": IMAGE}, "environment": texts})
    assert fault.startswith("container.environment: makes a job definition of about")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("max_instances", 2),
        ("channels", {"validation": "datasets/b/"}),
        ("keep_alive_minutes", 10),
        ("experiment", "mail"),
    ],
)
def test_keys_of_sagemaker_alone_are_refused(key: str, value: Any) -> None:
    container = {"images": {"cuda": IMAGE}, "network_isolation": False}
    stated = by_batch(**{key: value, "container": container, "spot": None})
    found = [".".join(path[2:]) for path, _ in cluster_violations(stated)]
    assert found == [key]


def test_what_wants_several_instances_is_told_where_they_are() -> None:
    ((_, reason),) = cluster_violations(by_batch(max_instances=2))
    assert "in SageMaker and in a cluster of Amazon EKS it may have several" in reason


def test_batch_serves_no_requests() -> None:
    stated = environment({"plants": endpoint(target="jobs")}, clusters={"jobs": {"type": "batch"}})
    ((path, reason),) = cluster_violations(stated)
    assert path == ("workloads", "plants", "target")
    assert reason.startswith("jobs is a cluster of AWS Batch, which does not run a real-time-endpoint")
