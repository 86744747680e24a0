"""The conditions that the configuration of an environment states for itself."""

from collections.abc import Iterable, Iterator

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.saved.configuration import saved_environment, value_at


def policy_conditions(pairs: Iterable[EnvironmentPair]) -> tuple[str, ...]:
    """Return ``policy.review_fail_on`` of both sides, each with its environment.

    Those of base count as well, so that a change cannot switch off what would stop it.
    """
    return tuple(dict.fromkeys(text for pair in pairs for text in _of_pair(pair)))


def _of_pair(pair: EnvironmentPair) -> Iterator[str]:
    for assembly in (pair.base, pair.head):
        environment = saved_environment(assembly)
        stated = value_at(environment, "policy", "review_fail_on") if environment is not None else None
        for text in stated if isinstance(stated, list) else ():
            for condition in str(text).split(","):
                if words := condition.partition("@")[0].strip():
                    yield f"{words}@{pair.name}"
