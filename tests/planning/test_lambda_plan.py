"""The plan of a Lambda function: on the numbers of the comparison of modes, and refused at the right key."""

from typing import Any

import pytest

from sizewell.kinds.endpoint.config import ModeEndpoint
from sizewell.kinds.lambda_function.config import LambdaFunction
from sizewell.kinds.lambda_function.plan_model import LambdaFunctionPlan
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.on_demand_choice import on_demand_needs
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.saved_plan import read_saved_plan
from sizewell.planning.saved_workload import SavedOnDemand
from sizewell.planning.serialization import plan_from_json, plan_to_json
from sizewell.serving_modes import Mode, compare_modes
from tests.instance_selection.builders import catalog, cpu_instance
from tests.planning.builders import CNN, environment, policy
from tests.serving_modes.builders import CPU_USD, EVERY_USE, SMALL

#: Less than any cold start takes.
HASTY = {"max_p95_ms": 2_000}
OWN = {"account": "111122223333", "repository": "plants", "tag": "7"}
ARTIFACT = {"key": "models/plants/model.tar.gz", "size_gib": 1}
PROXY = {
    "mode": "existing",
    "vpc_id": "vpc-0123abcd",
    "subnet_ids": ["subnet-0123abcd", "subnet-0123abce"],
    "proxy": {"url": "http://proxy.example.com:3128", "bypass": [".example.com"]},
}
BOTH_CPUS = catalog(
    cpu_instance(usages=EVERY_USE),
    cpu_instance("ml.c9g.xlarge", usages=EVERY_USE, cpu_architecture="arm64"),
    usd_per_hour={"ml.c9.xlarge": CPU_USD, "ml.c9g.xlarge": CPU_USD},
)


def stated(**changes: Any) -> dict[str, Any]:
    """Return a workload that is asked now and then, and may take a minute."""
    default = {
        "kind": "lambda-function",
        "model": CNN,
        "container": {"images": {"cpu_x86_64": OWN}},
        "request": {"images": 1},
        "traffic": {"peak_requests_per_second": 10, "average_requests_per_second": 1},
        "latency": {"max_p95_ms": 60_000},
    }
    return {**default, **changes}


def function(**changes: Any) -> LambdaFunction:
    return LambdaFunction.model_validate(stated(**changes))


def whole(workload: LambdaFunction | ModeEndpoint, types: Any = SMALL) -> DeploymentPlan:
    return build_plan(environment({"plants": workload}, policy=policy()), types)


def planned(workload: LambdaFunction | ModeEndpoint, types: Any = SMALL) -> LambdaFunctionPlan:
    (plan,) = whole(workload, types).workloads
    assert isinstance(plan, LambdaFunctionPlan)
    return plan


def faults_of(workload: LambdaFunction | ModeEndpoint) -> tuple[PlanFault, ...]:
    with pytest.raises(PlanError) as raised:
        whole(workload)
    return raised.value.faults


@pytest.mark.parametrize("latency", [{"max_p95_ms": 60_000}, HASTY])
def test_it_is_what_the_comparison_of_modes_says(latency: dict[str, float]) -> None:
    workload = function(latency=latency)
    option = compare_modes(on_demand_needs(workload, policy()), SMALL).option(Mode.LAMBDA)
    plan = planned(workload)
    assert (option.runs_on or "").startswith(f"{plan.memory_mb:,} MB")
    assert option.p95_latency_ms == plan.p95_latency_ms
    assert plan.usd_per_month == pytest.approx(option.usd_per_month)
    amounts = [item.usd_per_month for item in whole(workload).bill.lines[0].items if item.service == "Lambda"]
    assert sum(amount or 0 for amount in amounts) == pytest.approx(option.usd_per_month)


def test_the_thousands_of_memories_are_told_by_the_gigabyte() -> None:
    plan = planned(function(latency={"max_p95_ms": 150}, provisioned_concurrency=0))
    told = [size.memory_mb for size in plan.sizes]
    assert plan.memory_mb not in range(1024, 10_241, 1024)
    assert told == sorted({plan.memory_mb, *range(1024, 10_241, 1024)})
    assert next(size.why_not for size in plan.sizes if size.memory_mb == plan.memory_mb) == ()


