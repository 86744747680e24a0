"""Amazon EKS's CloudFormation type for the role of pods, which ministack's CloudFormation lacks: its EKS has the operations."""

import json
from typing import Any

from ministack.services import eks

from sizewell_localcloud.emulator.cloudformation import Created
from sizewell_localcloud.emulator.errors import AwsError
from sizewell_localcloud.emulator.references import require_role_of_pods
from sizewell_localcloud.emulator.resource_schemas import Properties

Association = dict[str, Any]
_REPLACING = ("ClusterName", "Namespace", "ServiceAccount")
_ATTRIBUTES = ("AssociationArn", "AssociationId", "ExternalId")


class _PodIdentityAssociation:
    """The role of one service account of a cluster that exists: another cluster, namespace or service account replaces it."""

    type_name = "AWS::EKS::PodIdentityAssociation"
    name_property = None
    blocks = False

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Associate the role, unless the service account has one."""
        request = _request(properties)
        pods = tuple(properties[name] for name in _REPLACING)
        for other in list(eks._pod_identity_associations.values()):
            if pods == tuple(other[_member(name)] for name in _REPLACING):
                # https://github.com/aws/eks-hybrid/pull/679 has the words of AWS; ministack's are others.
                raise AwsError(
                    "ResourceInUseException", f"Association already exists: {other['associationId']}", 409
                )
        return _created(_answer(eks._create_pod_identity_association(properties["ClusterName"], request)))

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change the roles, the policy, the session tags and the tags."""
        cluster_name, association_id = _names(physical_id)
        request = {"disableSessionTags": False} | _request(new)
        _answer(eks._update_pod_identity_association(cluster_name, association_id, request))
        # What an update of ministack leaves out stays as it was, and tags are no part of it.
        association = eks._pod_identity_associations[eks._pia_key(cluster_name, association_id)]
        association["tags"] = request["tags"]
        if "policy" not in request:
            association.pop("policy", None)
        if "targetRoleArn" not in request:
            association.pop("targetRoleArn", None)
            association.pop("externalId", None)
        return _created(association)

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Delete it; it may have gone with its cluster."""
        cluster_name, association_id = _names(physical_id)
        if eks._pia_key(cluster_name, association_id) in eks._pod_identity_associations:
            _answer(eks._delete_pod_identity_association(cluster_name, association_id))


POD_IDENTITY_TYPES = [_PodIdentityAssociation()]


def _request(properties: Properties) -> dict[str, Any]:
    """Return the properties as the API takes them. Raises AwsError for what EKS refuses and ministack does not."""
    require_role_of_pods(properties["RoleArn"])
    if "Policy" in properties and not properties.get("DisableSessionTags"):
        # The rule is that of the API reference; which words refuse it is not known.
        raise AwsError(
            "InvalidParameterException", "When using a policy, disableSessionTags must be set to true"
        )
    request = {_member(name): value for name, value in properties.items()}
    return request | {"tags": {tag["Key"]: tag["Value"] for tag in properties.get("Tags", [])}}


def _member(name: str) -> str:
    """Return what the API calls a property or an attribute."""
    return name[:1].lower() + name[1:]


def _names(association_arn: str) -> tuple[str, str]:
    """Return the name of the cluster and the id of an association."""
    _, cluster_name, association_id = association_arn.rsplit("/", 2)
    return cluster_name, association_id


def _created(association: Association) -> Created:
    found = {name: association[_member(name)] for name in _ATTRIBUTES if _member(name) in association}
    return found["AssociationArn"], found


def _answer(response: tuple[int, dict[str, str], bytes]) -> Association:
    status, _, body = response
    answer = json.loads(body)
    if status != 200:
        raise AwsError(answer["__type"], answer["message"], status)
    association: Association = answer["association"]
    return association
