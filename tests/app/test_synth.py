import gc
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from unittest.mock import Mock

import pytest

from sizewell import platform
from sizewell.planning import load_plan, plan_to_json
from sizewell.whole_files import replace_file
from tests.synthesis import ENVIRONMENTS, PROJECT_ROOT, run_app, templates

pytestmark = pytest.mark.cdk

Assemblies = Callable[[str], Path]

#: What holds data; keys, buckets, logs and queues must say what happens to them.
KEPT_TYPES = {"AWS::KMS::Key", "AWS::S3::Bucket", "AWS::Logs::LogGroup", "AWS::SQS::Queue"}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_plan_beside_the_templates_is_the_plan(environment: str, assemblies: Assemblies) -> None:
    plan = load_plan(PROJECT_ROOT / "config", environment)
    assert (assemblies(environment) / "plan.json").read_text("utf-8") == plan_to_json(plan)
    expected = {plan.foundation.stack_name, *(workload.stack_name for workload in plan.workloads)}
    assert set(templates(assemblies(environment))) == expected


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_everything_that_holds_state_says_what_happens_to_it(
    environment: str, assemblies: Assemblies
) -> None:
    expected = ("RetainExceptOnCreate", "Retain") if environment == "prod" else ("Delete", "Delete")
    for stack, template in templates(assemblies(environment)).items():
        for logical_id, resource in template["Resources"].items():
            if resource["Type"] in KEPT_TYPES:
                policies = (resource.get("DeletionPolicy"), resource.get("UpdateReplacePolicy"))
                assert policies == expected, f"{stack}: {logical_id}"


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_workload_stacks_import_nothing(environment: str, assemblies: Assemblies) -> None:
    for stack, template in templates(assemblies(environment)).items():
        assert "Fn::ImportValue" not in json.dumps(template), stack
        assert "Outputs" not in template or not any("Export" in o for o in template["Outputs"].values()), (
            stack
        )


def test_what_workloads_do_in_s3_passes_the_gateway_endpoint(assemblies: Assemblies) -> None:
    # The roles that SageMaker takes hold what it loads and saves for a workload, by way of the VPC.
    foundation, *workloads = sorted(
        templates(assemblies("prod")).items(), key=lambda item: "foundation" not in item[0]
    )
    passed = {
        action
        for resource in foundation[1]["Resources"].values()
        if resource["Properties"].get("VpcEndpointType") == "Gateway"
        for statement in resource["Properties"]["PolicyDocument"]["Statement"]
        for action in statement["Action"]
    }
    used = {
        action
        for _, template in workloads
        for resource in template["Resources"].values()
        if resource["Type"] == "AWS::IAM::ManagedPolicy"
        for statement in resource["Properties"]["PolicyDocument"]["Statement"]
        for action in ([statement["Action"]] if isinstance(statement["Action"], str) else statement["Action"])
        if action.startswith("s3:")
    }
    assert used == passed


def test_cfn_lint_finds_nothing(assemblies: Assemblies) -> None:
    paths = [path for name in ENVIRONMENTS for path in sorted(assemblies(name).glob("*.template.json"))]
    assert len(paths) > len(ENVIRONMENTS)
    result = subprocess.run(
        [Path(sys.executable).with_name("cfn-lint"), "--regions", "us-east-1", "-t", *paths],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout


def test_no_file_holds_a_secret_or_a_path(assemblies: Assemblies) -> None:
    for environment in ENVIRONMENTS:
        for path in assemblies(environment).iterdir():
            if path.is_file():
                text = path.read_text("utf-8")
                assert str(PROJECT_ROOT) not in text, path.name
                assert str(Path.home()) not in text, path.name
                assert "AKIA" not in text, path.name


def test_without_an_environment_the_names_are_listed(tmp_path: Path) -> None:
    result = run_app(None, tmp_path / "out")
    assert result.returncode == 1
    assert result.stderr == "say which environment: cdk synth -c env=dev|prod|staging\n"
    assert not (tmp_path / "out").exists()


def test_a_faulty_configuration_stops_before_anything_is_written(tmp_path: Path) -> None:
    result = run_app("prd", tmp_path / "out")
    assert result.returncode == 1
    assert result.stderr.startswith("config/prd.yaml\n")
    assert "did you mean prod?" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out").exists()


def test_another_configuration_directory_has_names_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(PROJECT_ROOT / "config" / "base.yaml", tmp_path)
    shutil.copy(PROJECT_ROOT / "config" / "dev.yaml", tmp_path / "qa.yaml")
    monkeypatch.setattr(platform, "use_bundled_node", lambda: None)
    monkeypatch.setattr(platform, "start_kernel", Future)

    def message(**context: str) -> str:
        monkeypatch.setenv("CDK_CONTEXT_JSON", json.dumps({"config": str(tmp_path), **context}))
        with pytest.raises(SystemExit) as ended:
            platform.Platform()
        gc.enable()
        return str(ended.value.code)

    assert message() == "say which environment: cdk synth -c env=qa"
    assert message(env="dev").startswith(f"{tmp_path}/dev.yaml\n")


def test_a_file_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text("old", "utf-8")
    monkeypatch.setattr(os, "replace", Mock(side_effect=OSError("the disk is full")))
    with pytest.raises(OSError, match="full"):
        replace_file(plan, b"new")
    assert [(path.name, path.read_text("utf-8")) for path in tmp_path.iterdir()] == [("plan.json", "old")]
