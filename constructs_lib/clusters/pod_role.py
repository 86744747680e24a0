"""The role of the pods of one workload in a cluster of Amazon EKS, by EKS Pod Identity.

https://docs.aws.amazon.com/eks/latest/userguide/pod-id-role.html
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aws_cdk import aws_eks as eks
from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.policies.artifact_access import Reads, artifact_wildcards, read_artifact_statements
from constructs_lib.policies.statements import Statement, policy_document
from constructs_lib.policies.wildcards import acknowledge_wildcards


@dataclass(frozen=True, kw_only=True)
class PodRoleProps:
    """The pods of one service account of a cluster that exists, and what they read.

    ``reads`` are pairs of a bucket and an object key, or a key prefix that ends with a slash. ``statements`` are what else they
    may, and ``wildcards`` the resources in them that cannot be named more narrowly, each with the reason.
    """

    cluster_name: str
    namespace: str
    service_account: str
    reads: Reads
    foundation: FoundationReferences
    statements: Sequence[Statement] = ()
    wildcards: Sequence[tuple[str | dict[str, Any], str]] = ()


class PodRole(Construct):
    """A role that only the pods of one service account in one cluster can assume."""

    def __init__(self, scope: Construct, construct_id: str, *, props: PodRoleProps) -> None:
        super().__init__(scope, construct_id)
        statements = [
            *(read_artifact_statements(props.reads, (props.foundation.data_key_arn,)) if props.reads else ()),
            *props.statements,
        ]
        policy = iam.CfnManagedPolicy(
            self,
            "Policy",
            description=f"What pods of {props.namespace}/{props.service_account} need",
            policy_document=policy_document(statements),
        )
        if wildcards := [*artifact_wildcards(props.reads), *props.wildcards]:
            acknowledge_wildcards(policy, *wildcards)
        role = iam.CfnRole(
            self,
            "Role",
            assume_role_policy_document=policy_document([_trust(props)]),
            managed_policy_arns=[policy.ref],
        )
        eks.CfnPodIdentityAssociation(
            self,
            "Association",
            cluster_name=props.cluster_name,
            namespace=props.namespace,
            service_account=props.service_account,
            role_arn=role.attr_arn,
        )


def _trust(props: PodRoleProps) -> dict[str, object]:
    """Let EKS assume the role for these pods alone: it names them in tags of the session.

    https://docs.aws.amazon.com/eks/latest/userguide/pod-id-abac.html
    """
    return {
        "Effect": "Allow",
        "Principal": {"Service": "pods.eks.amazonaws.com"},
        "Action": ["sts:AssumeRole", "sts:TagSession"],
        "Condition": {
            "StringEquals": {
                "aws:SourceAccount": {"Ref": "AWS::AccountId"},
                "aws:RequestTag/eks-cluster-name": props.cluster_name,
                "aws:RequestTag/kubernetes-namespace": props.namespace,
                "aws:RequestTag/kubernetes-service-account": props.service_account,
            }
        },
    }
