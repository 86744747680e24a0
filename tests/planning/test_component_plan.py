"""The decisions for an endpoint of inference components: copies, how they follow the load, and what nothing can do."""

from collections.abc import Mapping
from typing import Any

import pytest

from sizewell.facts.alarms import ROLLBACK_ALARMS
from sizewell.instance_selection import NoFeasibleInstanceError
from sizewell.kinds.inference_component_endpoint.bill import component_line
from sizewell.kinds.inference_component_endpoint.config import InferenceComponentEndpoint
from sizewell.kinds.inference_component_endpoint.plan import component_faults, plan_component_endpoint
from sizewell.kinds.inference_component_endpoint.plan_model import ComponentEndpointPlan
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanFault
from sizewell.planning.infeasible import no_feasible_fault
from sizewell.planning.legality import legality_faults
from sizewell.planning.lock import locked_workload
from sizewell.planning.saved_plan import SavedPlan
from sizewell.planning.saved_workload import SavedEndpoint
from sizewell.planning.scaling_policies import StepScalingPlan, TargetTrackingPlan
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import CNN, DECODER, IMAGE, NAMES, as_stated, container, environment, policy

MANY = catalog(
    gpu_instance("ml.g1.xlarge"),
    gpu_instance("ml.g2.12xlarge", accelerator_count=4, vcpus=48, memory_gib=256.0),
    gpu_instance("ml.g3.xlarge", local_storage_gb=250.0, local_storage_nvme=True),
    usd_per_hour={"ml.g1.xlarge": 1.0, "ml.g2.12xlarge": 5.0, "ml.g3.xlarge": 1.1},
)
COMPONENT: Mapping[str, Any] = {
    "model": CNN,
    "container": container(artifact={"key": "models/plants/model.tar.gz"}),
    "request": {"images": 1},
    "traffic": {"peak_requests_per_second": 10, "average_requests_per_second": 5},
    "latency": {"max_p95_ms": 1000},
}
LLM: Mapping[str, Any] = {
    **COMPONENT,
    "model": DECODER,
    "engine": "llm-engine",
    "request": {"input_tokens": 100, "output_tokens": 100},
    "traffic": {"peak_concurrent_users": 2},
    "latency": {"max_p95_ms": 20_000},
}
SLEEPS: Mapping[str, Any] = {"scaling": {"min_copies": 0, "may_fail_while_cold": True}}


def endpoint(components: Mapping[str, Any] | None = None, **changes: Any) -> InferenceComponentEndpoint:
    default = {
        "kind": "inference-component-endpoint",
        "components": components or {"cnn": COMPONENT, "llm": LLM},
    }
    return InferenceComponentEndpoint.model_validate({**default, **changes})


def planned(stated: InferenceComponentEndpoint | None = None, **under: Any) -> ComponentEndpointPlan:
    return plan_component_endpoint(as_stated("desk", stated or endpoint(), policy(**under), MANY))


def faults(stated: InferenceComponentEndpoint, **under: Any) -> list[PlanFault]:
    plan = planned(stated, **under)
    return [*component_faults(stated, plan), *legality_faults(plan, MANY)]


def test_a_name_that_no_other_workload_can_make() -> None:
    components = planned().components
    assert {key: one.component_name for key, one in components.items()} == {
        "cnn": "demo-dev-desk--cnn",
        "llm": "demo-dev-desk--llm",
    }


def test_copies_follow_invocations_and_of_an_llm_engine_the_requests_in_progress() -> None:
    plan = planned()
    fleet = plan.selection.chosen.estimate
    cnn, llm = (plan.components[key].scaling for key in ("cnn", "llm"))
    assert cnn is not None
    assert llm is not None
    (invocations,), (concurrency,) = cnn.policies, llm.policies
    assert isinstance(invocations, TargetTrackingPlan)
    assert isinstance(concurrency, TargetTrackingPlan)
    assert invocations.metric == "SageMakerInferenceComponentInvocationsPerCopy"
    per_copy = fleet.components["cnn"].serving.capacity_requests_per_second
    assert invocations.target_value == pytest.approx(per_copy * 60 * 0.7, rel=0.01)
    assert concurrency.metric == "SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution"
    at_once = fleet.components["llm"].serving.capacity_concurrency
    assert concurrency.target_value == pytest.approx(at_once * 0.7, rel=0.01)
    assert cnn.max_copy_count == 2  # one and a half times the one at peak


def test_what_sleeps_is_woken_by_the_first_request_that_fails() -> None:
    plan = planned(endpoint({"llm": {**LLM, **SLEEPS}}))
    scaling = plan.components["llm"].scaling
    assert scaling is not None
    track, wake = scaling.policies
    assert isinstance(track, TargetTrackingPlan)
    assert track.metric == "SageMakerInferenceComponentInvocationsPerCopy"
    assert isinstance(wake, StepScalingPlan)
    assert wake.metric.model_dump() == {
        "namespace": "AWS/SageMaker",
        "name": "NoCapacityInvocationFailures",
        "statistic": "Maximum",
        "dimensions": {"InferenceComponentName": "demo-dev-desk--llm"},
    }
    assert (scaling.min_copy_count, plan.scaling.min_instance_count, plan.initial_instance_count) == (0, 0, 1)
    awake = planned(endpoint({"llm": {**LLM, **SLEEPS}, "cnn": COMPONENT}))
    assert awake.scaling.min_instance_count == 1


