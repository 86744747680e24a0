"""A name that the catalog does not know, with the names that were perhaps meant."""

from collections.abc import Iterable


def _near_matches(name: str, known: Iterable[str]) -> tuple[str, ...]:
    from difflib import get_close_matches  # only here: a start-up that succeeds need not load it

    return tuple(get_close_matches(name, list(known), n=3))


class UnknownNameError(LookupError):
    """A name that is not in the catalog; ``near_matches`` holds up to three similar ones, best first."""

    kind = "name"

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.near_matches = _near_matches(name, known)
        hint = f"; did you mean {' or '.join(self.near_matches)}?" if self.near_matches else ""
        super().__init__(f"unknown {self.kind} {name!r}{hint}")


class UnknownInstanceTypeError(UnknownNameError):
    """An instance type that no enum of SageMaker holds."""

    kind = "instance type"


class UnknownRegionError(UnknownNameError):
    """A region that AWS publishes no SageMaker price for."""

    kind = "region"
