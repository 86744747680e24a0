"""``sizewell review --base deployed``: what is deployed in the account is what there was."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError, NoCredentialsError

from tests.cli.conftest import Sizewell
from tests.cli.saved_outputs import TABLE, TOPIC, changes, save
from tests.synthesis_of_refs.projects import Project, starts

ANN = "arn:aws:sts::111122223333:assumed-role/Reader/ann"
TWO = {**TOPIC, "Properties": {"DisplayName": "two"}}
NOT_COMPARED = (
    "deployed stacks have no plan and no configuration: changed keys, picks, quotas and acknowledgements are not "
    "compared, and the cost of base follows from its templates"
)
ALLOW = (
    "  a review of what is deployed needs cloudformation:DescribeStacks and cloudformation:GetTemplate, and for nested stacks\n"
    "  cloudformation:DescribeStackResource: ask the administrator of the account for them, or name another profile with "
    "--profile\n"
)


@dataclass
class Account:
    """What CloudFormation of the account answers, and what it was asked."""

    stacks: dict[str, dict[str, Any]] = field(default_factory=dict)
    denied: str = ""
    protected: bool = False
    calls: list[str] = field(default_factory=list)

    def deploy(self, name: str, status: str = "UPDATE_COMPLETE", **resources: Mapping[str, Any]) -> None:
        self.stacks[name] = {"status": status, "template": {"Resources": resources}}

    def answer(self, client: Any, operation: str, given: Mapping[str, str]) -> dict[str, Any]:
        if operation == "GetCallerIdentity":
            return {"Account": "111122223333", "Arn": ANN}
        name = given["StackName"]
        self.calls.append(f"{operation} {name} in {client.meta.region_name}")
        if operation == self.denied:
            said = f"User: {ANN} is not authorized to perform: cloudformation:{operation}"
            raise ClientError({"Error": {"Code": "AccessDenied", "Message": said}}, operation)
        if operation == "DescribeStackResource":
            return {"StackResourceDetail": {"PhysicalResourceId": f"arn/{given['LogicalResourceId']}"}}
        if name not in self.stacks:
            said = f"Stack with id {name} does not exist"
            raise ClientError({"Error": {"Code": "ValidationError", "Message": said}}, operation)
        stack = self.stacks[name]
        if operation == "GetTemplate":
            return {"TemplateBody": stack["template"]}
        return {"Stacks": [{"StackStatus": stack["status"], "EnableTerminationProtection": self.protected}]}


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Account:
    account = Account()
    monkeypatch.setattr(
        "botocore.client.BaseClient._make_api_call",
        lambda client, operation, given: account.answer(client, operation, given),
    )
    return account


@pytest.fixture
def head(tmp_path: Path) -> Path:
    return save(tmp_path / "head" / "dev", Topic=TOPIC).parent


def test_what_is_deployed_already_is_no_change(account: Account, sizewell: Sizewell, head: Path) -> None:
    account.deploy("demo", Topic=TOPIC)
    result = sizewell("review", "--base", "deployed", "--head", str(head), "--json", "-")
    assert result.exit_code == 0, result.stderr
    assert changes(result.stdout) == []
    reviewed = json.loads(result.stdout)
    assert reviewed["verdict"]["level"] == "no change"
    assert reviewed["base"]["label"] == "deployed"
    assert [note["text"] for note in reviewed["notes"]] == [NOT_COMPARED]
    assert account.calls == ["DescribeStacks demo in us-east-1", "GetTemplate demo in us-east-1"]
    assert result.stderr == "Reading what is deployed of dev ...\n"


def test_an_asset_that_is_deployed_already_is_no_change(
    account: Account, sizewell: Sizewell, tmp_path: Path
) -> None:
    old, new = "a" * 64, "b" * 64

    def function(code: str) -> dict[str, Any]:
        properties = {"Code": {"S3Bucket": "assets", "S3Key": f"{code}.zip"}}
        return {"Type": "AWS::Lambda::Function", "Properties": properties}

    head = save(tmp_path / "head", Same=function(new), Other=function(new))
    (head / "code").mkdir()
    (head / "code" / "index.py").write_text("answer = 42\n")
    (head / "demo.assets.json").write_text(json.dumps({"files": {new: {"source": {"path": "code"}}}}))
    account.deploy("demo", Same=function(new), Other=function(old))
    result = sizewell("review", "--base", "deployed", "--head", str(head), "--json", "-")
    assert changes(result.stdout) == [("app", "Other", "changed")]


def test_a_change_is_shown_and_stopped(account: Account, sizewell: Sizewell, tmp_path: Path) -> None:
    head = save(tmp_path / "head", Topic=TWO)
    account.deploy("demo", Topic=TOPIC, Orders=TABLE)
    arguments = ("review", "--base", "deployed", "--head", str(head), "--json", "-")
    result = sizewell(*arguments, "--fail-on", "remove-stateful")
    assert result.exit_code == 1, result.stderr
    assert changes(result.stdout) == [("app", "Orders", "removed"), ("app", "Topic", "changed")]
    assert "deployed → " in sizewell(*arguments[:-2]).stdout


def test_the_work_tree_against_what_is_deployed(
    account: Account, project: Project, sizewell: Sizewell, tmp_path: Path
) -> None:
    # A directory of that name is ./deployed.
    (project.directory / "deployed").mkdir()
    account.deploy("demo-dev", Topic=TOPIC)
    project.write("config/dev.yaml", "two\n")
    result = sizewell("review", "--base", "deployed", "--env", "dev", "--json", "-")
    assert result.exit_code == 0, result.stderr
    assert changes(result.stdout) == [("dev", "Topic", "changed")]
    assert len(starts(tmp_path)) == 1


def test_a_stack_that_is_not_deployed_yet_is_added(
    account: Account, sizewell: Sizewell, tmp_path: Path
) -> None:
    head = save(tmp_path / "head", Topic=TOPIC)
    manifest = json.loads((head / "manifest.json").read_text())
    manifest["artifacts"]["more"] = manifest["artifacts"]["demo"]
    (head / "manifest.json").write_text(json.dumps(manifest))
    account.deploy("demo", Topic=TOPIC)
    account.deploy("more", status="ROLLBACK_COMPLETE", Topic=TOPIC)
    result = sizewell("review", "--base", "deployed", "--head", str(head), "--json", "-")
    assert [
        (stack["stack"], stack["action"]) for stack in json.loads(result.stdout)["resources"]["stacks"]
    ] == [("more", "added")]


def test_two_regions_may_have_a_stack_of_one_name(
    account: Account, sizewell: Sizewell, tmp_path: Path
) -> None:
    head = save(tmp_path / "head", Topic=TOPIC)
    manifest = json.loads((head / "manifest.json").read_text())
    manifest["artifacts"]["elsewhere"] = {
        **manifest["artifacts"]["demo"],
        "environment": "aws://111122223333/eu-west-1",
        "properties": {"stackName": "demo", "templateFile": "demo.template.json"},
    }
    (head / "manifest.json").write_text(json.dumps(manifest))
    account.deploy("demo", Topic=TOPIC)
    result = sizewell("review", "--base", "deployed", "--head", str(head), "--json", "-")
    assert json.loads(result.stdout)["verdict"]["level"] == "no change"
    assert [call for call in account.calls if call.startswith("Get")] == [
        "GetTemplate demo in us-east-1",
        "GetTemplate demo in eu-west-1",
    ]


def test_an_environment_that_is_not_deployed_has_no_base(
    account: Account, sizewell: Sizewell, head: Path
) -> None:
    save(head / "prod", stack="demo-prod", Topic=TOPIC)
    account.deploy("demo", Topic=TOPIC)
    arguments = ("review", "--base", "deployed", "--head", str(head), "--json", "-")
    result = sizewell(*arguments, "--fail-on", "no-base@prod")
    assert result.exit_code == 1, result.stderr
    assert "prod is missing in base" in [note["text"] for note in json.loads(result.stdout)["notes"]]
    del account.calls[:]
    assert sizewell(*arguments, "--env", "dev").exit_code == 0
    assert not [call for call in account.calls if "demo-prod" in call]


def test_nested_stacks_are_read_through_their_parent(
    account: Account, sizewell: Sizewell, tmp_path: Path
) -> None:
    old, new = "a" * 64, "b" * 64
    child = {
        "Type": "AWS::CloudFormation::Stack",
        "Metadata": {"aws:asset:path": "child.nested.template.json"},
    }
    head = save(tmp_path / "head", Child={**child, "Properties": {"TemplateURL": f"https://s3/{new}.json"}})
    (head / "child.nested.template.json").write_text(json.dumps({"Resources": {"Topic": TWO}}))
    source = {"source": {"path": "child.nested.template.json"}}
    (head / "demo.assets.json").write_text(json.dumps({"files": {new: source}}))
    account.deploy("demo", Child={**child, "Properties": {"TemplateURL": f"https://s3/{old}.json"}})
    account.deploy("arn/Child", Topic=TOPIC)
    result = sizewell("review", "--base", "deployed", "--head", str(head), "--json", "-")
    assert changes(result.stdout) == [("app", "Topic", "changed")]


def test_termination_protection_is_that_of_the_account(
    account: Account, sizewell: Sizewell, head: Path
) -> None:
    account.deploy("demo", Topic=TOPIC)
    account.protected = True
    result = sizewell("review", "--base", "deployed", "--head", str(head), "--json", "-")
    assert "termination" in json.dumps(json.loads(result.stdout)["hazards"])


def test_a_stack_in_an_update_is_said(account: Account, sizewell: Sizewell, head: Path) -> None:
    account.deploy("demo", status="UPDATE_ROLLBACK_FAILED", Topic=TOPIC)
    result = sizewell("review", "--base", "deployed", "--head", str(head), "--json", "-")
    notes = [note["text"] for note in json.loads(result.stdout)["notes"]]
    assert "base: demo is UPDATE_ROLLBACK_FAILED: what runs may differ from its template" in notes


@pytest.mark.parametrize("operation", ["DescribeStacks", "GetTemplate"])
def test_a_stack_that_may_not_be_read_ends_it_with_one_message(
    account: Account, sizewell: Sizewell, head: Path, operation: str
) -> None:
    account.deploy("demo", Topic=TOPIC)
    account.denied = operation
    result = sizewell("review", "--base", "deployed", "--head", str(head))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "Reading what is deployed of dev ...\n"
        f"demo: An error occurred (AccessDenied) when calling the {operation} operation: User: {ANN} is not authorized to "
        f"perform: cloudformation:{operation}\n{ALLOW}"
    )


def test_without_credentials_it_says_what_to_do(
    account: Account, sizewell: Sizewell, head: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise NoCredentialsError

    monkeypatch.setattr("botocore.client.BaseClient._make_api_call", refuse)
    result = sizewell("review", "--base", "deployed", "--head", str(head))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "Reading what is deployed of dev ...\n"
        "AWS: Unable to locate credentials. Log in, or name a profile of your AWS configuration with --profile\n"
    )


def test_a_template_that_is_no_plain_yaml_is_said(account: Account, sizewell: Sizewell, head: Path) -> None:
    account.stacks["demo"] = {"status": "CREATE_COMPLETE", "template": "Resources: !Transform {}"}
    result = sizewell("review", "--base", "deployed", "--head", str(head))
    assert result.exit_code == 2
    assert re.search(r"\ndemo: its template is YAML that is not read: .*!Transform", result.stderr)


def test_a_profile_is_only_for_what_is_deployed(sizewell: Sizewell, head: Path) -> None:
    result = sizewell("review", "--base", str(head), "--head", str(head), "--profile", "prod")
    assert (result.exit_code, result.stderr) == (2, "--profile: only --base deployed reads an account\n")


def test_a_profile_that_does_not_exist(sizewell: Sizewell, head: Path) -> None:
    result = sizewell("review", "--base", "deployed", "--head", str(head), "--profile", "nobody")
    assert result.exit_code == 2
    assert "(nobody) could not be found. Log in, or name a profile" in result.stderr
