import copy
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sizewell.planning.saved_plan import SavedPlan
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.model import SelectionChange
from sizewell.review.saved.output import Assembly
from sizewell.review.selection import compare_selections

Plan = dict[str, Any]
Compare = Callable[..., tuple[SelectionChange, ...]]
CONFIG = {"workloads": {"chat": {"latency": {"max_p95_ms": 100.0}}}, "policy": {"region": "us-east-1"}}


def candidate(name: str, usd_per_hour: float | None, count: int = 1, p95: float = 40.0) -> dict[str, Any]:
    return {
        "instance_type": name,
        "estimate": {
            "memory": {"usable_gib": 1},
            "p95_latency_ms": p95,
            "instances_at_average": count,
            "instances_at_peak": count,
            "measured": [],
        },
        "cost": {
            "usd_per_hour": usd_per_hour,
            "usd_per_month": None if usd_per_hour is None else usd_per_hour * 730 * count,
            "basis": "published" if usd_per_hour else "unknown",
            "price_date": None,
        },
    }


def rejection(name: str, why: str) -> dict[str, Any]:
    name_of_filter, _, reason = why.partition(": ")
    return {"instance_type": name, "filter": name_of_filter, "reason": reason, "shortfall": None}


def endpoint(
    *feasible: dict[str, Any], rejected: Mapping[str, str] | None = None, **given: Any
) -> dict[str, Any]:
    chosen, *others = feasible
    return {
        "name": "chat",
        "stack_name": "demo-prod-chat",
        "endpoint_name": "chat",
        "variant_name": "primary",
        "instance_type": chosen["instance_type"],
        "initial_instance_count": chosen["estimate"]["instances_at_average"],
        "scaling": None,
        "selection": {
            "chosen": chosen,
            "runners_up": others,
            "rejected": [rejection(*row) for row in (rejected or {}).items()],
            "assumptions": [],
        },
        "needs_digest": "n1",
        "lock": None,
    } | given


def job(usd_per_hour: float, hours: float) -> dict[str, Any]:
    row = candidate("ml.p4d.24xlarge", usd_per_hour)
    row["estimate"] = {
        "memory": {"usable_gib": 1},
        "instance_count": 1,
        "duration_hours": hours,
        "measured": [],
    }
    return {
        "name": "tune",
        "stack_name": "demo-prod-tune",
        "attempts": [
            {"instance_type": row["instance_type"], "spot": False, "instance_count": 1, "volume_size_gib": 9}
        ],
        "max_runtime_s": 60,
        "checkpoint": None,
        "selection": {"chosen": row, "runners_up": [], "rejected": [], "assumptions": []},
        "needs_digest": "n1",
        "lock": None,
    }


def plan(*endpoints: dict[str, Any], jobs: tuple[dict[str, Any], ...] = (), catalog: str = "c1") -> Plan:
    return {
        "schema_version": 4,
        "platform": "demo",
        "environment": "prod",
        "account": "111122223333",
        "region": "us-east-1",
        "production": True,
        "catalog_version": catalog,
        "foundation": {"stack_name": "f", "network": {"mode": "new"}, "retain_state": True},
        "endpoints": endpoints,
        "training_jobs": jobs,
        "bill": {},
    }


def lock(
    instance_type: str, best: str, state: str = "locked", saving: float | None = 0.0, reason: str = ""
) -> Plan:
    return {
        "state": state,
        "instance_type": instance_type,
        "best_instance_type": best,
        "saving_usd_per_month": saving,
        "reason": reason,
    }


@pytest.fixture
def compare(tmp_path: Path) -> Compare:
    def side(name: str, plan: Plan | None, config: Mapping[str, Any] | None) -> Assembly | None:
        if plan is None:
            return None
        directory = tmp_path / name
        directory.mkdir()
        text = json.dumps(plan)
        (directory / "plan.json").write_text(text)
        wrapped = None if config is None else {"schema_version": 1, "environment": config}
        return Assembly(directory, "prod", {}, SavedPlan.model_validate_json(text), wrapped)

    def compare(
        base: Plan | None,
        head: Plan | None,
        configs: tuple[Mapping[str, Any] | None, Mapping[str, Any] | None] = (None, None),
    ) -> tuple[SelectionChange, ...]:
        return compare_selections(
            EnvironmentPair("prod", side("base", base, configs[0]), side("head", head, configs[1]))
        )

    return compare


