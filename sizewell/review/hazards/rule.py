"""What a hazard rule is. A rule registers itself: its function in ``rules/`` has the decorator ``hazard_rule``."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from sizewell.review.words import Effect, Severity
from sizewell.templates.deployment import DeploymentDiff


class Environment(Protocol):
    """What most rules look at. One that needs plans or configurations takes ``comparison.EnvironmentPair``, which is this
    and more."""

    @property
    def name(self) -> str:
        """As the app calls it."""

    @property
    def production(self) -> bool:
        """Whether it serves users."""

    @property
    def is_removed(self) -> bool:
        """Whether head no longer has it."""

    @property
    def diff(self) -> DeploymentDiff:
        """What a deployment of head over base does."""


@dataclass(frozen=True, slots=True)
class Found:
    """A hazard, but for what its rule and its place say already."""

    severity: Severity
    stack: str
    logical_id: str | None
    subject: str
    cause: str
    consequence: str
    what_to_do: str
    effect: Effect | None = None
    """None where it is that of the rule."""


_E = TypeVar("_E", bound=Environment)
Find = Callable[[_E], Iterator[Found]]
"""Yields what can go wrong in one environment when head is deployed over base."""


@dataclass(frozen=True, slots=True)
class HazardRule:
    """One way in which a deployment goes wrong."""

    name: str
    """In kebab case: what a gate names. It is the name of the function."""
    description: str
    """One line for the guide. It is the docstring of the function."""
    effect: Effect
    """What suffers."""
    theme: str
    """The module of the function: rules of one theme stand together."""
    find: Find[Any]


_RULES: list[HazardRule] = []


def hazard_rule(effect: Effect) -> Callable[[Find[_E]], Find[_E]]:
    """Register a rule by the name and the docstring of its function, with what suffers."""

    def register(find: Find[_E]) -> Find[_E]:
        name, description = find.__name__.replace("_", "-"), (find.__doc__ or "").strip()
        _RULES.append(HazardRule(name, description, effect, find.__module__.rpartition(".")[2], find))
        return find

    return register


def registered_rules() -> tuple[HazardRule, ...]:
    """Return the rules that were imported so far, by theme and name."""
    return tuple(sorted(_RULES, key=lambda rule: (rule.theme, rule.name)))
