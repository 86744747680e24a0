"""All checks before a deployment, in the order in which people read them: what everything needs comes first."""

from sizewell.account.before.artifacts import ARTIFACTS
from sizewell.account.before.bootstrap import BOOTSTRAP
from sizewell.account.before.clusters import CLUSTERS
from sizewell.account.before.existing import EXISTING
from sizewell.account.before.images import IMAGES
from sizewell.account.before.networks import NETWORKS
from sizewell.account.before.offers import OFFERS
from sizewell.account.before.permissions import PERMISSIONS
from sizewell.account.before.quotas import QUOTAS
from sizewell.account.before.reservations import RESERVATIONS
from sizewell.account.before.spot import SPOT
from sizewell.account.check import Check

CHECKS: tuple[Check, ...] = (
    BOOTSTRAP,
    PERMISSIONS,
    EXISTING,
    NETWORKS,
    CLUSTERS,
    QUOTAS,
    OFFERS,
    SPOT,
    RESERVATIONS,
    IMAGES,
    ARTIFACTS,
)
