"""Tables that a project refreshed for itself: they come before those of the package, region by region."""

from collections.abc import Mapping
from dataclasses import dataclass

#: The tables that a project may have. All others are those of the package.
REFRESHABLE = ("availability", "instances", "prices", "sources")


@dataclass(frozen=True, slots=True)
class RefreshedTables:
    """The texts of tables in the format of the package, by name.

    In ``prices`` and ``availability``, the rows of a region take the place of all rows that the package has of it. ``instances``
    adds the types that the package lacks, and ``sources`` the origins of the rows.
    """

    texts: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> "RefreshedTables":
        """Return the tables of texts by name, whatever their order; an empty text is no table."""
        return cls(tuple(sorted((table, text) for table, text in texts.items() if text)))

    def lines(self, table: str) -> list[str]:
        """Return the lines of a table, the first of which names the columns; none where the project has no such table."""
        return dict(self.texts).get(table, "").splitlines()


#: Nothing is refreshed.
PACKAGED = RefreshedTables()
