"""What becomes of a stack that the app no longer has.

CloudFormation user guide, "DeletionPolicy attribute": a nested stack is a resource of its parent, and obeys its policy.
"""

from typing import Literal

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.saved import Stack

Departure = Literal["left", "deleted", "kept"]
"""left: CDK deletes no stack of its own accord; deleted: with its resource in the parent; kept: its policy retains it."""


def departure_of(pair: EnvironmentPair, stack: Stack | None) -> Departure:
    """Return what happens to a stack of base that head does not have."""
    base, head = (side.stacks if side else {} for side in (pair.base, pair.head))
    retained, one = False, stack
    while one is not None and one.parent is not None:
        parent = base.get(one.parent)
        resource = parent.resources.get(one.nested_id or "") if parent else None
        retained = retained or (resource is not None and resource.retained)
        if one.parent in head:
            return "kept" if retained else "deleted"
        one = parent
    return "left"
