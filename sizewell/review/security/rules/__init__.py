"""The registry: what is looked at, one function for each."""

from collections.abc import Callable, Iterator

from sizewell.review.model import SecurityChange
from sizewell.review.security.iam import OwnerChange
from sizewell.review.security.rules.acknowledgements import acknowledgements
from sizewell.review.security.rules.encryption import encryption
from sizewell.review.security.rules.network_acls import network_acls
from sizewell.review.security.rules.principals import foreign_accounts, public_principals
from sizewell.review.security.rules.removed_records import removed_records
from sizewell.review.security.rules.requests import request_isolation
from sizewell.review.security.rules.resource_settings import resource_settings
from sizewell.review.security.rules.roles import exchanged_roles
from sizewell.review.security.rules.routes import internet_gateways, internet_routes
from sizewell.review.security.rules.security_groups import security_groups
from sizewell.review.security.rules.transport import tls_enforcement
from sizewell.review.security.view import StackChange

PolicyRule = Callable[[OwnerChange], Iterator[SecurityChange]]
"""Looks at the permissions of one role or resource."""
Rule = Callable[[StackChange], Iterator[SecurityChange]]
"""Looks at a whole stack."""

POLICY_RULES: tuple[PolicyRule, ...] = (public_principals, foreign_accounts, tls_enforcement)
RULES: tuple[Rule, ...] = (
    security_groups,
    network_acls,
    exchanged_roles,
    encryption,
    request_isolation,
    resource_settings,
    internet_gateways,
    internet_routes,
    removed_records,
    acknowledgements,
)

__all__ = ["POLICY_RULES", "RULES", "PolicyRule", "Rule"]
