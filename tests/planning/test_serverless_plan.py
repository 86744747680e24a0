"""The plan of a serverless endpoint: on the numbers of the comparison of modes, and refused at the right key."""

import math
from typing import Any

import pytest

from sizewell.facts.alarms import ROLLBACK_ALARMS
from sizewell.kinds.serverless_endpoint.config import ServerlessEndpoint
from sizewell.kinds.serverless_endpoint.plan_model import ServerlessEndpointPlan
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.on_demand_choice import on_demand_needs
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.saved_plan import read_saved_plan
from sizewell.planning.saved_workload import SavedOnDemand
from sizewell.planning.serialization import plan_from_json, plan_to_json
from sizewell.serving_modes import Mode, compare_modes
from tests.planning.builders import CNN, IMAGE, environment, policy
from tests.serving_modes.builders import SMALL, in_region

#: Less than any cold start takes.
HASTY = {"max_p95_ms": 2_000}


def serverless(**changes: Any) -> ServerlessEndpoint:
    """Return an endpoint that is asked now and then, and may take a minute."""
    default = {
        "kind": "serverless-endpoint",
        "model": CNN,
        "container": {
            "images": {"cpu_x86_64": IMAGE},
            "artifact": {"key": "models/plants/model.tar.gz"},
        },
        "request": {"images": 1},
        "traffic": {"peak_requests_per_second": 10, "average_requests_per_second": 1},
        "latency": {"max_p95_ms": 60_000},
    }
    return ServerlessEndpoint.model_validate({**default, **changes})


def whole(workload: ServerlessEndpoint, **policy_changes: Any) -> DeploymentPlan:
    return build_plan(environment({"plants": workload}, policy=policy(**policy_changes)), SMALL)


def planned(workload: ServerlessEndpoint) -> ServerlessEndpointPlan:
    (plan,) = whole(workload).workloads
    assert isinstance(plan, ServerlessEndpointPlan)
    return plan


def faults_of(workload: ServerlessEndpoint) -> tuple[PlanFault, ...]:
    with pytest.raises(PlanError) as raised:
        whole(workload)
    return raised.value.faults


def test_a_model_package_stands_in_place_of_image_and_artifact() -> None:
    repository = {"account": "111122223333", "repository": "plants"}
    package = {"group": "plants", "version": 3, "hardware": "cpu_x86_64", "image_repository": repository}
    plan, named = planned(serverless(container={"model_package": package})), planned(serverless())
    assert plan.model_package is not None
    assert plan.model_package.arn.endswith("model-package/plants/3")
    assert (plan.image, plan.artifact_key, plan.sizes) == (None, None, named.sizes)
    assert any("the model package holds one container" in one for one in plan.assumptions)


@pytest.mark.parametrize("latency", [{"max_p95_ms": 60_000}, HASTY])
def test_it_is_what_the_comparison_of_modes_says(latency: dict[str, float]) -> None:
    workload = serverless(latency=latency)
    option = compare_modes(on_demand_needs(workload, policy()), SMALL).option(Mode.SERVERLESS)
    plan = planned(workload)
    assert (option.runs_on or "").startswith(f"{plan.memory_mb:,} MB")
    assert option.p95_latency_ms == plan.p95_latency_ms
    chosen = next(size for size in plan.sizes if size.memory_mb == plan.memory_mb)
    assert chosen.usd_per_month == pytest.approx(option.usd_per_month)
    line = whole(workload).bill.lines[0]
    amounts = [item.usd_per_month or 0 for item in line.items if item.service == "SageMaker"]
    assert sum(amounts) == pytest.approx(option.usd_per_month)


@pytest.mark.parametrize(
    ("container", "key", "reason"),
    [
        (
            {"network_isolation": True},
            ("network_isolation",),
            "serverless has no network isolation: a serverless endpoint has no network isolation",
        ),
        (
            {"artifact": {"key": "models/plants/", "compression": "none"}},
            ("artifact", "compression"),
            "serverless has no uncompressed artifact: a serverless endpoint takes no uncompressed artifact",
        ),
    ],
)
def test_what_no_serverless_endpoint_has_is_refused(
    container: dict[str, Any], key: tuple[str, ...], reason: str
) -> None:
    base = {"images": {"cpu_x86_64": IMAGE}, "artifact": {"key": "models/plants/model.tar.gz"}}
    (fault,) = faults_of(serverless(container={**base, **container}))
    assert (fault.key_path, fault.reason) == (("workloads", "plants", "container", *key), reason)


