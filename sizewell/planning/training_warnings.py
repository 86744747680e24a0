"""What a plan warns of before a training is paid for."""

from collections.abc import Iterator

from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.training_plan_model import TrainedModelPlan

#: A run of a working day is started again tomorrow; what takes longer is missed, and dear.
LONG_RUN_HOURS = 24.0


def training_warnings(plan: DeploymentPlan) -> tuple[str, ...]:
    """Return which long runs would begin anew after a failure, and which jobs would train once on each instance."""
    lines: list[str] = []
    jobs: tuple[TrainedModelPlan, ...] = (*plan.training_jobs, *plan.tuning_jobs)
    for job in jobs:
        lines += _trains_apart(job)
        estimate = job.selection.chosen.estimate
        if job.checkpoint is None and estimate.duration_hours > LONG_RUN_HOURS:
            lost = "" if estimate.usd_per_run is None else f" of {estimate.usd_per_run:,.0f} USD"
            runs = "each training runs" if job in plan.tuning_jobs else "runs"
            lines.append(
                f"{job.name}: {runs} {estimate.duration_hours:,.0f} h without a checkpoint: a failure at its end loses all of "
                f"it{lost}; add checkpoint: {{interval_minutes: 15}}, and save what the training contract asks for."
            )
    return tuple(lines)


def _trains_apart(job: TrainedModelPlan) -> Iterator[str]:
    """The default of torchrun is one node: https://docs.pytorch.org/docs/stable/elastic/run.html."""
    most = max(attempt.instance_count for attempt in job.attempts)
    words = job.code.command if job.code else ()
    if most > 1 and "torchrun" in words and not any(word.startswith("--nnodes") for word in words):
        yield (
            f"{job.name}: may run on {most} instances, and torchrun without --nnodes trains a model on each, apart from the "
            "others; start it by a script that knows the instances, as launch.sh of examples/training-job."
        )
