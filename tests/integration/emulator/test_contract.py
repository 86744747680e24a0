"""The plugin patches private names of one release of ministack: another release must be noticed, not worked around."""

import ast
import json
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

from tests.localcloud.processes import PATIENCE_S
from tests.synthesis import PROJECT_ROOT

LOCAL_CLOUD = PROJECT_ROOT / "tools" / "localcloud"
EMULATOR = LOCAL_CLOUD / "sizewell_localcloud" / "emulator"
PACKAGES = Path(sysconfig.get_path("purelib"))
PROBE = """
import importlib, json, sys
from sizewell_localcloud.emulator import contract

def noticed(module_name, name):
    module = importlib.import_module(module_name)
    value = getattr(module, name)
    delattr(module, name)
    try:
        return contract.missing_names()
    finally:
        setattr(module, name, value)

names = [(module, name) for module, attributes in contract.USED_NAMES.items() for name in attributes]
found = {
    "missing": contract.missing_names(),
    "noticed": {f"{module}.{name}": noticed(module, name) for module, name in names},
}
contract.USED_NAMES["ministack.services.no_such_module"] = ("anything",)
found["missing module"] = contract.missing_names()
json.dump(found, sys.stdout)
"""


@cache
def probe() -> dict[str, object]:
    """Ask the contract in a process of its own, because importing ministack changes the process."""
    result = subprocess.run(
        [sys.executable, "-c", PROBE],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert result.returncode == 0, result.stderr
    found: dict[str, object] = json.loads(result.stdout)
    return found


def used_names() -> dict[str, list[str]]:
    noticed = probe()["noticed"]
    assert isinstance(noticed, dict)
    return noticed


def test_the_installed_ministack_has_every_name() -> None:
    assert probe()["missing"] == []


def test_each_name_that_moves_is_noticed() -> None:
    assert {name: missing for name, missing in used_names().items() if missing != [name]} == {}


def test_a_module_that_moves_is_noticed() -> None:
    assert probe()["missing module"] == ["ministack.services.no_such_module"]


def test_a_missing_name_stops_the_start() -> None:
    code = (
        "from ministack.services import stepfunctions\n"
        "del stepfunctions._run_execution\n"
        "from sizewell_localcloud.emulator import plugin\n"
        "plugin.install()"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert (
        "no ministack.services.stepfunctions._run_execution: pin the release that was tested" in result.stderr
    )


def test_the_installed_release_is_the_pinned_one() -> None:
    pins = (LOCAL_CLOUD / "pyproject.toml").read_text("utf-8")
    pinned = re.search(r'^ +"ministack==([\w.]+)",', pins, re.MULTILINE)
    assert pinned is not None, "ministack must be pinned exactly"
    assert version("ministack") == pinned[1]


def test_the_contract_names_everything_that_the_plugin_uses() -> None:
    used = {name: path.name for path in _sources() for name in _names_in(path)}
    assert {name: file for name, file in used.items() if name not in used_names()} == {}


def test_the_contract_names_nothing_else() -> None:
    text = "\n".join(path.read_text("utf-8") for path in _sources() if path.name != "contract.py")
    assert [name for name in used_names() if name.rpartition(".")[2] not in text] == []


def _sources() -> list[Path]:
    return sorted(EMULATOR.rglob("*.py"))


def _is_module(dotted: str) -> bool:
    path = PACKAGES / dotted.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").exists()


def _names_in(path: Path) -> Iterator[str]:
    """Yield what a file imports from modules of ministack, and the attributes of those modules that it touches."""
    tree = ast.parse(path.read_text("utf-8"))
    modules: dict[str, str] = {}  # by what the file calls them
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ministack":
            for alias in node.names:
                dotted = f"{node.module}.{alias.name}"
                if _is_module(dotted):
                    modules[alias.asname or alias.name] = dotted
                else:
                    yield dotted
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "ministack":
                    modules[alias.asname or alias.name] = alias.name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in modules:
            yield f"{modules[ast.unparse(node.value)]}.{node.attr}"
