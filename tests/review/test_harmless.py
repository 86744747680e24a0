"""What is known to do no harm, and that nothing else is."""

from typing import Any, get_args

import pytest

from sizewell.review.harmless import _Direction, _table, is_harmless, is_harmless_key
from sizewell.templates.resource_schemas import resource_schema
from tests.review.builders import pair, resource, template

LOGS, KEY = "AWS::Logs::LogGroup", "AWS::KMS::Key"
TAG, OTHER_TAG = {"Key": "team", "Value": "a"}, {"Key": "backup", "Value": "b"}


def harmless(resource_type: str, base: dict[str, Any], head: dict[str, Any], **attributes: Any) -> bool:
    before, after = (
        template(A=resource(resource_type, base)),
        template(A=resource(resource_type, head, **attributes)),
    )
    (change,) = pair(before, after).diff.changes
    return is_harmless(change)


@pytest.mark.parametrize(
    ("resource_type", "base", "head"),
    [
        (KEY, {}, {"Tags": [TAG]}),
        (KEY, {"Tags": [TAG]}, {"Tags": [TAG, OTHER_TAG]}),
        (KEY, {"Description": "a"}, {"Description": "b", "Tags": [TAG]}),
        (LOGS, {"RetentionInDays": 30}, {"RetentionInDays": 365}),
        (LOGS, {"RetentionInDays": 30}, {}),
    ],
)
def test_what_is_in_the_table(resource_type: str, base: dict[str, Any], head: dict[str, Any]) -> None:
    assert harmless(resource_type, base, head)


@pytest.mark.parametrize(
    ("resource_type", "base", "head"),
    [
        (KEY, {"Tags": [TAG]}, {}),
        (KEY, {"Tags": [TAG]}, {"Tags": [{**TAG, "Value": "b"}]}),
        (KEY, {"Description": "a"}, {"Description": "b", "PendingWindowInDays": 7}),
        (LOGS, {"RetentionInDays": 365}, {"RetentionInDays": 30}),
        (LOGS, {}, {"RetentionInDays": 365}),
        ("AWS::RDS::DBInstance", {"BackupRetentionPeriod": 7}, {"BackupRetentionPeriod": 0}),
        ("AWS::RDS::DBSubnetGroup", {"DBSubnetGroupDescription": "a"}, {"DBSubnetGroupDescription": "b"}),
        ("Custom::Anything", {}, {"Tags": [TAG]}),
        ("AWS::EC2::SecurityGroup", {"GroupDescription": "a"}, {"GroupDescription": "b"}),
    ],
)
def test_what_is_not(resource_type: str, base: dict[str, Any], head: dict[str, Any]) -> None:
    assert not harmless(resource_type, base, head)


def test_an_attribute_beside_the_properties_is_not() -> None:
    assert not harmless(KEY, {}, {"Tags": [TAG]}, DeletionPolicy="Delete")


def test_what_comes_and_goes_is_not() -> None:
    for base, head in ((template(), template(A=resource(KEY))), (template(A=resource(KEY)), template())):
        assert [is_harmless(change) for change in pair(base, head).diff.changes] == [False]


def test_keys_of_the_configuration() -> None:
    assert is_harmless_key("workloads.chat.description", "a", "b")
    assert is_harmless_key("policy.log_retention_days", "30", "365")
    assert not is_harmless_key("policy.log_retention_days", "365", "30")
    assert not is_harmless_key("workloads.chat.model.description", "a", "b")
    assert not is_harmless_key("policy.max_endpoint_instances", "2", "20")


def test_the_table_names_properties_that_there_are() -> None:
    assert set(_table().values()) == set(get_args(_Direction))
    types = {subject for subject, _ in _table()} - {"*", "configuration"}
    assert all(resource_schema(one) for one in types)
