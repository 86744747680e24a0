"""The registry: what is looked at, one function for each."""

from collections.abc import Callable, Iterator

from review.model import SecurityChange
from review.security.iam import OwnerChange
from review.security.rules.acknowledgements import acknowledgements
from review.security.rules.encryption import encryption
from review.security.rules.network_acls import network_acls
from review.security.rules.principals import foreign_accounts, public_principals
from review.security.rules.removed_records import removed_records
from review.security.rules.requests import request_isolation
from review.security.rules.resource_settings import resource_settings
from review.security.rules.roles import exchanged_roles
from review.security.rules.routes import internet_gateways, internet_routes
from review.security.rules.security_groups import security_groups
from review.security.rules.transport import tls_enforcement
from review.security.view import StackChange

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
