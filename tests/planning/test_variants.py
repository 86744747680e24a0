"""Variants of an endpoint in the plan: each is sized for its share of the traffic, and all are one endpoint."""

from typing import Any

import pytest

from sizewell.planning.build import build_plan
from sizewell.planning.endpoint_bill import endpoint_line
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.errors import PlanError
from sizewell.planning.scaling_policies import MetricPlan
from sizewell.planning.workload_plan import AccessPlan
from tests.instance_selection.builders import catalog, cpu_instance, gpu_instance
from tests.planning.builders import CNN, DECODER, endpoint, environment, llm_endpoint, p95_alone_ms
from tests.planning.test_model_containers import step

NVME = gpu_instance("ml.d9.xlarge", local_storage_gb=250, local_storage_nvme=True)
EBS_AND_NVME = catalog(gpu_instance(), NVME)
CPU = catalog(cpu_instance())


#: A hundred times the work of the endpoint's own model.
SLOW = {**CNN, "forward_gflops_per_image": 1000}


def planned(known: Any = CPU, **changes: Any) -> EndpointPlan:
    plan = build_plan(environment({"plants": endpoint(**changes)}), known)
    (one,) = plan.endpoints
    return one


def test_each_variant_is_sized_for_its_share() -> None:
    stated = {"slow": {"traffic_percent": 20, "model": SLOW}}
    own, slow = planned(EBS_AND_NVME, variants=stated).variants
    assert (own.name, own.variant_name, own.weight) == ("plants", "primary", 0.8)
    assert (slow.name, slow.variant_name, slow.weight) == ("plants/slow", "slow", 0.2)
    assert (own.average_requests_per_second, slow.average_requests_per_second) == (4, 1)
    assert own.selection.chosen.estimate.p95_latency_ms < slow.selection.chosen.estimate.p95_latency_ms
    assert own.scaling != slow.scaling, "a slower model takes fewer requests of an instance"


def test_a_variant_has_the_containers_of_its_own_model() -> None:
    own, bare, same = planned(
        pipeline={"before": [step("features")]},
        variants={"bare": {"traffic_percent": 20, "pipeline": None}, "same": {"traffic_percent": 20}},
    ).variants
    assert own.pipeline == same.pipeline
    assert own.pipeline is not None
    assert [one.name for one in own.pipeline.steps] == ["features"]
    assert bare.pipeline is None


def test_a_variant_without_a_share_is_there_for_those_who_name_it() -> None:
    own, spare = planned(variants={"spare": {"traffic_percent": 0}}).variants
    assert (own.weight, spare.weight) == (1, 0)
    assert spare.initial_instance_count >= 1


def test_a_shadow_is_as_large_as_the_peak_of_its_copies_and_does_not_scale() -> None:
    busy = {"peak_requests_per_second": 250, "average_requests_per_second": 1}
    plan = planned(traffic=busy, scaling={"max_instances": 40}, shadow={"sampling_percent": 50})
    assert plan.shadow_variant is not None
    assert plan.scaling is not None
    assert (plan.weight, plan.shadow_variant.weight, plan.shadow_variant.scaling) == (1, 0.5, None)
    at_peak = plan.shadow_variant.selection.chosen.estimate.instances_at_peak
    assert plan.shadow_variant.initial_instance_count == at_peak > 1


def test_each_variant_follows_metrics_of_its_own_and_all_are_paid() -> None:
    joined = {
        "metrics": {name: {"namespace": "Company/Chat", "name": name} for name in ("open", "busy")},
        "expression": "open / busy",
    }
    other = {
        "track": {"gpu": {"target": 60}, "sessions": {"target": 3, **joined}},
        "steps": {
            "slow": {"metric": "latency", "above": 800, "add": 1},
            "crowd": {"above": 9, "add": 1, **joined},
        },
    }
    plan = planned(EBS_AND_NVME, variants={"other": {"traffic_percent": 50, "scaling": other}})
    policies = {one.variant_name: one.scaling.policies for one in plan.variants if one.scaling}
    assert {variant: [one.name for one in found] for variant, found in policies.items()} == {
        "primary": ["InvocationsPerInstance"],
        "other": ["GPUUtilization", "sessions", "slow", "crowd"],
    }
    gpu = policies["other"][0].metric
    assert isinstance(gpu, MetricPlan)
    assert gpu.dimensions == {"EndpointName": "demo-dev-plants", "VariantName": "other"}
    usd = {one.name: one.usd_per_month for one in endpoint_line(plan, "us-east-1").items}
    alarms = sum(len(one.alarms) for one in plan.variants)
    # That on errors is on three metrics, and that on slow requests on two.
    assert usd["alarm"] == pytest.approx(0.1 * (alarms + 1 - 2 * 2))
    assert usd["alarm metric"] == pytest.approx(0.1 * (2 + 2 * (3 + 2)))
    assert usd["alarm of target tracking"] == pytest.approx(0.1 * 2 * (1 + 1 + 2))


