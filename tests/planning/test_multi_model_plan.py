"""The decisions for a multi-model endpoint: instances that hold its models, processes, disk and alarms."""

from typing import Any

import pytest

from sizewell.config.policy import Policy
from sizewell.instance_selection import Catalog
from sizewell.kinds.multi_model_endpoint.config import MultiModelEndpoint
from sizewell.kinds.multi_model_endpoint.plan import multi_model_faults, plan_multi_model_endpoint
from sizewell.planning.alarm_thresholds import alarm_faults
from sizewell.planning.endpoint_bill import endpoint_line
from sizewell.planning.endpoint_plan_model import EndpointPlan, MultiModelPlan
from sizewell.planning.errors import PlanError
from sizewell.planning.lock import locked_workload
from tests.instance_selection.builders import catalog, cpu_instance, gpu_instance
from tests.planning.builders import CNN, DECODER, IMAGE, as_stated, policy

CPU = catalog(cpu_instance(), usd_per_hour={"ml.c9.xlarge": 0.2})
GPU = catalog(gpu_instance("ml.g5.xlarge"), usd_per_hour={"ml.g5.xlarge": 1})
STEP = {"metric": "latency", "above": 900, "add": 1}
TRITON = {**IMAGE, "repository": "sagemaker-tritonserver", "tag": "25.04-py3"}


def several(**changes: Any) -> MultiModelEndpoint:
    """Return an endpoint of CNNs that answer ten requests per second together."""
    default = {
        "kind": "multi-model-endpoint",
        "model": CNN,
        "models": {"count": 100},
        "container": {"images": {"cpu_x86_64": IMAGE, "cuda": TRITON}, "artifact": {"key": "models/all/"}},
        "request": {"images": 1},
        "traffic": {"peak_requests_per_second": 10, "average_requests_per_second": 1},
        "latency": {"max_p95_ms": 1000},
    }
    return MultiModelEndpoint.model_validate({**default, **changes})


def planned(
    of: MultiModelEndpoint | None = None, known: Catalog = CPU, under: Policy | None = None
) -> EndpointPlan:
    return plan_multi_model_endpoint(as_stated("plants", of or several(), under or policy(), known))


def models_of(plan: EndpointPlan) -> MultiModelPlan:
    assert plan.multi_model is not None
    return plan.multi_model


def test_as_many_instances_stay_as_hold_the_models() -> None:
    plan = planned()
    models = models_of(plan)
    # 16 GiB, of which 85 % are usable; a worker process takes half a GiB and its weights.
    assert (models.count, models.loaded.per_instance, models.loaded.fewest_instances) == (100, 26, 4)
    assert plan.scaling is not None
    assert (plan.scaling.min_instance_count, plan.initial_instance_count) == (4, 4)
    assert endpoint_line(plan, "us-east-1").usd_per_month == pytest.approx(4 * 0.2 * 730, rel=0.1)
    # A request goes to one instance of several: a fleet of them is exchanged in parts.
    assert plan.rollout is not None


def test_metrics_and_steps_of_ones_own_scale_it() -> None:
    stated = {"track": {"invocations": {}, "cpu": {"target": 60}}, "steps": {"slow": STEP}}
    scaling = planned(several(scaling={"max_instances": 9, **stated})).scaling
    assert scaling is not None
    assert (scaling.min_instance_count, scaling.max_instance_count) == (4, 9)
    names = ["InvocationsPerInstance", "CPUUtilization", "slow"]
    assert [one.name for one in scaling.policies] == names


@pytest.mark.parametrize(
    ("known", "stated", "reason"),
    [
        (CPU, {"track": {"cpu": {}}}, "models are loaded beside the requests"),
        (CPU, {"track": {"concurrency": {"target": 4}}}, "where an instance has many"),
        (CPU, {"steps": {"slow": {**STEP, "metric": "concurrency"}}}, "where an instance has many"),
        (GPU, {"track": {"gpu-memory": {"target": 80}}}, "a full memory is healthy"),
    ],
)
def test_what_nobody_knows_of_many_models_is_not_followed(
    known: Catalog, stated: dict[str, Any], reason: str
) -> None:
    with pytest.raises(PlanError) as error:
        planned(several(scaling={"max_instances": 9, **stated}), known)
    (fault,) = error.value.faults
    assert fault.key_path[:3] == ("workloads", "plants", "scaling")
    assert reason in fault.reason


def test_processes_of_a_model_are_set_where_the_server_reads_them() -> None:
    assert planned().environment == {"SAGEMAKER_MODEL_SERVER_WORKERS": "1"}
    two = planned(several(models={"count": 20, "workers_per_model": 2}))
    assert two.environment == {"SAGEMAKER_MODEL_SERVER_WORKERS": "2"}
    assert planned(known=GPU).environment == {}


