from collections.abc import Callable
from pathlib import Path

import pytest

from sizewell.review.parity import compare_shape
from sizewell.review.saved.reading import OutputReader

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
