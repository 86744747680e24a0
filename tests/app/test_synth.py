import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sizewell.planning import load_plan, plan_to_json
from sizewell.platform import write_whole
from tests.synthesis import ENVIRONMENTS, PROJECT_ROOT, run_app, templates

pytestmark = pytest.mark.cdk

Assemblies = Callable[[str], Path]

#: What holds data; keys, buckets, logs and queues must say what happens to them.
KEPT_TYPES = {"AWS::KMS::Key", "AWS::S3::Bucket", "AWS::Logs::LogGroup", "AWS::SQS::Queue"}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_synth_is_deterministic(environment: str, assemblies: Assemblies, tmp_path: Path) -> None:
    other = tmp_path / "other"
    result = run_app(
        environment, other, variables={"PYTHONHASHSEED": "4321", "TZ": "Asia/Tokyo", "USER": "somebody"}
    )
    assert result.returncode == 0, result.stderr
    first = assemblies(environment)
    names = sorted(path.name for path in first.iterdir())
    assert names == sorted(path.name for path in other.iterdir())
    for name in names:
        assert (first / name).read_bytes() == (other / name).read_bytes(), name


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_plan_beside_the_templates_is_the_plan(environment: str, assemblies: Assemblies) -> None:
    plan = load_plan(PROJECT_ROOT / "config", environment)
    assert (assemblies(environment) / "plan.json").read_text("utf-8") == plan_to_json(plan)
    expected = {plan.foundation.stack_name, *(workload.stack_name for workload in plan.workloads)}
    assert set(templates(assemblies(environment))) == expected


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_templates_carry_what_the_plan_decided(environment: str, assemblies: Assemblies) -> None:
    plan = load_plan(PROJECT_ROOT / "config", environment)
    found = templates(assemblies(environment))
    for endpoint in plan.endpoints:
        (config,) = _of_type(found[endpoint.stack_name], "AWS::SageMaker::EndpointConfig").values()
        (variant,) = config["Properties"]["ProductionVariants"]
        assert variant["InstanceType"] == endpoint.instance_type
        assert ("KmsKeyId" in config["Properties"]) is endpoint.encrypt_volume_with_key
        (scaling,) = _of_type(found[endpoint.stack_name], "Custom::EndpointScaling").values()
        assert bool(scaling["Properties"]["Variants"]) is (endpoint.scaling is not None)
    for job in plan.training_jobs:
        (machine,) = _of_type(found[job.stack_name], "AWS::StepFunctions::StateMachine").values()
        definition = json.dumps(machine["Properties"])
        for attempt in job.attempts:
            assert attempt.instance_type in definition


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


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_cfn_lint_finds_nothing(environment: str, assemblies: Assemblies) -> None:
    paths = sorted(str(path) for path in assemblies(environment).glob("*.template.json"))
    result = subprocess.run(
        [Path(sys.executable).with_name("cfn-lint"), "--regions", "us-east-1", "-t", *paths],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout


def test_no_template_holds_a_secret_or_a_path(assemblies: Assemblies) -> None:
    for environment in ENVIRONMENTS:
        for path in assemblies(environment).iterdir():
            if path.is_file():
                text = path.read_text("utf-8")
                assert str(PROJECT_ROOT) not in text, path.name
                assert "AKIA" not in text, path.name


def test_without_an_environment_the_names_are_listed(tmp_path: Path) -> None:
    result = run_app(None, tmp_path / "out")
    assert result.returncode == 1
    assert result.stderr == "say which environment: cdk synth -c env=dev|prod|staging\n"
    assert not (tmp_path / "out").exists()


def test_a_faulty_configuration_stops_before_anything_is_written(tmp_path: Path) -> None:
    result = run_app("prd", tmp_path / "out")
    assert result.returncode == 1
    assert "did you mean prod?" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_fault_is_shown_by_the_short_name_of_its_file(tmp_path: Path) -> None:
    result = run_app("prd", tmp_path / "out")
    assert result.stderr.startswith("config/prd.yaml\n")


def test_another_configuration_directory_can_be_named(tmp_path: Path) -> None:
    directory = tmp_path / "elsewhere"
    directory.mkdir()
    base = (PROJECT_ROOT / "config" / "base.yaml").read_text("utf-8")
    (directory / "base.yaml").write_text(base.replace("platform: demo", "platform: other"), "utf-8")
    (directory / "qa.yaml").write_text((PROJECT_ROOT / "config" / "dev.yaml").read_text("utf-8"), "utf-8")
    flags = json.loads((PROJECT_ROOT / "cdk.json").read_text("utf-8"))["context"]

    def run(environment: str | None) -> subprocess.CompletedProcess[str]:
        context = {**flags, "config": str(directory), **({"env": environment} if environment else {})}
        variables = {"CDK_CONTEXT_JSON": json.dumps(context)}
        return run_app(None, tmp_path / "out", variables=variables)

    assert run(None).stderr == "say which environment: cdk synth -c env=qa\n"
    assert run("dev").stderr.startswith(f"{directory}/dev.yaml\n")
    assert not (tmp_path / "out").exists()
    result = run("qa")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "out" / "plan.json").read_text("utf-8") == plan_to_json(load_plan(directory, "qa"))
    for path in (tmp_path / "out").iterdir():
        assert path.is_dir() or str(directory) not in path.read_text("utf-8"), path.name


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text("old", "utf-8")
    with pytest.raises(UnicodeEncodeError):
        write_whole(plan, "new \udc80")
    assert [(path.name, path.read_text("utf-8")) for path in tmp_path.iterdir()] == [("plan.json", "old")]


def _of_type(template: dict[str, object], type_name: str) -> dict[str, dict[str, dict[str, object]]]:
    resources: dict[str, dict[str, dict[str, object]]] = template["Resources"]  # type: ignore[assignment]
    return {key: value for key, value in resources.items() if value["Type"] == type_name}
