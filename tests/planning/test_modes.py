"""Modes in the plan: taken, asked for, and refused."""

from typing import Any

import pytest

from sizewell.kinds.asynchronous_endpoint.config import AsynchronousEndpoint
from sizewell.kinds.endpoint.config import ModeEndpoint
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.lock import LockedEnvironment, lock_of
from sizewell.planning.mode_kinds import stated_in_mode
from sizewell.planning.modes import compare_endpoint_modes, mode_needs
from sizewell.planning.plan import AnyWorkloadPlan, DeploymentPlan
from sizewell.planning.serialization import plan_from_json, plan_to_json
from sizewell.serving_modes import Mode
from tests.planning.builders import container, endpoint, environment, mode_endpoint, policy
from tests.serving_modes.builders import SMALL


def now_and_then(**changes: Any) -> ModeEndpoint:
    """Return an endpoint that is asked once in a hundred seconds, and may take a minute."""
    default = {
        "traffic": {"peak_requests_per_second": 1, "average_requests_per_second": 0.01},
        "latency": {"max_p95_ms": 60_000},
        "container": container(artifact={"key": "models/plants/model.tar.gz"}, network_isolation=False),
    }
    return mode_endpoint(**{**default, **changes})


def plan_of(workload: ModeEndpoint) -> DeploymentPlan:
    return build_plan(environment({"plants": workload}), SMALL)


def fault_of(workload: ModeEndpoint) -> PlanFault:
    with pytest.raises(PlanError) as raised:
        plan_of(workload)
    (fault,) = raised.value.faults
    return fault


def test_needs_are_those_of_the_configuration() -> None:
    workload = now_and_then(
        request={"images": 1, "payload_mb": 3, "response_mb": 0.5},
        traffic={
            "peak_requests_per_second": 6,
            "average_requests_per_second": 1,
            "active_hours_per_day": 8,
        },
        latency={"max_p95_ms": 900, "max_wait_minutes": 30},
        similar_models=7,
    )
    needs = mode_needs(workload, policy())
    assert (needs.payload_mb, needs.response_mb, needs.active_hours_per_day) == (3, 0.5, 8)
    assert (needs.max_wait_minutes, needs.similar_models, needs.network_isolation) == (30, 7, False)
    assert needs.endpoint.max_p95_latency_ms == 900


def test_a_stated_kind_is_not_compared() -> None:
    (planned,) = build_plan(environment({"plants": endpoint()}), SMALL).workloads
    assert planned.modes is None


def test_auto_takes_the_cheapest_mode_that_is_built_and_names_what_would_be_cheaper() -> None:
    (planned,) = plan_of(now_and_then()).workloads
    assert planned.modes is not None
    assert planned.modes.chosen == planned.modes.option(Mode.SERVERLESS)
    assert planned.kind == "serverless-endpoint"
    assert planned.modes.why.endswith(
        "; lambda would cost less, but it is not known whether its image starts there"
    )


def test_the_plan_of_a_mode_is_that_of_its_kind() -> None:
    stated = now_and_then(mode="real-time").model_dump(exclude_unset=True, exclude={"mode"})
    kind = endpoint(**{**stated, "kind": "real-time-endpoint"})
    (of_kind,) = build_plan(environment({"plants": kind}), SMALL).workloads
    (of_mode,) = plan_of(now_and_then(mode="real-time")).workloads
    assert of_mode.modes is not None
    assert of_mode.model_copy(update={"modes": None}) == of_kind


