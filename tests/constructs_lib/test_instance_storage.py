import pytest

from constructs_lib.instance_storage import has_local_nvme
from sizewell.instance_selection import load_catalog

TYPES = load_catalog("us-east-1").instance_types


def test_the_name_of_every_known_type_tells_its_disks() -> None:
    has_nvme = {instance_type.name: has_local_nvme(instance_type.name) for instance_type in TYPES}
    assert has_nvme == {instance_type.name: instance_type.local_storage_nvme for instance_type in TYPES}
    assert len(set(has_nvme.values())) == 2


@pytest.mark.parametrize(("name", "expected"), [("ml.m7gd.large", True), ("ml.g5g.xlarge", False)])
def test_a_type_that_the_catalog_does_not_have_follows_the_naming_of_ec2(name: str, expected: bool) -> None:
    assert has_local_nvme(name) is expected
