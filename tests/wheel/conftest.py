"""The wheel of this checkout, and an environment with it."""

from pathlib import Path

import pytest

from tests.wheel.installation import LOCAL_CLOUD, Installation, build_wheel, install


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def local_cloud(wheel: Path) -> Path:
    """Return the wheel of the local cloud, beside that of the engine."""
    return build_wheel(wheel.parent, LOCAL_CLOUD)


@pytest.fixture(scope="session")
def installation(wheel: Path, local_cloud: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return install(wheel, environment=tmp_path_factory.mktemp("installation") / "environment")
