from typing import Any

import pytest
from aws_cdk import App, Environment, RemovalPolicy, Stack
from aws_cdk.assertions import Template

from constructs_lib.encryption_keys import EncryptionKeys, EncryptionKeysProps

pytestmark = pytest.mark.cdk


def _template(context: dict[str, Any], removal_policy: RemovalPolicy) -> Template:
    app = App(context=context, analytics_reporting=False)
    stack = Stack(app, "Stack", env=Environment(account="111122223333", region="us-east-1"))
    props = EncryptionKeysProps(alias_prefix="demo-dev", removal_policy=removal_policy)
    EncryptionKeys(stack, "Keys", props=props)
    return Template.from_stack(stack)


@pytest.fixture(scope="module")
def template(cdk_context: dict[str, Any]) -> Template:
    return _template(cdk_context, RemovalPolicy.RETAIN)


@pytest.fixture(scope="module")
def key_of_alias(template: Template) -> dict[str, dict[str, Any]]:
    keys = template.find_resources("AWS::KMS::Key")
    aliases = template.find_resources("AWS::KMS::Alias").values()
    return {
        alias["Properties"]["AliasName"]: dict(keys[alias["Properties"]["TargetKeyId"]["Ref"]])
        for alias in aliases
    }


def _statements(key: dict[str, Any]) -> dict[str, Any]:
    return {statement["Sid"]: statement for statement in key["Properties"]["KeyPolicy"]["Statement"]}


def test_there_is_a_data_key_and_an_operations_key(key_of_alias: dict[str, Any]) -> None:
    assert sorted(key_of_alias) == ["alias/demo-dev-data", "alias/demo-dev-operations"]


def test_keys_rotate_and_outlive_their_stack(key_of_alias: dict[str, Any]) -> None:
    for key in key_of_alias.values():
        assert key["Properties"]["EnableKeyRotation"] is True
        assert (key["DeletionPolicy"], key["UpdateReplacePolicy"]) == ("Retain", "Retain")


def test_keys_that_are_removed_can_be_restored_for_thirty_days(cdk_context: dict[str, Any]) -> None:
    keys = _template(cdk_context, RemovalPolicy.DESTROY).find_resources("AWS::KMS::Key")

    assert len(keys) == 2
    for key in keys.values():
        assert key["DeletionPolicy"] == "Delete"
        assert key["Properties"]["PendingWindowInDays"] == 30


def test_only_the_delivery_of_execution_logs_may_use_the_data_key_by_itself(
    key_of_alias: dict[str, Any],
) -> None:
    statements = _statements(key_of_alias["alias/demo-dev-data"])

    assert list(statements) == ["IamPoliciesOfThisAccount", "ExecutionLogsOfStateMachines"]
    delivery = statements["ExecutionLogsOfStateMachines"]
    assert delivery["Principal"] == {"Service": "delivery.logs.amazonaws.com"}
    assert delivery["Action"] == "kms:Decrypt"
    assert delivery["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
    root = {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}
    assert statements["IamPoliciesOfThisAccount"]["Principal"] == {"AWS": root}


def test_alarms_of_this_account_may_publish_to_an_encrypted_topic(key_of_alias: dict[str, Any]) -> None:
    statement = _statements(key_of_alias["alias/demo-dev-operations"])["AlarmsPublishToEncryptedTopic"]

    assert statement["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert statement["Action"] == ["kms:Decrypt", "kms:GenerateDataKey*"]
    assert statement["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}


def test_log_groups_of_this_account_may_use_the_operations_key(key_of_alias: dict[str, Any]) -> None:
    statement = _statements(key_of_alias["alias/demo-dev-operations"])["LogGroupsOfThisAccount"]

    assert statement["Principal"] == {"Service": {"Fn::Sub": "logs.${AWS::Region}.amazonaws.com"}}
    log_groups = {"Fn::Sub": "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:*"}
    assert statement["Condition"] == {"ArnLike": {"kms:EncryptionContext:aws:logs:arn": log_groups}}


def test_every_service_principal_is_bound_to_this_account(key_of_alias: dict[str, Any]) -> None:
    services = [
        statement
        for key in key_of_alias.values()
        for statement in key["Properties"]["KeyPolicy"]["Statement"]
        if "Service" in statement["Principal"]
    ]

    assert len(services) == 3
    assert all("AWS::AccountId" in str(statement["Condition"]) for statement in services)
