"""The reference training script records a run as one, however often it is interrupted."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.examples.training_script import Job, csv_rows

#: Stands for the package: it writes down what it is asked.
MLFLOW = """
import json, os, types
def _call(name):
    def call(*given, **named):
        with open(os.environ["ASKED"], "a") as file:
            print(json.dumps([name, given, named]), file=file)
        return types.SimpleNamespace(info=types.SimpleNamespace(run_id="run-1"))
    return call
start_run, log_params, log_metric, log_metrics, end_run = map(
    _call, ("start_run", "log_params", "log_metric", "log_metrics", "end_run")
)
"""
TAGS = {"execution": "e-1", "usd_per_hour_on_demand": "2.5000"}


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "mlflow.py").write_text(MLFLOW)
    return {
        "PYTHONPATH": str(tmp_path),
        "ASKED": str(tmp_path / "asked"),
        "MLFLOW_TRACKING_URI": "arn:aws:sagemaker:us-east-1:111122223333:mlflow-app/app-1",
        "MLFLOW_EXPERIMENT_NAME": "churn",
        "MLFLOW_TAGS": json.dumps(TAGS),
        "TRAINING_JOB_NAME": "demo-dev-train-1",
    }


def asked(variables: dict[str, Any]) -> list[list[Any]]:
    return [json.loads(line) for line in Path(variables["ASKED"]).read_text().splitlines()]


def test_an_interrupted_run_is_recorded_as_one_with_its_hours_and_its_price(
    variables: dict[str, Any], tmp_path: Path
) -> None:
    job = Job.laid_out(tmp_path / "ml", csv_rows(50, 4), epochs=2, batch_size=8)
    assert job.run_and_kill(checkpoint=3, **variables).returncode < 0
    ended = job.run(**variables)
    assert ended.returncode == 0, ended.stderr

    calls = asked(variables)
    begun = [named for name, _, named in calls if name == "start_run"]
    assert [(run["run_id"], run["run_name"], run["tags"]) for run in begun] == [
        (None, "demo-dev-train-1", TAGS),
        ("run-1", "demo-dev-train-1", TAGS),
    ]
    assert [given for name, given, _ in calls if name == "log_params"] == [
        [{"epochs": "2", "batch_size": "8"}]
    ]
    # The epoch that the last checkpoint did not hold is told once more, with the same value.
    losses = [(named["step"], given[1]) for name, given, named in calls if name == "log_metric"]
    assert [step for step, _ in dict.fromkeys(losses)] == [1, 2]
    (_, (measured,), _), last = calls[-2:]
    # Its clock counts how often it is asked: the attempt that was killed has saved twice, after three seconds each.
    assert measured["hours"] >= 6 / 3600
    assert measured["usd_on_demand"] == pytest.approx(2.5 * measured["hours"])
    assert last == ["end_run", [], {}]


def test_a_run_that_fails_is_recorded_as_failed(variables: dict[str, Any], tmp_path: Path) -> None:
    job = Job.laid_out(tmp_path / "ml", "1,2,x", epochs=1)
    assert job.run(**variables).returncode == 1
    assert not Path(variables["ASKED"]).exists()  # it failed before there was a run

    job = Job.laid_out(tmp_path / "other", "1,2,0\n1,0", epochs=1)  # a row lacks a column
    assert job.run(**variables).returncode == 1
    assert asked(variables)[-1] == ["end_run", ["FAILED"], {}]
