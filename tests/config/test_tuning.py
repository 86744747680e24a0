"""What contradicts itself in a tuning job is refused at its line, with what to do."""

from collections.abc import Callable
from typing import Any

import pytest

MessageFor = Callable[[str], str]
LoadDev = Callable[[str], Any]
JOB = """\
workloads:
  tune:
    kind: tuning-job
    model: {architecture: linear, features: 10}
    container:
      images:
        cpu_x86_64: {account: "763104351884", repository: pytorch-training, tag: "2.6.0-cpu"}
      code: {prefix: code/tune/, command: COMMAND}
      hyperparameters: {momentum: 0.9}
    dataset: {prefix: datasets/tune/, size_gib: 1, examples: 1000, epochs: EPOCHS}
    deadline_hours: 2
"""
OBJECTIVE = '{metric: loss, goal: minimize, regex: "loss=([0-9.]+)"}'
RATE = "{type: continuous, min: 0.001, max: 0.1}"
SHAPE = "{type: categorical, values: [wide, deep]}"


def job(
    more: str = "",
    *,
    command: str = "[python, train.py]",
    epochs: int = 1,
    ranges: str = f"rate: {RATE}",
    **search: Any,
) -> str:
    """Return a tuning job with lines of its own, and another search; None takes a key of it away."""
    stated = {"objective": OBJECTIVE, "max_jobs": 6, **search}
    lines = "".join(f"      {key}: {value}\n" for key, value in stated.items() if value is not None)
    own = "".join(f"    {line}\n" for line in more.splitlines())
    written = JOB.replace("COMMAND", command).replace("EPOCHS", str(epochs))
    return f"{written}    search:\n{lines}      ranges: {{{ranges}}}\n{own}"


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        (job(objective=None), "search.objective", "is missing"),
        (job(objective=OBJECTIVE.replace("([0-9.]+)", "")), "search.objective.regex", "has no parentheses"),
        (job(objective=OBJECTIVE.replace("+)", "")), "search.objective.regex", "is no regular expression"),
        (job(objective=OBJECTIVE.replace("loss=", "${a}")), "search.objective.regex", "would replace ${"),
        (
            job(ranges="rate: {type: continuous, min: 1, max: 0.1}"),
            "search.ranges.rate.min",
            "is 1, above max (0.1): the range is upside down",
        ),
        (job(ranges="a.b: {type: integer, min: 2, max: 2}"), "search.ranges.a.b.max", "is 2, as min: write"),
        (
            job(ranges="n: {type: integer, min: 0, max: 2, scaling: logarithmic}"),
            "search.ranges.n.scaling",
            "a logarithmic scale has only values above 0, but min is 0",
        ),
        (
            job(ranges="rate: {type: continuous, min: 0.5, max: 1, scaling: reverse-logarithmic}"),
            "search.ranges.rate.scaling",
            "a reverse logarithmic scale has only values from 0 to below 1",
        ),
        (
            job(ranges="shape: {type: categorical, values: [wide]}"),
            "search.ranges.shape.values",
            "has 1, but a choice needs two",
        ),
        (job(ranges="n: {type: categorical, values: [1, '1']}"), "search.ranges.n.values.1", "stands twice"),
        (job(ranges=f"momentum: {RATE}"), "search.ranges.momentum", "has one value in container.hyper"),
        (job(ranges=f"sagemaker_program: {RATE}"), "search.ranges.sagemaker_program", "is set for you"),
        (job(max_jobs=None), "search.max_jobs", "is missing: write how many trainings bayesian may take"),
        (job(max_jobs=751), "search.max_jobs", "makes 751 trainings; SageMaker takes 750 at most"),
        (
            job("schedule: {every: day}", max_jobs=26, max_parallel_jobs=2),
            "total_deadline_hours",
            "is 26 by default, as its trainings may take one after another, but the schedule starts the next run after 24 "
            "hours: two would run at a time; state 24 at most",
        ),
        (
            job("schedule: {every: day}\ntotal_deadline_hours: 25"),
            "total_deadline_hours",
            "is 25, but the schedule starts the next run after 24 hours",
        ),
        (job(max_parallel_jobs=7), "search.max_parallel_jobs", "is 7, but one tuning has 6 trainings"),
        (
            job(strategy="grid", max_jobs=None, max_parallel_jobs=3),
            "search.ranges.rate.type",
            "is continuous, but a grid has every combination of values; write type: categorical",
        ),
        (job(strategy="grid", ranges=f"shape: {SHAPE}"), "search.max_jobs", "has no effect on a grid"),
        (
            job(strategy="grid", ranges=f"shape: {SHAPE}", max_jobs=None, max_parallel_jobs=3),
            "search.max_parallel_jobs",
            "is 3, but one tuning has 2 trainings",
        ),
        (
            job(strategy="hyperband", epochs=3, early_stopping="true"),
            "search.early_stopping",
            "hyperband ends trainings by itself; remove it",
        ),
        (
            job(strategy="hyperband"),
            "dataset.epochs",
            "is 1, but hyperband compares trainings epoch by epoch",
        ),
        (
            job(strategy="hyperband", epochs=3, warm_start="{parents: [a], type: transfer-learning}"),
            "search.warm_start",
            "only bayesian and random learn from earlier tunings; remove it",
        ),
        (job("total_deadline_hours: 1"), "total_deadline_hours", "is 1, below deadline_hours (2), which one"),
        (
            job("spot: {enabled: false, on_demand_fallback: true}"),
            "spot.on_demand_fallback",
            "has no effect on a tuning: each of its trainings is on Spot until deadline_hours, or none is",
        ),
        (
            "policy: {allow_spot: true}\n"
            + job("spot: {enabled: true, max_wait_hours: 4}\ncheckpoint: {interval_minutes: 15}"),
            "spot.max_wait_hours",
            "has no effect on a tuning",
        ),
        (job(command="[torchrun, train.py]"), "container.code.command", "write [python, train.py] or [bash,"),
        (job(command="[python, train.py, --fast]"), "container.code.command", "arguments in container.hyper"),
    ],
)
def test_contradictions(message_for: MessageFor, text: str, key: str, reason: str) -> None:
    message = message_for(text)
    assert message.splitlines()[0].endswith(f"  workloads.tune.{key}")
    assert reason in message
    assert message.count("workloads.tune.") == 1


def test_a_tuning_takes_fewer_variables_than_a_training(message_for: MessageFor) -> None:
    many = ", ".join(f"V{n}: a" for n in range(49))
    text = job().replace("      hyperparameters:", f"      environment: {{{many}}}\n      hyperparameters:")
    assert "makes 49 variables, with those of checkpoint; a tuning job takes 48 at most" in message_for(text)


def test_a_grid_has_as_many_trainings_as_combinations(load_dev: LoadDev) -> None:
    ranges = f"shape: {SHAPE}, layers: {{type: categorical, values: [1, 2, 3]}}"
    environment = load_dev(job(strategy="grid", ranges=ranges, max_jobs=None, max_parallel_jobs=4))
    search = environment.environment.workloads["tune"].search
    assert (search.job_count, search.waves) == (6, 2)
