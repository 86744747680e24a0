"""What pytest loads, in every session: so nothing is imported before a test asks for it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from sizewell.pytest_plugin.project import Project

#: A test that takes this argument runs once for each environment.
ENVIRONMENT_ARGUMENT = "sizewell_environment"
#: What each key of the configuration of pytest says, and its default.
INI_KEYS = {
    "sizewell_config": ("the directory of the configuration files, within the project", "config"),
    "sizewell_snapshots": (
        "the directory of the snapshots of sizewell.check, within the project",
        "tests/__snapshots__/sizewell",
    ),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and the keys."""
    group = parser.getgroup("sizewell", "snapshots of Sizewell environments")
    group.addoption(
        "--sizewell-project",
        metavar="DIR",
        help="the project: the directory with cdk.json (default: the root directory of pytest)",
    )
    group.addoption(
        "--sizewell-update",
        action="store_true",
        help="accept what sizewell.check compares: read the difference before you commit it",
    )
    for key, (meaning, default) in INI_KEYS.items():
        parser.addini(key, meaning, default=default)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes ``sizewell_environment`` for each environment of the project."""
    if ENVIRONMENT_ARGUMENT in metafunc.fixturenames:
        from sizewell.config import environment_names

        names = environment_names(_directory(metafunc.config) / metafunc.config.getini("sizewell_config"))
        metafunc.parametrize(ENVIRONMENT_ARGUMENT, names, scope="session")


@pytest.fixture(scope="session")
def sizewell_assembly(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """Return a function that synthesizes an environment and returns its ``cdk.out``.

    Override it where the tests of a project have an output already.
    """
    from sizewell.pytest_plugin.app import App

    app = App(_directory(request.config), request.config.getini("sizewell_config"))
    directory = tmp_path_factory.mktemp("sizewell")

    def synthesize(environment: str) -> Path:
        __tracebackhide__ = True
        return app.synthesize(environment, directory / environment)

    return synthesize


@pytest.fixture(scope="session")
def sizewell(request: pytest.FixtureRequest, sizewell_assembly: Callable[[str], Path]) -> "Project":
    """Return the project: its environments, their templates and plans; each is synthesized once per session."""
    from sizewell.pytest_plugin.files import SnapshotFiles
    from sizewell.pytest_plugin.project import Project

    config, directory = request.config, _directory(request.config)
    files = SnapshotFiles(
        directory / config.getini("sizewell_snapshots"), update=config.getoption("--sizewell-update")
    )
    return Project(directory / config.getini("sizewell_config"), sizewell_assembly, files)


def _directory(config: pytest.Config) -> Path:
    given = config.getoption("--sizewell-project")
    return config.invocation_params.dir.joinpath(given).resolve() if given else config.rootpath