def test_every_memory_is_told_with_what_speaks_against_it() -> None:
    plan = planned(serverless())
    assert [size.memory_mb for size in plan.sizes] == [1024, 2048, 3072, 4096, 5120, 6144]
    why_not = {size.memory_mb: size.why_not for size in plan.sizes}
    assert why_not.pop(plan.memory_mb) == ()
    assert "less than one vCPU" in why_not[1024][0]
    assert why_not[6144] == ("2,048 MB will do",)
    assert [size.p95_latency_ms for size in plan.sizes] == sorted(
        (size.p95_latency_ms for size in plan.sizes), reverse=True
    )


def test_latency_decides_on_warm_workers() -> None:
    patient, hasty = planned(serverless()), planned(serverless(latency=HASTY))
    assert (patient.provisioned_concurrency, patient.average_provisioned_concurrency) == (None, 0)
    assert hasty.provisioned_concurrency is not None
    assert hasty.average_provisioned_concurrency == hasty.provisioned_concurrency > 1
    assert hasty.max_concurrency >= hasty.provisioned_concurrency
    assert hasty.scaling is None


def test_what_is_stated_is_taken() -> None:
    plan = planned(serverless(memory_mb=4096, max_concurrency=50, provisioned_concurrency=7))
    assert (plan.memory_mb, plan.max_concurrency, plan.provisioned_concurrency) == (4096, 50, 7)
    assert planned(serverless(latency=HASTY, provisioned_concurrency=0)).provisioned_concurrency is None


def test_provisioned_concurrency_follows_load_and_clock() -> None:
    schedules = {
        "nights": {"at": "20:00", "max_provisioned_concurrency": 1},
        "days": {"at": "08:00", "min_provisioned_concurrency": 4, "max_provisioned_concurrency": 9},
    }
    traffic = {"peak_requests_per_second": 20, "average_requests_per_second": 10}
    plan = planned(
        serverless(traffic=traffic, latency=HASTY, scaling={"headroom": 0.5, "schedules": schedules})
    )
    scaling = plan.scaling
    assert scaling is not None
    assert (scaling.min_provisioned_concurrency, scaling.target_utilization) == (1, 0.5)
    assert [
        (one.name, one.schedule, one.min_provisioned_concurrency, one.max_provisioned_concurrency)
        for one in scaling.scheduled_actions
    ] == [("days", "cron(0 8 * * ? *)", 4, 9), ("nights", "cron(0 20 * * ? *)", 1, 1)]
    # By day what the average load wants with half of it free, between the bounds; by night the most of one.
    wanted = math.ceil(10 * plan.service_time_ms / 1000 / 0.5)
    assert 4 < wanted < 9
    assert plan.average_provisioned_concurrency == pytest.approx((wanted + 1) / 2)
    assert plan.max_concurrency >= 9


def test_users_are_as_many_at_once_as_they_are() -> None:
    users = {"peak_concurrent_users": 12, "average_concurrent_users": 3}
    plan = planned(serverless(traffic=users, latency=HASTY))
    assert plan.provisioned_concurrency == 12
    assert plan.requests_per_month == pytest.approx(3 / (plan.service_time_ms / 1000) * 730 * 3600, rel=0.01)


def test_alarms_are_on_what_a_serverless_endpoint_publishes() -> None:
    cold, warm = planned(serverless()), planned(serverless(latency=HASTY))
    assert "model_error_rate" not in cold.alarms
    assert set(ROLLBACK_ALARMS) - set(cold.alarms) == {"model_error_rate"}
    assert warm.alarms.keys() - cold.alarms.keys() == {"provisioned_concurrency_spillover"}
    assert warm.alarms["model_setup_time"].threshold == pytest.approx(warm.cold_start_s * 2000)


