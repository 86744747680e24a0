"""What is written for a training in a cluster: closed, and one pod at a time."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.instance_selection import load_catalog
from sizewell.targets.contract import program
from sizewell.targets.eks.proof import unsound
from tests.planning.builders import container
from tests.targets.eks.builders import (
    cluster,
    foundation,
    planned_job,
    pods_on_each_type,
    trained_in_cluster,
    written_faults,
)
from tests.targets.eks.builders import manifests as manifests_of
from tests.targets.eks.test_proof import CLUSTERS, HAS

CODE = {"code": {"prefix": "code/plants/", "command": ["python3", "train.py"]}}


def run(manifests: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = manifests["cron-job"]["spec"]["jobTemplate"]["spec"]
    return found


def pod(manifests: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = run(manifests)["template"]["spec"]
    return found


def variables(manifests: Mapping[str, Any]) -> dict[str, str]:
    (train,) = pod(manifests)["containers"]
    return {variable["name"]: variable.get("value", "") for variable in train["env"]}


@settings(max_examples=20, deadline=None)
@given(
    size_gib=st.floats(0.1, 2000),
    families=st.sampled_from([["g4dn", "g5", "g6"], ["c6i", "c7i", "m7i"], ["p4d", "p5"]]),
    mode=st.sampled_from(["karpenter", "auto mode"]),
)
def test_a_run_fits_each_type_and_has_it_to_itself(size_gib: float, families: list[str], mode: str) -> None:
    dataset = {"prefix": "datasets/plants/", "size_gib": size_gib, "examples": 1000}
    stated = trained_in_cluster(CLUSTERS[mode], dataset=dataset, instances={"allowed_families": families})
    assert written_faults(stated) == []
    assert pods_on_each_type(stated) == {1}


def test_a_volume_that_is_too_small_for_the_dataset_would_be_found() -> None:
    stated = trained_in_cluster()
    plan = planned_job(stated)
    small = plan.model_copy(update={"node_pool": plan.node_pool.model_copy(update={"volume_size_gib": 20})})
    reasons = [fault.reason for fault in unsound(small, foundation(stated), load_catalog("us-east-1"))]
    assert any("ephemeral-storage" in reason for reason in reasons)


def test_the_program_around_the_script_comes_with_the_run() -> None:
    (train,) = pod(manifests_of(trained_in_cluster()))["containers"]
    assert train["command"] == ["python3", "-c", program("train_model")]
    # Kubernetes would put variables in place of $(NAME), and $ in place of $$.
    assert "$" not in train["command"][2]
    assert "args" not in train


def test_the_program_gets_what_the_contract_names() -> None:
    stated = trained_in_cluster(
        container=container(hyperparameters={"epochs": 3}, environment={"SEED": "7"}, **CODE)
    )
    manifests = manifests_of(stated)
    found = variables(manifests)
    artifacts = "s3://demo-dev-artifacts-111122223333-us-east-1"
    assert json.loads(found["CHANNELS"]) == {
        "code": f"{artifacts}/code/plants/",
        "training": f"{artifacts}/datasets/plants/",
    }
    hyperparameters = json.loads(found["HYPERPARAMETERS"])
    assert hyperparameters["epochs"] == "3"
    assert hyperparameters["sagemaker_program"] == "train.py"
    assert found["OUTPUT_URI"] == f"{artifacts}/output/plants/"
    assert found["CHECKPOINT_URI"] == "s3://demo-dev-checkpoints-111122223333-us-east-1/plants/"
    assert found["SEED"] == "7"
    (train,) = pod(manifests)["containers"]
    (named,) = (variable for variable in train["env"] if variable["name"] == "RUN_NAME")
    # The pods of a run have its name in common, and so its checkpoints.
    assert named["valueFrom"] == {
        "fieldRef": {"fieldPath": "metadata.labels['batch.kubernetes.io/job-name']"}
    }
    assert found["SIZEWELL_CHECKPOINT_DIR"] == "/opt/ml/checkpoints"


def test_only_a_script_that_is_fetched_hides_the_folder_of_the_image_which_the_toolkit_replaces() -> None:
    def folders(**changes: Any) -> set[str]:
        (train,) = pod(manifests_of(trained_in_cluster(container=container(**changes))))["containers"]
        return {mount["mountPath"] for mount in train["volumeMounts"]}

    assert folders(**CODE) == {"/opt/ml", "/dev/shm"}
    assert not any("/opt/ml/code".startswith(folder) for folder in folders())


def test_without_checkpoints_nothing_is_restored() -> None:
    found = variables(manifests_of(trained_in_cluster(spot=None, checkpoint=None)))
    assert found["CHECKPOINT_URI"] == ""
    assert "SIZEWELL_CHECKPOINT_DIR" not in found


def test_an_interruption_goes_on_a_failure_ends_the_run_and_no_two_pods_train() -> None:
    spec = run(manifests_of(trained_in_cluster()))
    disrupted, failed = spec["podFailurePolicy"]["rules"]
    assert (disrupted["action"], disrupted["onPodConditions"][0]["type"]) == ("Ignore", "DisruptionTarget")
    assert (failed["action"], failed["onExitCodes"]["operator"]) == ("FailJob", "NotIn")
    assert failed["onExitCodes"]["values"] == [137, 143]
    assert (
        failed["onExitCodes"]["containerName"]
        == pod(manifests_of(trained_in_cluster()))["containers"][0]["name"]
    )
    assert spec["podReplacementPolicy"] == "Failed"
    assert "parallelism" not in spec


def test_a_spot_instance_that_goes_tells_the_pod_in_time() -> None:
    manifests = manifests_of(trained_in_cluster())
    assert pod(manifests)["terminationGracePeriodSeconds"] == 120
    # With the annotation, Karpenter evicts no pod of a Spot Instance that EC2 takes back.
    assert "annotations" not in run(manifests)["template"]["metadata"]
    (budget,) = manifests["node-pool"]["spec"]["disruption"]["budgets"]
    assert budget == {"nodes": "0", "reasons": ["Drifted", "Underutilized"]}


def test_no_node_is_replaced_below_a_run_and_two_at_most_are_launched() -> None:
    plan, manifests = planned_job(trained_in_cluster()), manifests_of(trained_in_cluster())
    pool = manifests["node-pool"]["spec"]
    assert pool["template"]["spec"]["expireAfter"] == "Never"
    assert pool["limits"]["cpu"] == str(2 * plan.node_pool.vcpus)
    auto = manifests_of(trained_in_cluster(CLUSTERS["auto mode"]))["node-pool"]["spec"]["template"]["spec"]
    hours = [int(auto[key].removesuffix("h")) for key in ("expireAfter", "terminationGracePeriod")]
    assert sum(hours) <= 21 * 24


def test_nobody_calls_a_run_and_it_calls_nothing_but_aws() -> None:
    spec = manifests_of(trained_in_cluster())["network-policy"]["spec"]
    assert spec["ingress"] == []
    assert [port["port"] for rule in spec["egress"] for port in rule["ports"]] == [53, 53, 80, 443]


def test_alerts_are_written_where_somebody_reads_them() -> None:
    rules = manifests_of(trained_in_cluster())["alert-rules"]["spec"]["groups"][0]["rules"]
    assert [rule["alert"] for rule in rules] == ["SizewellRunFailed", "SizewellPodsPending"]
    assert all('owner_name="plants"' in rule["expr"] for rule in rules)
    without = [component for component in HAS if component != "kube-state-metrics"]
    assert "alert-rules" not in manifests_of(trained_in_cluster(cluster(has=without)))


@pytest.mark.parametrize(
    ("schedule", "days"),
    [
        ({"every": "day"}, 1),
        ({"every": "week", "weekday": "MON"}, 7),
        ({"every": "month"}, 31),
        ({"every": "day", "enabled": False}, None),
        (None, None),
    ],
)
def test_people_hear_where_no_run_succeeds_in_time(schedule: Any, days: int | None) -> None:
    stated = trained_in_cluster(schedule=schedule, deadline_hours=10)
    rules = manifests_of(stated)["alert-rules"]["spec"]["groups"][0]["rules"]
    asked = [rule["expr"] for rule in rules if rule["alert"] == "SizewellNoRunSucceeded"]
    if days is None:
        assert asked == []
        return
    # A run may start an hour late, and the night in which clocks go back has an hour more.
    seconds = (days * 24 + 10 + 2) * 3600
    of = '{namespace="demo-dev", cronjob="plants"}'
    assert asked == [
        f"time() - max(kube_cronjob_status_last_successful_time{of} or kube_cronjob_created{of}) > {seconds} "
        f"unless max(max_over_time(kube_cronjob_spec_suspend{of}[{seconds}s])) == 1"
    ]


@pytest.mark.parametrize(
    ("schedule", "written", "suspended"),
    [
        (
            {"every": "week", "weekday": "SUN", "at": "02:30", "time_zone": "Europe/Berlin"},
            "30 2 * * 0",
            False,
        ),
        ({"every": "day", "at": "03:00", "enabled": False}, "0 3 * * *", True),
        ({"every": "month", "day_of_month": 28, "at": "00:05"}, "5 0 28 * *", False),
        (None, "0 0 31 2 *", True),
    ],
)
def test_runs_start_when_the_configuration_says(schedule: Any, written: str, suspended: bool) -> None:
    spec = manifests_of(trained_in_cluster(schedule=schedule))["cron-job"]["spec"]
    assert (spec["schedule"], spec["suspend"]) == (written, suspended)
    assert spec["timeZone"] == (schedule or {}).get("time_zone", "UTC" if schedule else "Etc/UTC")
    assert spec["concurrencyPolicy"] == "Forbid"
