"""Rules of who may invoke an endpoint: roles that nobody can give a permission, and the quotas of IAM."""

import json
from collections import Counter
from collections.abc import Iterator

from sizewell.config.arn_rules import account_of, elsewhere
from sizewell.config.environment import Environment
from sizewell.config.request_members import Violation
from sizewell.config.variant_names import endpoint_of
from sizewell.facts.iam import MAX_ATTACHED_POLICIES, MAX_TRUST_POLICY_CHARACTERS, trust_of

_SERVICE_LINKED, _IDENTITY_CENTER = ":role/aws-service-role/", ":role/aws-reserved/"


def access_violations(environment: Environment) -> Iterator[Violation]:
    """Yield every violation, in the order of the configuration."""
    account = environment.policy.account
    attached: Counter[str] = Counter()
    for name, workload in environment.workloads.items():
        access = getattr(workload, "access", None)
        # It is of the endpoint, and its variants have it from there.
        if access is None or endpoint_of(name) != name:
            continue
        path = ("workloads", name, "access", "callers")
        for index, arn in enumerate(access.callers):
            attached[arn] += 1
            for reason in _reasons(environment, arn):
                yield (*path, str(index)), reason
            if _identity(arn) in map(_identity, access.callers[:index]):
                yield (*path, str(index)), "is named twice, as a role has one path: remove one of the two"
            elif account_of(arn) == account and attached[arn] == MAX_ATTACHED_POLICIES + 1:
                yield (
                    (*path, str(index)),
                    f"may invoke more than {MAX_ATTACHED_POLICIES} endpoints, each by a policy of its own, and IAM attaches "
                    f"{MAX_ATTACHED_POLICIES} to a role at most: give this one the permission by a policy of yours",
                )
        others = [arn for arn in access.callers if account_of(arn) != account]
        length = len(json.dumps(trust_of(others), separators=(",", ":")))
        if length > MAX_TRUST_POLICY_CHARACTERS:
            yield (
                path,
                f"has {len(others)} roles of other accounts, which make a trust policy of {length:,} characters, and IAM takes "
                f"{MAX_TRUST_POLICY_CHARACTERS:,}: name fewer, such as one role of each account that the others assume",
            )


def _identity(arn: str) -> tuple[str, str]:
    """Return account and name: whatever their path, no two roles of an account have one name."""
    return account_of(arn), arn.rpartition("/")[2]


def _reasons(environment: Environment, arn: str) -> Iterator[str]:
    policy = environment.policy
    yield from (f"the role {reason}" for reason in elsewhere(arn, policy, "partition"))
    if _SERVICE_LINKED in arn:
        yield "is a service-linked role, whose permissions only its service sets: name the role of what calls"
    if _IDENTITY_CENTER in arn and account_of(arn) == policy.account:
        yield (
            "is a role of IAM Identity Center, to which only its permission set attaches policies: allow "
            "sagemaker:InvokeEndpoint there, and remove it here"
        )
