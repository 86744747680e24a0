"""A network that was found by its tags, a proxy, and a bootstrap of the company's own, in templates that pass every check."""

import gc
import json
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from sizewell import platform
from sizewell.deploy.assembly import read_assembly
from tests.planning.test_network_lookup import KEY, VPC, answer, group
from tests.synthesis import synthesize, templates
from tools.benchmarks.every_key import every_key

pytestmark = pytest.mark.cdk

ROLE = "arn:aws:iam::111122223333:role/company"


def write(directory: Path) -> Path:
    """Write a configuration with an endpoint and a job that call through a proxy, and a job in a training plan.

    The job that calls mounts file systems.
    """
    examples = every_key()
    base = examples["lookup network"]
    base["network"]["vpc_tags"] = {"Name": "ml"}
    base["policy"] = {**base["policy"], "nag_packs": ["aws-solutions", "hipaa-security"]}
    job = examples["job: file systems"]["workloads"]["it"]
    job = {**job, "container": {**job["container"], "network_isolation": False}}
    reserved = examples["job: in a training plan"]["workloads"]["it"]
    base["workloads"] = {"it": base["workloads"]["it"], "job": job, "reserved": reserved}
    config = directory / "config"
    config.mkdir()
    (config / "base.yaml").write_text(json.dumps(base), "utf-8")
    (config / "dev.yaml").write_text("{}\n", "utf-8")
    return config


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("company")
    config = write(directory)
    known: dict[str, Any] = answer(group("ml", "a", "b"))
    synthesize("dev", directory / "out", config=str(config), **known)
    return directory / "out"


def of_type(template: dict[str, Any], resource_type: str) -> list[dict[str, Any]]:
    return [one["Properties"] for one in template["Resources"].values() if one["Type"] == resource_type]


def test_what_was_found_is_used(output: Path) -> None:
    foundation: Any = templates(output)["demo-dev-foundation"]
    groups = of_type(foundation, "AWS::EC2::SecurityGroup")
    assert {one["VpcId"] for one in groups} == {VPC}
    values = [one["Value"] for one in of_type(foundation, "AWS::SSM::Parameter")]
    assert "subnet-0ml0a,subnet-0ml1b" in values
    out = [[rule["FromPort"] for rule in one["SecurityGroupEgress"]] for one in groups]
    assert out == [[443, 3128]] * 2


def test_containers_know_the_proxy(output: Path) -> None:
    found: Any = templates(output)
    (model,) = of_type(found["demo-dev-it"], "AWS::SageMaker::Model")
    variables = model["PrimaryContainer"]["Environment"]
    assert variables["https_proxy"] == "http://proxy.example.com:3128"
    assert variables["NO_PROXY"].endswith(",.example.com,10.0.0.0/8")
    (machine,) = of_type(found["demo-dev-job"], "AWS::StepFunctions::StateMachine")
    assert "http://proxy.example.com:3128" in json.dumps(machine["DefinitionString"])


def test_deployments_take_the_roles_and_the_bucket_of_the_bootstrap(output: Path) -> None:
    # What ``sizewell deploy`` calls CloudFormation with.
    assert {one.role_arn for one in read_assembly(output).stacks.values()} == {f"{ROLE}/deploy"}
    manifest = json.loads((output / "manifest.json").read_text("utf-8"))["artifacts"]
    for name in ("demo-dev-foundation", "demo-dev-it", "demo-dev-job"):
        stack = manifest[name]["properties"]
        assert stack["cloudFormationExecutionRoleArn"] == f"{ROLE}/execute"
        assert stack["lookupRole"]["arn"] == f"{ROLE}/look-up"
        assert stack["stackTemplateAssetObjectUrl"].startswith("s3://company-cdk-assets/ml/")
        files = json.loads((output / f"{name}.assets.json").read_text("utf-8"))["files"]
        (place,) = next(iter(files.values()))["destinations"].values()
        assert place["assumeRoleArn"] == f"{ROLE}/publish"
    for template in templates(output).values():
        parameters: Any = template["Parameters"]
        assert parameters["BootstrapVersion"]["Default"] == "/cdk-bootstrap/company1/version"


def test_without_the_cdk_cli_nobody_can_look_anything_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "use_bundled_node", lambda: None)
    started: Future[None] = Future()
    started.set_result(None)
    monkeypatch.setattr(platform, "start_kernel", lambda: started)
    monkeypatch.delenv("CDK_CLI_VERSION", raising=False)
    config = write(tmp_path)
    monkeypatch.setenv("CDK_CONTEXT_JSON", json.dumps({"config": str(config), "env": "dev"}))
    with pytest.raises(SystemExit) as ended:
        platform.Platform()
    gc.enable()
    assert "network.vpc_tags\n  the network has not been looked up" in str(ended.value.code)


def test_context_that_is_too_long_for_a_variable_is_read_from_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "overflow.json").write_text(json.dumps(answer()), "utf-8")
    monkeypatch.setenv("CDK_CONTEXT_JSON", '{"env": "dev"}')
    monkeypatch.setenv("CONTEXT_OVERFLOW_LOCATION_ENV", str(tmp_path / "overflow.json"))
    assert platform._read_context().keys() == {"env", KEY}
