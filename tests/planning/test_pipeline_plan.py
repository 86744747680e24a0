"""A pipeline: what contradicts itself or its jobs at its line, the order of its steps, and what its runs cost."""

from copy import deepcopy
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from sizewell.config import ConfigError
from sizewell.kinds.pipeline.plan_model import PipelinePlan
from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning import load_plan
from sizewell.planning.plan import DeploymentPlan
from tests.synthesis import PROJECT_ROOT

Config = dict[str, Any]
EXAMPLE: Config = {
    key: value
    for name in ("dev", "base")
    for key, value in YAML(typ="safe").load(PROJECT_ROOT / f"examples/pipeline/config/{name}.yaml").items()
}
_STEPS = "workloads.orders-pipeline.steps"
_EVALUATE, _REGISTER = f"{_STEPS}.evaluate", f"{_STEPS}.register"
_GATE = f"{_EVALUATE}.passes_if.0"
COUNT = {"runs": "evaluate-orders", "after": ["train"]}


def plan_of(folder: Path, changes: Config) -> DeploymentPlan:
    """Return the plan of the example with other values at these paths; None takes the key out."""
    config: Any = deepcopy(EXAMPLE)
    for path, value in changes.items():
        *parents, key = [int(one) if one.isdecimal() else one for one in path.split(".")]
        section = reduce(lambda found, one: found[one], parents, config)
        if value is None:
            del section[key]
        else:
            section[key] = value
    with (folder / "base.yaml").open("w") as file:
        YAML().dump({"platform": config.pop("platform"), **config}, file)
    (folder / "dev.yaml").write_text("{}\n")
    return load_plan(folder, "dev")


def pipeline_of(folder: Path, changes: Config) -> PipelinePlan:
    (found,) = (one for one in plan_of(folder, changes).workloads if isinstance(one, PipelinePlan))
    return found


def test_environments_of_one_account_have_groups_of_their_own(tmp_path: Path) -> None:
    (registration,) = pipeline_of(tmp_path, {}).registrations
    assert (registration.group, registration.group_name) == ("orders", "examples-dev-orders")


