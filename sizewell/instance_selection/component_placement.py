"""Which copies of inference components lie on which instance: first-fit decreasing, always with the same result."""

from collections import Counter
from collections.abc import Mapping


def place_copies(
    counts: Mapping[str, int],
    *,
    shares: Mapping[str, int],
    apart: Mapping[str, int],
    shares_per_instance: int,
) -> tuple[dict[str, int], ...]:
    """Return how many copies of each component lie on each instance, on as few of them as first-fit decreasing finds.

    A copy has ``shares`` of its instance. ``apart`` is how many copies of a component lie on different instances, so that an
    instance that fails takes only one of them with it. The largest copies come first, then those that must lie apart, then by
    name. SageMaker places copies itself as they come and go, and may use more instances for a while.
    """
    instances: list[Counter[str]] = []
    free: list[int] = []
    for name in sorted(counts, key=lambda component: (-shares[component], -apart[component], component)):
        for number in range(counts[name]):
            alone = number < apart[name]
            place = next(
                (
                    i
                    for i, room in enumerate(free)
                    if room >= shares[name] and not (alone and name in instances[i])
                ),
                len(free),
            )
            if place == len(free):
                instances.append(Counter())
                free.append(shares_per_instance)
            instances[place][name] += 1
            free[place] -= shares[name]
    return tuple(dict(sorted(on_one.items())) for on_one in instances)
