"""Rules of who may invoke an endpoint: roles that nobody can give a permission, the quotas of IAM, and the way to an API."""

import json
from collections import Counter
from collections.abc import Iterator

from sizewell.config.access import ApiGateway
from sizewell.config.arn_rules import account_of, elsewhere
from sizewell.config.environment import Environment
from sizewell.config.network import NewNetwork
from sizewell.config.request_members import Violation
from sizewell.config.variant_names import endpoint_of
from sizewell.facts.api_gateway import MAX_RESOURCE_POLICY_CHARACTERS, private_api_policy
from sizewell.facts.iam import MAX_ATTACHED_POLICIES, MAX_TRUST_POLICY_CHARACTERS, trust_of
from sizewell.facts.interface_endpoints import PRIVATE_APIS

_TWICE = "is named twice, as a role has one path: remove one of the two"
_LONGEST_VPC_ID = "vpc-0123456789abcdef0"
_LONGEST_API_ARN = len("arn:aws-us-gov:execute-api:ap-southeast-1:111122223333:abcdefghij")
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
            if _is_twice(index, access.callers):
                yield (*path, str(index)), _TWICE
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
        if access.api_gateway is not None:
            yield from _of_api(environment, ("workloads", name, "access", "api_gateway"), access.api_gateway)


def _of_api(environment: Environment, path: tuple[str, ...], api: ApiGateway) -> Iterator[Violation]:
    for index, arn in enumerate(api.callers):
        for reason in elsewhere(arn, environment.policy, "partition"):
            yield (*path, "callers", str(index)), f"the role {reason}"
        if _is_twice(index, api.callers):
            yield (*path, "callers", str(index)), _TWICE
    # API Gateway puts the ARN of the API before each of its resources.
    policy = private_api_policy(api.callers, _LONGEST_VPC_ID)
    length = len(json.dumps(policy, separators=(",", ":"))) + _LONGEST_API_ARN * len(policy["Statement"])
    if length > MAX_RESOURCE_POLICY_CHARACTERS:
        yield (
            (*path, "callers"),
            f"has {len(api.callers)} roles, which make a resource policy of {length:,} characters, and API Gateway takes "
            f"{MAX_RESOURCE_POLICY_CHARACTERS:,}: name fewer, such as one role that the others assume",
        )
    network = environment.network
    listed = network.interface_endpoints if isinstance(network, NewNetwork) else None
    if listed is not None and PRIVATE_APIS not in listed:
        yield (
            path,
            f"cannot be reached: a private API is called through {PRIVATE_APIS}, which network.interface_endpoints does not "
            "list; add it there, or remove that list",
        )


def _is_twice(index: int, arns: tuple[str, ...]) -> bool:
    return _identity(arns[index]) in map(_identity, arns[:index])


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