def test_copies_are_exchanged_in_batches_only_where_there_are_two() -> None:
    assert {one.rollout for one in planned().components.values()} == {None}
    rollout = planned(min_endpoint_instances=2).components["cnn"].rollout
    assert rollout is not None
    assert (rollout.share_percent, rollout.wait_interval_s) == (50, 600)
    assert rollout.alarms.keys() >= {"model_error_rate", "model_latency_p95"}
    for alarm in rollout.alarms.values():
        assert (alarm.datapoints_to_alarm + 1) * alarm.period_s <= rollout.watched_s


@pytest.mark.parametrize(
    ("stated", "key", "reason"),
    [
        (
            {"share_percent": 5, "wait_interval_s": 3600},
            ("rollout", "wait_interval_s"),
            "makes a deployment wait 72,000 s in all, but SageMaker ends it after 28,800 s",
        ),
        ({"wait_interval_s": 0}, ("rollout",), "nothing would call a bad model back"),
    ],
)
def test_waits_that_sagemaker_ends_or_in_which_nothing_goes_off_are_refused(
    stated: dict[str, int], key: tuple[str, ...], reason: str
) -> None:
    for fault in (found := faults(endpoint(rollout=stated), min_endpoint_instances=2)):
        assert fault.key_path == ("workloads", "desk", *key)
        assert reason in fault.reason
    assert found


def test_hosts_have_the_newest_machine_image_that_a_component_needs() -> None:
    images = {
        key: {
            **COMPONENT,
            "container": container(
                images={"cuda": {**IMAGE, "inference_ami_version": ami}}, artifact={"key": f"{key}.tar.gz"}
            ),
        }
        for key, ami in (
            ("old", "al2-ami-sagemaker-inference-gpu-3-1"),
            ("new", "al2023-ami-sagemaker-inference-gpu-4-1"),
        )
    }
    assert planned(endpoint(images)).inference_ami_version == "al2023-ami-sagemaker-inference-gpu-4-1"


def test_a_key_encrypts_what_is_a_volume() -> None:
    pinned = planned(endpoint(instances={"instance_type": "ml.g3.xlarge"}))
    assert (pinned.volume_size_gib, pinned.encrypt_volume_with_key) == (None, False)
    assert planned().encrypt_volume_with_key


def test_a_month_is_that_of_the_fleet_and_of_all_alarms() -> None:
    plan = planned()
    line = component_line(plan, "us-east-1")
    assert line.items[0].usd_per_month == plan.selection.chosen.cost.usd_per_month
    by_name = {item.name: item.usd_per_month for item in line.items}
    # Two of the fleet, two of each component, on errors and on slow requests; two for each policy.
    assert by_name["alarm"] == pytest.approx(2 * 0.10)
    assert by_name["alarm metric"] == pytest.approx(2 * (3 + 2) * 0.10)
    assert by_name["alarm of target tracking"] == pytest.approx(4 * 0.10)


def test_what_is_locked_is_kept() -> None:
    locked = locked_workload(planned(endpoint(instances={"instance_type": "ml.g2.12xlarge"})))
    plan = plan_component_endpoint(as_stated("desk", endpoint(), policy(), MANY, NAMES, locked))
    assert plan.instance_type == "ml.g2.12xlarge"
    assert plan.lock is not None
    assert plan.lock.state == "stale"


def test_a_review_reads_the_plan() -> None:
    whole = build_plan(environment({"desk": endpoint()}), MANY)
    (read,) = SavedPlan.model_validate_json(whole.model_dump_json()).of(SavedEndpoint)
    assert (read.kind, read.endpoint_name) == ("inference-component-endpoint", "demo-dev-desk")
    assert read.selection.chosen.estimate.instances_at_peak == 2


def said(found: list[PlanFault]) -> list[tuple[str, str]]:
    return [(".".join(one.key_path[2:]), one.reason) for one in found]


def test_what_aws_refuses_is_said_at_its_key() -> None:
    quiet = {key: {"off_because": "x"} for key in ROLLBACK_ALARMS}
    (fault,) = said(faults(endpoint({"cnn": {**COMPONENT, "alarms": quiet}}), min_endpoint_instances=2))
    assert fault[0] == "components.cnn.alarms"
    assert fault[1].endswith("are all off, and nothing would call copies of a bad model back")


def test_a_rollout_without_two_copies_has_no_effect() -> None:
    stated = endpoint(rollout={"share_percent": 10})
    assert said(faults(stated))[0][0] == "rollout"
    assert faults(stated, min_endpoint_instances=2) == []


