"""Names that change with what they name are nobody's trap."""

import pytest

from sizewell.checks import check_template


def findings(name: str) -> list[str]:
    template = {"Resources": {"Model": {"Type": "AWS::SageMaker::Model", "Properties": {"ModelName": name}}}}
    return [finding.rule_id for finding in check_template(template)]


@pytest.mark.parametrize("name", ["fraud-3f9a21c", "fraud-v12", "fraud.20261121"])
def test_a_name_with_a_version_or_a_hash_passes(name: str) -> None:
    assert findings(name) == []


@pytest.mark.parametrize("name", ["fraud", "fraud-model", "fraudv2x"])
def test_a_name_without_one_is_fixed(name: str) -> None:
    assert findings(name) == ["fixed-name"]
