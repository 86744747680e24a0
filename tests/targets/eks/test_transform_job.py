"""A batch transform in a cluster: what is planned, what its pods are told, and that they fit their nodes."""

from typing import Any

import pytest

from sizewell.planning.errors import PlanError
from sizewell.targets.eks.legality import legality_faults
from sizewell.targets.eks.pod_requests import pod_requests
from tests.targets.eks.builders import (
    NAME,
    cluster,
    foundation,
    manifests,
    planned_transform,
    pod_template,
    transformed_in_cluster,
)

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


def test_a_run_is_a_job_whose_pods_share_the_objects_by_their_index() -> None:
    stated = transformed_in_cluster(**MANY, objective="least-latency")
    plan, bucket = planned_transform(stated), foundation(stated).artifact_bucket_name
    assert plan.instance_count > 1
    cron_job = manifests(stated)["cron-job"]["spec"]
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
    assert variables["DATA_URI"] == f"s3://{bucket}/rows/today/"
    assert variables["OUTPUT_URI"].endswith(f"/transform/{NAME}/$(RUN_NAME)/")
    # A variable is replaced where it stands before.
    assert next(iter(variables)) == "RUN_NAME"
    rules = job["podFailurePolicy"]["rules"]
    assert rules[1]["onExitCodes"]["containerName"] == program["name"]


def test_a_name_leaves_room_for_what_controllers_add_to_it() -> None:
    cron_job = manifests(transformed_in_cluster(**MANY))["cron-job"]
    for length, refused in ((50, False), (51, True)):
        cron_job["metadata"]["name"] = "n" * length
        faults = legality_faults([cron_job], instance_types=())
        assert any("have at most 63 characters" in fault.message for fault in faults) == refused


def test_the_model_is_ready_before_the_program_and_outlives_it() -> None:
    pod = pod_template(manifests(transformed_in_cluster()))["spec"]
    *_, model = pod["initContainers"]
    assert (model["name"], model["restartPolicy"]) == ("model", "Always")
    assert {"name": "SAGEMAKER_BATCH", "value": "true"} in model["env"]
    assert "configMap" not in str(pod["volumes"])


def test_the_room_of_the_program_is_not_the_models() -> None:
    stated = transformed_in_cluster()
    asked = pod_requests(pod_template(manifests(stated)))
    assert asked["memory"] == (planned_transform(stated).pod.memory_mib + 768) * 2**20


def test_the_pool_holds_all_pods_of_a_run() -> None:
    plan = planned_transform(transformed_in_cluster(**MANY, objective="least-latency"))
    assert plan.node_pool.max_nodes == plan.instance_count
    assert plan.node_pool.capacity_types == ("on-demand",)


def test_what_only_sagemaker_cuts_is_refused() -> None:
    data = {**MANY["data"], "split": "record-io", "content_type": "application/x-recordio"}
    with pytest.raises(PlanError, match="which only SageMaker cuts into rows"):
        planned_transform(transformed_in_cluster(data=data))


def test_a_cluster_that_gives_pods_no_role_is_refused() -> None:
    stated = cluster(has=["network-policies"], prometheus=None)
    with pytest.raises(PlanError, match="lacks pod-identity-agent"):
        planned_transform(transformed_in_cluster(stated))
