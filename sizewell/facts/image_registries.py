"""Which AWS account holds AWS's container images in a region, for each of its registries.

The table is that of the page "Region availability" of https://github.com/aws/deep-learning-containers; regions that the page
leaves out are from the registries of the SageMaker Python SDK. A region without a row has no images of that registry, as far
as AWS says.
"""

import csv
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("image_registries.csv")


@cache
def registry_accounts() -> dict[tuple[str, str], str]:
    """Return the accounts by registry and region."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {(row["registry"], row["region"]): row["account"] for row in csv.DictReader(file)}


def registry_account(registry: str, region: str) -> str | None:
    """Return the account of a registry in a region; None where AWS names none."""
    return registry_accounts().get((registry, region))


@cache
def regions_with_images() -> frozenset[str]:
    """Return the regions that any registry is in."""
    return frozenset(region for _, region in registry_accounts())


@cache
def account_here(account: str, region: str) -> str | None:
    """Return the account in a region of the registry that an account holds in another one; None where AWS names none."""
    registry = next(name for (name, _), owner in registry_accounts().items() if owner == account)
    return registry_account(registry, region)


@cache
def accounts_of_aws() -> frozenset[str]:
    """Return the accounts of all registries."""
    return frozenset(registry_accounts().values())
