"""How a review reads the plan of a tuning job."""

from typing import ClassVar

from sizewell.planning.saved_workload import SavedKind, SavedModel, SavedTraining


class SavedSearch(SavedModel):
    """What a tuning job tries."""

    max_jobs: int


class SavedTuningJob(SavedTraining):
    """One tuning job; its ``selection`` is that of one of its trainings."""

    run_noun: ClassVar[str] = "training"

    search: SavedSearch

    @property
    def trainings_per_run(self) -> int:
        """All that it tries."""
        return self.search.max_jobs


FACET = SavedKind(model=SavedTuningJob, image_goes="trains")