def test_concurrency_is_reserved_where_it_is_stated_and_else_shared() -> None:
    # The quota of a new account is 10, of which Lambda keeps all for functions that reserve nothing.
    plan, asked = planned(function()), planned(function(max_concurrency=7))
    assert (plan.reserves_concurrency, asked.reserves_concurrency) == (False, True)
    (line,) = (one for one in plan.decisions if "at once" in one)
    assert line.endswith(
        "half as many again are expected; nothing is reserved: state max_concurrency for that"
    )
    (line,) = (one for one in asked.decisions if "at once" in one)
    assert line.startswith("7 requests at once, as stated, which no other function of the account may use")


def test_the_cheaper_cpu_that_will_do_is_taken_and_the_other_is_told() -> None:
    images = {"cpu_x86_64": OWN, "cpu_arm64": {**OWN, "tag": "7-arm64"}}
    plan = planned(function(container={"images": images}), BOTH_CPUS)
    # As fast in this catalog, and a fifth cheaper.
    assert (plan.architecture, plan.image.uri.rpartition(":")[2]) == ("arm64", "7-arm64")
    assert any(line.startswith("cpu_arm64: cpu_x86_64 would cost") for line in plan.decisions)
    # Where no Graviton says how long a request takes, x86 is what is left.
    plan = planned(function(container={"images": images}))
    assert plan.architecture == "x86_64"
    assert any("cpu_arm64 will not do: no CPU of the region" in line for line in plan.decisions)


def test_storage_is_what_the_artifact_takes_and_the_timeout_what_a_call_may_take() -> None:
    alone = planned(function())
    packed = planned(function(container={"images": {"cpu_x86_64": OWN}, "artifact": ARTIFACT}))
    plain = planned(
        function(
            container={
                "images": {"cpu_x86_64": OWN},
                "artifact": {"key": "models/plants/", "compression": "none", "size_gib": 1},
            }
        )
    )
    assert (alone.artifact_key, alone.ephemeral_storage_mb) == (None, 512)
    # A packed one lies beside its contents.
    assert (packed.ephemeral_storage_mb, plain.ephemeral_storage_mb) == (2048, 1024)
    assert alone.timeout_s == pytest.approx(2 * (60 + alone.cold_start_s), abs=1)
    assert planned(function(latency={"max_p95_ms": 890_000})).timeout_s == 900
    items = {item.name for item in whole(function(container=packed_container())).bill.lines[0].items}
    assert "ephemeral storage" in items


def packed_container() -> dict[str, Any]:
    return {"images": {"cpu_x86_64": OWN}, "artifact": ARTIFACT}


def test_alarms_are_on_what_a_function_publishes() -> None:
    cold, warm = planned(function()), planned(function(latency=HASTY))
    assert {name: alarm.threshold for name, alarm in cold.alarms.items()} == {
        "error_rate": 0.25,
        "throttles": 0.25,
        "duration_p95": 60_000,
        "concurrency_utilization": 90.0,
    }
    assert warm.alarms.keys() - cold.alarms.keys() == {"provisioned_concurrency_spillover"}


