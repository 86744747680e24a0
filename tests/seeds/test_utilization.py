"""The text on utilization, throughput, availability, and the tools that measure them."""

import pytest

from sizewell.cli.main import app
from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning import load_plan
from sizewell.planning.plan import DeploymentPlan
from tests.seeds.needs import LLAMA_7B, LLAMA_70B, train
from tests.seeds.statements import contradicts, says
from tests.synthesis import PROJECT_ROOT

SEED = "utilization"
CONFIG = PROJECT_ROOT / "config"


@pytest.fixture(scope="module")
def prod() -> DeploymentPlan:
    return load_plan(CONFIG, "prod", within_budget=False)


@says(SEED, "enough memory for large models, and work spread over several GPUs")
def test_a_model_that_does_not_fit_is_spread() -> None:
    sharded = train(LLAMA_70B).chosen.estimate
    assert sharded.sharded
    assert sharded.accelerator_count > 8


@says(SEED, "storage utilization: artifacts and data fit the volume")
def test_volumes_hold_the_artifact(prod: DeploymentPlan) -> None:
    for job in prod.of(TrainingJobPlan):
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


@says(SEED, "alarms on latency, errors and utilization of every endpoint")
def test_every_endpoint_has_alarms(prod: DeploymentPlan) -> None:
    for endpoint in prod.endpoints:
        assert {"model_error_rate", "model_latency_p95", "memory_utilization"} <= endpoint.alarms.keys()


@contradicts(SEED, "compute-optimizer-does-not-see-endpoints")
def test_measured_results_come_from_elsewhere() -> None:
    names = {command.name for command in app.registered_commands}
    assert "import-measurement" in names, "Inference Recommender and load tests are read by this"