def test_plan_with_modes_survives_json() -> None:
    plan = plan_of(now_and_then())
    again = plan_from_json(plan_to_json(plan))
    assert again.workloads[0].modes is not None
    assert again.workloads[0].modes.why == plan.workloads[0].modes.why  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("workload", "key", "reason", "hint"),
    [
        (
            now_and_then(mode="batch"),
            ("mode",),
            "batch does not meet answer: the answer comes later, and the configuration does not allow that",
            "latency.max_wait_minutes says how much later it may come",
        ),
        (
            now_and_then(
                mode="serverless", container=container(artifact={"key": "models/plants/model.tar.gz"})
            ),
            ("mode",),
            "serverless does not meet isolation: serverless endpoints do not support network isolation",
            "container.network_isolation: false lets the container make outgoing calls",
        ),
        (
            now_and_then(mode="multi-model"),
            ("mode",),
            "multi-model does not meet models: one model has no other model to share a fleet with",
            "similar_models says how many could share it",
        ),
        (
            now_and_then(mode="lambda", request={"images": 1, "payload_mb": 7}),
            ("request", "payload_mb"),
            "lambda does not meet payload: 7 MB, at most 6 MB",
            "batch takes 100 MB, asynchronous 1 GB, where latency.max_wait_minutes allows them",
        ),
        (
            now_and_then(mode="real-time", request={"images": 1, "response_mb": 30}),
            ("request", "response_mb"),
            "real-time does not meet response: 30 MB, at most 25 MB",
            "batch takes 100 MB, asynchronous 1 GB, where latency.max_wait_minutes allows them",
        ),
    ],
)
def test_mode_that_will_not_do_is_refused(
    workload: ModeEndpoint, key: tuple[str, ...], reason: str, hint: str
) -> None:
    hint = f"{hint}; what each mode can do: sizewell modes plants"
    assert fault_of(workload) == PlanFault(("workloads", "plants", *key), reason, hint)


def test_multi_model_is_never_built_of_what_an_endpoint_states() -> None:
    shared = now_and_then(mode="multi-model", similar_models=20)
    assert fault_of(shared) == PlanFault(
        ("workloads", "plants", "mode"),
        "multi-model meets every need, but is built from more than an endpoint states",
        "write kind: multi-model-endpoint; models says how many there are, and container.artifact.key is the prefix that all of "
        "them lie below",
    )


def test_auto_without_any_mode_says_what_each_misses() -> None:
    fault = fault_of(now_and_then(mode="auto", request={"images": 1, "payload_mb": 5000}))
    assert fault.key_path == ("workloads", "plants", "mode")
    lines = fault.reason.splitlines()
    assert lines[0] == "no mode meets every requirement"
    assert lines[1] == "real-time: payload: 5000 MB, at most 25 MB"
    assert len(lines) == 1 + len(Mode)


@pytest.mark.parametrize(
    ("mode", "latency", "request_mb"),
    [
        ("real-time", {"max_p95_ms": 60_000}, {}),
        ("serverless", {"max_p95_ms": 60_000}, {"payload_mb": 1, "response_mb": 1}),
        ("serverless", {"max_p95_ms": 2_000}, {}),
        ("asynchronous", {"max_p95_ms": 60_000, "max_wait_minutes": 60}, {}),
    ],
)
def test_a_mode_costs_in_the_bill_what_the_comparison_says(
    mode: str, latency: dict[str, float], request_mb: dict[str, float]
) -> None:
    """The comparison knows nothing of alarms and volumes, nor the bill of data through instances."""
    plan = plan_of(now_and_then(mode=mode, latency=latency, request={"images": 1, **request_mb}))
    (planned,) = plan.workloads
    assert planned.modes is not None
    assert planned.modes.chosen is not None
    line = next(one for one in plan.bill.lines if one.workload == "plants")
    amounts = [
        item.usd_per_month or 0
        for item in line.items
        if item.service == "SageMaker" and item.name != "endpoint volumes"
    ]
    assert sum(amounts) == pytest.approx(planned.modes.chosen.usd_per_month)


def test_a_serverless_endpoint_loads_no_prefix() -> None:
    plain = container(artifact={"key": "models/plants/", "compression": "none"}, network_isolation=False)
    fault = fault_of(now_and_then(mode="serverless", container=plain))
    assert fault.reason == "serverless does not meet artifact: serverless endpoints load one model.tar.gz"


def test_a_mode_that_needs_more_than_an_endpoint_states_is_refused() -> None:
    fault = fault_of(now_and_then(mode="multi-model", similar_models=30))
    assert fault.key_path == ("workloads", "plants", "mode")
    assert fault.reason == "multi-model meets every need, but is built from more than an endpoint states"


def test_batch_says_the_kind_that_states_what_it_needs() -> None:
    fault = fault_of(now_and_then(mode="batch", latency={"max_p95_ms": 60_000, "max_wait_minutes": 600}))
    assert fault.key_path == ("workloads", "plants", "mode")
    assert (fault.hint or "").startswith("write kind: batch-transform; data says what one run transforms")


