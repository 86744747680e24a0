"""What a plan warns of before a training is paid for."""

from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.training_plan_model import TrainedModelPlan

#: A run of a working day is started again tomorrow; what takes longer is missed, and dear.
LONG_RUN_HOURS = 24.0


def training_warnings(plan: DeploymentPlan) -> tuple[str, ...]:
    """Return which long runs would begin anew after a failure."""
    lines: list[str] = []
    for job in plan.of(TrainedModelPlan):
        estimate = job.selection.chosen.estimate
        if job.checkpoint is None and estimate.duration_hours > LONG_RUN_HOURS:
            lost = "" if estimate.usd_per_run is None else f" of {estimate.usd_per_run:,.0f} USD"
            runs = "each training runs" if job.trainings_per_run > 1 else "runs"
            lines.append(
                f"{job.name}: {runs} {estimate.duration_hours:,.0f} h without a checkpoint: a failure at its end loses all of "
                f"it{lost}; add checkpoint: {{interval_minutes: 15}}, and save what the training contract asks for."
            )
    return tuple(lines)