def test_names_are_as_long_as_aws_takes() -> None:
    stated = endpoint({"a-component-of-twenty-six": COMPONENT})
    plan = plan_component_endpoint(as_stated("a-workload-of-twenty-six-c", stated, policy(), MANY))
    assert said(list(component_faults(stated, plan))) == []
    longer = {
        key: one.model_copy(update={"component_name": "x" * 64}) for key, one in plan.components.items()
    }
    (fault,) = component_faults(stated, plan.model_copy(update={"components": longer}))
    assert fault.reason.endswith("64 characters, and AWS takes 63")


def test_where_nothing_fits_the_component_is_named() -> None:
    stated = endpoint({"cnn": {**COMPONENT, "latency": {"max_p95_ms": 0.5}}, "llm": LLM})
    with pytest.raises(NoFeasibleInstanceError) as raised:
        planned(stated)
    fault = no_feasible_fault("desk", stated, raised.value)
    assert fault.key_path == ("workloads", "desk", "components")
    assert "ml.g1.xlarge: latency: component cnn: p95 of" in fault.reason


def test_the_fleet_is_there_twice_during_an_update() -> None:
    plan = planned()
    assert [(name, count) for _, name, count in plan.quotas] == [
        (f"{plan.instance_type} for endpoint usage", 2 * plan.scaling.max_instance_count),
        ("Number of instances across active endpoints", 2 * plan.scaling.max_instance_count),
    ]


def test_copies_that_the_fleet_never_holds_are_refused() -> None:
    def stated(max_copies: int) -> InferenceComponentEndpoint:
        cnn = {**COMPONENT, "scaling": {"max_copies": max_copies}}
        return endpoint({"cnn": cnn, "llm": LLM}, scaling={"max_instances": 2})

    plan = planned(stated(2))
    assert plan.scaling.max_instance_count == 2
    # A copy of each component takes a whole g1: the other copy of the two instances is that of llm.
    assert plan.selection.chosen.instance_type == "ml.g1.xlarge"
    assert faults(stated(1)) == []
    (fault,) = faults(stated(2))
    assert fault.key_path == ("workloads", "desk", "components", "cnn", "scaling", "max_copies")
    assert fault.reason == (
        "is 2, but 2 instances of ml.g1.xlarge hold 1 beside the fewest copies of the other components"
    )


HOURS = {"start": "07:00", "end": "20:00", "time_zone": "Europe/Berlin"}


def test_outside_of_working_hours_no_copy_and_no_instance_is_there() -> None:
    awake, resting = planned(), planned(working_hours=HOURS)

    assert resting.rests
    assert resting.scaling.min_instance_count == 0
    for name, component in resting.components.items():
        assert component.scaling is not None
        day = awake.components[name].scaling
        assert day is not None
        assert [one.model_dump() for one in component.scaling.scheduled_actions] == [
            {
                "name": "working-hours-begin",
                "schedule": "cron(0 7 ? * MON,TUE,WED,THU,FRI *)",
                "time_zone": "Europe/Berlin",
                "min_copy_count": day.min_copy_count,
                "max_copy_count": day.max_copy_count,
            },
            {
                "name": "working-hours-end",
                "schedule": "cron(0 20 ? * MON,TUE,WED,THU,FRI *)",
                "time_zone": "Europe/Berlin",
                "min_copy_count": 0,
                "max_copy_count": 0,
            },
        ]


def test_only_working_hours_are_paid() -> None:
    awake, resting = planned(), planned(working_hours=HOURS)
    assert resting.selection.chosen.instance_type == awake.selection.chosen.instance_type
    cost, at_all_hours = resting.selection.chosen.cost, awake.selection.chosen.cost
    assert at_all_hours.usd_per_month is not None
    assert cost.usd_per_month == pytest.approx(at_all_hours.usd_per_month * 65 / 168)
    assert any("65 of 168 hours a week" in line for line in resting.selection.assumptions)
    assert resting.needs_digest != awake.needs_digest


def test_a_fleet_that_keeps_instances_by_itself_does_not_rest() -> None:
    plan = planned(endpoint(scaling={"min_instances": 1}), working_hours=HOURS)
    assert not plan.rests
    assert plan.runs_at_all_hours
    assert plan.needs_digest == planned(endpoint(scaling={"min_instances": 1})).needs_digest


def test_a_fixed_number_of_copies_rests_as_well() -> None:
    fixed = {**COMPONENT, "scaling": {"min_copies": 2, "max_copies": 2}}
    (component,) = planned(endpoint({"cnn": fixed}), working_hours=HOURS).components.values()
    assert component.scaling is not None
    assert component.scaling.policies == ()
    assert [(one.min_copy_count, one.max_copy_count) for one in component.scaling.scheduled_actions] == [
        (2, 2),
        (0, 0),
    ]


def test_nothing_speaks_against_resting() -> None:
    stated = environment({"desk": endpoint()}, policy=policy(working_hours=HOURS))
    assert build_plan(stated, MANY).workloads[0].rests


def test_production_does_not_rest() -> None:
    with pytest.raises(ValueError, match="production serves users at all hours"):
        policy(production=True, min_endpoint_instances=2, min_availability_zones=2, working_hours=HOURS)
