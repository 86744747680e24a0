"""The plugin as pytest loads it: in a session of its own."""

import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from sizewell.pytest_plugin import plugin

Pytest = Callable[..., CompletedProcess[str]]


def test_a_test_runs_for_each_environment_and_synthesizes_once(project: Path, run_pytest: Pytest) -> None:
    result = run_pytest(
        """
def test_it(sizewell, sizewell_environment):
    assert list(sizewell.synthesize(sizewell_environment)) == ["app-" + sizewell_environment]

def test_again(sizewell, sizewell_environment):
    assert sizewell.stack(sizewell_environment, "app-" + sizewell_environment)
""",
        "-vv",
    )
    for name in ("test_it[dev]", "test_it[prod]", "test_again[dev]", "test_again[prod]"):
        assert f"{name} PASSED" in result.stdout
    assert (project / "runs.txt").read_text("utf-8").split()[::3] == ["dev", "prod"]


def test_what_the_app_prints_is_the_failure(project: Path, run_pytest: Pytest) -> None:
    (project / "config" / "prod.yaml").write_text("fault", "utf-8")
    result = run_pytest('def test_it(sizewell):\n    sizewell.synthesize("prod")\n')
    assert result.returncode == 1
    assert "SynthFailedError: prod did not synthesize:" in result.stdout
    assert "config/prod.yaml:1: a fault that the user can mend" in result.stdout
    assert "def synthesize" not in result.stdout, "the frames of the plugin explain nothing"


def test_project_and_configuration_may_be_elsewhere(project: Path, run_pytest: Pytest) -> None:
    (project / "config").rename(project / "environments")
    tests = project / "elsewhere"
    tests.mkdir()
    (tests / "pytest.ini").write_text("[pytest]\nsizewell_config = environments\n", "utf-8")
    result = run_pytest(
        'def test_it(sizewell, sizewell_environment):\n    assert sizewell.synthesize("prod")\n',
        "--sizewell-project=..",
        directory=tests,
    )
    assert "2 passed" in result.stdout, result.stdout


def test_check_and_its_option(project: Path, run_pytest: Pytest) -> None:
    test = 'def test_it(sizewell):\n    sizewell.check("prod", sizewell.environments)\n'
    assert "there is no snapshot yet" in run_pytest(test).stdout
    assert run_pytest(test, "--sizewell-update").returncode == 0
    saved = project / "tests" / "__snapshots__" / "sizewell" / "prod.json"
    assert saved.read_text("utf-8") == '[\n  "dev",\n  "prod"\n]\n'
    assert run_pytest(test).returncode == 0


def test_syrupy_compares_what_the_fixture_gives(project: Path, run_pytest: Pytest) -> None:
    test = 'def test_it(sizewell, snapshot):\n    assert sizewell.stack("prod", "app-prod") == snapshot\n'
    assert run_pytest(test, "-p", "syrupy", "--snapshot-update").returncode == 0
    assert run_pytest(test, "-p", "syrupy").returncode == 0
    app = project / "app.py"
    app.write_text(
        app.read_text("utf-8").replace('"VisibilityTimeout": 30', '"VisibilityTimeout": 31'), "utf-8"
    )
    assert run_pytest(test, "-p", "syrupy").returncode == 1


def test_a_project_may_give_the_outputs_itself(project: Path, run_pytest: Pytest) -> None:
    (project / "conftest.py").write_text(
        "import pathlib, pytest\n\n\n@pytest.fixture(scope='session')\ndef sizewell_assembly():\n"
        "    return lambda environment: pathlib.Path('nowhere', environment)\n",
        "utf-8",
    )
    result = run_pytest('def test_it(sizewell):\n    sizewell.synthesize("prod")\n')
    assert "nowhere/prod/manifest.json: cannot be read" in result.stdout
    assert not (project / "runs.txt").exists()


def test_a_session_without_the_fixture_imports_nothing(project_root: Path) -> None:
    code = (
        "import sys, sizewell.pytest_plugin.plugin\n"
        "ours = {f'sizewell.{name}' for name in ('config', 'review', 'synthesis')}\n"
        "print(sorted((ours | {'aws_cdk', 'pydantic', 'jinja2'}) & sys.modules.keys()))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], cwd=project_root, capture_output=True, text=True, check=True
    )
    assert printed.stdout == "[]\n"


def test_the_three_lines_of_the_guide(project: Path, run_pytest: Pytest, project_root: Path) -> None:
    guide = (project_root / "docs" / "guides" / "snapshots.md").read_text("utf-8")
    start = guide.index("    def test_templates(")
    test = textwrap.dedent(guide[start : guide.index("\n\n", start)]) + "\n"
    result = run_pytest(test, "-p", "syrupy", "--snapshot-update")
    assert "2 passed" in result.stdout, result.stdout
    assert "2 snapshots generated" in result.stdout
    assert run_pytest(test, "-p", "syrupy").returncode == 0


def test_the_guide_names_every_option_and_key_with_its_default(project_root: Path) -> None:
    guide = (project_root / "docs" / "guides" / "snapshots.md").read_text("utf-8")
    for key, (_, default) in plugin.INI_KEYS.items():
        assert f"| `{key}` | `{default}` |" in guide
    for option in ("--sizewell-project", "--sizewell-update"):
        assert f"| `{option}" in guide
