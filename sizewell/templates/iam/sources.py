"""Where policies stand in a template, and whom or what they belong to."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sizewell.templates.alternatives import (
    Guard,
    Guards,
    branches,
    combined,
    first_text,
    guarded_texts,
    members,
    resolutions,
    texts,
)
from sizewell.templates.iam.permissions import Permission, Permissions, Written, under
from sizewell.templates.iam.statements import (
    boundary_permission,
    document_permissions,
    is_document,
    opaque_permission,
)
from sizewell.templates.template import Resource

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
#: Resources that are nothing but policies.
POLICY_TYPES = frozenset(_ATTACHED)
_WITH_OUTPUTS = ("AWS::CloudFormation::Stack", "AWS::CloudFormation::CustomResource", "Custom::")
VPC_ENDPOINT = "AWS::EC2::VPCEndpoint"
#: https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-access.html (Default endpoint policy)
_DEFAULT_ENDPOINT_POLICY = {
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": ["*"]}, "Action": ["*"], "Resource": ["*"]}]
}
#: Types that usually have a policy among their properties.
_WITH_POLICY = (
    "AWS::KMS::Key",
    "AWS::KMS::ReplicaKey",
    "AWS::ECR::Repository",
    "AWS::ApiGateway::RestApi",
    VPC_ENDPOINT,
)
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
        """Return the logical id that a reference means, else the name itself.

        An output of a nested stack or of a custom resource is something that it made, not the resource itself.
        """
        found = _REFERENCE.fullmatch(name)
        resource = self.resources.get(found[1]) if found else None
        if resource is None or resource.resource_type.startswith(_WITH_OUTPUTS):
            return name
        return resource.logical_id


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
        if reader is None and resource is not others.get(logical_id):
            reader = _any_resource
        for owner, permissions in reader(resource, policies, attached) if reader else ():
            policies.add(owner, under(_made_when(resource, resources.get(owner)), permissions))
        if logical_id in others and _has_default_policy(resource):
            policies.add(logical_id, read(_DEFAULT_ENDPOINT_POLICY))
    return policies


def _made_when(resource: Resource, owner: Resource | None) -> Guards:
    """Return what must be so for a resource to be made, where that is not what its owner needs as well."""
    condition = resource.body.get("Condition")
    if not isinstance(condition, str) or (owner and owner.body.get("Condition") == condition):
        return ()
    return (Guard(condition, holds=True),)


def _has_default_policy(resource: Resource) -> bool:
    return resource.resource_type == VPC_ENDPOINT and resource.properties.get("PolicyDocument") is None


Attachments = Mapping[str, list[tuple[str, Guards]]]
"""By logical id of a managed policy: the identities that it is attached to, and when."""
Owned = Iterator[tuple[str, Permissions]]
"""Permissions, each with their owner."""
_Reader = Callable[[Resource, Policies, Attachments], Owned]


def _attachments(policies: Policies) -> Attachments:
    found: dict[str, list[tuple[str, Guards]]] = {}
    for resource in policies.resources.values():
        if resource.resource_type in _IDENTITIES:
            for name, guards in guarded_texts(resource.properties.get("ManagedPolicyArns")):
                if _is_local(policies, name):
                    found.setdefault(policies.owner(name), []).append((resource.logical_id, guards))
    return found


def _is_local(policies: Policies, name: str) -> bool:
    owner = policies.resources.get(policies.owner(name))
    return owner is not None and owner.resource_type == MANAGED_POLICY


def _identity(resource: Resource, policies: Policies, _: Attachments) -> Owned:
    owner, properties = resource.logical_id, resource.properties
    yield owner, {}
    if "AssumeRolePolicyDocument" in properties:
        yield owner, policies.read(properties["AssumeRolePolicyDocument"])
    for policy, guards in members(properties.get("Policies")):
        document = policy.get("PolicyDocument", policy) if isinstance(policy, Mapping) else policy
        yield owner, under(guards, policies.read(document))
    for name, guards in guarded_texts(properties.get("ManagedPolicyArns")):
        if not _is_local(policies, name):
            yield owner, under(guards, opaque_permission(name))
    for group, guards in guarded_texts(properties.get("Groups")):
        yield owner, under(guards, opaque_permission(f"group {policies.owner(group)}"))
    for boundary, guards in guarded_texts(properties.get("PermissionsBoundary")):
        yield owner, under(guards, boundary_permission(boundary))


def _attached_policy(resource: Resource, policies: Policies, attached: Attachments) -> Owned:
    document_key, owner_keys = _ATTACHED[resource.resource_type]
    permissions = policies.read(resource.properties.get(document_key))
    owners = [
        (policies.owner(name), guards)
        for key in owner_keys
        for name, guards in guarded_texts(resource.properties.get(key))
    ]
    owners += attached.get(resource.logical_id, [])
    for owner, guards in owners or [(resource.logical_id, ())]:
        yield owner, under(guards, permissions)


def _group_membership(resource: Resource, policies: Policies, _: Attachments) -> Owned:
    group = policies.owner(first_text(resource.properties.get("GroupName")))
    for user, guards in guarded_texts(resource.properties.get("Users")):
        yield policies.owner(user), under(guards, opaque_permission(f"group {group}"))


def _lambda_permission(resource: Resource, policies: Policies, _: Attachments) -> Owned:
    target = first_text(resource.properties.get("FunctionName") or resource.properties.get("LayerVersionArn"))
    for properties, guards in resolutions(resource.properties) or [(resource.properties, ())]:
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
        yield policies.owner(target), under(guards, document_permissions({"Statement": [statement]}))


def _event_bus_policy(resource: Resource, policies: Policies, _: Attachments) -> Owned:
    properties = resource.properties
    owner = policies.owner(first_text(properties.get("EventBusName"), "default"))
    statement = properties.get("Statement") or {
        "Effect": "Allow",
        "Action": properties.get("Action"),
        "Principal": {"AWS": properties.get("Principal")},
        "Condition": _organization(properties.get("Condition")),
    }
    yield owner, document_permissions({"Statement": statement})


def _organization(value: Any) -> Any:
    if isinstance(value, Mapping) and {"Type", "Key", "Value"} <= value.keys():
        return {str(value["Type"]): {str(value["Key"]): [value["Value"]]}}
    return value


def _any_resource(resource: Resource, policies: Policies, _: Attachments) -> Owned:
    for document, guards in _documents(resource.properties):
        yield resource.logical_id, under(guards, policies.read(document))


def _documents(value: Any, given: Guards = ()) -> Iterator[tuple[Mapping[str, Any], Guards]]:
    """Yield every policy document in a value, and what must be so for it to be there."""
    if isinstance(value, list):
        for item in value:
            yield from _documents(item, given)
    elif is_document(value):
        yield value, given
    elif (choice := branches(value)) and isinstance(choice[0], str):
        for branch, holds in zip(choice[1:], (True, False), strict=True):
            guards = combined(given, (Guard(choice[0], holds),))
            if guards is not None:
                yield from _documents(branch, guards)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _documents(item, given)


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