def test_the_disk_holds_what_the_memory_does() -> None:
    container = {"images": {"cpu_x86_64": IMAGE}, "artifact": {"key": "models/all/", "size_gib": 1}}
    plan = planned(several(container=container))
    one = planned(several(container={**container, "artifact": {"key": "models/all/", "size_gib": 0.001}}))
    assert plan.volume_size_gib is not None
    assert one.volume_size_gib is not None
    # Packed and unpacked.
    assert plan.volume_size_gib - one.volume_size_gib == 2 * models_of(plan).loaded.per_instance - 1


def test_alarms_on_loads_follow_from_the_load() -> None:
    plan = planned()
    load_ms = models_of(plan).loaded.load_s * 1000
    assert plan.alarms["model_loading_wait_time"].threshold == pytest.approx(2 * load_ms)
    assert plan.alarms["model_cache_hit"].threshold == 95
    # Memory and disk are full on purpose: the processors tell that no instance reports.
    assert plan.alarms["cpu_utilization"].threshold == 99.9
    # Not all models fit in an instance: full is healthy.
    full = {"memory_utilization", "disk_utilization"}
    assert plan.alarms_off.keys() >= full
    assert not planned(several(models={"count": 5})).alarms_off.keys() & full
    patient = planned(several(latency={"max_p95_ms": 20_000}))
    assert patient.alarms_off["model_cache_hit"].startswith("a load alone is faster than latency.max_p95_ms")
    stated = several(
        alarms={"memory_utilization": {"above_percent": 98}, "model_cache_hit": {"below_percent": 80}}
    )
    assert [planned(stated).alarms[name].threshold for name in ("memory_utilization", "model_cache_hit")] == [
        98,
        80,
    ]
    assert planned(several(latency={"max_p95_ms": 1000, "max_cold_ms": 6000})).alarms[
        "model_loading_wait_time"
    ].threshold == pytest.approx(6000)


def faults(of: MultiModelEndpoint, known: Catalog = CPU) -> list[tuple[str, str, str | None]]:
    plan = planned(of, known)
    found = (*multi_model_faults(of, plan), *alarm_faults(of.alarms, plan))
    return [(".".join(one.key_path[2:]), one.reason, one.hint) for one in found]


def test_bounds_that_hold_too_few_models() -> None:
    reason = (
        "leaves {} instance(s), which keep {} of 100 models in memory: too many requests would wait 5.02 s for a load, however "
        "few there are"
    )
    hint = "leave 4 instances at least, or allow more milliseconds"
    nights = {"nights": {"at": "20:00", "min_instances": 1}, "days": {"at": "08:00", "min_instances": 4}}
    assert faults(several(scaling={"min_instances": 2, "schedules": nights})) == [
        ("scaling.min_instances", reason.format(2, 52), hint),
        ("scaling.schedules.nights.min_instances", reason.format(1, 26), hint),
    ]
    assert faults(several(scaling={"min_instances": 4})) == []


def test_more_processes_than_the_server_starts() -> None:
    two = {"count": 10, "workers_per_model": 2}
    assert faults(several(models=two), GPU)[0] == (
        "models.workers_per_model",
        "is 2, but sagemaker-tritonserver on ml.g5.xlarge serves each model by one process",
        "write workers_per_model: 1",
    )
    xgboost = {"cpu_x86_64": {**IMAGE, "repository": "sagemaker-xgboost", "tag": "3.2-0"}}
    container = {"images": xgboost, "artifact": {"key": "models/all/"}}
    assert faults(several(models=two, container=container))[0][0] == "models.workers_per_model"


def test_an_llm_engine_keeps_one_model() -> None:
    vllm = {"cuda": {"account": "111122223333", "repository": "team/vllm", "tag": "0.11"}}
    decoder = several(
        model=DECODER,
        request={"input_tokens": 10, "output_tokens": 10},
        container={"images": vllm, "artifact": {"key": "models/all/"}},
    )
    with pytest.raises(PlanError, match="keeps one model in memory"):
        planned(decoder)


def test_a_lock_holds_the_type() -> None:
    plan = planned(known=catalog(cpu_instance(), cpu_instance("ml.c9.2xlarge", memory_gib=32), usd_per_hour={
        "ml.c9.xlarge": 0.2, "ml.c9.2xlarge": 0.39}))  # fmt: skip
    assert plan.instance_type == "ml.c9.2xlarge"
    locked = locked_workload(plan)
    assert (locked.instance_type, locked.kind) == ("ml.c9.2xlarge", None)
