"""Production with what the company has, and its names, in two regions: every guard passes, and the bill is one."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cfnlint.api import lint
from cfnlint.config import ManualArgs
from ruamel.yaml import YAML

from sizewell.planning import load_plan
from sizewell.review.saved.output import Assembly
from sizewell.review.saved.reading import OutputReader
from tests.app.test_bill import differences
from tests.synthesis import PROJECT_ROOT, synthesize, templates

pytestmark = pytest.mark.cdk

ACCOUNT, REGION = "333344445555", "us-east-1"
KEYS = f"arn:aws:kms:{REGION}:{ACCOUNT}:key"
EXISTING = {
    "data_key_arn": f"{KEYS}/0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f",
    "operations_key_arn": f"{KEYS}/0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e60",
    "artifact_bucket": "company-models",
    "checkpoint_bucket": "company-checkpoints",
    "alarm_topic_arn": f"arn:aws:sns:{REGION}:{ACCOUNT}:company-alarms",
    "endpoint_security_group_id": "sg-0123456789abcdef0",
    "training_security_group_id": "sg-0123456789abcdef1",
}
ELSEWHERE = "eu-west-1"
#: An endpoint and a job.
IN_PLACE = ("plant-id", "plant-id-train")
NAMES = {"stack": "Company-{workload}-{environment}", "workload": "company-{workload}-{environment}"}
ROLE = f"arn:aws:iam::{ACCOUNT}:role/company/models"
NETWORK = {
    "mode": "existing",
    "cidr": None,
    "vpc_id": "vpc-0123456789abcdef0",
    "subnet_ids": [f"subnet-0123456789abcdef{n}" for n in range(3)],
}


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = tmp_path_factory.mktemp("company") / "config"
    shutil.copytree(PROJECT_ROOT / "config", config)
    yaml = YAML(typ="safe")
    base, prod = (yaml.load((config / f"{name}.yaml").read_text("utf-8")) for name in ("base", "prod"))
    prod |= {"existing": EXISTING, "names": NAMES, "network": {**NETWORK, "availability_zones": None}}
    prod["notifications"] = {"emails": ["team@example.com"]}
    for name in base["workloads"]:
        prod.setdefault("workloads", {}).setdefault(name, {})["execution_role_arn"] = ROLE
    prod["places"] = {"eu": {"region": ELSEWHERE, "network": {"mode": "new", "cidr": "10.1.0.0/16"}}}
    for name in IN_PLACE:
        prod["workloads"][name]["place"] = "eu"
    (config / "prod.yaml").write_text(json.dumps(prod), "utf-8")
    return config


@pytest.fixture(scope="module")
def assembly(config: Path) -> Assembly:
    # Synth fails on any finding of the four rule packs of prod, and of our checks.
    synthesize("prod", config.with_name("out"), config=str(config))
    return OutputReader().read_assembly(config.with_name("out"), "prod")


def test_every_guard_passes(config: Path, assembly: Assembly) -> None:
    found = templates(config.with_name("out"))
    workloads = [workload.name for workload in load_plan(config, "prod").workloads]
    assert set(found) == {f"Company-{name}-prod" for name in ("foundation", "eu-foundation", *workloads)}
    for name, template in found.items():
        matches = lint(json.dumps(template), config=ManualArgs(regions=[assembly.stacks[name].region]))
        assert [f"{name}: {match}" for match in matches] == []


def test_the_foundation_makes_none_of_it(config: Path, assembly: Assembly) -> None:
    foundation: dict[str, Any] = templates(config.with_name("out"))["Company-foundation-prod"]
    assert {resource["Type"] for resource in foundation["Resources"].values()} == {
        "AWS::Budgets::Budget",
        "AWS::CloudWatch::Alarm",
        "AWS::CloudWatch::Dashboard",
        "AWS::Events::Rule",
        "AWS::SNS::Subscription",
        "AWS::SQS::Queue",
        "AWS::SQS::QueuePolicy",
        "AWS::SSM::Parameter",
    }
    text = json.dumps(foundation)
    assert {value for value in EXISTING.values() if value not in text} == set()
    assert '"wildcard": "company-*-prod"' in text


def test_roles_are_those_of_the_company(config: Path, assembly: Assembly) -> None:
    for name, template in templates(config.with_name("out")).items():
        for resource in template["Resources"].values():
            if resource["Type"] == "AWS::SageMaker::Model":
                assert resource["Properties"]["ExecutionRoleArn"] == ROLE
            trust = json.dumps(resource.get("Properties", {}).get("AssumeRolePolicyDocument", ""))
            assert "sagemaker.amazonaws.com" not in trust, name


def test_the_bill_has_only_what_is_made(config: Path, assembly: Assembly) -> None:
    bill = load_plan(config, "prod").bill
    items = {line.workload: line.items for line in bill.lines}
    assert [item.name for item in items["foundation"]] == ["dashboard", "alarm"]
    assert [item.name for item in items["eu-foundation"]] == [
        "VPC interface endpoint x 2 zones",
        "customer-managed key",
        "dashboard",
        "alarm",
    ]
    assert differences(bill, assembly) == []


def test_stacks_of_a_place_go_there_after_its_foundation(config: Path, assembly: Assembly) -> None:
    elsewhere = {f"Company-{name}-prod" for name in ("eu-foundation", *IN_PLACE)}
    assert {name for name, one in assembly.stacks.items() if one.region == ELSEWHERE} == elsewhere
    manifest = json.loads((config.with_name("out") / "manifest.json").read_text("utf-8"))
    for name in IN_PLACE:
        dependencies = manifest["artifacts"][f"Company-{name}-prod"]["dependencies"]
        assert [one for one in dependencies if "foundation" in one] == ["Company-eu-foundation-prod"]
    eu = json.dumps(templates(config.with_name("out"))["Company-eu-foundation-prod"])
    assert [value for value in EXISTING.values() if value in eu] == []
