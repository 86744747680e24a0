"""What is said of the choice of what is trained, by a training job and by each training of a search."""

from typing import Any

from sizewell.cli.explanation import Explanation
from sizewell.cli.formats import hours, spread, usd
from sizewell.cli.kind import Asked, Subject
from sizewell.config.training import TrainedModel
from sizewell.instance_selection import TrainingEstimate
from sizewell.instance_selection.counterfactuals import training_counterfactuals
from sizewell.instance_selection.wording import counted
from sizewell.planning.locked_selection import free_pick
from sizewell.planning.training_method import Requirements
from sizewell.planning.translate import training_requirements


def explain_training(
    subject: Subject, training: TrainedModel, requirements: Requirements = training_requirements, **more: Any
) -> Asked:
    """Return what was asked of a training; ``more`` are other fields of what was asked."""
    plan: Any = subject.plan
    savings_plan = subject.policy.savings_plan
    return Asked(
        bound=training.deadline_hours,
        counterfactuals=training_counterfactuals(
            requirements(training, subject.policy, plan.method, (), subject.measured),
            subject.catalog,
            free_pick(plan.selection, plan.lock),
            checkpoint_interval_hours=training.checkpoint.interval_minutes / 60
            if training.checkpoint
            else None,
            savings_plan_discount_pct=savings_plan.discount_percent if savings_plan else 0.0,
        ),
        **more,
    )


def training_facts(explanation: Explanation) -> list[str]:
    """Return what the chosen type does."""
    plan: Any = explanation.workload
    e: TrainingEstimate = plan.selection.chosen.estimate
    memory = f"memory: {e.memory.needed_gib:.1f} of {e.memory.usable_gib:.1f} GiB usable"
    accelerators = f", {counted(e.accelerator_count, 'accelerator')}" if e.accelerator_count else ""
    where = "on each accelerator" if e.accelerator_count else "on the host"
    sure = spread(e)
    lines = [
        f"{memory} {where}{', sharded over all' if e.sharded else ''}",
        f"{counted(e.instance_count, 'instance')}{accelerators}: "
        f"{e.units_per_second:,.0f} examples or tokens per second",
        f"{hours(e.duration_hours)}{f' ({sure})' if sure else ''}, {explanation.asked.bound:g} h asked; "
        f"{usd(e.usd_per_run)} USD per run",
    ]
    if e.spot_savings_pct is not None:
        lines.append(f"Spot saves about {e.spot_savings_pct:.0f} %")
    if getattr(plan, "experiment", None) is not None:
        lines.append(f"its script records each run in the MLflow experiment {plan.experiment}")
    return lines
