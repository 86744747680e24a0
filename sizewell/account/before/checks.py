"""All checks before a deployment, in the order in which people read them."""

from sizewell.account.before.quotas import QUOTAS
from sizewell.account.check import Check

CHECKS: tuple[Check, ...] = (QUOTAS,)