@pytest.mark.parametrize(
    ("changes", "key", "reason"),
    [
        ({"model": {**CNN, "parameters_millions": 2700}}, ("model",), "memory: needs "),
        ({"latency": {"max_p95_ms": 10}}, ("latency", "max_p95_ms"), "latency: p95 of "),
        (
            {"traffic": {"peak_requests_per_second": 1e5, "average_requests_per_second": 1}},
            ("traffic",),
            "concurrency: ",
        ),
        (
            {"container": {**packed_container(), "artifact": {**ARTIFACT, "size_gib": 6}}},
            ("container", "artifact"),
            "takes 12,288 MB packed and unpacked, but /tmp of a function has 10,240 MB at most",
        ),
        (
            {"container": {"images": {"cpu_x86_64": OWN}, "network_isolation": True}},
            ("container", "network_isolation"),
            "lambda has no network isolation: a function has no network isolation",
        ),
        (
            {"alarms": {"duration_p99": {"above_ms": 50_000}}},
            ("alarms", "duration_p99", "above_ms"),
            "99 of 100 requests would be allowed 50000 ms and 95 of 100 60000 ms",
        ),
        ({"max_usd_per_month": 0.1}, ("max_usd_per_month",), "costs "),
    ],
)
def test_what_does_not_fit_is_said_at_its_key(
    changes: dict[str, Any], key: tuple[str, ...], reason: str
) -> None:
    found = [fault for fault in faults_of(function(**changes)) if fault.reason.startswith(reason)]
    assert [fault.key_path for fault in found] == [("workloads", "plants", *key)]


def in_mode(**changes: Any) -> ModeEndpoint:
    container = {**packed_container(), "network_isolation": False}
    return ModeEndpoint.model_validate(stated(kind="endpoint", container=container, **changes))


def test_an_endpoint_becomes_a_function_only_where_its_image_starts_there() -> None:
    (fault,) = faults_of(in_mode(mode="lambda"))
    assert fault.key_path == ("workloads", "plants", "mode")
    assert fault.hint == "write lambda_runtime: true where it has; the images of AWS do not have it"
    plan = planned(in_mode(mode="lambda", lambda_runtime=True))
    assert (plan.artifact_key, plan.architecture) == (ARTIFACT["key"], "x86_64")
    # What is asked now and then costs least as a function, but nothing is taken that may not start.
    assert whole(in_mode(mode="auto")).workloads[0].kind != "lambda-function"
    assert whole(in_mode(mode="auto", lambda_runtime=True)).workloads[0].kind == "lambda-function"


def test_it_survives_json_and_a_review_reads_it() -> None:
    plan = whole(function(latency=HASTY))
    text = plan_to_json(plan)
    assert plan_to_json(plan_from_json(text)) == text
    (saved,) = read_saved_plan(text.encode()).of(SavedOnDemand)
    (workload,) = plan.workloads
    assert isinstance(workload, LambdaFunctionPlan)
    assert (saved.function_name, saved.memory_mb) == (workload.function_name, workload.memory_mb)


@pytest.mark.parametrize(
    ("variables", "network", "reason"),
    [
        (
            {"WORDS": "x" * 3_720},
            PROXY,
            # The address of the model, four of the proxy, and two lists of hosts.
            "holds 4,108 bytes, 383 of them set for you; Lambda takes 4,096 at most",
        ),
        ({"WORDS": "x" * 4_010}, {"mode": "new"}, "holds 4,100 bytes, 85 of them set for you; "),
        ({"WORDS": "x" * 3_600}, PROXY, None),
        ({"WORDS": "x" * 4_006}, {"mode": "new"}, None),
    ],
)
def test_variables_that_are_set_for_the_user_count_too(
    variables: dict[str, str], network: dict[str, Any], reason: str | None
) -> None:
    workload = function(container={**packed_container(), "environment": variables})
    where = environment({"plants": workload}, policy=policy(), network=network)
    if reason is None:
        build_plan(where, SMALL)
        return
    with pytest.raises(PlanError) as raised:
        build_plan(where, SMALL)
    (found,) = raised.value.faults
    assert found.key_path == ("workloads", "plants", "container", "environment")
    assert found.reason.startswith(reason)


def test_its_callers_reach_lambda_and_it_reaches_s3_alone() -> None:
    foundation = whole(function(container=packed_container())).foundation
    assert [one.service for one in foundation.network.interface_endpoints] == ["lambda"]


def test_functions_share_the_concurrency_of_the_account_and_leave_some_to_others() -> None:
    (workload,) = (plan := whole(function())).workloads
    assert isinstance(workload, LambdaFunctionPlan)
    assert [(one.service, one.name, one.needed) for one in plan.quotas] == [
        ("lambda", "Concurrent executions", workload.max_concurrency + 100)
    ]
