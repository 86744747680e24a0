"""What is written for a cluster: closed, and what an operator looks for."""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from sizewell.config.environment import Environment
from sizewell.targets.eks.cluster import EksCluster
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan
from sizewell.targets.eks.manifests import queries
from sizewell.targets.eks.manifests.monitoring import alert_rules
from tests.planning.builders import CNN, DECODER, container
from tests.targets.eks.builders import auto_mode, cluster, in_cluster, manifests, planned, written_faults


def test_a_model_gets_the_contract_of_sagemaker() -> None:
    spec = manifests(in_cluster())["deployment"]["spec"]["template"]["spec"]
    (model,) = spec["containers"]
    assert model["args"] == ["serve"]
    assert model["ports"] == [{"name": "model", "containerPort": 8080}]
    assert {probe["httpGet"]["path"] for probe in (model["startupProbe"], model["livenessProbe"])} == {
        "/ping"
    }
    loader, proxy = spec["initContainers"]
    variables = {variable["name"]: variable["value"] for variable in loader["env"]}
    assert variables["MODEL_URI"].endswith("/models/plants/model.tar.gz")
    assert proxy["restartPolicy"] == "Always"
    # Our programs write to volumes alone; where a model writes, nobody knows.
    assert [
        container["securityContext"].get("readOnlyRootFilesystem") for container in (loader, proxy, model)
    ] == [True, True, None]
    # A pod gets the signal to end when its requests have ended.
    sleep_s = model["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert 60 < sleep_s < spec["terminationGracePeriodSeconds"]


def test_a_pod_starts_as_long_as_the_plan_allows() -> None:
    stated = in_cluster()
    probe = manifests(stated)["deployment"]["spec"]["template"]["spec"]["containers"][0]["startupProbe"]
    assert probe["failureThreshold"] * probe["periodSeconds"] >= planned(stated).pod.startup_s


def test_replicas_are_stated_where_no_scaler_says_them() -> None:
    scaled = manifests(in_cluster())
    assert "replicas" not in scaled["deployment"]["spec"]
    assert scaled["scaled-object"]["spec"]["scaleTargetRef"] == {"name": "plants"}
    fixed = manifests(in_cluster(scaling={"min_instances": 2, "max_instances": 2}))
    assert fixed["deployment"]["spec"]["replicas"] == 2
    assert "scaled-object" not in fixed


def test_without_an_answer_of_prometheus_no_pod_goes() -> None:
    fallback = manifests(in_cluster())["scaled-object"]["spec"]["fallback"]
    assert fallback["behavior"] == "currentReplicasIfHigher"


@pytest.mark.parametrize("signal", ["invocations", "concurrency"])
def test_pods_that_nobody_asked_yet_have_no_load_and_pods_that_nobody_sees_have_none_known(
    signal: str,
) -> None:
    stated = in_cluster(scaling={"max_instances": 4, "track": {signal: {"target": 4}}})
    (trigger,) = manifests(stated)["scaled-object"]["spec"]["triggers"]
    counted, _, otherwise = trigger["metadata"]["query"].partition(" or ")
    assert counted.startswith("sum(")
    # No pod that is scraped: the comparison leaves nothing, and nothing times 0 is no answer.
    assert re.fullmatch(r"sum\(up\{[^{}]+\} == 1\) \* 0", otherwise)
    assert trigger["metadata"]["ignoreNullValues"] == "false"


MATCHER = re.compile(r'(\w+)(=~|=)"([^"]*)"')
NAMES = st.from_regex(r"[a-z](-?[a-z0-9]{1,3}){0,4}", fullmatch=True)
#: kubernetes/apimachinery pkg/util/rand/rand.go: of these are the ends of the names of a ReplicaSet and of its pods.
ENDS = st.text("bcdfghjklmnpqrstvwxz2456789", min_size=5, max_size=10)


@cache
def one_plan() -> EksDeploymentPlan:
    return planned(in_cluster())


def questions(plan: EksDeploymentPlan) -> list[str]:
    """Return all that Prometheus is asked of a workload."""
    asked = [queries.load(plan, signal) for signal in ("concurrency", "invocations")]
    asked += [queries.alarm(plan, name, alarm) for name, alarm in plan.alarms.items()]
    return [*asked, *(rule["expr"] for rule in alert_rules(plan)["spec"]["groups"][0]["rules"])]


def selects(selector: str, labels: Mapping[str, str]) -> bool:
    """Tell whether a series with these labels is in a selector."""
    return all(
        re.fullmatch(value, labels.get(label, "")) if operator == "=~" else labels.get(label, "") == value
        for label, operator, value in MATCHER.findall(selector)
    )


@given(own=NAMES, more=NAMES, end=ENDS, namespaces=st.sampled_from([("a", "a"), ("a", "a-b")]))
def test_law_no_question_about_a_workload_is_answered_by_another_one(
    own: str, more: str, end: str, namespaces: tuple[str, str]
) -> None:
    plan = one_plan()
    plan = plan.model_copy(
        update={"name": own, "cluster": plan.cluster.model_copy(update={"namespace": namespaces[0]})}
    )

    def labels(name: str, namespace: str) -> dict[str, str]:
        """Return what a series of a workload may be told by: where its name is a part of a label, it is a whole one."""
        return {
            "namespace": namespace,
            "job": f"{namespace}/{name}",
            "deployment": name,
            "owner_kind": "ReplicaSet",
            "owner_name": f"{name}-{end}",
            "pod": f"{name}-{end}-{end[:5]}",
        }

    for question in questions(plan):
        told = [
            selector
            for selector in re.findall(r"\{([^{}]*)\}", question)
            if {"job", "deployment", "owner_name", "pod"}
            & {label for label, _, _ in MATCHER.findall(selector)}
        ]
        assert told
        for selector in told:
            # Labels of what is counted, beside those that tell the workloads apart.
            counted = {
                label: value
                for label, _, value in MATCHER.findall(selector)
                if label not in labels(own, namespaces[0])
            }
            assert selects(selector, counted | labels(own, namespaces[0]))
            others = [(f"{own}-{more}", namespaces[0]), (f"{own}-{more}", namespaces[1])]
            others += [(own, namespaces[1])] if namespaces[0] != namespaces[1] else []
            for other in others:
                assert not selects(selector, counted | labels(*other))


def alerts(stated: Environment) -> dict[str, dict[str, Any]]:
    rules = manifests(stated)["alert-rules"]["spec"]["groups"][0]["rules"]
    return {rule["alert"]: rule for rule in rules}


def test_an_outage_that_no_proxy_counts_is_heard_of() -> None:
    counted = alerts(in_cluster())["SizewellNoPodAvailable"]
    assert re.fullmatch(r"sum\(kube_deployment_status_replicas_available\{[^{}]+\}\) == 0", counted["expr"])
    assert 'deployment="plants"' in counted["expr"]
    without = [part for part in cluster()["has"] if part != "kube-state-metrics"]
    scraped = alerts(in_cluster(cluster(has=without)))["SizewellNoPodAvailable"]
    # A pod that cannot be scraped is up == 0, and a target that is gone is nothing at all.
    assert re.fullmatch(r"absent\(up\{[^{}]+\} == 1\)", scraped["expr"])
    assert scraped["annotations"]["description"].startswith("Look first at: ")


def test_a_gpu_that_is_broken_is_told_where_the_exporter_counts_it() -> None:
    counted = cluster(has=[*cluster()["has"], "dcgm-exporter"])

    def alerts_on(hardware: str, of: dict[str, Any]) -> dict[str, dict[str, Any]]:
        images = {hardware: container()["images"]["cuda"]}
        return alerts(in_cluster(of, container=container(artifact={"key": "a.tar.gz"}, images=images)))

    assert "SizewellGpuBroken" not in alerts_on("cuda", cluster()) | alerts_on("cpu_x86_64", counted)
    asked = alerts_on("cuda", counted)["SizewellGpuBroken"]["expr"]
    # The labels of the exporter, whether Prometheus keeps its own or not; 13 and 31 are errors of the model.
    for namespace in ("namespace", "exported_namespace"):
        (codes,) = re.findall(
            rf'DCGM_FI_DEV_XID_ERRORS\{{{namespace}="demo-dev", err_code=~"([0-9|]+)"\}}', asked
        )
        assert {"48", "79"} <= {*codes.split("|")}
        assert not {"0", "13", "31"} & {*codes.split("|")}
        assert f'DCGM_FI_DEV_ROW_REMAP_FAILURE{{{namespace}="demo-dev"}} > 0' in asked
    assert asked.endswith(
        'and on (pod) kube_pod_owner{namespace="demo-dev", owner_kind="ReplicaSet", owner_name=~"plants-[a-z0-9]+"}) > 0'
    )


@pytest.mark.parametrize("lacks", ["prometheus", "kube-state-metrics"])
def test_an_exporter_that_nobody_asks_is_refused(lacks: str) -> None:
    has = [component for component in [*cluster()["has"], "dcgm-exporter"] if component != lacks]
    without = {"prometheus": None} if lacks == "prometheus" else {}
    with pytest.raises(ValidationError, match=f"lacks {lacks}, without which dcgm-exporter has no effect"):
        EksCluster.model_validate(cluster(has=has, **without))


def test_a_burst_of_errors_counts_though_it_is_the_first() -> None:
    errors = alerts(in_cluster())["SizewellModelErrors"]["expr"].partition(" / ")[0]
    found = re.fullmatch(r"sum\(increase\((.+)\[(\w+)\]\) and (.+) offset (\w+) or (.+)\)", errors)
    assert found is not None
    assert found[1] == found[3] == found[5]
    assert found[2] == found[4]


@pytest.mark.parametrize(
    ("nodes", "hardware", "present"),
    [(cluster, "cuda", True), (auto_mode, "cuda", False), (cluster, "cpu_x86_64", False)],
)
def test_nodes_with_gpus_get_the_device_plugin_of_nvidia(nodes: Any, hardware: str, present: bool) -> None:
    image = container()["images"]["cuda"]
    stated = in_cluster(nodes(), container=container(artifact={"key": "a.tar.gz"}, images={hardware: image}))
    template = manifests(stated)["node-pool"]["spec"]["template"]
    found = template.get("metadata", {}).get("labels", {})
    assert found == ({"nvidia.com/gpu.present": "true"} if present else {})


def test_a_pod_that_streams_ends_when_its_longest_stream_has() -> None:
    engine: dict[str, Any] = {
        "model": DECODER,
        "engine": "llm-engine",
        "request": {"input_tokens": 200, "output_tokens": 50},
        "latency": {"max_p95_ms": 30_000},
    }
    for stated, drain_s in ((in_cluster(**engine), 15 + 480), (in_cluster(), 15 + 60)):
        spec = manifests(stated)["deployment"]["spec"]["template"]["spec"]
        assert spec["containers"][0]["lifecycle"]["preStop"]["sleep"]["seconds"] == drain_s
        assert spec["terminationGracePeriodSeconds"] == drain_s + 30


def test_alerts_of_two_environments_are_told_apart() -> None:
    here, there = (alerts(in_cluster(cluster(**of))) for of in ({}, {"namespace": "shop", "name": "other"}))
    assert {(rule["labels"]["namespace"], rule["labels"]["cluster"]) for rule in here.values()} == {
        ("demo-dev", "company-ml")
    }
    assert {(rule["labels"]["namespace"], rule["labels"]["cluster"]) for rule in there.values()} == {
        ("shop", "other")
    }


def test_a_rollout_has_room_for_one_pod_more() -> None:
    written = manifests(in_cluster(scaling={"max_instances": 3}, instances={"allowed_families": ["g5"]}))
    assert written["deployment"]["spec"]["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}
    # The pods, one more for the rollout, and as many nodes of the generation before.
    assert written["node-pool"]["spec"]["limits"]["nvidia.com/gpu"] == "8"
    assert written["disruption-budget"]["spec"]["maxUnavailable"] == 1


def test_other_files_of_the_contract_replace_the_pods() -> None:
    usual, stricter = in_cluster(), in_cluster(latency={"max_p95_ms": 987})
    names = [manifests(stated)["configuration"]["metadata"]["name"] for stated in (usual, stricter)]
    assert names[0] != names[1]
    mounted = manifests(stricter)["deployment"]["spec"]["template"]["spec"]["volumes"][-1]
    assert mounted["configMap"]["name"] == names[1]


def test_the_bound_of_an_alarm_is_a_bucket_of_the_histogram() -> None:
    written = manifests(in_cluster(latency={"max_p95_ms": 987}))
    proxy = json.loads(written["configuration"]["data"]["envoy.json"])
    (histogram,) = proxy["stats_config"]["histogram_bucket_settings"]
    assert 987 in histogram["buckets"]
    rules = written["alert-rules"]["spec"]["groups"][0]["rules"]
    latency = next(rule for rule in rules if rule["alert"] == "SizewellModelLatency")
    assert 'le="987"' in latency["expr"]
    assert latency["expr"].endswith("> 0.05")


def test_pods_are_called_by_those_who_say_so_and_call_what_they_must() -> None:
    policy = manifests(in_cluster())["network-policy"]["spec"]
    callers, prometheus = policy["ingress"]
    assert callers["from"][0]["podSelector"] == {"matchLabels": {"sizewell/calls-plants": "true"}}
    assert callers["ports"] == [{"protocol": "TCP", "port": 8081}]
    assert prometheus["ports"] == [{"protocol": "TCP", "port": 9902}]
    ports = [port["port"] for rule in policy["egress"] for port in rule["ports"]]
    assert ports == [53, 53, 80, 443]


MODELS = st.sampled_from(
    [
        {"model": CNN, "request": {"images": 1}, "latency": {"max_p95_ms": 2000}},
        {
            "model": DECODER,
            "engine": "llm-engine",
            "request": {"input_tokens": 200, "output_tokens": 50},
            "latency": {"max_p95_ms": 30_000},
        },
        {
            "model": {**DECODER, "parameters_millions": 13_000, "layers": 40, "hidden_size": 5120},
            "engine": "llm-engine",
            "request": {"input_tokens": 200, "output_tokens": 50},
            "latency": {"max_p95_ms": 60_000},
        },
    ]
)
HARDWARE = st.sets(st.sampled_from(["cuda", "neuron", "cpu_x86_64", "cpu_arm64"]), min_size=1)
DAEMONSETS = st.builds(
    lambda cpu, memory, pods: {"cpu": f"{cpu}m", "memory": f"{memory}Mi", "pods": pods},
    st.integers(0, 3000),
    st.integers(0, 6000),
    st.integers(0, 30),
)


@settings(deadline=None, max_examples=60)
@given(
    model=MODELS,
    hardware=HARDWARE,
    daemonsets=DAEMONSETS,
    nodes=st.sampled_from([cluster, auto_mode]),
    rate=st.floats(0.01, 200),
    most=st.none() | st.integers(1, 8),
)
def test_law_whatever_is_planned_is_legal_and_fits_every_type_that_is_listed(
    model: dict[str, Any],
    hardware: set[str],
    daemonsets: dict[str, Any],
    nodes: Any,
    rate: float,
    most: int | None,
) -> None:
    image = container()["images"]["cuda"]
    stated = in_cluster(
        nodes(daemonsets=daemonsets),
        {"max_endpoint_instances": 40},
        **model,
        container=container(artifact={"key": "a.tar.gz"}, images=dict.fromkeys(sorted(hardware), image)),
        traffic={"peak_requests_per_second": rate, "average_requests_per_second": rate / 3},
        **({"scaling": {"max_instances": most}} if most else {}),
    )
    assert written_faults(stated) == []
