"""Fixtures of the integration tests: one local cloud for all, and each environment deployed in it once.

With ``--real-account`` and no ``AWS_ENDPOINT_URL`` the same tests run against the account of the shell's credentials.
They make real resources there, which cost money. Tests that give orders to the local cloud, and tests of the local cloud
itself, are left out.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sizewell.localcloud.cloud import LocalCloud
from tests.integration.harness import Admin, Cloud, Deployment, RealAccount, orders
from tests.synthesis import ENVIRONMENTS, run_app

#: The order in which files and folders run on an environment: the last one takes it down.
ORDER = (
    "emulator",
    "test_deployed_equals_plan",
    "test_deployed_equals_template",
    "test_state_machines",
    "test_deploy",
    "test_life_cycle",
    "test_commands",
    "test_users_platform",
)


#: Files and folders that test the local cloud rather than what is deployed to it.
OF_THE_LOCAL_CLOUD = {"emulator", "test_commands", "test_users_platform"}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the flag without which nothing but loopback is touched."""
    parser.addoption(
        "--real-account",
        action="store_true",
        help="deploy to the account of the shell's credentials instead of the local cloud; costs money",
    )

    parser.addoption(
        "--artifacts",
        type=Path,
        help="a folder whose files go to the artifact bucket before workloads are deployed: models that really start",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run file after file for each environment, and leave out what a real account cannot be ordered to do."""
    here = Path(__file__).parent
    ours = [item for item in items if here in item.path.parents]

    def entry(item: pytest.Item) -> str:
        """Return the stem of the file, or the name of the folder in which it is."""
        return Path(item.path.relative_to(here).parts[0]).stem

    def rank(item: pytest.Item) -> tuple[int, int]:
        params = getattr(item, "callspec", None)
        environment = params.params.get("deployed") if params else None
        return (
            ENVIRONMENTS.index(environment) if environment in ENVIRONMENTS else -1,
            ORDER.index(entry(item)),
        )

    ours.sort(key=rank)
    items[:] = [item for item in items if item not in ours] + ours
    if config.getoption("--real-account", default=False):
        for item in ours:
            if "admin" in getattr(item, "fixturenames", ()) or entry(item) in OF_THE_LOCAL_CLOUD:
                item.add_marker(pytest.mark.skip(reason="is about the local cloud"))


@pytest.fixture(scope="session")
def cloud(request: pytest.FixtureRequest) -> Iterator[Cloud]:
    if request.config.getoption("--real-account", default=False):
        assert "AWS_ENDPOINT_URL" not in os.environ, "--real-account and AWS_ENDPOINT_URL exclude each other"
        yield RealAccount()
        return
    with LocalCloud() as local:
        yield local


@pytest.fixture
def admin(cloud: Cloud) -> Iterator[Admin]:
    assert isinstance(cloud, LocalCloud)
    with orders(Admin(cloud)) as given:
        yield given


@pytest.fixture(scope="session", params=ENVIRONMENTS)
def deployed(
    request: pytest.FixtureRequest, cloud: Cloud, tmp_path_factory: pytest.TempPathFactory
) -> Deployment:
    """An environment of the shipped configuration, deployed."""
    folder = tmp_path_factory.mktemp(request.param)
    assembly = folder / "cdk.out"
    result = run_app(request.param, assembly)
    assert result.returncode == 0, result.stderr
    deployment = Deployment(cloud=cloud, assembly=assembly, folder=folder)
    deployment.bootstrap()
    artifacts = request.config.getoption("--artifacts", default=None)
    if artifacts is not None:
        deployment.deploy(deployment.plan.foundation.stack_name)
        deployment.upload(artifacts)
    deployment.deploy()
    return deployment
