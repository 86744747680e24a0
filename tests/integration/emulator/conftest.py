"""The account of the tests of the local cloud: it refuses what AWS refuses, and nothing is accepted in silence."""

from collections.abc import Iterator

import pytest

from sizewell_localcloud.cloud import LocalCloud
from tests.integration.emulator.lab import Lab
from tests.integration.harness import Cloud


@pytest.fixture(scope="session")
def lab(cloud: Cloud) -> Iterator[Lab]:
    """One account for all files: names and numbers in it are taken once."""
    assert isinstance(cloud, LocalCloud)
    made = Lab(cloud)
    yield made
    made.close()
