"""How a review reads the plan of a notebook."""

from typing import Any

from sizewell.planning.saved_workload import SavedChoice, SavedKind


class SavedNotebook(SavedChoice):
    """One notebook."""

    instance_type: str
    volume_size_gib: int

    @property
    def decided(self) -> dict[str, Any]:
        """Its type, and its volume, which never shrinks."""
        return {"instance_type": self.instance_type, "volume_size_gib": self.volume_size_gib}


FACET = SavedKind(
    model=SavedNotebook,
    only_in_development="notebooks are for development, so {reference} may have none",
)
