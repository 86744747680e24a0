"""What one training of a tuning must keep, so that the whole keeps its bounds."""

from sizewell.config.repeated_runs import runs_per_month
from sizewell.facts.tuning_jobs import RUNTIME_BOUNDS_S
from sizewell.kinds.tuning_job.config import TuningJob


def time_per_training_hours(job: TuningJob) -> float:
    """Return how long one training may take: its own deadline, and an equal part of that of the whole."""
    total = job.total_deadline_hours or RUNTIME_BOUNDS_S[1] / 3600
    return min(job.deadline_hours, total / job.search.waves)


def one_training(job: TuningJob) -> TuningJob:
    """Return the needs of one training, with its part of time and budget; a run of them is a training."""
    trainings = job.search.job_count
    return job.model_copy(
        update={
            "deadline_hours": time_per_training_hours(job),
            "max_usd_per_run": job.max_usd_per_run and job.max_usd_per_run / trainings,
            # A tuning job has no Spot trainings that go on on demand.
            "spot": job.spot.model_copy(update={"on_demand_fallback": False}),
            "schedule": None,
            "runs_per_month": (runs_per_month(job) or 1) * trainings,
        }
    )