def test_batch_is_not_taken_by_itself() -> None:
    """It would cost less; its rows and its schedule are not stated."""
    (planned,) = plan_of(
        now_and_then(latency={"max_p95_ms": 60_000, "max_wait_minutes": 600}, mode="auto")
    ).workloads
    assert planned.modes is not None
    assert planned.modes.option(Mode.BATCH).eligible
    assert planned.kind != "batch-transform"


def test_comparison_needs_no_plan() -> None:
    slow = now_and_then(latency={"max_p95_ms": 1, "max_wait_minutes": 60}, mode="auto")
    comparison = compare_endpoint_modes(slow, policy(), SMALL)
    assert comparison.option(Mode.REAL_TIME).misses[0].requirement == "latency"
    assert comparison.option(Mode.BATCH).eligible


def test_variants_are_left_out_of_the_comparison_and_that_is_said() -> None:
    alone, joined = (
        compare_endpoint_modes(endpoint(**changes), policy(), SMALL)
        for changes in ({}, {"variants": {"other": {"traffic_percent": 10}}})
    )
    assert joined.options == alone.options
    assert len(joined.assumptions) == len(alone.assumptions) + 1


def test_what_may_wait_becomes_an_endpoint_with_a_queue_at_the_price_that_was_compared() -> None:
    may_wait = {"max_p95_ms": 60_000, "max_wait_minutes": 60}
    plan = plan_of(now_and_then(mode="asynchronous", latency=may_wait))
    (planned,) = plan.workloads
    assert planned.kind == "asynchronous-endpoint"
    assert planned.modes is not None
    assert planned.modes.chosen is not None
    instances = plan.bill.lines[0].items[0]
    assert instances.usd_per_month == pytest.approx(planned.modes.chosen.usd_per_month, rel=1e-6)


def test_users_become_the_requests_that_they_send() -> None:
    users = {"peak_concurrent_users": 20, "average_concurrent_users": 5, "active_hours_per_day": 12}
    may_wait = {"max_p95_ms": 60_000, "max_wait_minutes": 60}
    stated = now_and_then(mode="asynchronous", latency=may_wait, traffic=users)
    (planned,) = plan_of(stated).workloads
    assert planned.modes is not None
    built = stated_in_mode(stated, Mode.ASYNCHRONOUS, planned.modes)
    assert isinstance(built, AsynchronousEndpoint)
    per_month = built.traffic.average_requests_per_second * 730 * 3600
    assert per_month == pytest.approx(planned.modes.requests_per_month)
    assert built.traffic.peak_requests_per_second == pytest.approx(
        4 * built.traffic.average_requests_per_second
    )


def test_the_lock_keeps_the_mode_while_it_will_do() -> None:
    may_wait = {"max_p95_ms": 60_000, "max_wait_minutes": 60}
    hours = {"peak_requests_per_second": 1, "average_requests_per_second": 0.01, "active_hours_per_day": 8}
    isolated = container(artifact={"key": "models/plants/model.tar.gz"})
    answers_later = now_and_then(latency=may_wait, traffic=hours, container=isolated)
    free = plan_of(answers_later)
    assert free.workloads[0].kind == "asynchronous-endpoint"

    def under(workload: ModeEndpoint, lock: LockedEnvironment) -> AnyWorkloadPlan:
        (planned,) = build_plan(environment({"plants": workload}), SMALL, lock=lock).workloads
        return planned

    of_real_time = lock_of(
        plan_of(now_and_then(mode="real-time", latency=may_wait, traffic=hours, container=isolated))
    )
    kept = under(answers_later, of_real_time)
    assert kept.kind == "real-time-endpoint"
    assert kept.modes is not None
    assert kept.modes.why == "lock: real-time is kept; without the lock it would be asynchronous"
    # What cannot wait any more cannot stay behind a queue.
    assert lock_of(free).workloads["plants"].kind == "asynchronous-endpoint"
    assert under(answers_later, lock_of(free)).kind == "asynchronous-endpoint"
    assert under(now_and_then(traffic=hours, container=isolated), lock_of(free)).kind == "real-time-endpoint"
