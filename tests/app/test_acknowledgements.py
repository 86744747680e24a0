import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.synthesis import run_app

pytestmark = pytest.mark.cdk

PACKS = {"AwsSolutions", "HIPAA.Security", "NIST.800.53.R5", "PCI.DSS.321"}


class Acknowledged(NamedTuple):
    construct: str
    finding: str
    reason: str


@pytest.fixture(scope="module")
def acknowledged(assemblies: Callable[[str], Path]) -> list[Acknowledged]:
    found = []
    for path in sorted(assemblies("prod").glob("*.metadata.json")):
        for construct, entries in json.loads(path.read_text("utf-8")).items():
            for entry in entries:
                if entry["type"] == "aws:cdk:acknowledged-rules":
                    found += [Acknowledged(construct, rule, reason) for rule, reason in _rules(entry["data"])]
    return found


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, str]]:
    output = tmp_path_factory.mktemp("findings") / "out"
    result = run_app("prod", output, program=("tests/app/without_acknowledgements.py",))
    assert result.returncode == 1, "without acknowledgements the packs must stop synth"
    assert "synth stopped" in result.stderr
    assert "Traceback" not in result.stderr
    report = json.loads((output / "validation-report.json").read_text("utf-8"))
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
