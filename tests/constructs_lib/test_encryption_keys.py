from collections.abc import Callable
from typing import Any

import pytest
from aws_cdk import RemovalPolicy, Stack

from constructs_lib.encryption_keys import EncryptionKeys, EncryptionKeysProps

pytestmark = pytest.mark.cdk


@pytest.fixture
def keys(stack: Stack, resources: Callable[[str], dict[str, Any]]) -> list[dict[str, Any]]:
    props = EncryptionKeysProps(alias_prefix="demo-dev", removal_policy=RemovalPolicy.DESTROY)
    EncryptionKeys(stack, "Keys", props=props)
    return list(resources("AWS::KMS::Key").values())


def test_every_service_principal_is_bound_to_this_account(keys: list[dict[str, Any]]) -> None:
    services = {
        str(statement["Principal"]["Service"]): str(statement["Condition"])
        for key in keys
        for statement in key["KeyPolicy"]["Statement"]
        if "Service" in statement["Principal"]
    }

    assert len(services) == 3
    assert all("AWS::AccountId" in condition for condition in services.values())


def test_keys_that_are_removed_can_be_restored_for_as_long_as_kms_allows(keys: list[dict[str, Any]]) -> None:
    # No service shows it: it is read when the key is deleted.
    assert [key["PendingWindowInDays"] for key in keys] == [30, 30]