@pytest.mark.parametrize(
    ("changes", "key", "reason"),
    [
        (
            {"names": {"workload": "{workload}-of-the-platform-of-orders-{environment}"}}
            | {f"{_REGISTER}.group": "o" * 41},
            "names.workload",
            "calls the model group of register ",
        ),
        ({f"{_REGISTER}.group": "o" * 42}, f"{_REGISTER}.group", "at most 41"),
        (
            {f"{_STEPS}.clean.after": ["evaluate"]},
            f"{_STEPS}.clean.after",
            "clean and train and evaluate wait for",
        ),
        ({f"{_STEPS}.clean.after": ["clean"]}, f"{_STEPS}.clean.after", "the step waits for itself"),
        (
            {f"{_EVALUATE}.after": ["trian"]},
            f"{_EVALUATE}.after.0",
            "there is no step trian; did you mean train?",
        ),
        (
            {f"{_REGISTER}.after": ["clean"]},
            f"{_REGISTER}.registers",
            "train has not ended when register starts",
        ),
        ({f"{_EVALUATE}.reads.model": "register"}, f"{_EVALUATE}.reads.model", "has not ended when evaluate"),
        ({f"{_EVALUATE}.runs": "evaluate-order"}, f"{_EVALUATE}.runs", "did you mean evaluate-orders?"),
        ({f"{_EVALUATE}.runs": "orders-pipeline"}, f"{_EVALUATE}.runs", "a pipeline runs no other"),
        (
            {f"{_EVALUATE}.group": "a"},
            f"{_EVALUATE}.group",
            "has no effect on a step that runs evaluate-orders",
        ),
        ({f"{_REGISTER}.runs": "clean-orders"}, _REGISTER, "either runs a workload or registers a model"),
        ({f"{_REGISTER}.container": None}, f"{_REGISTER}.container", "is missing: registers needs container"),
        (
            {f"{_REGISTER}.registers": "clean"},
            f"{_REGISTER}.registers",
            "trains no model: it runs a processing-job",
        ),
        (
            {f"{_REGISTER}.container.images.cuda": {"framework": "pytorch", "version": "2.6"}},
            f"{_REGISTER}.container.images",
            "has one image, and this names those for cuda, cpu_x86_64",
        ),
        (
            {f"{_EVALUATE}.reads": {"modle": "train"}},
            f"{_EVALUATE}.reads.modle",
            "inputs are model, features",
        ),
        ({f"{_EVALUATE}.reads.model": "clean"}, f"{_EVALUATE}.reads.model", "clean trains no model"),
        ({f"{_GATE}.at_least": 13}, f"{_GATE}.at_least", "is 13, above at_most (12.5)"),
        ({f"{_GATE}.at_most": None}, _GATE, "has no bound"),
        ({f"{_GATE}.metric": "a..b"}, f"{_GATE}.metric", "has an empty member"),
        (
            {f"{_EVALUATE}.passes_if": [{"file": f"report/{n}", "metric": "a", "at_most": 1} for n in "xy"]},
            f"{_EVALUATE}.passes_if.1.metric",
            "a stands twice",
        ),
        (
            {
                f"{_STEPS}.{step}.passes_if": [{"metric": f"m{n}", "at_most": 1} for n in range(17)]
                for step in ("clean", "train", "evaluate")
            },
            _STEPS,
            "have 51 quality gates",
        ),
        (
            {f"{_GATE}.file": "reprot/a.json"},
            f"{_GATE}.file",
            "reprot is no output of the job, whose outputs are report",
        ),
        ({f"{_GATE}.file": None}, f"{_GATE}.file", "is missing: write the JSON file"),
        (
            {f"{_STEPS}.train.passes_if": [{"metric": "auc", "at_least": 0.9}]},
            f"{_STEPS}.train.passes_if.0.metric",
            "auc is not defined; the metrics of the training are none: state it under container.metrics",
        ),
        (
            {"workloads.orders-pipeline.deadline_hours": 6},
            "workloads.orders-pipeline.deadline_hours",
            "is 6, but the deadlines of its steps come to 7 hours, one after another (clean 2 + train 4 + evaluate 1)",
        ),
        (
            {"workloads.train-orders.deadline_hours": 170},
            "workloads.orders-pipeline.schedule.every",
            "come to 173 hours, one after another",
        ),
        (
            {"workloads.train-orders.keep_alive_minutes": 60},
            "workloads.train-orders.keep_alive_minutes",
            "the schedule starts the next run 161 hours after the latest end of one",
        ),
        (
            {"workloads.train-orders.schedule": {"every": "day"}},
            "workloads.train-orders.schedule",
            "train of orders-pipeline runs it",
        ),
        (
            {
                "places": {"eu": {"region": "eu-west-1", "network": {"mode": "new"}}},
                "workloads.clean-orders.place": "eu",
            },
            f"{_STEPS}.clean.runs",
            "clean-orders has place eu, and the pipeline no place",
        ),
        (
            {"workloads.evaluate-orders.inputs.model.prefix": "models"},
            f"{_EVALUATE}.reads.model",
            "train writes its models below output/train-orders, but the input model",
        ),
        (
            {f"{_STEPS}.train.after": [], f"{_EVALUATE}.after": ["clean", "train"]},
            f"{_STEPS}.train.runs",
            "train reads features/orders, and clean, which need not have ended then, writes features/orders",
        ),
        (
            {f"{_STEPS}.count": COUNT},
            f"{_STEPS}.count.runs",
            "count writes reports/orders, and evaluate, which runs beside it, writes reports/orders",
        ),
    ],
)
def test_a_contradiction_is_refused_at_its_line(
    tmp_path: Path, changes: Config, key: str, reason: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        plan_of(tmp_path, changes)
    assert [".".join(fault.key_path) for fault in raised.value.faults] == [key]
    assert reason in str(raised.value)
    assert raised.value.faults[0].line is not None


def test_a_group_is_made_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"orders is made by orders-pipeline\.steps\.register already"):
        plan_of(tmp_path, {f"{_STEPS}.again": EXAMPLE["workloads"]["orders-pipeline"]["steps"]["register"]})


def test_steps_whose_predecessors_have_ended_run_side_by_side(tmp_path: Path) -> None:
    plan = pipeline_of(tmp_path, {f"{_EVALUATE}.after": ["train"], f"{_REGISTER}.after": ["train"]})
    assert [[step.name for step in level] for level in plan.levels] == [
        ["clean"],
        ["train"],
        ["evaluate", "register"],
    ]
    train = plan.runs[1]
    assert (train.state_machine_name, train.workload_kind) == ("examples-dev-train-orders", "training-job")
    (gate,) = plan.runs[2].gates
    assert (gate.file_key, gate.at_most) == ("reports/orders/evaluation.json", 12.5)
    assert plan.time_limit_s == sum(step.time_limit_s for step in plan.runs) + 3600
    assert plan.usd_per_run == pytest.approx(sum(step.usd_per_run or 0 for step in plan.runs))
    assert pipeline_of(tmp_path, {"workloads.orders-pipeline.deadline_hours": 9}).time_limit_s == 9 * 3600


def test_the_jobs_are_paid_for_the_runs_of_the_pipeline_beside_their_own(tmp_path: Path) -> None:
    weekly = 365 / 12 / 7
    runs = {one.name: one.runs_per_month for one in plan_of(tmp_path, {}).of(TrainingJobPlan)}
    assert runs == {"train-orders": pytest.approx(weekly)}
    own = plan_of(tmp_path, {"workloads.train-orders.runs_per_month": 3})
    assert own.of(TrainingJobPlan)[0].runs_per_month == pytest.approx(3 + weekly)
    (line,) = (one for one in own.bill.lines if one.workload == "orders-pipeline")
    assert [item.name for item in line.items] == ["alarm"]
    unknown = plan_of(tmp_path, {"workloads.orders-pipeline.schedule": None})
    assert unknown.of(TrainingJobPlan)[0].runs_per_month is None
