"""Modes in the plan: asked for, refused, and what synth does not build."""

from typing import Any

import pytest

from sizewell.config.endpoint import RealTimeEndpoint
from sizewell.instance_selection.modes import Mode
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.modes import compare_endpoint_modes, mode_needs, synth_faults
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.serialization import plan_from_json, plan_to_json
from tests.instance_selection.modes.builders import SMALL
from tests.planning.builders import container, endpoint, environment, policy


def now_and_then(**changes: Any) -> RealTimeEndpoint:
    """Return an endpoint that is asked once in a hundred seconds, and may take a minute."""
    default = {
        "traffic": {"peak_requests_per_second": 1, "average_requests_per_second": 0.01},
        "latency": {"max_p95_ms": 60_000},
        "container": container(artifact={"key": "models/plants/model.tar.gz"}, network_isolation=False),
    }
    return endpoint(**{**default, **changes})


def plan_of(workload: RealTimeEndpoint) -> DeploymentPlan:
    return build_plan(environment({"plants": workload}), SMALL)


def fault_of(workload: RealTimeEndpoint) -> PlanFault:
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


def test_mode_that_is_left_at_real_time_is_not_compared() -> None:
    (planned,) = plan_of(now_and_then()).endpoints
    assert planned.modes is None


def test_auto_picks_and_explains() -> None:
    (planned,) = plan_of(now_and_then(mode="auto")).endpoints
    assert planned.modes is not None
    assert planned.modes.chosen is not None
    assert planned.modes.chosen.mode is Mode.LAMBDA
    assert "costs the least" in planned.modes.why


def test_plan_compares_with_its_own_real_time_pick() -> None:
    (planned,) = plan_of(now_and_then(mode="auto")).endpoints
    assert planned.modes is not None
    option = planned.modes.option(Mode.REAL_TIME)
    assert option.usd_per_month == planned.selection.chosen.cost.usd_per_month
    assert planned.instance_type in (option.runs_on or "")


def test_plan_with_modes_survives_json() -> None:
    plan = plan_of(now_and_then(mode="auto"))
    text = plan_to_json(plan)
    assert plan_to_json(plan_from_json(text)) == text


def test_mode_that_is_asked_for_is_taken() -> None:
    (planned,) = plan_of(now_and_then(mode="serverless")).endpoints
    assert planned.modes is not None
    assert planned.modes.chosen == planned.modes.option(Mode.SERVERLESS)


@pytest.mark.parametrize(
    ("workload", "key", "reason", "hint"),
    [
        (
            now_and_then(mode="batch"),
            ("mode",),
            "batch does not meet answer: the answer comes later, and nothing says that it may",
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
            "multi-model does not meet models: one model has nobody to share a fleet with",
            "similar_models says how many could share it",
        ),
        (
            now_and_then(mode="lambda", request={"images": 1, "payload_mb": 7}),
            ("request", "payload_mb"),
            "lambda does not meet payload: 7 MB, at most 6 MB",
            "batch takes 100 MB, asynchronous 1 GB, where latency.max_wait_minutes allows them",
        ),
        (
            now_and_then(request={"images": 1, "response_mb": 30}),
            ("request", "response_mb"),
            "real-time does not meet response: 30 MB, at most 25 MB",
            "batch takes 100 MB, asynchronous 1 GB, where latency.max_wait_minutes allows them",
        ),
    ],
)
def test_mode_that_will_not_do_is_refused(
    workload: RealTimeEndpoint, key: tuple[str, ...], reason: str, hint: str
) -> None:
    hint = f"{hint}; what each mode can do: sizewell modes plants"
    assert fault_of(workload) == PlanFault(("workloads", "plants", *key), reason, hint)


def test_auto_without_any_mode_says_what_each_misses() -> None:
    fault = fault_of(now_and_then(mode="auto", request={"images": 1, "payload_mb": 5000}))
    assert fault.key_path == ("workloads", "plants", "mode")
    lines = fault.reason.splitlines()
    assert lines[0] == "no mode meets every requirement"
    assert lines[1] == "real-time: payload: 5000 MB, at most 25 MB"
    assert len(lines) == 1 + len(Mode)


def test_synth_refuses_what_it_does_not_build_and_says_what_it_would_save() -> None:
    (fault,) = synth_faults(plan_of(now_and_then(mode="auto")))
    assert fault.key_path == ("workloads", "plants", "mode")
    assert fault.reason.startswith(
        "lambda costs the least of the 3 modes that meet every requirement, but synth"
    )
    assert fault.hint is not None
    assert fault.hint.startswith("write mode: real-time, which is built; lambda would save 145.")
    assert fault.hint.endswith("all modes: sizewell modes plants --env dev")


def test_a_saving_by_sharing_says_so() -> None:
    (fault,) = synth_faults(plan_of(now_and_then(mode="multi-model", similar_models=20)))
    assert fault.hint is not None
    assert "a month, as the share of one of 20 models in a fleet of " in fault.hint


def test_synth_builds_what_auto_leaves_at_real_time() -> None:
    steady = {"peak_requests_per_second": 400, "average_requests_per_second": 400}
    plan = plan_of(now_and_then(mode="auto", traffic=steady, scaling={"max_instances": 50}))
    assert plan.endpoints[0].modes is not None
    assert plan.endpoints[0].modes.chosen == plan.endpoints[0].modes.option(Mode.REAL_TIME)
    assert list(synth_faults(plan)) == []


def test_synth_asks_nothing_of_a_configuration_without_modes() -> None:
    assert list(synth_faults(plan_of(now_and_then()))) == []


def test_comparison_needs_no_plan() -> None:
    slow = now_and_then(latency={"max_p95_ms": 1, "max_wait_minutes": 60}, mode="auto")
    comparison = compare_endpoint_modes(slow, policy(), SMALL)
    assert comparison.option(Mode.REAL_TIME).misses[0].requirement == "latency"
    assert comparison.chosen is not None
    assert comparison.chosen.mode is Mode.BATCH
