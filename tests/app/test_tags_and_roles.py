"""What a company asks of everything in its account: tags, a permissions boundary, a path of roles."""

import json
from pathlib import Path
from typing import Any

import pytest

from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning import load_plan
from tests.synthesis import synthesize, templates
from tools.benchmarks.every_key import every_key

pytestmark = pytest.mark.cdk

BOUNDARY = "arn:aws:iam::111122223333:policy/company/boundary"
PATH = "/company/ml/"
ROLE, POLICY = "AWS::IAM::Role", "AWS::IAM::ManagedPolicy"


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    examples = every_key()
    base = examples["endpoint: linear"]
    base["tags"] = {"cost-center": "research", "team": "platform"}
    base["policy"] = {
        **base["policy"],
        "permissions_boundary_arn": BOUNDARY,
        "role_path": PATH,
        "nag_packs": ["aws-solutions"],
    }
    job = {**examples["job: linear"]["workloads"]["it"], "tags": {}}
    base["workloads"] = {
        "it": {**base["workloads"]["it"], "tags": {"team": "search"}},
        "job": job,
    }
    directory = tmp_path_factory.mktemp("company") / "config"
    directory.mkdir()
    (directory / "base.yaml").write_text(json.dumps(base), "utf-8")
    (directory / "dev.yaml").write_text("{}\n", "utf-8")
    return directory


@pytest.fixture(scope="module")
def stacks(config: Path) -> dict[str, dict[str, Any]]:
    output = config.with_name("out")
    synthesize("dev", output, config=str(config))
    return {name.removeprefix("demo-dev-"): dict(template) for name, template in templates(output).items()}


def of_type(template: dict[str, Any], *types: str) -> dict[str, dict[str, Any]]:
    return {
        name: resource["Properties"]
        for name, resource in template["Resources"].items()
        if resource["Type"] in types
    }


def tags_of(properties: dict[str, Any]) -> dict[str, str]:
    tags = properties["Tags"]
    return tags if isinstance(tags, dict) else {tag["Key"]: tag["Value"] for tag in tags}


def test_every_role_of_every_stack_has_boundary_and_path(stacks: dict[str, dict[str, Any]]) -> None:
    roles = {name: of_type(template, ROLE) for name, template in stacks.items()}
    # Flow logs and the group rule; the model; the job, its state machine and its schedule.
    assert {name: len(found) > 0 for name, found in roles.items()} == dict.fromkeys(stacks, True)
    assert len(roles["job"]) == 3
    for found in roles.values():
        for properties in found.values():
            assert (properties["PermissionsBoundary"], properties["Path"]) == (BOUNDARY, PATH)


def test_every_managed_policy_has_the_path(stacks: dict[str, dict[str, Any]]) -> None:
    paths = [p["Path"] for template in stacks.values() for p in of_type(template, POLICY).values()]
    assert len(paths) > 4
    assert set(paths) == {PATH}


def test_what_passes_a_role_names_it_with_its_path(stacks: dict[str, dict[str, Any]]) -> None:
    passes = [
        statement["Resource"]
        for properties in of_type(stacks["job"], POLICY).values()
        for statement in properties["PolicyDocument"]["Statement"]
        if "iam:PassRole" in statement["Action"]
    ]
    assert len(passes) == 1
    role, attribute = passes[0]["Fn::GetAtt"]
    assert attribute == "Arn"  # IAM puts the path into it
    assert role in of_type(stacks["job"], ROLE)


def test_everything_carries_the_tags_and_those_of_a_workload_come_first(
    stacks: dict[str, dict[str, Any]],
) -> None:
    ours = {"platform": "demo", "environment": "dev"}
    for stack, team in {"foundation": "platform", "it": "search", "job": "platform"}.items():
        tagged = [
            tags_of(r["Properties"])
            for r in stacks[stack]["Resources"].values()
            if "Tags" in r.get("Properties", {})
        ]
        assert len(tagged) > 5
        expected = {**ours, "cost-center": "research", "team": team}
        # Some have a name besides.
        assert [tags for tags in tagged if not expected.items() <= tags.items()] == []


def test_a_job_starts_with_the_tags_of_its_stack(config: Path, stacks: dict[str, dict[str, Any]]) -> None:
    (machine,) = of_type(stacks["job"], "AWS::StepFunctions::StateMachine").values()
    expected = {
        "cost-center": "research",
        "environment": "dev",
        "platform": "demo",
        "team": "platform",
        "workload": "job",
    }
    assert load_plan(config, "dev").of(TrainingJobPlan)[0].job_tags == expected
    assert tags_of(machine).items() <= expected.items()
    text = json.dumps(machine["DefinitionString"])
    assert all(f'\\"{key}\\"' in text or f'\\\\\\"{key}\\\\\\"' in text for key in expected)
