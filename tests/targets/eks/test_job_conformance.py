"""What is trained in a cluster goes the way of every kind: synthesized, saved, priced, reviewed."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from sizewell.planning import load_plan
from sizewell.review.compare import compare_outputs
from sizewell.review.model import Review
from sizewell.review.saved.output import Assembly
from sizewell.review.saved.reading import OutputReader
from sizewell.targets.eks.job.plan_model import EksJobPlan
from tests.app.test_bill import differences, read
from tests.kinds.test_conformance import unknown_to_the_review
from tests.synthesis import PROJECT_ROOT, synthesize

pytestmark = pytest.mark.cdk
EXAMPLE = PROJECT_ROOT / "examples" / "eks-deployment" / "config"
#: In EKS Auto Mode, whose fee Spot does not lower.
ENVIRONMENT = "staging"
NAME = "train-classifier"


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("runs") / "cdk.out"
    synthesize(ENVIRONMENT, directory, config=str(EXAMPLE))
    return directory


@pytest.fixture(scope="module")
def assembly(output: Path) -> Assembly:
    return read(output, ENVIRONMENT)


@pytest.fixture(scope="module")
def plan() -> EksJobPlan:
    (found,) = (
        workload for workload in load_plan(EXAMPLE, ENVIRONMENT).workloads if isinstance(workload, EksJobPlan)
    )
    return found


def test_nothing_that_is_emitted_is_unknown_to_the_review(assembly: Assembly) -> None:
    assert unknown_to_the_review(assembly) == set()


def test_manifests_cost_what_the_plan_says_to_the_cent(assembly: Assembly) -> None:
    bill = load_plan(EXAMPLE, ENVIRONMENT).bill
    assert differences(bill, assembly) == []
    (line,) = (line for line in bill.lines if line.workload == NAME)
    assert [item.name for item in line.items] == [
        "g5.xlarge training on Spot",
        "Auto Mode fee",
        "training volumes",
    ]


def test_the_fee_of_a_run_is_that_of_its_hours_on_demand(plan: EksJobPlan) -> None:
    bill = load_plan(EXAMPLE, ENVIRONMENT).bill
    (line,) = (line for line in bill.lines if line.workload == NAME)
    instances, fee, _ = (item.usd_per_month for item in line.items)
    estimate, usd_per_hour = plan.selection.chosen.estimate, plan.selection.chosen.cost.usd_per_hour
    assert usd_per_hour is not None
    assert instances is not None
    assert fee == pytest.approx(usd_per_hour / 1.078 * 0.078 * estimate.duration_hours)
    own_saving = (estimate.spot_savings_pct or 0) / 100 * 1.078
    assert instances == pytest.approx(usd_per_hour / 1.078 * (1 - own_saving) * estimate.duration_hours)


def test_what_is_saved_is_what_was_planned(assembly: Assembly, plan: EksJobPlan) -> None:
    assert assembly.plan is not None
    (saved,) = (choice for choice in assembly.plan.choices if choice.name == NAME)
    assert saved.decided == {
        "instance_types": list(plan.instance_pools),
        "spot": True,
        "on_demand_fallback": True,
        "deadline_s": 24 * 3600,
    }


def test_its_pods_read_their_data_write_their_output_and_delete_checkpoints_alone(output: Path) -> None:
    written = json.loads((output / f"shop-{ENVIRONMENT}-{NAME}.template.json").read_text("utf-8"))
    (policy,) = (
        resource["Properties"]["PolicyDocument"]["Statement"]
        for resource in written["Resources"].values()
        if resource["Type"] == "AWS::IAM::ManagedPolicy"
    )
    may = {action: _prefixes(statement) for statement in policy for action in _actions(statement)}
    output_of, data, code = f"output/{NAME}/*", "datasets/mail/*", f"code/{NAME}/*"
    assert may["s3:PutObject"] == {output_of, f"{NAME}/*"}
    assert may["s3:DeleteObject"] == {f"{NAME}/*"}
    reading = {
        prefix
        for statement in policy
        if "s3:GetObject" in _actions(statement)
        for prefix in _prefixes(statement)
    }
    assert reading == {data, code, output_of, f"{NAME}/*"}
    assert {action for action in may if not action.startswith("s3:")} == {
        "kms:Decrypt",
        "kms:GenerateDataKey",
    }
    assert "kms:ViaService" in json.dumps(policy)


def _actions(statement: Mapping[str, Any]) -> list[str]:
    stated = statement["Action"]
    return [stated] if isinstance(stated, str) else list(stated)


def _prefixes(statement: Mapping[str, Any]) -> set[str]:
    """Return what follows the name of the bucket."""
    stated = statement["Resource"]
    arns = stated if isinstance(stated, list) else [stated]
    return {json.dumps(arn).rpartition('"/')[2].partition('"')[0] for arn in arns}


@pytest.mark.parametrize(
    ("path", "value", "rule", "sentence"),
    [
        ("spec.suspend", True, "less-available", "No run starts by itself any more."),
        (
            "spec.jobTemplate.spec.activeDeadlineSeconds",
            60,
            "less-available",
            "The next run is ended sooner.",
        ),
        (
            "spec.jobTemplate.spec.podFailurePolicy",
            None,
            "slower-recovery",
            "Each interruption counts as a failure",
        ),
        (
            "spec.jobTemplate.spec.podReplacementPolicy",
            "TerminatingOrFailed",
            "",
            "may write the same checkpoints",
        ),
        ("spec.jobTemplate.spec.ttlSecondsAfterFinished", 60, "slower-recovery", "is forgotten sooner"),
    ],
)
def test_a_review_says_what_a_changed_run_does(
    output: Path, tmp_path: Path, path: str, value: object, rule: str, sentence: str
) -> None:
    head = tmp_path / "head"
    shutil.copytree(output, head)
    edited = head / "manifests" / "main" / NAME / "cron-job.yaml"
    manifest = yaml.safe_load(edited.read_text("utf-8"))
    holder = manifest
    *keys, last = path.split(".")
    for key in keys:
        holder = holder[key]
    holder[last] = value
    if value is None:
        del holder[last]
    edited.write_text(yaml.safe_dump(manifest), "utf-8")
    hazards = review(output, head).hazards
    assert any(sentence in hazard.consequence and hazard.rule.startswith(rule) for hazard in hazards), hazards


def test_a_cron_job_that_goes_takes_its_runs_along(output: Path, tmp_path: Path) -> None:
    head = tmp_path / "head"
    shutil.copytree(output, head)
    (head / "manifests" / "main" / NAME / "cron-job.yaml").unlink()
    assert "No run starts any more, and those that last end." in {
        hazard.consequence for hazard in review(output, head).hazards
    }


def test_a_pool_without_spot_costs_what_a_run_costs_on_demand(
    output: Path, tmp_path: Path, plan: EksJobPlan
) -> None:
    head = tmp_path / "head"
    shutil.copytree(output, head)
    edited = head / "manifests" / "main" / NAME / "node-pool.yaml"
    edited.write_text(edited.read_text("utf-8").replace("        - spot\n", ""), "utf-8")
    (cost,) = review(output, head).cost
    chosen = plan.selection.chosen
    assert chosen.cost.usd_per_hour is not None
    assert chosen.cost.usd_per_month is not None
    on_demand = chosen.cost.usd_per_hour * chosen.estimate.duration_hours
    assert cost.difference.expected == pytest.approx(on_demand - chosen.cost.usd_per_month, abs=0.01)


def review(base: Path, head: Path) -> Review:
    reader = OutputReader()
    return compare_outputs(reader.read(base, "base"), reader.read(head, "head"))
