"""Every environment is synthesized a second time, each in another way, and a third time without acknowledgements."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from sizewell.pytest_plugin.app import App
from tests.each_environment import WITHOUT
from tests.synthesis import EACH_ENVIRONMENT, PROJECT_ROOT, run_app

pytestmark = pytest.mark.cdk

Assemblies = Callable[[str], Path]

#: A process that knows another hash seed, time zone and user than that of the shared output.
ELSEWHERE = {"PYTHONHASHSEED": "4321", "TZ": "Asia/Tokyo", "USER": "somebody"}
PACKS = {"AwsSolutions", "HIPAA.Security", "NIST.800.53.R5", "PCI.DSS.321"}


class Acknowledged(NamedTuple):
    construct: str
    finding: str
    reason: str


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where another process, with the configuration elsewhere, has left its assemblies; ``out`` is the last."""
    directory = tmp_path_factory.mktemp("second")
    config = shutil.copytree(PROJECT_ROOT / "config", directory / "elsewhere")
    result = run_app(
        None,
        directory / "out",
        program=(*EACH_ENVIRONMENT, "prod", "staging", f"prod{WITHOUT}"),
        variables=ELSEWHERE,
        context={"config": str(config)},
    )
    assert result.returncode == 1, "without acknowledgements the packs must stop synth"
    assert "synth stopped" in result.stderr
    assert "Traceback" not in result.stderr
    return directory


@pytest.mark.parametrize("environment", ["prod", "staging"])
def test_a_process_and_a_configuration_elsewhere_give_the_same_files(
    environment: str, assemblies: Assemblies, second: Path
) -> None:
    _assert_same_files(assemblies(environment), second / environment)


def test_the_fixture_for_users_gives_the_same_files(
    assemblies: Assemblies, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in ELSEWHERE.items():
        monkeypatch.setenv(name, value)
    App(PROJECT_ROOT).synthesize("dev", tmp_path / "out")
    _assert_same_files(assemblies("dev"), tmp_path / "out")


@pytest.fixture(scope="module")
def acknowledged(assemblies: Assemblies) -> list[Acknowledged]:
    found = []
    for path in sorted(assemblies("prod").glob("*.metadata.json")):
        for construct, entries in json.loads(path.read_text("utf-8")).items():
            for entry in entries:
                if entry["type"] == "aws:cdk:acknowledged-rules":
                    found += [Acknowledged(construct, rule, reason) for rule, reason in _rules(entry["data"])]
    return found


@pytest.fixture(scope="module")
def findings(second: Path) -> set[tuple[str, str]]:
    report = json.loads((second / "out" / "validation-report.json").read_text("utf-8"))
    found = set()
    for plugin in report["pluginReports"]:
        for violation in plugin["violations"]:
            for construct in violation["violatingConstructs"]:
                found.add(("/" + construct["constructPath"], violation["ruleName"]))
    return found


def test_every_pack_finds_something_to_acknowledge(findings: set[tuple[str, str]]) -> None:
    assert {rule.split("-")[0] for _, rule in findings} == PACKS


def test_no_acknowledgement_is_stale(
    acknowledged: list[Acknowledged], findings: set[tuple[str, str]]
) -> None:
    assert sorted({(a.construct, a.finding) for a in acknowledged} - findings) == []


def test_every_finding_is_acknowledged_on_its_own_resource(
    acknowledged: list[Acknowledged], findings: set[tuple[str, str]]
) -> None:
    assert sorted(findings - {(a.construct, a.finding) for a in acknowledged}) == []


def test_every_reason_would_convince_an_auditor(acknowledged: list[Acknowledged]) -> None:
    for entry in acknowledged:
        assert len(entry.reason.split()) >= 8, entry


def _rules(data: dict[str, str]) -> list[tuple[str, str]]:
    return [(rule.removeprefix("Annotation::"), reason) for rule, reason in data.items()]


def _assert_same_files(first: Path, other: Path) -> None:
    names = sorted(path.name for path in first.iterdir())
    assert names == sorted(path.name for path in other.iterdir())
    for name in names:
        assert (first / name).read_bytes() == (other / name).read_bytes(), name
