"""Fixtures of the integration tests: a local cloud for each worker, and each environment deployed in one of them.

With ``--real-account`` and no ``AWS_ENDPOINT_URL`` the same tests run against the account of the shell's credentials.
They make real resources there, which cost money. Tests that give orders to the local cloud, and tests of the local cloud
itself, are left out.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from sizewell_localcloud.cloud import LocalCloud
from tests.integration.harness import Admin, Cloud, Deployment, RealAccount, orders
from tests.synthesis import ENVIRONMENTS, synthesize

#: The order of what may run side by side, each in a local cloud of its own: the longest first, and meanwhile what needs
#: no synth.
GROUPS = (
    "prod",
    "test_examples",
    "dev",
    "emulator",
    "test_commands",
    "test_users_platform",
    "test_pipelines",
    "test_existing",
    "test_preflight",
    "test_processing_jobs",
    "test_queue_workers",
    "test_beyond_the_examples",
    "test_contract",
)
#: The order in which files and folders run on an environment: the last one takes it down.
ORDER = (
    "emulator",
    "test_deployed_equals_template",
    "test_review_deployed",
    "test_rightsize",
    "test_verify",
    "test_state_machines",
    "test_deploy",
    "test_life_cycle",
    "test_existing",
    "test_preflight",
    "test_examples",
    "test_processing_jobs",
    "test_queue_workers",
    "test_pipelines",
    "test_beyond_the_examples",
    "test_network_lookup",
    "test_commands",
    "test_users_platform",
    "test_contract",
)
#: Files and folders that test the local cloud rather than what is deployed to it.
OF_THE_LOCAL_CLOUD = {
    "emulator",
    "test_commands",
    "test_network_lookup",
    "test_preflight",
    "test_queue_workers",
    "test_rightsize",
    "test_users_platform",
}


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
    ours.sort(key=lambda item: (GROUPS.index(group_of(item.nodeid)), ORDER.index(entry_of(item.nodeid))))
    items[:] = [item for item in items if item not in ours] + ours
    if config.getoption("--real-account", default=False):
        for item in ours:
            if "admin" in getattr(item, "fixturenames", ()) or entry_of(item.nodeid) in OF_THE_LOCAL_CLOUD:
                item.add_marker(pytest.mark.skip(reason="tests the emulator, or needs it to fail on purpose"))


def entry_of(nodeid: str) -> str:
    """Return the stem of the file of a test, or the name of the folder in which it is."""
    return Path(nodeid.partition("::")[0].partition("tests/integration/")[2]).parts[0].removesuffix(".py")


def group_of(nodeid: str) -> str:
    """Return the environment of a test; one of none goes with the tests of the emulator, or with its file."""
    entry = entry_of(nodeid)
    parameters = re.split(r"[][-]", nodeid)
    of_none = entry if entry in GROUPS else "emulator"
    return next((name for name in ENVIRONMENTS if name in parameters), of_none)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """Give each worker whole groups. The marks of xdist for that are lost on pytest 9.2 (pytest-xdist issue 1386)."""
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = group_of
    return scheduler


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


# Staging is production with fewer instances: the snapshot of its templates shows all that differs.
@pytest.fixture(scope="session", params=("dev", "prod"))
def deployed(
    request: pytest.FixtureRequest, cloud: Cloud, tmp_path_factory: pytest.TempPathFactory
) -> Deployment:
    """An environment of the shipped configuration, deployed."""
    folder = tmp_path_factory.mktemp(request.param)
    assembly = folder / "cdk.out"
    synthesize(request.param, assembly)
    deployment = Deployment(cloud=cloud, assembly=assembly, folder=folder)
    deployment.bootstrap()
    artifacts = request.config.getoption("--artifacts", default=None)
    if artifacts is not None:
        deployment.deploy(deployment.plan.foundation.stack_name)
        deployment.upload(artifacts)
    deployment.deploy()
    return deployment
