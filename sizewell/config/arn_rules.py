"""Where what an ARN names has to be: mostly in the account and region that are deployed to."""

from collections.abc import Iterator
from typing import Literal

from sizewell.config.policy import Policy
from sizewell.facts.regions import partition_of

Part = Literal["partition", "region", "account"]


def account_of(arn: str) -> str:
    """Return the account in an ARN; ``aws`` in those of what AWS itself manages."""
    return arn.split(":", 5)[4]


def elsewhere(arn: str, policy: Policy, *parts: Part) -> Iterator[str]:
    """Yield in which of these parts an ARN is not where the policy deploys to; a global service has no region."""
    _, partition, _, region, account, _ = arn.split(":", 5)
    found = {"partition": partition, "region": region or policy.region, "account": account}
    wanted = {"partition": partition_of(policy.region), "region": policy.region, "account": policy.account}
    for part in parts:
        if found[part] != wanted[part]:
            yield f"is in the {part} {found[part]}, but this environment is in {wanted[part]}"