@pytest.mark.parametrize(
    ("changes", "key", "reason"),
    [
        (
            {"model": {**CNN, "parameters_millions": 1500}},
            ("model",),
            "memory: needs 6.1 GiB, at most 6 GiB",
        ),
        (
            {"model": {**CNN, "parameters_millions": 9000}},
            ("model",),
            "memory: as estimated on ml.c9.xlarge: needs ",
        ),
        ({"latency": {"max_p95_ms": 10}}, ("latency", "max_p95_ms"), "latency: p95 of "),
        (
            {"model": {**CNN, "forward_gflops_per_image": 1e6}},
            ("latency", "max_p95_ms"),
            "duration: one request takes ",
        ),
        (
            {"traffic": {"peak_requests_per_second": 1e5, "average_requests_per_second": 1}},
            ("traffic",),
            "con",
        ),
        ({"max_concurrency": 1}, ("max_concurrency",), "concurrency: "),
        (
            {
                "container": {
                    "images": {"cpu_x86_64": IMAGE},
                    "artifact": {"key": "models/plants/model.tar.gz", "size_gib": 5.5},
                }
            },
            ("container", "artifact"),
            "disk: the artifact has 5.5 GiB, at most 5 GiB are there; no serverless endpoint does better",
        ),
        (
            {"memory_mb": 1024, "latency": {"max_p95_ms": 150}, "provisioned_concurrency": 0},
            ("memory_mb",),
            "latency: p95 of ",
        ),
        ({"scaling": {}}, ("scaling",), "has no effect: the latency leaves time for a cold start of 5 s"),
        ({"max_usd_per_month": 0.5}, ("max_usd_per_month",), "costs "),
        (
            {"alarms": {"provisioned_concurrency_spillover": {"period_s": 300}}},
            ("alarms", "provisioned_concurrency_spillover"),
            "has no effect: nothing is provisioned",
        ),
    ],
)
def test_what_does_not_fit_is_said_at_its_key(
    changes: dict[str, Any], key: tuple[str, ...], reason: str
) -> None:
    found = [fault for fault in faults_of(serverless(**changes)) if fault.reason.startswith(reason)]
    assert [fault.key_path for fault in found] == [("workloads", "plants", *key)]


def test_an_artifact_of_no_stated_size_is_as_large_as_the_weights() -> None:
    large = {**CNN, "parameters_millions": 2700, "precision": "fp16"}  # 5.03 GiB
    assert ("workloads", "plants", "container", "artifact") in [
        fault.key_path for fault in faults_of(serverless(model=large))
    ]


def test_the_best_that_there_is_is_told() -> None:
    (fault,) = faults_of(serverless(latency={"max_p95_ms": 10}))
    assert "on 3.5 vCPUs (6,144 MB), 10 ms asked; no serverless endpoint does better" in fault.reason
    assert fault.hint is not None
    assert "write kind: real-time-endpoint" in fault.hint


def test_a_margin_asks_for_more_memory() -> None:
    tight = planned(serverless()).p95_latency_ms * 1.05
    without, with_margin = (
        planned(serverless(latency={"max_p95_ms": tight}, provisioned_concurrency=0, margin=margin))
        for margin in (0, 0.5)
    )
    assert without.memory_mb < with_margin.memory_mb


def test_an_unknown_price_is_none() -> None:
    workloads = {"plants": serverless(latency=HASTY)}
    region = policy(region="eu-west-1")
    plan = build_plan(environment(workloads, policy=region), in_region("eu-west-1"))
    items = {item.name: item.usd_per_month for item in plan.bill.lines[0].items}
    assert items["provisioned concurrency"] is None
    assert plan.bill.unknown == ("plants",)


def test_it_survives_json_and_a_review_reads_it() -> None:
    plan = whole(serverless(latency=HASTY))
    text = plan_to_json(plan)
    assert plan_to_json(plan_from_json(text)) == text
    (saved,) = read_saved_plan(text.encode()).of(SavedOnDemand)
    (endpoint,) = plan.workloads
    assert isinstance(endpoint, ServerlessEndpointPlan)
    assert (saved.name, saved.memory_mb) == ("plants", endpoint.memory_mb)
    assert saved.average_provisioned_concurrency == endpoint.average_provisioned_concurrency


def test_serverless_endpoints_share_a_concurrency() -> None:
    name = "Maximum total concurrency that can be allocated across all serverless endpoints"
    assert [tuple(one) for one in planned(serverless()).quotas] == [
        ("sagemaker", name, planned(serverless()).max_concurrency)
    ]
