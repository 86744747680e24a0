"""What is said of a machine, by what is on it."""

import json
import subprocess
import sys
from collections import namedtuple
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from sizewell.account.finding import Outcome
from sizewell.cli import doctor_command
from sizewell.cli.console import open_console
from sizewell.cli.doctor_command import Machine, examine, print_machine
from tests.cli.conftest import Sizewell

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path, Path("config"), None, {"HOME": str(tmp_path)})


def said(machine: Machine, check: str) -> list[tuple[str, Outcome, str]]:
    return [
        (finding.subject, finding.outcome, finding.says)
        for finding in examine(machine)
        if finding.check == check
    ]


def with_variables(machine: Machine, **changes: str) -> Machine:
    return Machine(machine.directory, machine.config, machine.profile, {**machine.variables, **changes})


def test_this_environment_has_what_it_needs(machine: Machine) -> None:
    assert [
        finding
        for finding in examine(machine)
        if finding.check in ("python", "packages", "node", "cdk") and finding.outcome is not Outcome.PASS
    ] == []
    assert ("aws-cdk-lib", Outcome.PASS, version("aws-cdk-lib")) in said(machine, "packages")


def test_a_package_that_is_too_old_and_one_that_is_missing_fail(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        doctor_command, "requires", lambda _: ["rich>=999", "no-such-package>=1", "typer>=0.1"]
    )

    old, missing, others = said(machine, "packages")
    assert old == ("rich", Outcome.FAIL, f"{version('rich')}; sizewell needs >=999")
    assert missing == ("no-such-package", Outcome.FAIL, "not installed; sizewell needs >=1")
    assert others == ("all others", Outcome.PASS, "1 as needed")


def test_a_python_that_is_too_old_fails(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_command, "metadata", lambda _: {"Requires-Python": ">=9"})

    assert [(outcome, says) for _, outcome, says in said(machine, "python")] == [
        (Outcome.FAIL, "sizewell needs >=9")
    ]


def test_another_node_is_told_and_one_that_cannot_be_run_fails(machine: Machine) -> None:
    (other,) = said(with_variables(machine, JSII_NODE=sys.executable), "node")
    (gone,) = said(with_variables(machine, JSII_NODE="/nowhere/node"), "node")

    assert (other[1], gone[1:]) == (Outcome.WARN, (Outcome.FAIL, "/nowhere/node cannot be run"))


def test_a_cdk_of_another_environment_is_told(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    for found, outcome in ((None, Outcome.FAIL), ("/usr/bin/cdk", Outcome.WARN)):
        monkeypatch.setattr("shutil.which", lambda _name, path, found=found: found)
        assert [one[1] for one in said(machine, "cdk")] == [outcome]


@pytest.mark.parametrize(
    ("free_gib", "outcome"), [(50, Outcome.PASS), (1, Outcome.WARN), (0.1, Outcome.FAIL)]
)
def test_a_full_disk_is_told(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, free_gib: float, outcome: Outcome
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: Usage(0, 0, int(free_gib * 1024**3)))

    assert {one[1] for one in said(machine, "disk")} == {outcome}


@pytest.mark.parametrize(
    ("changes", "profile", "outcome", "says"),
    [
        ({}, None, Outcome.WARN, "none found here"),
        ({"AWS_ACCESS_KEY_ID": "AKIAEXAMPLE"}, None, Outcome.PASS, "an access key of the environment"),
        ({"AWS_PROFILE": "prod"}, None, Outcome.PASS, "the profile prod"),
        ({"AWS_ACCESS_KEY_ID": "AKIAEXAMPLE"}, "prod", Outcome.PASS, "the profile prod"),
        ({"AWS_PROFILE": "gone"}, None, Outcome.FAIL, "there is no profile gone; there are: empty, prod"),
        ({}, "empty", Outcome.WARN, "none found here"),
    ],
)
def test_credentials_are_found_where_the_sdks_look_and_are_not_shown(
    machine: Machine, changes: dict[str, str], profile: str | None, outcome: Outcome, says: str
) -> None:
    (machine.directory / ".aws").mkdir()
    (machine.directory / ".aws/config").write_text(
        "[profile prod]\nsso_session = company\nregion = eu-west-1\n[profile empty]\nregion = us-east-1\n"
    )
    given = Machine(machine.directory, machine.config, profile, {**machine.variables, **changes})

    credentials, region = said(given, "aws")
    assert (credentials[0], credentials[1]) == ("credentials", outcome)
    assert credentials[2].startswith(says)
    assert "AKIAEXAMPLE" not in str(examine(given))
    assert ("eu-west-1" in region[2]) == ("prod" in (profile, changes.get("AWS_PROFILE")))


def test_a_platform_has_environments_and_a_lock(machine: Machine) -> None:
    assert said(machine, "project") == [("config", Outcome.WARN, "no configuration of environments")]
    config = machine.directory / "config"
    config.mkdir()
    for name in ("base.yaml", "dev.yaml"):
        (config / name).touch()
    assert said(machine, "project")[0] == ("config", Outcome.PASS, "environments: dev")
    assert said(machine, "project")[1][1] is Outcome.WARN
    (config / "selection.lock.yaml").touch()
    assert said(machine, "project")[1][1] is Outcome.PASS


def test_an_output_says_of_which_environment_it_is(machine: Machine) -> None:
    output = machine.directory / "cdk.out"
    output.mkdir()
    assert said(machine, "output")[0][1] is Outcome.WARN
    (output / "plan.json").write_text(json.dumps({"environment": "prod\x1b[2J"}))
    (output / "manifest.json").write_text("{}")
    assert said(machine, "output") == [("cdk.out", Outcome.PASS, r"of prod\x1b[2J")]


def test_a_local_cloud_that_has_ended_is_told(machine: Machine) -> None:
    assert said(machine, "local cloud") == [("local cloud", Outcome.PASS, "does not run")]
    (machine.directory / ".localcloud").mkdir()
    (machine.directory / ".localcloud/state.json").write_text("{}")
    assert said(machine, "local cloud")[0][1] is Outcome.WARN


def test_what_is_missing_makes_the_exit_code(sizewell: Sizewell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_command, "requires", lambda _: ["rich>=999"])

    result: Any = sizewell("doctor", "--json")
    assert result.exit_code == 1
    assert {finding["outcome"] for finding in json.loads(result.stdout)["findings"]} >= {"fail", "pass"}


def test_versions_are_shown_where_all_is_well_and_below_what_to_do(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_console() as console:
        print_machine(examine(machine), console)

    rows = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert f"pass packages aws-cdk-lib {version('aws-cdk-lib')}" in rows
    assert "warn aws credentials none found here: only the metadata of an instance is left" in rows
    assert "credentials: aws configure sso" in rows


def test_neither_the_sdk_of_aws_nor_the_kernel_of_cdk_is_loaded() -> None:
    code = (
        "import sys; from sizewell.cli.main import app; app(['doctor'], standalone_mode=False); "
        "print(sorted({'boto3', 'botocore', 'aws_cdk', 'jsii', 'numpy'} & sys.modules.keys()))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"
