"""The text on utilization, throughput, availability, and the tools that measure them."""

import pytest

from sizewell.cli.main import app
from sizewell.config import ConfigError
from sizewell.planning import load_plan
from sizewell.planning.plan import DeploymentPlan
from tests.seeds.needs import BERT_BASE, CPU, LLAMA_7B, LLAMA_70B, RESNET_50, serve, train
from tests.seeds.statements import contradicts, says
from tests.synthesis import PROJECT_ROOT

SEED = "utilization"
CONFIG = PROJECT_ROOT / "config"


@pytest.fixture(scope="module")
def prod() -> DeploymentPlan:
    return load_plan(CONFIG, "prod", within_budget=False)


@says(SEED, "CPU and GPU utilization: what is used of the whole capacity")
@pytest.mark.parametrize("images", [None, CPU], ids=["accelerator", "cpu"])
def test_utilization_is_load_divided_by_capacity(images) -> None:  # type: ignore[no-untyped-def]
    peak = 40.0
    options = {} if images is None else {"images": images}
    chosen = serve(BERT_BASE, max_p95_ms=200, peak=peak, tokens=128, **options).chosen
    estimate = chosen.estimate
    whole = estimate.capacity_requests_per_second * estimate.instances_at_peak
    assert estimate.utilization == pytest.approx(peak / whole, rel=0.01)
    assert 0 < estimate.utilization < 1


@says(SEED, "high utilization: add capacity")
def test_more_load_takes_more_instances_and_not_more_utilization() -> None:
    kept_free = 0.3
    for peak in (10, 100, 1000):
        estimate = serve(BERT_BASE, max_p95_ms=100, peak=peak, tokens=128).chosen.estimate
        assert estimate.utilization <= 1 - kept_free + 1e-6


@says(SEED, "memory utilization: used memory of the whole")
def test_memory_utilization_is_below_one() -> None:
    for selection in (serve(RESNET_50, max_p95_ms=200, peak=5), train(LLAMA_7B)):
        memory = selection.chosen.estimate.memory
        assert 0 < memory.needed_gib / memory.usable_gib <= 1


@says(SEED, "enough memory for large models, and work spread over several GPUs")
def test_a_model_that_does_not_fit_is_spread() -> None:
    sharded = train(LLAMA_70B).chosen.estimate
    assert sharded.sharded
    assert sharded.accelerator_count > 8


@says(SEED, "storage utilization: artifacts and data fit the volume")
def test_volumes_hold_the_artifact(prod: DeploymentPlan) -> None:
    for job in prod.training_jobs:
        assert all(attempt.volume_size_gib > 0 for attempt in job.attempts)


@says(SEED, "throughput: data processed divided by time")
def test_throughput_times_time_is_the_data() -> None:
    units = 1e9
    estimate = train(LLAMA_7B, units=units).chosen.estimate
    working_s = units / estimate.units_per_second
    assert working_s < estimate.duration_hours * 3600 < working_s * 1.1 + 3600


@says(SEED, "scalability: twice the work on more accelerators")
def test_a_tighter_deadline_takes_more_accelerators() -> None:
    relaxed = train(LLAMA_70B, units=1e9).chosen.estimate
    hurried = train(LLAMA_70B, units=1e9, hours=relaxed.duration_hours * 0.6, instances=32).chosen.estimate
    assert hurried.units_per_second > relaxed.units_per_second * 1.5


@says(SEED, "availability: several zones, replication")
def test_production_has_two_instances_and_two_zones(prod: DeploymentPlan, tmp_path) -> None:  # type: ignore[no-untyped-def]
    assert prod.foundation.network.availability_zones >= 2  # type: ignore[union-attr]
    assert all(endpoint.initial_instance_count >= 2 for endpoint in prod.endpoints)
    for name in ("base.yaml", "prod.yaml"):
        text = (
            (CONFIG / name)
            .read_text("utf-8")
            .replace("min_endpoint_instances: 2", "min_endpoint_instances: 1")
        )
        (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(ConfigError) as raised:
        load_plan(tmp_path, "prod")
    assert "production needs at least 2" in raised.value.render()


@says(SEED, "alarms on latency, errors and utilization of every endpoint")
def test_every_endpoint_has_alarms(prod: DeploymentPlan) -> None:
    for endpoint in prod.endpoints:
        assert {"server_error_rate", "model_latency_p95", "cpu_utilization"} <= endpoint.alarms.keys()


@contradicts(SEED, "compute-optimizer-does-not-see-endpoints")
def test_measured_results_come_from_elsewhere() -> None:
    names = {command.name for command in app.registered_commands}
    assert "import-measurement" in names, "Inference Recommender and load tests are read by this"
