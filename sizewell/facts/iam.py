"""What IAM takes: quotas, and the form of a trust policy."""

from collections.abc import Sequence

#: "The maximum limit for attaching a managed policy to an IAM role or user is 20", 10 before the quota is raised:
#: https://repost.aws/knowledge-center/iam-increase-policy-size
MAX_ATTACHED_POLICIES = 20
#: Without white space, before the quota "Role trust policy length" is raised:
#: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
MAX_TRUST_POLICY_CHARACTERS = 2048


def trust_of(role_arns: Sequence[str]) -> dict[str, object]:
    """Return the trust policy that lets exactly these roles assume a role."""
    statement = {"Effect": "Allow", "Principal": {"AWS": list(role_arns)}, "Action": "sts:AssumeRole"}
    return {"Version": "2012-10-17", "Statement": [statement]}
