"""Amazon EKS: each service account has its role, each managed node group is active. What runs in pods, only the cluster shows.

* https://docs.aws.amazon.com/eks/latest/APIReference/API_ListPodIdentityAssociations.html
* https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html; ``Ref`` is ``cluster/node group``:
  https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-eks-nodegroup.html
"""

from collections.abc import Iterator

from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, fails, passes, warns
from sizewell.account.deployed import DeployedResource, check_of_resources
from sizewell.aws_errors import is_missing
from sizewell.templates.values import text

_ASSOCIATION = "AWS::EKS::PodIdentityAssociation"
_NODE_GROUP = "AWS::EKS::Nodegroup"


def _ask(aws: AwsAccount, resource: DeployedResource) -> Iterator[Answer]:
    try:
        yield from (_ask_group if resource.resource_type == _NODE_GROUP else _ask_association)(aws, resource)
    except ClientError as error:
        if not is_missing(error):
            raise
        yield fails(
            resource.physical_id,
            "it is not there, or its cluster",
            f"delete {resource.stack.name}, and deploy it again",
        )


def _ask_association(aws: AwsAccount, association: DeployedResource) -> Iterator[Answer]:
    cluster, namespace, account = (
        text(association.stated.get(key)) or "" for key in ("ClusterName", "Namespace", "ServiceAccount")
    )
    subject = f"{cluster}/{namespace}/{account}"
    found = aws.client("eks").list_pod_identity_associations(
        clusterName=cluster, namespace=namespace, serviceAccount=account
    )["associations"]
    if found:
        yield passes(subject, "its pods have their role")
    else:
        yield fails(
            subject,
            "no role is associated: its pods may read nothing",
            f"delete {association.stack.name}, and deploy it again",
        )


def _ask_group(aws: AwsAccount, group: DeployedResource) -> Iterator[Answer]:
    cluster, _, name = group.physical_id.partition("/")
    found = aws.client("eks").describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"]
    status, issues = found["status"], found.get("health", {}).get("issues", ())
    said = "; ".join(f"{issue['code']}: {issue.get('message', '')}" for issue in issues)
    if status in ("CREATING", "UPDATING"):
        yield warns(group.physical_id, status, "verify again later")
    elif status != "ACTIVE" or issues:
        yield fails(
            group.physical_id,
            f"{status}: {said}" if said else status,
            f"mend that; then deploy {group.stack.name}",
        )
    else:
        yield passes(group.physical_id, status)


EKS = check_of_resources(
    "eks",
    (_ASSOCIATION, _NODE_GROUP),
    ("eks:ListPodIdentityAssociations", "eks:DescribeNodegroup"),
    _ask,
)
