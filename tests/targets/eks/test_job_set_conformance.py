"""A training on several nodes goes the way of every kind: synthesized, saved, priced, reviewed."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from sizewell.planning import load_plan
from sizewell.planning.plan import DeploymentPlan
from sizewell.review.saved.output import Assembly
from sizewell.targets.eks.job.plan_model import EksJobPlan
from tests.app.test_bill import differences, read
from tests.kinds.test_conformance import unknown_to_the_review
from tests.synthesis import PROJECT_ROOT, synthesize
from tests.targets.eks.test_review import review

pytestmark = pytest.mark.cdk
EXAMPLE = PROJECT_ROOT / "examples" / "eks-deployment" / "config"
#: In EKS Auto Mode, whose fee is paid for each node.
ENVIRONMENT, NAME = "staging", "train-classifier"
ON_TWO: dict[str, Any] = {
    "clusters": {
        "main": {
            "has": [
                "keda",
                "prometheus",
                "kube-state-metrics",
                "network-policies",
                "jobset",
                "efa-device-plugin",
            ]
        }
    },
    "workloads": {
        "assistant": None,
        "classify-mail": None,
        "score-customers": None,
        NAME: {
            "instances": {"allowed_families": ["g5"]},
            "min_accelerators": 16,
            "max_instances": 4,
            "schedule": None,
            "runs_per_month": 2,
        },
    },
}


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("several") / "config"
    shutil.copytree(EXAMPLE, folder)
    stated = folder / f"{ENVIRONMENT}.yaml"
    environment = yaml.safe_load(stated.read_text("utf-8"))
    environment["clusters"]["main"] |= ON_TWO["clusters"]["main"]
    environment["workloads"] = ON_TWO["workloads"]
    stated.write_text(yaml.safe_dump(environment), "utf-8")
    return folder


@pytest.fixture(scope="module")
def plan(config: Path) -> DeploymentPlan:
    return load_plan(config, ENVIRONMENT)


@pytest.fixture(scope="module")
def output(config: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("hosts") / "cdk.out"
    synthesize(ENVIRONMENT, directory, config=str(config))
    return directory


@pytest.fixture(scope="module")
def assembly(output: Path) -> Assembly:
    return read(output, ENVIRONMENT)


def test_nothing_that_is_emitted_is_unknown_to_the_review(assembly: Assembly) -> None:
    assert unknown_to_the_review(assembly) == set()


def test_all_nodes_are_in_both_bills(assembly: Assembly, plan: DeploymentPlan) -> None:
    assert differences(plan.bill, assembly) == []
    (job,) = plan.of(EksJobPlan)
    estimate, usd_per_hour = job.selection.chosen.estimate, job.selection.chosen.cost.usd_per_hour
    assert usd_per_hour is not None
    (line,) = (line for line in plan.bill.lines if line.workload == NAME)
    fee = line.items[1].usd_per_month
    assert fee == pytest.approx(
        usd_per_hour / 1.078 * 0.078 * estimate.duration_hours * job.instance_count * 2
    )


def test_what_is_saved_is_what_was_planned(assembly: Assembly, plan: DeploymentPlan) -> None:
    assert assembly.plan is not None
    (saved,) = (choice for choice in assembly.plan.choices if choice.name == NAME)
    (job,) = plan.of(EksJobPlan)
    assert saved.instance_count == saved.decided["instance_count"] == job.instance_count > 1


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("backoffLimit", 3, "A pod that is lost is replaced alone"),
        ("completions", 9, "The next run has more hosts."),
        ("template.spec.affinity", None, "between which there is no EFA"),
    ],
)
def test_a_review_says_what_a_changed_run_does(
    output: Path, tmp_path: Path, path: str, value: object, sentence: str
) -> None:
    head = tmp_path / "head"
    shutil.copytree(output, head)
    edited = head / "manifests" / "main" / NAME / "job-set.yaml"
    manifest = yaml.safe_load(edited.read_text("utf-8"))
    holder = manifest["spec"]["replicatedJobs"][0]["template"]["spec"]
    *keys, last = path.split(".")
    for key in keys:
        holder = holder[key]
    holder[last] = value
    if value is None:
        del holder[last]
    edited.write_text(yaml.safe_dump(manifest), "utf-8")
    assert any(sentence in hazard.consequence for hazard in review(output, head).hazards)
