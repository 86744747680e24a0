"""A long run without a checkpoint is not accepted in silence."""

from typing import Any

from sizewell.config.training import TrainedModel
from sizewell.kinds.tuning_job.config import TuningJob
from sizewell.planning.build import build_plan
from sizewell.planning.training_warnings import training_warnings
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import container, environment, policy, training_job


def warnings(**changes: Any) -> tuple[str, ...]:
    return warnings_of(training_job(deadline_hours=600, **changes))


def warnings_of(job: TrainedModel) -> tuple[str, ...]:
    one = catalog(gpu_instance("ml.g1.xlarge", efa_supported=True), usd_per_hour={"ml.g1.xlarge": 10.0})
    return training_warnings(build_plan(environment({"train": job}, policy=policy(allow_spot=True)), one))


def images(millions: int) -> dict[str, Any]:
    return {"dataset": {"prefix": "datasets/", "size_gib": 10, "examples": millions * 1_000_000}}


def test_what_a_failure_would_lose_is_told() -> None:
    found = {millions: warnings(**images(millions)) for millions in (1, 100)}
    assert found[1] == ()
    (line,) = found[100]
    assert line.startswith("train: runs ")
    assert " without a checkpoint: a failure at its end loses all of it of " in line


def test_each_training_of_a_tuning_would_be_lost_as_well() -> None:
    search = {
        "objective": {"metric": "loss", "goal": "minimize", "regex": "loss=([0-9.]+)"},
        "ranges": {"rate": {"type": "continuous", "min": 0.1, "max": 1}},
        "max_jobs": 2,
        "max_parallel_jobs": 2,
    }
    code = {"prefix": "code/", "command": ["python3", "train.py"]}
    job = training_job(deadline_hours=600, container=container(code=code), **images(100))
    stated = job.model_dump(exclude_unset=True) | {"kind": "tuning-job", "search": search}
    (line,) = warnings_of(TuningJob.model_validate(stated))
    assert line.startswith("train: each training runs ")


def test_a_checkpoint_is_enough() -> None:
    assert warnings(**images(100), checkpoint={"interval_minutes": 15}) == ()
