"""The changed resources as a tree: environment, stack, resource."""

from dataclasses import dataclass

from sizewell.review.model import ResourceChange, Resources, StackChange
from sizewell.review.rendering.filters import is_hurting
from sizewell.review.rendering.groups import Tally, tally


@dataclass(frozen=True, slots=True)
class StackBranch:
    """One stack with what changes in it."""

    name: str
    change: StackChange | None
    resources: tuple[ResourceChange, ...]

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """Return how many resources meet which fate."""
        return tally(resource.action for resource in self.resources)

    @property
    def hurts(self) -> bool:
        """Return whether something goes away here: such a branch is open."""
        return any(map(is_hurting, self.resources))


@dataclass(frozen=True, slots=True)
class EnvironmentBranch:
    """One environment with its stacks."""

    name: str
    stacks: tuple[StackBranch, ...]

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """Return how many resources meet which fate."""
        return tally(resource.action for stack in self.stacks for resource in stack.resources)


def grow(resources: Resources) -> tuple[EnvironmentBranch, ...]:
    """Return the tree; every level in the order in which the model first names it, the most dangerous first."""
    changes = {
        (stack_change.environment, stack_change.stack): stack_change for stack_change in resources.stacks
    }
    found: dict[tuple[str, str], list[ResourceChange]] = {}
    for change in resources.changes:
        found.setdefault((change.environment, change.stack), []).append(change)
    places = list(dict.fromkeys([*found, *changes]))
    return tuple(
        EnvironmentBranch(
            name,
            tuple(
                StackBranch(stack, changes.get((name, stack)), tuple(found.get((name, stack), ())))
                for environment, stack in places
                if environment == name
            ),
        )
        for name in dict.fromkeys(environment for environment, _ in places)
    )
