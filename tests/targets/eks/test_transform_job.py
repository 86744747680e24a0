"""A batch transform in a cluster: what is planned, what its pods are told, and that they fit their nodes."""

from typing import Any

import kubernetes_validate
import pytest

from sizewell.config.environment import Environment
from sizewell.instance_selection import load_catalog
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.eks.manifests.workload import workload_manifests
from sizewell.targets.eks.pod_requests import pod_requests
from sizewell.targets.eks.proof import unsound
from sizewell.targets.eks.transform_job.plan_model import EksTransformJobPlan
from tests.planning.builders import environment
from tests.planning.test_transform_plan import transform
from tests.targets.eks.builders import auto_mode, cluster

NAME = "score"
MANY: dict[str, Any] = {
    "data": {
        "prefix": "rows/today",
        "rows_per_run": 2_000_000,
        "kb_per_row": 0.5,
        "objects": 40,
        "content_type": "text/csv",
        "split": "line",
    },
    "max_instances": 8,
}


def in_cluster(stated: dict[str, Any] | None = None, **workload: Any) -> Environment:
    return environment(
        {NAME: transform(**{"target": "main", **workload})}, clusters={"main": stated or cluster()}
    )


def planned(stated: Environment) -> tuple[EksTransformJobPlan, FoundationPlan]:
    built = build_plan(stated, load_catalog("us-east-1"))
    (plan,) = built.workloads
    assert isinstance(plan, EksTransformJobPlan)
    return plan, built.foundation


def cron_job_of(plan: EksTransformJobPlan, foundation: FoundationPlan) -> dict[str, Any]:
    found: dict[str, Any] = workload_manifests(plan, foundation, {})["cron-job"]["spec"]
    return found


def test_a_run_is_a_job_whose_pods_share_the_objects_by_their_index() -> None:
    plan, foundation = planned(in_cluster(**MANY, objective="least-latency"))
    assert plan.instance_count > 1
    cron_job = cron_job_of(plan, foundation)
    job = cron_job["jobTemplate"]["spec"]
    assert (job["completionMode"], job["completions"], job["parallelism"]) == (
        "Indexed",
        plan.instance_count,
        plan.instance_count,
    )
    assert (cron_job["suspend"], cron_job["concurrencyPolicy"]) == (True, "Forbid")
    assert job["activeDeadlineSeconds"] == plan.deadline_s
    pod = job["template"]["spec"]
    (program,) = pod["containers"]
    variables = {each["name"]: each.get("value") for each in program["env"]}
    assert variables["SHARDS"] == str(plan.instance_count)
    assert variables["DATA_URI"] == f"s3://{foundation.artifact_bucket_name}/rows/today/"
    assert variables["OUTPUT_URI"].endswith(f"/transform/{NAME}/$(RUN_NAME)/")
    # A variable is replaced where it stands before.
    assert next(iter(variables)) == "RUN_NAME"
    rules = job["podFailurePolicy"]["rules"]
    assert rules[1]["onExitCodes"]["containerName"] == program["name"]


def test_the_model_is_ready_before_the_program_and_outlives_it() -> None:
    plan, foundation = planned(in_cluster())
    pod = cron_job_of(plan, foundation)["jobTemplate"]["spec"]["template"]["spec"]
    *_, model = pod["initContainers"]
    assert (model["name"], model["restartPolicy"]) == ("model", "Always")
    assert {"name": "SAGEMAKER_BATCH", "value": "true"} in model["env"]
    assert "configMap" not in str(pod["volumes"])


@pytest.mark.parametrize("stated", [cluster(), auto_mode(has=["network-policies"], prometheus=None)])
def test_its_objects_are_legal_and_its_pods_fit_each_type(stated: dict[str, Any]) -> None:
    plan, foundation = planned(in_cluster(stated, **MANY))
    assert list(unsound(plan, foundation)) == []


@pytest.mark.parametrize("version", ["1.32", "1.37"])
def test_the_schema_of_kubernetes_accepts_its_runs(version: str) -> None:
    plan, foundation = planned(in_cluster(**MANY))
    kubernetes_validate.validate(workload_manifests(plan, foundation, {})["cron-job"], version, strict=True)


def test_the_room_of_the_program_is_not_the_models() -> None:
    plan, foundation = planned(in_cluster())
    template = cron_job_of(plan, foundation)["jobTemplate"]["spec"]["template"]
    asked = pod_requests(template)
    assert asked["memory"] == (plan.pod.memory_mib + 768) * 2**20
    larger = plan.model_copy(
        update={"pod": plan.pod.model_copy(update={"memory_mib": plan.pod.memory_mib + 512})}
    )
    assert list(unsound(larger, foundation))


def test_the_pool_holds_all_pods_of_a_run() -> None:
    plan, _ = planned(in_cluster(**MANY, objective="least-latency"))
    assert plan.node_pool.max_nodes == plan.instance_count
    assert plan.node_pool.capacity_types == ("on-demand",)


def test_what_only_sagemaker_cuts_is_refused() -> None:
    data = {**MANY["data"], "split": "record-io", "content_type": "application/x-recordio"}
    with pytest.raises(PlanError, match="which only SageMaker cuts into rows"):
        planned(in_cluster(data=data))


def test_a_cluster_that_gives_pods_no_role_is_refused() -> None:
    stated = cluster(has=["network-policies"], prometheus=None)
    with pytest.raises(PlanError, match="lacks pod-identity-agent"):
        planned(in_cluster(stated))
