"""What is written for pods that work off a queue: closed, and able to finish what they have begun."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.planning.builders import container
from tests.targets.eks.builders import auto_mode, cluster, manifests, planned_worker, queued, written_faults
from tests.targets.eks.test_manifests import DAEMONSETS, HARDWARE


def pod(stated: Any) -> dict[str, Any]:
    found: dict[str, Any] = manifests(stated)["deployment"]["spec"]["template"]["spec"]
    return found


def test_the_model_is_ready_before_the_worker_begins_and_ends_after_it() -> None:
    spec = pod(queued(instances={"allowed_families": ["g5"]}))
    loader, model = spec["initContainers"]
    (worker,) = spec["containers"]
    assert (loader["name"], model["name"], worker["name"]) == ("load-model", "model", "worker")
    assert model["restartPolicy"] == "Always"
    assert "restartPolicy" not in loader
    assert model["startupProbe"]["httpGet"] == {"path": "/ping", "port": "model"}
    assert model["resources"]["limits"]["nvidia.com/gpu"] == "1"
    # It gets the signal to end when the worker has ended, and needs no sleep of its own.
    assert "lifecycle" not in model


def test_a_worker_is_told_its_queue_and_where_answers_go() -> None:
    (worker,) = pod(queued())["containers"]
    told = {variable["name"]: variable["value"] for variable in worker["env"]}
    bucket = "s3://demo-dev-artifacts-111122223333-us-east-1/inference/plants"
    assert told == {
        "ANSWER_TIMEOUT_S": "1800",
        "AWS_REGION": "us-east-1",
        "ERROR_TOPIC_ARN": "arn:aws:sns:us-east-1:111122223333:demo-dev-plants-failures",
        "FAILURE_URI": f"{bucket}/failure/",
        "MAX_CONCURRENCY": "1",
        "MAX_RECEIVES": "3",
        "MODEL_URL": "http://127.0.0.1:8080/invocations",
        "OUTPUT_URI": f"{bucket}/output/",
        "PING_URL": "http://127.0.0.1:8080/ping",
        "QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/111122223333/demo-dev-plants",
        "SUCCESS_TOPIC_ARN": "arn:aws:sns:us-east-1:111122223333:demo-dev-plants-answers",
    }


def test_a_worker_of_many_large_requests_takes_what_the_model_leaves() -> None:
    one, many = queued(), queued(batching={"max_batch_size": 16, "max_delay_ms": 5})
    for stated, most in (
        (one, "256Mi"),
        (many, f"{128 + 64 * planned_worker(many).max_concurrent_requests}Mi"),
    ):
        (worker,) = pod(stated)["containers"]
        assert worker["resources"]["requests"]["memory"] == "256Mi"
        assert worker["resources"]["limits"]["memory"] == most


def test_a_pod_and_its_node_wait_for_the_longest_answer() -> None:
    stated = queued(latency={"max_wait_minutes": 240})
    assert pod(stated)["terminationGracePeriodSeconds"] == 3600 + 30
    pool = manifests(stated)["node-pool"]["spec"]
    # More than a pod takes, or Karpenter would end pods before anybody drains the node.
    assert pool["template"]["spec"]["terminationGracePeriod"] == "2h"
    # A node with a pod is never moved to save a little.
    assert pool["disruption"]["consolidationPolicy"] == "WhenEmpty"


def test_keda_counts_what_waits_and_what_is_worked_on() -> None:
    stated = queued(scaling={"scale_in_cooldown_s": 900})
    scaler = manifests(stated)["scaled-object"]["spec"]
    scaling = planned_worker(stated).scaling
    assert scaling is not None
    (trigger,) = scaler["triggers"]
    assert trigger["type"] == "aws-sqs-queue"
    assert trigger["metadata"] == {
        "queueURL": "https://sqs.us-east-1.amazonaws.com/111122223333/demo-dev-plants",
        "queueLength": str(int(scaling.target_value)),
        "awsRegion": "us-east-1",
        "scaleOnInFlight": "true",
    }
    assert (scaler["minReplicaCount"], scaler["cooldownPeriod"]) == (0, 900)
    # Without an answer of the queue, KEDA leaves the pods alone: a fallback would end them.
    assert "fallback" not in scaler


def test_keda_asks_with_a_role_of_its_own() -> None:
    found = manifests(queued())
    assert found["trigger-authentication"]["spec"] == {"podIdentity": {"provider": "aws"}}
    (trigger,) = found["scaled-object"]["spec"]["triggers"]
    assert trigger["authenticationRef"]["name"] == found["trigger-authentication"]["metadata"]["name"]


def test_a_fixed_number_of_pods_asks_nobody() -> None:
    found = manifests(queued(scaling={"min_instances": 2, "max_instances": 2}))
    assert found["deployment"]["spec"]["replicas"] == 2
    assert not {"scaled-object", "trigger-authentication"} & found.keys()


def test_nobody_calls_the_pods() -> None:
    found = manifests(queued())
    assert found["network-policy"]["spec"]["ingress"] == []
    assert "service" not in found
    ports = [port["port"] for rule in found["network-policy"]["spec"]["egress"] for port in rule["ports"]]
    assert ports == [53, 53, 80, 443]


def test_people_hear_of_pods_without_a_node() -> None:
    (rule,) = manifests(queued())["alert-rules"]["spec"]["groups"][0]["rules"]
    assert rule["alert"] == "SizewellPodsPending"
    # In the phase Pending is a pod, too, whose model loads.
    assert 'kube_pod_status_scheduled{namespace="demo-dev", condition="false"}' in rule["expr"]
    without = [component for component in cluster()["has"] if component != "kube-state-metrics"]
    assert "alert-rules" not in manifests(queued(cluster(has=without)))


@settings(deadline=None, max_examples=30)
@given(
    hardware=HARDWARE,
    daemonsets=DAEMONSETS,
    nodes=st.sampled_from([cluster, auto_mode]),
    rate=st.floats(0.01, 200),
    wait_minutes=st.floats(0.5, 400),
    most=st.none() | st.integers(1, 8),
)
def test_law_whatever_is_planned_is_legal_and_fits_every_type_that_is_listed(
    hardware: set[str],
    daemonsets: dict[str, Any],
    nodes: Any,
    rate: float,
    wait_minutes: float,
    most: int | None,
) -> None:
    image = container()["images"]["cuda"]
    stated = queued(
        nodes(daemonsets=daemonsets),
        {"max_endpoint_instances": 40},
        container=container(artifact={"key": "a.tar.gz"}, images=dict.fromkeys(sorted(hardware), image)),
        traffic={"peak_requests_per_second": rate, "average_requests_per_second": rate / 3},
        latency={"max_wait_minutes": wait_minutes},
        **({"scaling": {"max_instances": most}} if most else {}),
    )
    assert written_faults(stated) == []