def test_a_metric_that_a_variant_cannot_follow_is_told_where_the_variant_states_it() -> None:
    stated = {"cheap": {"traffic_percent": 50, "scaling": {"track": {"gpu": {"target": 60}}}}}
    with pytest.raises(PlanError) as raised:
        planned(CPU, variants=stated)
    (fault,) = raised.value.faults
    assert ".".join(fault.key_path) == "workloads.plants.variants.cheap.scaling.track.gpu"


def test_a_shadow_needs_no_target() -> None:
    # An llm-engine follows the requests in progress unless told otherwise, and its latency leaves room for a single one.
    only = catalog(gpu_instance())
    stated = llm_endpoint(
        traffic={"peak_concurrent_users": 1},
        latency={"max_p95_ms": 1.01 * p95_alone_ms(only)},
        scaling={"track": {"invocations": {}}},
        shadow={},
    )
    (plan,) = build_plan(environment({"plants": stated}), only).endpoints
    assert plan.shadow_variant is not None
    assert plan.shadow_variant.scaling is None


def test_callers_are_of_the_endpoint_and_may_stream_what_one_of_its_variants_writes() -> None:
    caller = "arn:aws:iam::111122223333:role/app"
    writes = {"model": DECODER, "engine": "llm-engine", "request": {"input_tokens": 100, "output_tokens": 1}}
    plan = planned(
        EBS_AND_NVME,
        access={"callers": [caller]},
        latency={"max_p95_ms": 20_000},
        variants={"other": {"traffic_percent": 50, **writes}},
    )
    assert plan.access == AccessPlan(role_arns=(caller,), role_arns_elsewhere=(), streams=True)
    assert "access" not in plan.other_variants[0].model_dump()


def test_several_variants_are_not_exchanged_in_batches() -> None:
    only = catalog(gpu_instance())
    alone = planned(only, scaling={"min_instances": 2})
    two = planned(only, scaling={"min_instances": 2}, variants={"other": {"traffic_percent": 50}})
    assert alone.rollout is not None
    assert two.rollout is not None
    assert (alone.rollout.strategy, two.rollout.strategy) == ("rolling", "canary")


def test_a_deployment_in_which_variants_change_has_no_guardrail() -> None:
    assert planned(rollout={"strategy": "none"}, variants={"b1": {"traffic_percent": 1}}).rollout is None


@pytest.mark.parametrize(
    ("changes", "key", "words"),
    [
        (
            {"pipeline": {"before": [step("features")]}, "shadow": {"sampling_percent": 50}},
            "shadow",
            "endpoints with several containers have no shadow tests",
        ),
        (
            {"variants": {"other": {"traffic_percent": 50}}, "rollout": {"strategy": "rolling"}},
            "rollout.strategy",
            "an endpoint with several variants has no rolling update",
        ),
        (
            {
                "instances": {"instance_type": "ml.g9.xlarge"},
                "variants": {
                    "other": {"traffic_percent": 50, "instances": {"instance_type": "ml.d9.xlarge"}}
                },
            },
            "variants.other.instances",
            "one key for the volumes of all variants",
        ),
        (
            {
                "latency": {"max_p95_ms": 60},
                "variants": {"slow": {"traffic_percent": 50, "model": SLOW}},
            },
            "latency.max_p95_ms",
            "variant slow: none of 2 instance types",
        ),
    ],
)
def test_what_does_not_go_together_is_told_where_it_is_written(
    changes: dict[str, Any], key: str, words: str
) -> None:
    with pytest.raises(PlanError) as raised:
        planned(EBS_AND_NVME, scaling={"min_instances": 2}, **changes)
    found = [fault for fault in raised.value.faults if words in fault.reason]
    assert [".".join(fault.key_path) for fault in found] == [f"workloads.plants.{key}"]
