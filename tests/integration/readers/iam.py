"""Roles and policies, as IAM describes them."""

from tests.integration.readers.common import ClientFactory, Properties, present, user_tags


def read_role(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("iam")
    found = api.get_role(RoleName=physical_id)["Role"]
    attached = api.list_attached_role_policies(RoleName=physical_id)["AttachedPolicies"]
    inline = api.list_role_policies(RoleName=physical_id)["PolicyNames"]
    return present(
        AssumeRolePolicyDocument=found["AssumeRolePolicyDocument"],
        ManagedPolicyArns=[policy["PolicyArn"] for policy in attached],
        Policies=[
            {
                "PolicyName": name,
                "PolicyDocument": api.get_role_policy(RoleName=physical_id, PolicyName=name)[
                    "PolicyDocument"
                ],
            }
            for name in inline
        ],
        PermissionsBoundary=found.get("PermissionsBoundary", {}).get("PermissionsBoundaryArn"),
        Description=found.get("Description"),
        Tags=user_tags(found.get("Tags", [])),
    )


def read_managed_policy(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("iam")
    found = api.get_policy(PolicyArn=physical_id)["Policy"]
    version = api.get_policy_version(PolicyArn=physical_id, VersionId=found["DefaultVersionId"])[
        "PolicyVersion"
    ]
    return present(PolicyDocument=version["Document"], Description=found.get("Description"))
