"""A training script that an interruption does not hurt: copy it, and put your model in the place of this one.

It learns a logistic regression from CSV files whose last column is 0 or 1. Killed at any moment and started again, it ends
with the same model, to the last bit, as if nothing had happened, because a checkpoint holds all that the next step depends
on: the weights, the state of the optimizer, the state of the random generator, and the position in the data.
"""

import json
import math
import os
import random
import sys
import time
import traceback
from pathlib import Path

# Where SageMaker puts everything; SAGEMAKER_BASE_DIR is the name that its training toolkit knows for another place.
ML = Path(os.environ.get("SAGEMAKER_BASE_DIR", "/opt/ml"))
CHECKPOINTS = Path(os.environ.get("SIZEWELL_CHECKPOINT_DIR", ML / "checkpoints"))
# What Sizewell knows of the run: instances, their price, the execution whose output says what was billed.
TAGS = json.loads(os.environ.get("MLFLOW_TAGS", "{}"))
INTERVAL_S = 60 * float(os.environ.get("SIZEWELL_CHECKPOINT_INTERVAL_MINUTES", "15"))


def main() -> None:
    """Train from the newest checkpoint, or from the beginning, to the end."""
    given = json.loads((ML / "input/config/hyperparameters.json").read_text())
    epochs, batch_size = int(given.get("epochs", 10)), int(given.get("batch_size", 32))
    rate, momentum = float(given.get("learning_rate", 0.05)), float(given.get("momentum", 0.9))

    rows = read_rows(ML / "input/data/training")
    state = newest_checkpoint() or {
        "epoch": 0,
        "order": [],  # of the rows in this epoch
        "position": 0,  # in that order
        "loss": 0.0,  # of this epoch so far
        "weights": [0.0] * len(rows[0]),
        "velocity": [0.0] * len(rows[0]),
        "random": random.Random(int(given.get("seed", 0))).getstate(),
        "hours": 0.0,  # that all attempts have trained
        "run": None,  # of the experiment
    }
    mlflow = open_run(given, state)
    generator = random.Random()
    version, internal, gauss = state["random"]
    generator.setstate((version, tuple(internal), gauss))  # JSON has made a list of the tuple

    saved_at = time.monotonic()
    while state["epoch"] < epochs:
        if state["position"] == 0:
            state["order"] = generator.sample(range(len(rows)), len(rows))
            state["random"] = generator.getstate()
        batch = state["order"][state["position"] : state["position"] + batch_size]
        learn([rows[number] for number in batch], state, rate, momentum)
        state["position"] += len(batch)
        if state["position"] == len(rows):
            state["epoch"] += 1
            # For a metric definition: train_loss=([0-9.]+)
            print(f"epoch={state['epoch']} train_loss={state['loss'] / len(rows):.6f}", flush=True)
            if mlflow:
                mlflow.log_metric("train_loss", state["loss"] / len(rows), step=state["epoch"])
            state["position"], state["loss"] = 0, 0.0
        if (passed := time.monotonic() - saved_at) >= INTERVAL_S:
            state["hours"] += passed / 3600
            save(state)
            saved_at = time.monotonic()

    (ML / "model").mkdir(exist_ok=True)
    (ML / "model/model.json").write_text(json.dumps({"weights": state["weights"]}))
    if mlflow:
        measured = {"hours": state["hours"] + (time.monotonic() - saved_at) / 3600}
        if "usd_per_hour_on_demand" in TAGS:
            measured["usd_on_demand"] = measured["hours"] * float(TAGS["usd_per_hour_on_demand"])
        mlflow.log_metrics(measured)
        mlflow.end_run()


def open_run(given: dict, state: dict):
    """Return mlflow with a run that is open, or None where there is no experiment. What resumes is the same run.

    The image must have the packages mlflow and sagemaker-mlflow. Of several instances, only the first should record.
    """
    if "MLFLOW_TRACKING_URI" not in os.environ:
        return None
    import mlflow

    run = mlflow.start_run(run_id=state["run"], run_name=os.environ.get("TRAINING_JOB_NAME"), tags=TAGS)
    if state["run"] is None:
        state["run"] = run.info.run_id
        mlflow.log_params(given)
    return mlflow


def learn(rows: list[list[float]], state: dict, rate: float, momentum: float) -> None:
    """Make one step of gradient descent with momentum. The last weight is the constant."""
    weights, velocity = state["weights"], state["velocity"]
    gradient = [0.0] * len(weights)
    for *features, label in rows:
        features.append(1.0)
        score = sum(w * x for w, x in zip(weights, features, strict=True))
        predicted = 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
        state["loss"] -= math.log(predicted if label else 1 - predicted)
        for i, x in enumerate(features):
            gradient[i] += (predicted - label) * x / len(rows)
    for i, slope in enumerate(gradient):
        velocity[i] = momentum * velocity[i] - rate * slope
        weights[i] += velocity[i]


def read_rows(directory: Path) -> list[list[float]]:
    """Return the rows of all files, in an order that does not depend on the file system."""
    lines = [line for path in sorted(directory.rglob("*.csv")) for line in path.read_text().splitlines()]
    if not lines:
        raise ValueError(f"no rows in *.csv below {directory}")
    return [[float(field) for field in line.split(",")] for line in lines]


def save(state: dict) -> None:
    """Write a checkpoint to a temporary name, then rename it: under its own name it is complete.

    Each has a name of its own, because SageMaker copies files while they are there: it would mix an old file with a new one.
    Two stay, and SageMaker deletes in S3 what is deleted here; the volume has room for a third, which is being written.
    """
    CHECKPOINTS.mkdir(parents=True, exist_ok=True)
    path = CHECKPOINTS / f"checkpoint-{state['epoch']:06}-{state['position']:012}.json"
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(state))
    temporary.rename(path)
    for older in complete_checkpoints()[:-2]:
        older.unlink()


def newest_checkpoint() -> dict | None:
    """Return the newest complete state, or None where there is none; delete what an interruption left half written."""
    for partial in CHECKPOINTS.glob("*.tmp"):
        partial.unlink()
    for path in reversed(complete_checkpoints()):
        print(f"resuming from {path.name}", flush=True)
        return json.loads(path.read_text())
    return None


def complete_checkpoints() -> list[Path]:
    """Return the checkpoints, oldest first; what was never renamed is not among them."""
    return sorted(CHECKPOINTS.glob("checkpoint-*.json"))


if __name__ == "__main__":
    try:
        main()
    except Exception:
        # SageMaker shows the first 1,024 characters as FailureReason, and takes any exit code but 0 for a failure.
        (ML / "output").mkdir(exist_ok=True)
        (ML / "output/failure").write_text("".join(traceback.format_exception_only(*sys.exc_info()[:2])))
        traceback.print_exc()
        if "mlflow" in sys.modules:
            sys.modules["mlflow"].end_run("FAILED")
        sys.exit(1)
