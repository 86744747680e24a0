from collections.abc import Callable
from pathlib import Path

import pytest

from sizewell.review.parity import compare_shape
from sizewell.review.saved.reading import OutputReader
from tests.synthesis import synthesize

pytestmark = pytest.mark.cdk


def test_staging_differs_from_prod_in_hardware_and_its_images_at_most(
    assemblies: Callable[[str], Path],
) -> None:
    reader = OutputReader()
    staging, prod = (reader.read_assembly(assemblies(name), name) for name in ("staging", "prod"))
    parity = compare_shape(staging, prod)
    assert {one.kind for one in parity.differences} <= {"hardware", "image"}
    assert {one.setting for one in parity.allowed} >= {"RetentionInDays", "DeletionPolicy", "zones"}
    assert not parity.notes


def test_a_notebook_that_only_dev_has_is_a_policy_and_no_difference(tmp_path: Path) -> None:
    reader = OutputReader()
    for name in ("dev", "prod"):
        synthesize(name, tmp_path / name, config="examples/notebook/config")
    dev, prod = (reader.read_assembly(tmp_path / name, name) for name in ("dev", "prod"))
    parity = compare_shape(dev, prod)
    assert parity.differences == ()
    of_notebooks = {one.subject for one in parity.allowed if "notebooks are for development" in one.why}
    assert of_notebooks == {
        "Network/InterfaceEndpoint-logs",
        "Network/InterfaceEndpoint-sagemaker.api",
        "Network/InterfaceEndpointSecurityGroup",
        "examples-dev-explore-scores",
    }
    # What prod has and dev does not try is a difference all the same.
    assert [one.kind for one in compare_shape(prod, dev).differences][-1] == "missing"
