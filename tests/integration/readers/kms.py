"""Keys and their aliases, as KMS describes them."""

import json

from tests.integration.readers.common import ClientFactory, Properties, present, user_tags


def read_key(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("kms")
    found = api.describe_key(KeyId=physical_id)["KeyMetadata"]
    policy = api.get_key_policy(KeyId=physical_id, PolicyName="default")["Policy"]
    return present(
        Description=found.get("Description"),
        Enabled=found["Enabled"],
        EnableKeyRotation=api.get_key_rotation_status(KeyId=physical_id)["KeyRotationEnabled"],
        KeyPolicy=json.loads(policy),
        Tags=user_tags(api.list_resource_tags(KeyId=physical_id)["Tags"]),
    )


def read_alias(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    found = client("kms").describe_key(KeyId=physical_id)["KeyMetadata"]
    return {"AliasName": physical_id, "TargetKeyId": found["KeyId"]}
