from collections.abc import Callable
from typing import Any

import pytest
from aws_cdk import RemovalPolicy, Stack

from constructs_lib.foundation.encryption_keys import EncryptionKeys, EncryptionKeysProps

pytestmark = pytest.mark.cdk


@pytest.fixture
def keys(stack: Stack, resources: Callable[[str], dict[str, Any]]) -> list[dict[str, Any]]:
    props = EncryptionKeysProps(alias_prefix="demo-dev", removal_policy=RemovalPolicy.DESTROY)
    EncryptionKeys(stack, "Keys", props=props)
    return list(resources("AWS::KMS::Key").values())


def test_services_are_bound_to_this_account_where_their_requests_carry_it(keys: list[dict[str, Any]]) -> None:
    services = {
        str(statement["Principal"]["Service"]): str(statement.get("Condition"))
        for key in keys
        for statement in key["KeyPolicy"]["Statement"]
        if "Service" in statement["Principal"]
    }

    assert len(services) == 4
    free = {name for name, condition in services.items() if "AWS::AccountId" not in condition}
    assert free == {"events.amazonaws.com"}, "a condition would keep the reminders of rules from the topic"


def test_log_delivery_decrypts_what_was_encrypted_for_logs_of_this_account(
    keys: list[dict[str, Any]],
) -> None:
    (delivery,) = (
        statement
        for key in keys
        for statement in key["KeyPolicy"]["Statement"]
        if statement["Principal"].get("Service") == "delivery.logs.amazonaws.com"
    )
    logs = {"Fn::Sub": "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:*"}
    assert delivery["Action"] == "kms:Decrypt"
    assert delivery["Condition"] == {"StringLike": {"kms:EncryptionContext:SourceArn": logs}}


def test_rules_of_eventbridge_may_use_the_key_of_the_topic_and_no_other(keys: list[dict[str, Any]]) -> None:
    admitted = {
        key["Description"]: [
            statement["Action"]
            for statement in key["KeyPolicy"]["Statement"]
            if statement["Principal"].get("Service") == "events.amazonaws.com"
        ]
        for key in keys
    }

    operations = [actions for name, actions in admitted.items() if name.startswith("Notifications")]
    assert operations == [[["kms:Decrypt", "kms:GenerateDataKey*"]]]
    assert sum(map(len, admitted.values())) == 1


def test_keys_that_are_removed_can_be_restored_for_as_long_as_kms_allows(keys: list[dict[str, Any]]) -> None:
    # No service shows it: it is read when the key is deleted.
    assert [key["PendingWindowInDays"] for key in keys] == [30, 30]
