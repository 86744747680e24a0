"""Where policies stand in a template, and whom or what they belong to."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from review.saved.stack import Resource
from review.security.alternatives import first_text, items, texts
from review.security.permissions import Permission, Permissions, Written
from review.security.statements import (
    boundary_permission,
    document_permissions,
    is_document,
    opaque_permission,
)

_REFERENCE = re.compile(r"\$\{([A-Za-z0-9]+)(?:\.[^}]*)?\}")

ROLE, USER, GROUP = "AWS::IAM::Role", "AWS::IAM::User", "AWS::IAM::Group"
POLICY, MANAGED_POLICY = "AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"

#: Policies of a resource of their own: the type, the property with the document, the properties that name the owners.
_ATTACHED = {
    POLICY: ("PolicyDocument", ("Roles", "Users", "Groups")),
    MANAGED_POLICY: ("PolicyDocument", ("Roles", "Users", "Groups")),
    "AWS::IAM::RolePolicy": ("PolicyDocument", ("RoleName",)),
    "AWS::IAM::UserPolicy": ("PolicyDocument", ("UserName",)),
    "AWS::IAM::GroupPolicy": ("PolicyDocument", ("GroupName",)),
    "AWS::S3::BucketPolicy": ("PolicyDocument", ("Bucket",)),
    "AWS::S3::AccessPointPolicy": ("PolicyDocument", ("Bucket",)),
    "AWS::SQS::QueuePolicy": ("PolicyDocument", ("Queues",)),
    "AWS::SQS::QueueInlinePolicy": ("PolicyDocument", ("Queue",)),
    "AWS::SNS::TopicPolicy": ("PolicyDocument", ("Topics",)),
    "AWS::SNS::TopicInlinePolicy": ("PolicyDocument", ("TopicArn",)),
    "AWS::SecretsManager::ResourcePolicy": ("ResourcePolicy", ("SecretId",)),
    "AWS::Logs::ResourcePolicy": ("PolicyDocument", ()),
}
VPC_ENDPOINT = "AWS::EC2::VPCEndpoint"
#: https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-access.html (Default endpoint policy)
_DEFAULT_ENDPOINT_POLICY = {
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": ["*"]}, "Action": ["*"], "Resource": ["*"]}]
}
#: Types that usually have a policy among their properties.
_WITH_POLICY = ("AWS::KMS::Key", "AWS::KMS::ReplicaKey", "AWS::ECR::Repository", VPC_ENDPOINT)
_IDENTITIES = (ROLE, USER, GROUP)
#: What a permission of a function or layer adds to its statement, by property:
#: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-permission.html
_PERMISSION_CONDITIONS = {
    "SourceAccount": ("StringEquals", "aws:SourceAccount"),
    "SourceArn": ("ArnLike", "aws:SourceArn"),
    "PrincipalOrgID": ("StringEquals", "aws:PrincipalOrgID"),
    "OrganizationId": ("StringEquals", "aws:PrincipalOrgID"),
    "EventSourceToken": ("StringEquals", "lambda:EventSourceToken"),
    "FunctionUrlAuthType": ("StringEquals", "lambda:FunctionUrlAuthType"),
    "InvokedViaFunctionUrl": ("Bool", "lambda:InvokedViaFunctionUrl"),
}
_ACCOUNT_OR_ARN = re.compile(r"\*|\d{12}|arn:.*|\$\{.*")


class DocumentReader:
    """Reads documents, and those that both sides share only once."""

    def __init__(self) -> None:
        self._read: dict[int, tuple[Any, Permissions]] = {}

    def __call__(self, document: Any) -> Permissions:
        """Return the permissions of a document; it is kept, so that its identity stays its own."""
        known = self._read.get(id(document))
        if known is None:
            known = self._read[id(document)] = (document, document_permissions(document))
        return known[1]


@dataclass
class Policies:
    """All permissions of a stack, by owner: the logical id of a resource, else its name as written."""

    resources: Mapping[str, Resource]
    read: DocumentReader = field(default_factory=DocumentReader)
    by_owner: dict[str, dict[Permission, Written]] = field(default_factory=dict)

    def add(self, owner: str, permissions: Permissions) -> None:
        """Add what a policy says."""
        self.by_owner.setdefault(owner, {}).update(permissions)

    def of(self, owner: str) -> Permissions:
        """Return all permissions that belong to one owner."""
        return self.by_owner.get(owner, {})

    def owner(self, name: str) -> str:
        """Return the logical id that a reference means, else the name itself."""
        found = _REFERENCE.fullmatch(name)
        return found[1] if found and found[1] in self.resources else name


def stack_policies(
    resources: Mapping[str, Resource], others: Mapping[str, Resource], read: DocumentReader
) -> Policies:
    """Return the permissions of all policies of a stack; ``others`` are the resources of the other side.

    Inside resources of other types than those that usually have a policy, only those are read that differ.
    """
    policies = Policies(resources, read)
    attached = _attachments(policies)
    for logical_id, resource in resources.items():
        reader = _READERS.get(resource.resource_type)
        if reader:
            reader(resource, policies, attached)
        elif resource is not others.get(logical_id):
            _any_resource(resource, policies, attached)
        if logical_id in others and _has_default_policy(resource):
            policies.add(logical_id, read(_DEFAULT_ENDPOINT_POLICY))
    return policies


def _has_default_policy(resource: Resource) -> bool:
    return resource.resource_type == VPC_ENDPOINT and resource.properties.get("PolicyDocument") is None


Attachments = Mapping[str, list[str]]
"""By logical id of a managed policy: the identities that it is attached to."""
_Reader = Callable[[Resource, Policies, Attachments], None]


def _attachments(policies: Policies) -> Attachments:
    found: dict[str, list[str]] = {}
    for resource in policies.resources.values():
        if resource.resource_type in _IDENTITIES:
            for name in texts(resource.properties.get("ManagedPolicyArns")):
                if _is_local(policies, name):
                    found.setdefault(policies.owner(name), []).append(resource.logical_id)
    return found


def _is_local(policies: Policies, name: str) -> bool:
    owner = policies.resources.get(policies.owner(name))
    return owner is not None and owner.resource_type == MANAGED_POLICY


def _identity(resource: Resource, policies: Policies, _: Attachments) -> None:
    owner, properties = resource.logical_id, resource.properties
    policies.by_owner.setdefault(owner, {})
    if "AssumeRolePolicyDocument" in properties:
        policies.add(owner, policies.read(properties["AssumeRolePolicyDocument"]))
    for policy in items(properties.get("Policies")):
        document = policy.get("PolicyDocument") if isinstance(policy, Mapping) else policy
        policies.add(owner, policies.read(document))
    for name in texts(properties.get("ManagedPolicyArns")):
        if not _is_local(policies, name):
            policies.add(owner, opaque_permission(name))
    for group in texts(properties.get("Groups")):
        policies.add(owner, opaque_permission(f"group {policies.owner(group)}"))
    for boundary in texts(properties.get("PermissionsBoundary")):
        policies.add(owner, boundary_permission(boundary))


def _attached_policy(resource: Resource, policies: Policies, attached: Attachments) -> None:
    document_key, owner_keys = _ATTACHED[resource.resource_type]
    permissions = policies.read(resource.properties.get(document_key))
    owners = [policies.owner(name) for key in owner_keys for name in texts(resource.properties.get(key))]
    owners += attached.get(resource.logical_id, [])
    for owner in owners or [resource.logical_id]:
        policies.add(owner, permissions)


def _group_membership(resource: Resource, policies: Policies, _: Attachments) -> None:
    group = policies.owner(first_text(resource.properties.get("GroupName")))
    for user in texts(resource.properties.get("Users")):
        policies.add(policies.owner(user), opaque_permission(f"group {group}"))


def _lambda_permission(resource: Resource, policies: Policies, _: Attachments) -> None:
    properties = resource.properties
    target = first_text(properties.get("FunctionName") or properties.get("LayerVersionArn"))
    owner = policies.owner(target)
    condition: dict[str, dict[str, Any]] = {}
    for key, (operator, name) in _PERMISSION_CONDITIONS.items():
        if properties.get(key) is not None:
            condition.setdefault(operator, {})[name] = [properties[key]]
    statement = {
        "Effect": "Allow",
        "Action": properties.get("Action"),
        "Principal": {
            "AWS" if _ACCOUNT_OR_ARN.fullmatch(name) else "Service": [_account(name)]
            for name in texts(properties.get("Principal"))
        },
        "Condition": condition,
    }
    policies.add(owner, policies.read({"Statement": [statement]}))


def _event_bus_policy(resource: Resource, policies: Policies, _: Attachments) -> None:
    properties = resource.properties
    owner = policies.owner(first_text(properties.get("EventBusName"), "default"))
    statement = properties.get("Statement") or {
        "Effect": "Allow",
        "Action": properties.get("Action"),
        "Principal": {"AWS": properties.get("Principal")},
        "Condition": _organization(properties.get("Condition")),
    }
    policies.add(owner, policies.read({"Statement": statement}))


def _organization(value: Any) -> Any:
    if isinstance(value, Mapping) and {"Type", "Key", "Value"} <= value.keys():
        return {str(value["Type"]): {str(value["Key"]): [value["Value"]]}}
    return value


def _any_resource(resource: Resource, policies: Policies, _: Attachments) -> None:
    for document in _documents(resource.properties):
        policies.add(resource.logical_id, policies.read(document))


def _documents(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, dict):
        if is_document(value):
            yield value
        else:
            for item in value.values():
                yield from _documents(item)
    elif isinstance(value, list):
        for item in value:
            yield from _documents(item)


def _account(principal: str) -> str:
    """Return the account of ``arn:aws:iam::111122223333:root``, which means the same."""
    found = re.fullmatch(r"arn:[^:]*:iam::(\d{12}):root", principal)
    return found[1] if found else principal


_READERS: dict[str, _Reader] = {
    **dict.fromkeys(_IDENTITIES, _identity),
    **dict.fromkeys(_ATTACHED, _attached_policy),
    "AWS::IAM::UserToGroupAddition": _group_membership,
    "AWS::Lambda::Permission": _lambda_permission,
    "AWS::Lambda::LayerVersionPermission": _lambda_permission,
    "AWS::Events::EventBusPolicy": _event_bus_policy,
    **dict.fromkeys(_WITH_POLICY, _any_resource),
}