def config(path: str, value: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    head: Any = copy.deepcopy(CONFIG)
    *parents, key = path.split(".")
    place = head
    for parent in parents:
        place = place.setdefault(parent, {})
    place[key] = value
    return CONFIG, head


def reasons(changes: tuple[SelectionChange, ...]) -> list[str]:
    (change,) = changes
    return list(change.reasons)


A, B = candidate("ml.a", 1.0), candidate("ml.b", 1.5)
SLOW = "latency: p95 of 157 ms on an idle instance, 100 ms asked"


def test_equal_choices_are_not_reported(compare: Compare) -> None:
    assert compare(plan(endpoint(A, B)), plan(endpoint(A, needs_digest="n2"), catalog="c2")) == ()


def test_a_need_that_the_old_type_misses(compare: Compare) -> None:
    (change,) = compare(
        plan(endpoint(A, B)),
        plan(endpoint(B, rejected={"ml.a": SLOW}, needs_digest="n2")),
        config("workloads.chat.latency.max_p95_ms", 50.0),
    )
    assert change.reasons == (
        "ml.a no longer meets the needs: latency: p95 of 157 ms on an idle instance, 100 ms asked",
        "latency.max_p95_ms 100 → 50",
    )
    assert (change.base and change.base.runner_up, change.head and change.head.runner_up) == ("ml.b", None)
    assert change.head is not None
    assert (change.head.instance_type, change.head.instance_count, change.head.usd_per_hour) == (
        "ml.b",
        1,
        1.5,
    )
    assert (change.head.usd_per_month, change.head.time, change.head.lock) == (1095.0, 40.0, "unlocked")
    assert [point.instance_type for point in change.candidates] == ["ml.b"]


def test_needs_that_the_filter_asks_for_come_first(compare: Compare) -> None:
    base, head = config("workloads.chat.latency.max_p95_ms", 50.0)
    head["workloads"]["chat"] |= {"engine": "eager", "description": "x", "scaling": {"headroom": 0.1}}
    head["workloads"]["chat"] |= {"traffic": {"peak_requests_per_second": 9.0}}
    head["policy"]["region"] = "eu-west-1"
    changes = compare(
        plan(endpoint(A, B)),
        plan(endpoint(B, rejected={"ml.a": "throughput: too slow"}, needs_digest="n2")),
        (base, head),
    )
    assert reasons(changes) == [
        "ml.a no longer meets the needs: throughput: too slow",
        "traffic {peak_requests_per_second: 9} added",
        "scaling {headroom: 0.1} added",
        "latency.max_p95_ms 100 → 50",
        "engine eager added",
        "1 more need changed",
    ]


def test_without_a_configuration_the_need_is_not_named(compare: Compare) -> None:
    changes = compare(plan(endpoint(A, B)), plan(endpoint(B, rejected={"ml.a": SLOW}, needs_digest="n2")))
    assert reasons(changes) == [f"ml.a no longer meets the needs: {SLOW}"]


def test_a_type_that_is_feasible_now(compare: Compare) -> None:
    changes = compare(
        plan(endpoint(B, rejected={"ml.a": SLOW})),
        plan(endpoint(A, B, needs_digest="n2")),
        config("workloads.chat.latency.max_p95_ms", 500.0),
    )
    assert reasons(changes) == [f"ml.a is feasible now; before: {SLOW}", "latency.max_p95_ms 100 → 500"]


def test_a_price_that_rose(compare: Compare) -> None:
    dear = candidate("ml.a", 2.0)
    assert reasons(compare(plan(endpoint(A, B)), plan(endpoint(B, dear), catalog="c2"))) == [
        "the catalog changed: ml.a costs 2.00 USD per hour (was 1.00), ml.b is now cheaper by 365 USD per month"
    ]


def test_a_price_that_fell(compare: Compare) -> None:
    cheap = candidate("ml.b", 0.7364)
    assert reasons(compare(plan(endpoint(A, B)), plan(endpoint(cheap, A), catalog="c2"))) == [
        "the catalog changed: ml.b costs 0.7364 USD per hour (was 1.50), it is now cheaper by 192 USD per month"
    ]


def test_a_price_of_the_same_type(compare: Compare) -> None:
    known, unknown = plan(endpoint(A)), plan(endpoint(candidate("ml.a", None)), catalog="c2")
    assert reasons(compare(known, unknown)) == [
        "the catalog changed: the price of ml.a is not known any more"
    ]


def test_an_unknown_price_is_not_zero(compare: Compare) -> None:
    known, unknown = plan(endpoint(A), catalog="c2"), plan(endpoint(candidate("ml.a", None)))
    (change,) = compare(unknown, known)
    assert change.reasons == ("the catalog changed: ml.a costs 1.00 USD per hour (was unknown)",)
    assert change.base is not None
    assert change.base.usd_per_hour is None


def test_a_count_at_another_traffic(compare: Compare) -> None:
    many = candidate("ml.a", 1.0, count=5)
    b = candidate("ml.b", 1.5, count=2)
    changes = compare(
        plan(endpoint(A, B)),
        plan(endpoint(b, many, needs_digest="n2")),
        config("workloads.chat.traffic.peak_requests_per_second", 500.0),
    )
    assert reasons(changes) == [
        "traffic {peak_requests_per_second: 500} added",
        "at the new traffic ml.a would need 5 instances (was 1), ml.b is now cheaper by 1,460 USD per month",
    ]


def test_a_count_of_the_same_type(compare: Compare) -> None:
    changes = compare(
        plan(endpoint(A)),
        plan(endpoint(candidate("ml.a", 1.0, count=2), needs_digest="n2")),
        config("policy.min_endpoint_instances", 2),
    )
    assert reasons(changes) == [
        "policy.min_endpoint_instances 2 added",
        "with the new needs ml.a needs 2 instances (was 1)",
    ]


def test_price_before_needs_where_the_price_decided(compare: Compare) -> None:
    dear = candidate("ml.a", 2.0)
    changes = compare(
        plan(endpoint(A, B)),
        plan(endpoint(B, dear, needs_digest="n2"), catalog="c2"),
        config("workloads.chat.latency.max_p95_ms", 99.0),
    )
    assert reasons(changes)[0].startswith("the catalog changed: ml.a costs 2.00")
    assert reasons(changes)[1:] == ["latency.max_p95_ms 100 → 99"]


@pytest.mark.parametrize(
    ("base", "head", "reason"),
    [
        (
            endpoint(A, B),
            endpoint(
                B, rejected={"ml.a": "region: AWS does not publish a hosting price for it in us-east-1"}
            ),
            "the catalog changed: ml.a no longer meets the needs: region: AWS does not publish a hosting price for it "
            "in us-east-1",
        ),
        (endpoint(A, B), endpoint(B), "the catalog changed: ml.a is no longer in it"),
        (endpoint(B), endpoint(A, B), "the catalog changed: ml.a is new in it"),
        (
            endpoint(B, rejected={"ml.a": "use: SageMaker does not accept it for hosting"}),
            endpoint(A, B),
            "the catalog changed: ml.a is feasible now; before: use: SageMaker does not accept it for hosting",
        ),
    ],
)
def test_rows_of_the_catalog(compare: Compare, base: Plan, head: Plan, reason: str) -> None:
    assert reasons(compare(plan(base), plan(head, catalog="c2")))[0] == reason


def test_an_offer_is_of_the_catalog_even_when_needs_change(compare: Compare) -> None:
    head = plan(endpoint(B, rejected={"ml.a": "region: gone"}, needs_digest="n2"), catalog="c2")
    assert reasons(compare(plan(endpoint(A, B)), head, config("workloads.chat.latency.max_p95_ms", 99.0)))[
        0
    ] == ("the catalog changed: ml.a no longer meets the needs: region: gone")


def test_a_measurement(compare: Compare) -> None:
    measured = candidate("ml.a", 1.0, count=2, p95=26.0)
    measured["estimate"]["measured"] = ["latency"]
    assert reasons(compare(plan(endpoint(A)), plan(endpoint(measured)))) == [
        "the estimate changed: ml.a needs 2 instances (was 1)",
        "the estimate changed: p95 40 → 26 ms (measured)",
    ]


SCALED = candidate("ml.a", 1.0, p95=26.0)
SCALED["estimate"]["scaled_by"] = ["ml.b"]


@pytest.mark.parametrize(
    ("base", "head", "reason"),
    [
        (A, SCALED, "p95 40 → 26 ms (scaled by what was measured on ml.b)"),
        (SCALED, A, "p95 26 → 40 ms (no longer measured)"),
    ],
)
def test_a_measurement_of_another_type(compare: Compare, base: Plan, head: Plan, reason: str) -> None:
    assert reasons(compare(plan(endpoint(base)), plan(endpoint(head)))) == [f"the estimate changed: {reason}"]


def test_an_estimate_that_turns_a_type_down(compare: Compare) -> None:
    assert reasons(compare(plan(endpoint(A, B)), plan(endpoint(B, rejected={"ml.a": SLOW})))) == [
        f"the estimate changed: ml.a no longer meets the needs: {SLOW}"
    ]


def test_the_lock_keeps_a_type(compare: Compare) -> None:
    kept = endpoint(A, B, lock=lock("ml.a", "ml.b", saving=100.0))
    assert reasons(compare(plan(endpoint(B, A)), plan(kept))) == [
        "the lock keeps this type; without it ml.b would save 100 USD per month",
        "ml.a is cheaper than ml.b by 365 USD per month",
        "the workload is locked now, on ml.a",
    ]


@pytest.mark.parametrize(
    ("base", "head", "reason"),
    [
        (None, lock("ml.a", "ml.a"), "the workload is locked now, on ml.a"),
        (lock("ml.a", "ml.a"), None, "the workload is no longer locked"),
        (lock("ml.a", "ml.a", "stale"), lock("ml.a", "ml.a"), "the lock was updated and keeps ml.a"),
        (
            lock("ml.a", "ml.a"),
            lock("ml.a", "ml.a", "stale"),
            "the configuration has changed since ml.a was locked",
        ),
        (
            lock("ml.z", "ml.a"),
            lock("ml.z", "ml.a", "infeasible", reason="region: gone"),
            "the locked type ml.z cannot be used: region: gone",
        ),
        (lock("ml.a", "ml.a", "infeasible"), lock("ml.a", "ml.a"), "the locked type ml.a can be used again"),
    ],
)
def test_lock_states(compare: Compare, base: Plan | None, head: Plan | None, reason: str) -> None:
    assert reasons(compare(plan(endpoint(A, lock=base)), plan(endpoint(A, lock=head)))) == [reason]


def test_an_updated_lock(compare: Compare) -> None:
    base, head = (
        endpoint(B, A, lock=lock("ml.b", "ml.a", saving=365.0)),
        endpoint(A, B, lock=lock("ml.a", "ml.a")),
    )
    assert reasons(compare(plan(base), plan(head))) == [
        "ml.a is cheaper than ml.b by 365 USD per month",
        "the lock was updated: ml.b → ml.a",
    ]


def test_a_training_job(compare: Compare) -> None:
    (change,) = compare(plan(jobs=(job(10.0, 2.0),)), plan(jobs=(job(12.0, 3.0),)))
    assert change.kind == "training-job"
    assert change.head is not None
    assert change.head.time == 3.0
    assert change.reasons == (
        "ml.p4d.24xlarge costs 12.00 USD per hour (was 10.00)",
        "the estimate changed: duration 2 → 3 h",
    )


def test_new_and_removed_workloads(compare: Compare) -> None:
    new, gone = compare(plan(endpoint(B, name="old")), plan(endpoint(A, B)))
    assert (new.workload, new.base, new.reasons) == (
        "chat",
        None,
        ("the workload is new", "ml.b would cost 365 USD per month more"),
    )
    assert (gone.workload, gone.head, gone.candidates, gone.reasons) == (
        "old",
        None,
        (),
        ("the workload is removed",),
    )


def test_an_environment_that_base_does_not_have(compare: Compare) -> None:
    assert reasons(compare(None, plan(endpoint(A)))) == ["there is no base to compare it with"]


def test_an_environment_that_is_removed(compare: Compare) -> None:
    assert reasons(compare(plan(endpoint(A)), None)) == ["the environment is removed"]


def test_a_name_of_another_kind_is_another_workload(compare: Compare) -> None:
    changes = compare(plan(endpoint(A)), plan(jobs=(job(1.0, 1.0) | {"name": "chat"},)))
    assert [(c.kind, c.base is None, c.head is None) for c in changes] == [
        ("training-job", True, False),
        ("real-time-endpoint", False, True),
    ]


@pytest.mark.parametrize("back", [False, True])
def test_a_workload_that_moves_into_a_cluster_is_the_same_one(compare: Compare, back: bool) -> None:
    in_cluster = endpoint(B, A) | {
        "kind": "eks-deployment",
        "instance_pools": ["ml.b"],
        "average_requests_per_second": 1.0,
    }
    kinds = ["a real-time-endpoint", "an eks-deployment in a cluster of Amazon EKS"]
    sides = [plan(endpoint(A)), plan(in_cluster)]
    (change,) = compare(*(reversed(sides) if back else sides))
    was, becomes = reversed(kinds) if back else kinds
    assert change.reasons[0] == f"it was {was}, and becomes {becomes}"
    assert (change.base_kind, change.kind) == tuple(words.split()[1] for words in (was, becomes))
    assert None not in (change.base, change.head)


def test_a_side_without_a_plan_says_nothing(tmp_path: Path) -> None:
    known = Assembly(tmp_path, "prod", {}, SavedPlan.model_validate(plan(endpoint(A))))
    assert compare_selections(EnvironmentPair("prod", Assembly(tmp_path, "prod", {}), known)) == ()
    assert compare_selections(EnvironmentPair("prod", known, Assembly(tmp_path, "prod", {}))) == ()


@pytest.mark.parametrize(
    "content",
    [
        None,
        "{",
        "[]",
        '{"endpoints": 5}',
        '{"endpoints": [{"name": "chat", "selection": {"rejected": [3, {}]}}]}',
    ],
)
def test_a_story_that_cannot_be_read_is_unknown(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "plan.json").write_text(content)
    sides = [Assembly(tmp_path, "prod", {}, SavedPlan.model_validate(plan(endpoint(one)))) for one in (A, B)]
    (change,) = compare_selections(EnvironmentPair("prod", sides[0], sides[1]))
    assert change.reasons == ("the estimates of this release differ",)
    assert change.head is not None
    assert change.head.runner_up is None
    assert change.candidates == ()


def test_the_chart_has_forty_points_and_the_type_of_base(compare: Compare) -> None:
    many = [candidate(f"ml.c{i:02}", 2.0 + i) for i in range(60)]
    (change,) = compare(plan(endpoint(many[55])), plan(endpoint(*many), catalog="c2"))
    names = [point.instance_type for point in change.candidates]
    assert names == [f"ml.c{i:02}" for i in range(39)] + ["ml.c55"]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    original = Path.read_bytes

    def read_bytes(path: Path) -> bytes:
        names.append(path.parent.name)
        return original(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    return names


def test_plans_are_read_only_when_something_differs(compare: Compare, read: list[str]) -> None:
    endpoints = [endpoint(A, name=f"w{i}") for i in range(3)]
    assert compare(plan(*endpoints), plan(*endpoints)) == ()
    assert read == []


def test_plans_are_read_once(compare: Compare, read: list[str]) -> None:
    base, head = ([endpoint(one, name=f"w{i}") for i in range(3)] for one in (A, B))
    assert len(compare(plan(*base), plan(*head))) == 3
    assert sorted(read) == ["base", "head"]


def test_needs_are_to_blame_where_needs_and_catalog_change(compare: Compare) -> None:
    head = plan(endpoint(B, rejected={"ml.a": SLOW}, needs_digest="n2"), catalog="c2")
    changes = compare(plan(endpoint(A, B)), head, config("workloads.chat.latency.max_p95_ms", 50.0))
    assert reasons(changes) == [f"ml.a no longer meets the needs: {SLOW}", "latency.max_p95_ms 100 → 50"]


def test_a_time_that_no_plan_states_is_no_number(compare: Compare) -> None:
    odd = candidate("ml.b", 1.5)
    del odd["estimate"]["p95_latency_ms"]
    (change,) = compare(plan(endpoint(A)), plan(endpoint(odd, A)))
    assert change.head is not None
    assert change.head.time is None
    assert [point.instance_type for point in change.candidates] == ["ml.a"]


def test_a_measurement_is_told_although_the_choice_stays(compare: Compare) -> None:
    measured = candidate("ml.a", 1.0, p95=80.0)
    measured["estimate"]["measured"] = ["latency"]
    (change,) = compare(plan(endpoint(candidate("ml.a", 1.0))), plan(endpoint(measured)))
    assert change.reasons == ("the estimate changed: p95 40 → 80 ms (measured)",)
